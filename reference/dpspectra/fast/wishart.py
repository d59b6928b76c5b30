"""The real Wishart law on float64 arrays: its density, and how likely it stays positive when shifted by rank two.

``W_d(m, C)`` is the law of the sum of ``g g'`` over ``m`` independent vectors ``g ~ N(0, C)``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import k0e, k1e, multigammaln

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(128)
_TINY = 1e-100
"""Below this half-distance of the foci the shift is invisible; it keeps the Bessel functions finite."""


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


def containment(spread: float, drift: float) -> float:
    """Probability that ``W + D`` is positive semidefinite, for ``W ~ W_d(d + 1, c I)`` and ``D`` of two eigenvalues.

    ``D`` has the eigenvalues ``a >= 0 >= -b`` and zeros; ``spread = (a + b) / 2c``, ``drift = (a - b) / 2c``. The
    matrix is reduced to two dimensions, where the cone is ``t >= |(x, y)|`` and the density of ``(x, y)`` at distance
    ``r`` is ``exp(-r) / 2 pi``; in elliptic coordinates around the two apexes one integral is a Bessel function, the
    other is done by Gauss-Legendre quadrature. Absolute error about 1e-15.
    """
    half = max(spread / 2, _TINY)
    crossing = float(np.arccos(np.clip(drift / (2 * half), -1.0, 1.0)))
    near = _arc(crossing, np.pi, half, 1.0, 0.0)
    return float((near + _arc(0.0, crossing, half, -1.0, drift)) / np.pi)


def _arc(low: float, high: float, half: float, sign: float, log_factor: float) -> Any:
    """Integral of ``exp(log_factor + sign a cos v) a^2 (K0(a) sin^2 v + K1(a) / a)`` over ``[low, high]``."""
    v = (low + high) / 2 + (high - low) / 2 * _NODES
    radial = half**2 * k0e(half) * np.sin(v) ** 2 + half * k1e(half)
    return (high - low) / 2 * np.sum(_WEIGHTS * radial * np.exp(log_factor + half * (sign * np.cos(v) - 1)))
