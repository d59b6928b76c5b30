"""Privacy of Wishart noise when one row gives way to another, in two ways; used by the entry on the exchange of rows.

The noise is ``W_d(m, I)``, ``degrees = m - d + 1 > 2``, and the change has the eigenvalues ``top >= 0 >= -bottom``,
with ``2 epsilon > top - bottom``. In its plane the noise is ``S ~ W_2(degrees + 1, I)``, and the loss exceeds
``epsilon`` where the change lowers the determinant below `_factor` times itself. Results are remembered, because they
take a second; all callers use the same number of digits.
"""

import functools
import itertools
from collections.abc import Callable
from typing import Any

from mpmath import mp
from mpmath.calculus.quadrature import GaussLegendre

from dpspectra.oracle import chi_square


@functools.lru_cache(maxsize=256)
def profile(epsilon: Any, degrees: int, top: Any, bottom: Any) -> Any:
    """Smallest ``delta`` at ``epsilon``, as stated: means of distribution functions of one diagonal entry of ``S``."""
    factor = _factor(epsilon, degrees, top, bottom)

    def there(u: Any, y: Any) -> Any:
        return cdf(bottom * (u + top) / ((1 - factor) * y + top), degrees + 1)

    def here(u: Any, y: Any) -> Any:
        return cdf(bottom * (u - top) / ((1 / factor - 1) * y + top), degrees + 1)

    return _mean(there, degrees, 0) - mp.exp(epsilon) * _mean(here, degrees, top)


def _factor(epsilon: Any, degrees: int, top: Any, bottom: Any) -> Any:
    return mp.exp((top - bottom - 2 * mp.mpf(epsilon)) / (degrees - 2))


def _mean(function: Callable[[Any, Any], Any], degrees: int, start: Any) -> Any:
    """Mean of ``function(u, u (1 - t^2))`` over ``u > start``, chi-square with one degree more.

    ``t`` is the sine of an angle that has a density proportional to ``cos^(degrees - 1)`` and is independent of ``u``.
    """
    middle = degrees + 1 + start
    wide = 4 * mp.sqrt(middle)
    ends = [start, middle, middle + wide, middle + 2 * wide + 5 * mp.dps]
    panels = (_placed(low, high) for low, high in itertools.pairwise(ends))
    law = [(u, w * mp.exp(chi_square.log_density(u, degrees + 1))) for u, w in itertools.chain(*panels)]

    def over_u(angle: Any) -> Any:
        rest = mp.cos(angle) ** 2
        return mp.cos(angle) ** (degrees - 1) * mp.fsum(weight * function(u, u * rest) for u, weight in law)

    last = min(mp.pi / 2, 14 / mp.sqrt(degrees))
    return _gauss(over_u, 0, last) * 2 / mp.beta(mp.mpf(degrees) / 2, 0.5)


@functools.lru_cache(maxsize=256)
def profile_by_density(epsilon: Any, degrees: int, top: Any, bottom: Any) -> Any:
    """`profile` for ``top >= bottom > 0`` from the density of ``S`` in its trace ``s`` and two angles.

    Half the difference of the diagonal entries is ``s sin(a) / 2``, the entry beside them ``s cos(a) sin(b) / 2``. Then
    ``s`` is chi-square with ``2 degrees + 2``, and the angles have a density proportional to ``cos(a)^degrees
    cos(b)^(degrees - 1)``. Adding the change multiplies the determinant by ``1 + f / s - g / s^2``, subtracting it by
    ``1 - f / s - g / s^2``; so ``s`` is below a root of a quadratic equation, or between two.
    """
    mean, spread, product = (mp.mpf(top) - bottom) / 2, (mp.mpf(top) + bottom) / 2, mp.mpf(top) * bottom
    lower, order = 1 - _factor(epsilon, degrees, top, bottom), 2 * degrees + 2
    upper = lower / (1 - lower)

    def there(f: Any, c: Any) -> Any:
        root = mp.sqrt(f * f + lower * product * c * c)
        return cdf(2 * product / (root + f) if f > 0 else 2 * (root - f) / (lower * c * c), order)

    def here(f: Any, c: Any) -> Any:
        if -f <= mp.sqrt(upper * product) * c:
            return mp.mpf(0)
        root = mp.sqrt(f * f - upper * product * c * c)
        return cdf(2 * (root - f) / (upper * c * c), order) - cdf(2 * product / (root - f), order)

    def weighted(function: Callable[[Any, Any], Any], a: Any, low: Any) -> Any:
        """Integral of a function of ``f`` and ``c`` over ``b > low``, where the distance of two roots vanishes.

        It does so like a square root, hence the sine. The nodes are those of `_gauss` from 0 to ``pi/2``.
        """
        f, cosine, width = mean - spread * mp.sin(a), mp.cos(a), mp.pi / 2 - low
        terms = []
        for sine, weight in _quarter(mp.prec):
            c = mp.sin(width * sine)  # cos(b)
            terms.append(function(f, cosine * c) * c ** (degrees - 1) * weight)
        return cosine**degrees * width * mp.fsum(terms)

    def from_two_roots(a: Any) -> Any:
        cosine = (spread * mp.sin(a) - mean) / (mp.sqrt(upper * product) * mp.cos(a))
        return weighted(here, a, mp.acos(max(min(cosine, 1), 0)))

    start, all_angles = mp.asin(mean / spread), mp.atan2(mp.sqrt(upper * product), spread)
    all_angles += mp.asin(mean / mp.sqrt(spread**2 + upper * product))
    halves = itertools.pairwise([-mp.pi / 2, start, mp.pi / 2])
    first = mp.fsum(_gauss(lambda a: weighted(there, a, 0), low, high) for low, high in halves)
    second = _towards(from_two_roots, start, all_angles) - _towards(from_two_roots, mp.pi / 2, all_angles)
    norm = mp.beta(mp.mpf(degrees + 1) / 2, 0.5) * mp.beta(mp.mpf(degrees) / 2, 0.5) / 2
    return (first - mp.exp(epsilon) * second) / norm


def _gauss(function: Callable[[Any], Any], start: Any, end: Any) -> Any:
    """Integral by 24 nodes."""
    return mp.fsum(weight * function(x) for x, weight in _placed(start, end))


def _placed(start: Any, end: Any) -> list[tuple[Any, Any]]:
    """Return the 24 nodes between two ends, and their weights."""
    middle, half = (start + end) / 2, (end - start) / 2
    return [(middle + half * node, half * weight) for node, weight in _nodes(mp.prec)]


def _towards(function: Callable[[Any], Any], start: Any, end: Any) -> Any:
    """Integral of a function with a root or a logarithm at ``end``, by 24 nodes over the inverse sine."""
    width = end - start
    return width * mp.fsum(weight * function(start + width * sine) for sine, weight in _quarter(mp.prec))


@functools.cache
def _quarter(precision: int) -> list[tuple[Any, Any]]:
    """Sines of the nodes of `_gauss` from 0 to ``pi/2``, and their weights times their cosines."""
    angles = [(mp.pi / 4 * (1 + node), weight) for node, weight in _nodes(precision)]
    return [(mp.sin(angle), mp.pi / 4 * weight * mp.cos(angle)) for angle, weight in angles]


@functools.cache
def _nodes(precision: int) -> list[tuple[Any, Any]]:
    return list(GaussLegendre(mp).calc_nodes(4, precision))


def cdf(x: Any, degrees: int) -> Any:
    """Chi-square distribution function; for an even number of degrees the finite Poisson sum."""
    if degrees % 2:
        return chi_square.cdf(x, degrees)
    half, total = x / 2, mp.mpf(0)
    for inverse in _inverse_factorials(degrees // 2, mp.prec):
        total = total * half + inverse
    return 1 - mp.exp(-half) * total


@functools.cache
def _inverse_factorials(number: int, precision: int) -> list[Any]:
    """``1 / k!`` for ``k`` below a number, in descending order, at the working precision in bits."""
    return [1 / mp.factorial(k) for k in reversed(range(number))]
