"""Exact privacy of a noisy Gaussian sketch ``Y = A Omega + noise N``, when one row of ``A`` changes.

``Omega`` has ``width`` columns of standard normal entries, ``N`` standard normal entries. Released are the pair
``(Omega, Y)``, or ``Y`` alone, or (one column) only the line it spans.
"""

import functools

import numpy as np
from scipy.special import chdtr, chdtrc, chdtri, gammaln, ndtr, xlogy

from dpspectra.fast import gaussian_profile
from dpspectra.fast.linalg import Array, Real, adjoint
from dpspectra.fast.quadrature import gauss_legendre
from dpspectra.fast.roots import bisect, bracket, root

NODES = 400
"""Number of nodes of the quadrature on each panel of `_lengths`."""


def profile(epsilon: float, noise: float, width: int, mu: float = 0.0, longer: float = 0.0) -> float:
    """Exact ``delta`` of ``(Omega, Y)`` for a change of norm 1, composed with a ``mu``-GDP step chosen from it.

    Given ``Omega`` the change is a Gaussian shift of a length with the chi law of ``width`` degrees of freedom, here
    ``longer`` than that; the law of ``Omega`` holds no data. For a change of norm ``c`` divide ``noise`` by ``c``.
    """
    lengths, weights = _lengths(width, epsilon, noise, mu)
    return float(weights @ gaussian_profile.profile(epsilon, np.hypot((lengths + longer) / noise, mu)))


def exceedance(epsilon: float, noise: float, width: int, mu: float = 0.0) -> float:
    """Probability that the loss of what `profile` describes exceeds ``epsilon``."""
    lengths, weights = _lengths(width, epsilon, noise, mu)
    shifts = np.hypot(lengths / noise, mu)
    return float(weights @ ndtr(shifts / 2 - epsilon / shifts))


def _lengths(width: int, epsilon: float, noise: float, mu: float) -> tuple[Real, Real]:
    """Nodes and weights for a mean over the norm of ``width`` standard normal entries.

    The integrand turns where the shift is ``sqrt(2 epsilon)``, on that very scale; panels around it grow by eights.
    """
    high, turn = float(np.sqrt(chdtri(width, 1e-32))), noise * np.sqrt(max(2 * epsilon - mu**2, 0.0))
    ends = [end for end in turn * np.array([1 / 8, 1.0, 8.0, 64.0, 512.0]) if 0 < end < high]
    edges = np.array([0.0, *ends, high])
    half = np.diff(edges)[:, None] / 2
    nodes, node_weights = gauss_legendre(NODES)
    lengths = (edges[:-1, None] + half * (nodes + 1)).ravel()
    return lengths, (half * node_weights).ravel() * _chi_density(lengths, width)


def _chi_density(lengths: Real, width: int) -> Real:
    """Density of the norm of ``width`` independent standard normal entries, elementwise."""
    log_mass = np.log(2) - width / 2 * np.log(2) - gammaln(width / 2)
    return np.asarray(np.exp(log_mass + xlogy(width - 1, lengths) - lengths**2 / 2))


@functools.lru_cache(maxsize=64)  # as `gaussian_profile.mu_for`
def noise_for(epsilon: float, delta: float, width: int, mu: float = 0.0, longer: float = 0.0) -> float:
    """Smallest noise at which `profile` is at most ``delta``; ``ValueError`` if the ``mu`` step alone exceeds it."""
    if gaussian_profile.profile(epsilon, mu) >= delta:
        raise ValueError(f"mu must leave room below delta = {delta:g}, got mu = {mu:g}")

    def below(noise: float) -> bool:
        return profile(epsilon, noise, width, mu, longer) > delta

    low, high = bisect(below, *bracket(below), relative=0.5)  # the profile is not defined without noise
    return root(lambda noise: profile(epsilon, noise, width, mu, longer) - delta, low, high)


def relative_moves(before: Array, after: Array, noise: float) -> tuple[float, float]:
    """Largest and smallest eigenvalue, less 1, of a column's covariance after a change, relative to before.

    All other eigenvalues are 1, because the change has rank 2; for one row one of the two is.
    """
    covariance = before @ adjoint(before) + noise**2 * np.eye(len(before))
    whitener = np.linalg.inv(np.linalg.cholesky(covariance))
    moved = whitener @ (after @ adjoint(after) - before @ adjoint(before)) @ adjoint(whitener)
    moves = np.linalg.eigvalsh(moved)
    return float(max(moves[-1], 0.0)), float(min(moves[0], 0.0))


def hidden_profile(epsilon: float, width: int, moves: tuple[float, float]) -> tuple[float, float]:
    """Exact ``delta`` of ``Y`` alone, and the probability that was reduced to it; ``moves`` as in `relative_moves`.

    The loss is half of ``sum_j (1 - 1/x_j) U_j - width log x_j`` over two relative eigenvalues ``x``, with ``U_j`` chi
    square variables (times ``x_j`` after the change).
    """
    up, down = moves
    level = 2 * epsilon + width * (np.log1p(up) + np.log1p(down))
    above = _chi_square_beyond(width, level, up, -down)
    below = _chi_square_beyond(width, level, up / (1 + up), -down / (1 + down))
    return above - np.exp(epsilon) * below, above


def _chi_square_beyond(width: int, level: float, gain: float, loss: float) -> float:
    """Probability of ``gain U > level + loss V`` for independent chi squares, by integrating over the root of ``V``."""
    if gain == 0:
        return float(chdtr(width, -level / loss)) if level < 0 < loss else float(level < 0)
    corner = np.sqrt(-level / loss) if level < 0 < loss else 0.0
    high = np.sqrt(chdtri(width, 1e-32))
    total = 0.0
    for low, top in ((0.0, min(corner, high)), (min(corner, high), high)):
        roots, weights = _double_exponential(low, top)
        with np.errstate(over="ignore"):  # where U would exceed all floats, its tail is 0
            least = np.maximum(level + loss * roots**2, 0.0) / gain
        total += float(weights @ (_chi_density(roots, width) * chdtrc(width, least)))
    return total


def _double_exponential(low: float, high: float) -> tuple[Real, Real]:
    """Nodes and weights for an integral with singular ends (tanh-sinh)."""
    t = np.linspace(-3.4, 3.4, 341)
    inner = np.pi / 2 * np.sinh(t)
    nodes, half = low + (high - low) / (1 + np.exp(-2 * inner)), (high - low) / 2
    return nodes, half * (t[1] - t[0]) * np.pi / 2 * np.cosh(t) / np.cosh(inner) ** 2


def range_profile(epsilon: float, rows: int, moves: tuple[float, float]) -> tuple[float, float]:
    """Exact ``delta`` of the line spanned by a ``Y`` of one column and ``rows >= 2`` rows, as `hidden_profile`.

    The direction has an angular Gaussian law, whose ratio is a quotient of quadratic forms to the power ``-rows / 2``.
    """
    up, down = moves
    shrink = -np.expm1(-2 / rows * (epsilon + (np.log1p(up) + np.log1p(down)) / 2))
    above = _form_positive(rows, up - shrink * (1 + up), down - shrink * (1 + down), -shrink)
    below = _form_positive(rows, up / (1 + up) - shrink, down / (1 + down) - shrink, -shrink)
    return above - np.exp(epsilon) * below, above


def _form_positive(rows: int, first: float, second: float, rest: float) -> float:
    """Probability that ``first X^2 + second Y^2 + rest W > 0``, ``W`` a chi square of ``rows - 2`` degrees of freedom.

    In polar coordinates the squared radius is exponential, so only the angle is left to integrate.
    """
    if rest > 0:
        return 1.0 - _form_positive(rows, -first, -second, -rest)
    corner = np.arctan2(np.sqrt(abs(first)), np.sqrt(abs(second))) if first * second < 0 else np.pi / 4
    total = 0.0
    for low, high in ((0.0, corner), (corner, np.pi / 2)):
        angles, weights = _double_exponential(low, high)
        values = np.maximum(first * np.cos(angles) ** 2 + second * np.sin(angles) ** 2, np.finfo(float).tiny)
        if values[len(values) // 2] > np.finfo(float).tiny:  # the form changes sign at the corner only
            total += float(2 / np.pi * weights @ np.exp(-(rows - 2) / 2 * np.log1p(-rest / values)))
    return total
