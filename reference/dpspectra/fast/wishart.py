"""The real Wishart law on float64 arrays: its density, and how likely it stays positive when shifted by rank two.

``W_d(m, C)`` is the law of the sum of ``g g'`` over ``m`` independent vectors ``g ~ N(0, C)``.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import k0e, k1e, multigammaln

from dpspectra.fast.quadrature import gauss_legendre

_NODES = 128
"""Number of nodes of the quadrature."""
_TINY = 1e-100
"""Half-distance of the foci below which the shift is invisible; it keeps the Bessel functions finite."""
_NEGLIGIBLE = -50.0
"""An exponent whose exponential does not count beside 1."""


def log_density(w: ArrayLike, degrees: float, covariance: ArrayLike) -> Any:
    """Logarithm of the density of ``W_d(degrees, covariance)`` at ``w`` of shape ``(..., d, d)``, ``degrees > d - 1``.

    Minus infinity outside the open cone of positive definite matrices: the density lives on that cone only.
    """
    w, covariance = np.asarray(w, dtype=float), np.asarray(covariance, dtype=float)
    d = covariance.shape[-1]
    inside = np.linalg.eigvalsh(w)[..., 0] > 0
    safe = np.where(inside[..., None, None], w, np.eye(d))
    exponent = np.trace(np.linalg.solve(covariance, safe), axis1=-2, axis2=-1) / 2
    power = (degrees - d - 1) / 2 * np.linalg.slogdet(safe)[1] - degrees / 2 * np.linalg.slogdet(covariance)[1]
    log_value = power - exponent - degrees * d / 2 * np.log(2) - multigammaln(degrees / 2, d)
    return np.where(inside, log_value, -np.inf)[()]


def draws(degrees: int, covariance: NDArray[Any], size: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Draw ``size`` matrices by the definition; shape ``(size, d, d)``."""
    g = np.linalg.cholesky(covariance) @ rng.standard_normal((size, len(covariance), degrees))
    return g @ np.swapaxes(g, -1, -2)


def bartlett(degrees: int, d: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Draw one ``W_d(degrees, I)`` with ``degrees >= d`` from ``d (d + 1) / 2`` variates, whatever ``degrees``.

    It is ``T T'``: the entries of the lower triangular ``T`` are what Gram-Schmidt leaves of the Gaussian vectors,
    normal below the diagonal and lengths of shrinking normal vectors on it.
    """
    t = np.tril(rng.standard_normal((d, d)), -1)
    np.fill_diagonal(t, np.sqrt(rng.chisquare(degrees - np.arange(d))))
    return np.asarray(t @ t.T)


def difference(d: int, scale: float, rng: np.random.Generator) -> NDArray[np.float64]:
    """Draw ``scale`` times the difference of two ``W_d(d + 1, I)``."""
    total = np.zeros((d, d))
    for sign in (scale, -scale):
        g = rng.standard_normal((d, d + 1))
        total += sign * (g @ g.T)
    return total


def centred_moments(degrees: float, d: int) -> tuple[float, float]:
    """Mean and variance of the squared Frobenius norm of ``W - degrees I``, ``W ~ W_d(degrees, I)``."""
    m = float(degrees)
    return m * d * (d + 1), 4 * m * d * (m * d + m + 2 * d**2 + 5 * d + 5)


def difference_moments(d: int) -> tuple[float, float]:
    """Mean and variance of the squared Frobenius norm of ``W - W'``, both ``W_d(d + 1, I)``."""
    return 2.0 * d * (d + 1) ** 2, 8.0 * d * (d + 1) * (4 * d**2 + 9 * d + 7)


def containment(spread: float, drift: float) -> float:
    """Probability that ``W + D`` is positive semidefinite, for ``W ~ W_d(d + 1, c I)`` and ``D`` of two eigenvalues.

    ``D`` has the eigenvalues ``a >= 0 >= -b`` and zeros; ``spread = (a + b) / 2c``, ``drift = (a - b) / 2c``.
    """
    return float(np.exp(log_containment(spread, drift)))


def log_containment(spread: float, drift: float) -> float:
    """Logarithm of `containment`.

    The matrix is reduced to two dimensions, where the cone is ``t >= |(x, y)|`` and the density of ``(x, y)`` at
    distance ``r`` is ``exp(-r) / 2 pi``; in elliptic coordinates around the two apexes one integral is a Bessel
    function, the other is done by Gauss-Legendre quadrature. Absolute error about 1e-14.
    """
    half = max(spread / 2, _TINY)
    cosine = float(np.clip(drift / (2 * half), -1.0, 1.0))
    near, far = _arc(-cosine, half), _arc(cosine, half)
    return float(half * (cosine - 1) + np.log((near + far) / np.pi))


def _arc(cosine: float, half: float) -> Any:
    """Integral of ``exp(a (cosine - cos v)) a^2 (K0(a) sin^2 v + K1(a) / a) e^a`` over ``cos v >= cosine``.

    The integrand is negligible where the exponent is below `_NEGLIGIBLE`, so that nodes go where it is not.
    """
    low, high = -np.arccos(cosine), -np.arccos(min(1.0, cosine - _NEGLIGIBLE / half))
    nodes, weights = gauss_legendre(_NODES)
    v = (low + high) / 2 + (high - low) / 2 * nodes
    radial = half**2 * k0e(half) * np.sin(v) ** 2 + half * k1e(half)
    return (high - low) / 2 * np.sum(weights * radial * np.exp(half * (cosine - np.cos(v))))


def pair_profile(v: NDArray[Any], w: NDArray[Any], scale: float, level: float) -> float:
    """Smallest ``delta`` at ``level`` of ``X'X + W``, ``W ~ W_d(d + 1, scale I)`` when ``w`` replaces a row ``v``.

    Where both densities live their log-ratio is ``(|v|^2 - |w|^2) / 2 scale``; outside it is infinite.
    """
    p, q = float(v @ v), float(w @ w)
    nuclear = np.sqrt(max((p + q) ** 2 - 4 * float(v @ w) ** 2, 0.0))
    log_ratio = (p - q) / (2 * scale)
    inside = containment(nuclear / (2 * scale), log_ratio)
    return float(1 - inside * np.exp(min(level - log_ratio, 0.0)))


def log_difference_density(m: NDArray[Any], scale: float) -> float:
    """Log-density at ``m`` of ``W - W'``, both ``W_d(d + 1, scale I)``, for ``d`` at most 2.

    ``exp(-tr m / 2c) P(V + m >= 0)`` with ``V ~ W_d(d + 1, c/2 I)``, times its value ``2^(-d(d+1)/2) / Z`` at 0.
    """
    d, values = len(m), np.linalg.eigvalsh(m)
    half_size = d * (d + 1) / 2
    log_at_zero = -half_size * np.log(4 * scale) - multigammaln((d + 1) / 2, d)
    drift = float(np.sum(values)) / scale
    if values[0] >= 0 or values[-1] <= 0:
        return float(log_at_zero - abs(drift) / 2)
    return float(log_at_zero - drift / 2 + log_containment(float(values[-1] - values[0]) / scale, drift))
