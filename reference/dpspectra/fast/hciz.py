"""Logarithm of the normaliser of ``exp(kappa <M, H>)`` over the orbit ``{U diag(spectrum) U*}`` (Haar probability).

``M`` enters by its spectrum ``gamma``; ``kappa >= 0`` is the inverse temperature.
"""

import itertools
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import exprel, gammaln, i0e, logsumexp

from dpspectra.fast.linalg import Real
from dpspectra.fast.quadrature import gauss_legendre

LARGEST_TILT = 600.0
"""Largest product of ``kappa`` and both spreads; beyond, Poisson weights of the series for tied nodes underflow."""
APART = 8.0
"""Smallest product of ``kappa`` and both gaps at which neighbouring nodes count as separated."""


def log_normaliser(gamma: ArrayLike, spectrum: ArrayLike, kappa: float) -> Any:
    """Complex orbit, by the Harish-Chandra-Itzykson-Zuber determinant.

    Arrays are ``(..., d)`` in any order and broadcast. Up to a product of ``kappa`` and both spreads of `LARGEST_TILT`
    any nodes do, tied ones too; beyond it, neighbours need `APART`. Raises ``ValueError`` where neither holds.
    """
    eigenvalues, levels = np.broadcast_arrays(np.asarray(gamma, dtype=float), np.asarray(spectrum, dtype=float))
    tilt = kappa * np.ptp(eigenvalues, axis=-1) * np.ptp(levels, axis=-1)
    steep = ~(tilt <= LARGEST_TILT)
    if not np.any(steep):
        return _series(eigenvalues, levels, kappa)[()]
    x, y = np.sort(eigenvalues[steep], axis=-1), np.sort(levels[steep], axis=-1)
    if not np.all(kappa * np.diff(x, axis=-1) * np.diff(y, axis=-1) >= APART):
        raise ValueError(
            f"kappa times both spreads must be at most {LARGEST_TILT:g} or times neighbouring gaps at least {APART:g}, "
            f"got {np.max(tilt):g}"
        )
    total = np.empty(tilt.shape)
    total[~steep] = _series(eigenvalues[~steep], levels[~steep], kappa)
    total[steep] = _separated(x, y, kappa)
    return total[()]


def _separated(x: NDArray[Any], y: NDArray[Any], kappa: float) -> NDArray[Any]:
    """For ascending nodes far from ties: the determinant of ``exp(kappa x y)``, rows and columns scaled first.

    The row scale ``u`` is convex with slope ``y_i`` from ``x_i`` on, the column scale its conjugate: no entry exceeds
    1, the diagonal is 1 and what stands above it is at most ``exp(-APART)``, so nothing cancels.
    """
    d = x.shape[-1]
    rise = np.cumsum(y[..., :-1] * np.diff(x, axis=-1), axis=-1)
    u = np.concatenate([np.zeros_like(x[..., :1]), rise], axis=-1)
    conjugate = x * y - u
    scaled = np.exp(kappa * (x[..., :, None] * y[..., None, :] - u[..., :, None] - conjugate[..., None, :]))
    low, high = np.triu_indices(d, 1)
    gaps = kappa * (x[..., high] - x[..., low]) * (y[..., high] - y[..., low])
    factorials = np.sum(gammaln(np.arange(1, d + 1)))
    return kappa * np.sum(x * y, axis=-1) + np.linalg.slogdet(scaled)[1] - np.sum(np.log(gaps), axis=-1) + factorials


def _series(eigenvalues: NDArray[Any], levels: NDArray[Any], kappa: float) -> NDArray[Any]:
    """Return the determinant in divided differences, where ties need no care.

    With both spectra moved to ``[0, 1]``, ascending, and ``t`` the product of ``kappa`` and the spreads, the normaliser
    is the determinant of the divided differences of ``exp(t x y)`` over the first ``i + 1`` nodes ``x`` and ``j + 1``
    nodes ``y``, times ``i! / t^i`` over all ``i``. A divided difference of ``x^n`` is a complete homogeneous
    polynomial, so every entry is a sum of positive terms. As both smallest nodes are 0, elimination in this order
    cancels powers of ``t`` at most.
    """
    sign = _orientation(eigenvalues, levels)
    (x, low_x, spread_x), (y, low_y, spread_y) = _unit_nodes(sign * eigenvalues), _unit_nodes(sign * levels)
    d, t = x.shape[-1], kappa * spread_x * spread_y
    shift = kappa * (low_x * np.sum(sign * levels, axis=-1) + spread_x * np.sum(x, axis=-1) * low_y)
    n = np.arange(_terms(np.max(t, initial=0.0), d))[:, None]
    i = np.arange(d)
    log_t = np.log(np.where(t > 0, t, 1.0))[..., None, None]
    exponents = np.where(n >= i, (n - i) * log_t + gammaln(i + 1) - gammaln(n + 1), -np.inf)
    exponents = np.where((n > i) & (t == 0)[..., None, None], -np.inf, exponents)
    weights = np.exp(exponents - t[..., None, None])
    a = np.einsum("...ni,...ni,...nj->...ij", weights, _complete(x, len(n)), _complete(y, len(n)))
    total = (d - 1) * t + shift
    for k in range(1, d):  # the smallest nodes are 0: row and column 0 are those of the identity
        total = total + np.log(a[..., k, k])
        below = a[..., k + 1 :, k] / a[..., k, None, k]
        a[..., k + 1 :, k + 1 :] -= below[..., :, None] * a[..., k, None, k + 1 :]
    return np.asarray(total)


def _orientation(gamma: NDArray[Any], spectrum: NDArray[Any]) -> NDArray[Any]:
    """Sign that puts the nodes, and so their ties, nearer to 0 than to 1; the law of ``<-M, -H>`` is the same."""
    nodes = _unit_nodes(gamma)[0] + _unit_nodes(spectrum)[0]
    return np.where(np.sum(nodes, axis=-1, keepdims=True) > gamma.shape[-1], -1.0, 1.0)


def _unit_nodes(values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Ascending values moved to ``[0, 1]``, their smallest one and their spread."""
    ordered = np.sort(values, axis=-1)
    low, spread = ordered[..., 0], ordered[..., -1] - ordered[..., 0]
    return (ordered - low[..., None]) / np.where(spread > 0, spread, 1.0)[..., None], low, spread


def _terms(t: float, d: int) -> int:
    """Terms after which the Poisson weights, times a polynomial of degree ``2 d``, are below rounding."""
    return int(t + 12 * np.sqrt(t) + 40 + 2 * d)


def _complete(nodes: NDArray[Any], count: int) -> NDArray[Any]:
    """Divided differences of ``x^n`` over the first ``i + 1`` nodes, ``n < count``; shape ``(..., count, d)``."""
    d = nodes.shape[-1]
    out = np.zeros((*nodes.shape[:-1], count, d))
    out[..., 0, 0] = 1.0
    for n in range(1, count):
        out[..., n, :] = nodes * out[..., n - 1, :]
        out[..., n, 1:] += out[..., n - 1, :-1]
    return out


def log_mean_exponential(gamma: Real, spectrum: Real, kappa: float, nodes: int = 10) -> Any:
    """`log_normaliser` for a vector ``gamma`` of ``d <= 4``, integrated over the spectra of the corners of ``H``.

    The spectrum of the leading ``d - 1`` corner interlaces the descending ``spectrum`` with density proportional to its
    Vandermonde product, and given it the last diagonal entry is the difference of the traces. Gauss-Legendre ``nodes``
    to an axis: ten give ten digits up to ``kappa`` times both spreads of 8. No determinant is involved.
    """
    d = len(gamma)
    if d == 1:
        return kappa * gamma[0] * spectrum[..., 0]
    if d == 2:  # the first diagonal entry is uniform between the eigenvalues
        steps = kappa * (gamma[0] - gamma[1]) * (spectrum[..., 0] - spectrum[..., 1])
        return kappa * (gamma[0] * spectrum[..., 1] + gamma[1] * spectrum[..., 0]) + np.log(exprel(steps))
    u, w = gauss_legendre(nodes)
    grid, weights = (np.stack(np.meshgrid(*[v] * (d - 1)), axis=-1).reshape(-1, d - 1) for v in ((u + 1) / 2, w))
    low, high = spectrum[..., None, 1:], spectrum[..., None, :-1]
    corner, density = low + (high - low) * grid, np.prod(weights, axis=-1)
    for i, j in itertools.combinations(range(d - 1), 2):  # values held by a tie stay put and have no density
        held = spectrum[..., i, None] == spectrum[..., j + 1, None]
        density = density * np.where(held, 1.0, corner[..., i] - corner[..., j])
    last = np.sum(spectrum, axis=-1)[..., None] - np.sum(corner, axis=-1)
    terms = kappa * gamma[-1] * last + log_mean_exponential(gamma[:-1], corner, kappa, nodes)
    return logsumexp(terms, b=density / np.sum(density, axis=-1, keepdims=True), axis=-1)


def log_normaliser_circle(gamma: ArrayLike, spectrum: ArrayLike, kappa: float) -> Any:
    """Real orbit for ``d = 2``: the mean of an exponential of a cosine, a Bessel function ``I_0``."""
    gamma, spectrum = np.asarray(gamma, dtype=float), np.asarray(spectrum, dtype=float)
    half = kappa * np.ptp(gamma, axis=-1) * np.ptp(spectrum, axis=-1) / 2
    middle = kappa * np.sum(gamma, axis=-1) * np.sum(spectrum, axis=-1) / 2
    return middle + half + np.log(i0e(half))
