"""Exact privacy of Wishart noise when one row gives way to another: two eigenvalues of the change.

Rows are in units of the scale, ``W ~ W_d(m, I)`` and ``degrees = m - d + 1``, at least 2. The change has the
eigenvalues ``top >= 0 >= -bottom``; a change of rank one is the subject of `dpspectra.fast.chi_square_profile`.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammainc, gammaln, poch

from dpspectra.fast import chi_square_profile
from dpspectra.fast.quadrature import gauss_legendre
from dpspectra.fast.roots import bisect, first_integer

_REACH = 40.0
"""Distance, in standard units, from the middle of a law beyond which nothing is looked for."""
_CELLS, _NODES = (64, 32), (48, 32)
"""Cells of the grid on which the integrand is located, and nodes of the rule, for each of two variables."""
_NEGLIGIBLE, _EXPONENT = 1e-18, 60.0
"""Value of an integrand, relative to the largest, that does not count; the negative exponent of one that does not."""
_MANY = 1e4
"""Degrees from which the excess of one density over the other is integrated, because probabilities almost cancel."""
_STIRLING = 250.0
"""Half-degrees from which Stirling's series is used."""


def profile(epsilon: float, degrees: float, top: float, bottom: float) -> float:
    """Smallest ``delta`` at ``epsilon > max(0, top - bottom) / 2`` when a row gives way to another.

    In the plane of the change the noise is ``W_2(degrees + 1, I)``. By Bartlett its diagonal entries are ``x`` and
    ``u``, both chi-square with ``degrees + 1``, and its determinant is ``x y``, ``y <= u``. The loss exceeds
    ``epsilon`` where ``x`` is below a function of ``u`` and ``y``, both with the first row and with the second.
    """
    with np.errstate(divide="ignore"):
        exponent = np.divide(2 * epsilon - top + bottom, degrees - 2)
    order, there, here = (degrees + 1) / 2, -np.expm1(-exponent), np.expm1(exponent)
    if degrees > _MANY:
        return _mean(
            lambda u, y: _excess(bottom * (u + top) / (there * y + top), here + top / y * (1 + here), degrees),
            degrees,
            0.0,
        )
    first = _mean(lambda u, y: gammainc(order, bottom * (u + top) / (there * y + top) / 2), degrees, 0.0)
    second = _mean(lambda u, y: gammainc(order, bottom * (u - top) / (here * y + top) / 2), degrees, top)
    return max(first - float(np.exp(epsilon + np.log(second))), 0.0) if second else first


def corners(epsilon: float, degrees: float, shift: float) -> float:
    """Upper bound on ``delta`` at ``epsilon`` if a row is replaced and no squared norm of a row is above ``shift``.

    The sum of three profiles: the row becomes zero, was zero, or gives way to an orthogonal one, each of squared norm
    ``shift``.
    """
    alone = chi_square_profile.excess_below(epsilon, degrees, shift) + chi_square_profile.excess_above(
        epsilon, degrees, shift
    )
    return float(profile(epsilon, degrees, shift, shift) + alone)


def replaced(epsilon: float, degrees: float, shift: float) -> float:
    """Upper bound on ``delta`` at ``epsilon`` if a row is replaced: the better of `corners` and two steps."""
    return min(chi_square_profile.exchange_profile(epsilon, degrees, shift), corners(epsilon, degrees, shift))


def least_degrees(epsilon: float, delta: float) -> int:
    """Smallest integer ``degrees >= 2`` with ``replaced(epsilon, degrees, 1) <= delta``; it decreases in ``degrees``.

    No fewer are looked at than a row that becomes zero needs.
    """
    allowed = delta * (1 - chi_square_profile.SLACK)
    alone = chi_square_profile.least_degrees(epsilon, delta, chi_square_profile.profile)
    return first_integer(lambda degrees: replaced(epsilon, degrees, 1.0) > allowed, max(alone - 1, 1))


def largest_shift(epsilon: float, delta: float, degrees: int) -> float:
    """Largest ``shift`` with ``replaced(epsilon, degrees, shift) <= delta``, to a relative 1e-9; at most this much."""
    allowed = delta * (1 - chi_square_profile.SLACK)
    reached = chi_square_profile.exchange_profile, chi_square_profile.profile  # enough, and needed
    low, high = (chi_square_profile.largest_shift(epsilon, delta, bound, degrees) for bound in reached)
    return bisect(lambda shift: corners(epsilon, degrees, shift) <= allowed, low, high, relative=1e-9)[0]


def _excess(end: NDArray[Any], slope: NDArray[Any], degrees: float) -> Any:
    """Integral of the density of ``x < end`` times what the other density leaves of it.

    At ``end (1 - s)`` the other one is ``e^-epsilon (1 - slope s / (1 - s))^((degrees - 2) / 2)`` times as large.
    """
    nodes, weights = gauss_legendre(_NODES[1])
    root, power = np.sqrt(degrees + 1), (degrees - 1) / 2
    drift = end / 2 - power
    reach = np.minimum((drift + np.sqrt(drift**2 + 2 * _EXPONENT * power)) / power, 1.0)
    s = reach[..., None] * (nodes + 1) / 2
    with np.errstate(divide="ignore", over="ignore"):
        other = np.log1p(-np.minimum(slope[..., None] * s / (1 - s), 1.0))
    length = np.sqrt(end[..., None] * (1 - s))
    density = np.exp(_log_density(length - root, degrees + 1)) / (2 * length) * -np.expm1((degrees / 2 - 1) * other)
    return end * reach / 2 * (density @ weights)


def _mean(function: Callable[[Any, Any], Any], degrees: float, start: float) -> float:
    """Mean of ``function(u, u cos^2(angle))`` over ``u > start``, by a product rule where the integrand counts.

    ``u`` is chi-square with ``degrees + 1``; the angle has a density proportional to ``cos^(degrees - 1)``.
    """
    middle, wide = np.sqrt(degrees + 1), np.sqrt(degrees)

    def values(d: NDArray[Any], angle: NDArray[Any]) -> NDArray[Any]:
        u = np.maximum((middle + d[:, None]) ** 2, start + np.finfo(float).tiny)
        cosines = np.maximum(np.cos(angle / wide), 0.0)
        with np.errstate(divide="ignore"):
            density = np.exp(_log_density(d, degrees + 1)[:, None] + (degrees - 1) * np.log(cosines))
        return np.asarray(density * function(u, np.maximum(u * cosines**2, np.finfo(float).tiny)))

    ends = (max(np.sqrt(start) - middle, -_REACH), _REACH), (0.0, min(wide * np.pi / 2, _REACH))
    grids = [np.linspace(*end, cells + 1) for end, cells in zip(ends, _CELLS, strict=True)]
    seen = values(*grids)
    if not (largest := np.max(seen)) > 0:
        return 0.0
    rules = []
    for axis, (grid, nodes) in enumerate(zip(grids, _NODES, strict=True)):
        counts = np.flatnonzero(np.max(seen, axis=1 - axis) > _NEGLIGIBLE * largest)
        low, high = grid[max(counts[0] - 1, 0)], grid[min(counts[-1] + 1, len(grid) - 1)]
        points, weights = gauss_legendre(nodes)
        rules.append((low + (high - low) * (points + 1) / 2, (high - low) / 2 * weights))
    (d, over_d), (angle, over_angle) = rules
    return float(over_d @ values(d, angle) @ over_angle * 2 * poch(degrees / 2, 0.5) / (wide * np.sqrt(np.pi)))


def _log_density(d: NDArray[Any], degrees: float) -> NDArray[Any]:
    """Log-density of the root of a chi-square variable at ``sqrt(degrees) + d``, without cancellation."""
    root, half = np.sqrt(degrees), degrees / 2
    if half < _STIRLING:
        rest = gammaln(half) - (half - 0.5) * np.log(half) + half - np.log(2 * np.pi) / 2
    else:
        rest = 1 / (12 * half) - 1 / (360 * half**3)
    with np.errstate(divide="ignore"):
        powers = (degrees - 1) * np.log1p(np.maximum(d / root, -1.0))
    return np.asarray(powers - d * root - d**2 / 2 - np.log(np.pi) / 2 - rest)
