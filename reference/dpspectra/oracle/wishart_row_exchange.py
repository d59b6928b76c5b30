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

import flint
from flint import arb
from mpmath import mp

from dpspectra.oracle.quadrature import rule, working

NODES = 24
"""Nodes of each rule."""


@functools.lru_cache(maxsize=256)
def profile(epsilon: Any, degrees: int, top: Any, bottom: Any) -> Any:
    """Smallest ``delta`` at ``epsilon``, as stated: means of distribution functions of one diagonal entry of ``S``."""
    with working():
        epsilon, top, bottom = map(arb, (epsilon, top, bottom))
        factor = _factor(epsilon, degrees, top, bottom)

        def there(u: Any, y: Any) -> Any:
            return cdf(bottom * (u + top) / ((1 - factor) * y + top), degrees + 1)

        def here(u: Any, y: Any) -> Any:
            return cdf(bottom * (u - top) / ((1 / factor - 1) * y + top), degrees + 1)

        return mp.mpf(_mean(there, degrees, arb(0)) - epsilon.exp() * _mean(here, degrees, top))


def _factor(epsilon: Any, degrees: int, top: Any, bottom: Any) -> Any:
    return ((top - bottom - 2 * epsilon) / (degrees - 2)).exp()


def _mean(function: Callable[[Any, Any], Any], degrees: int, start: Any) -> Any:
    """Mean of ``function(u, u (1 - t^2))`` over ``u > start``, chi-square with one degree more.

    ``t`` is the sine of an angle that has a density proportional to ``cos^(degrees - 1)`` and is independent of ``u``.
    """
    middle = degrees + 1 + start
    wide = 4 * middle.sqrt()
    ends = [start, middle, middle + wide, middle + 2 * wide + 5 * mp.dps]
    panels = (_placed(low, high) for low, high in itertools.pairwise(ends))
    half = arb(degrees + 1) / 2
    norm = 2**half * half.gamma()
    law = [(u, w * u ** (half - 1) * (-u / 2).exp() / norm) for u, w in itertools.chain(*panels)]

    def over_u(angle: Any) -> Any:
        cosine = angle.cos()
        rest = cosine**2
        return cosine ** (degrees - 1) * sum((weight * function(u, u * rest) for u, weight in law), arb(0))

    last = min(arb.pi() / 2, 14 / arb(degrees).sqrt())
    return _gauss(over_u, arb(0), last) * 2 / _beta(arb(degrees) / 2)


def _beta(a: Any) -> Any:
    """Beta function of ``a`` and one half."""
    return a.gamma() * arb.pi().sqrt() / (a + 0.5).gamma()


@functools.lru_cache(maxsize=256)
def profile_by_density(epsilon: Any, degrees: int, top: Any, bottom: Any) -> Any:
    """`profile` for ``top >= bottom > 0`` from the density of ``S`` in its trace ``s`` and two angles.

    Half the difference of the diagonal entries is ``s sin(a) / 2``, the entry beside them ``s cos(a) sin(b) / 2``. Then
    ``s`` is chi-square with ``2 degrees + 2``, and the angles have a density proportional to ``cos(a)^degrees
    cos(b)^(degrees - 1)``. Adding the change multiplies the determinant by ``1 + f / s - g / s^2``, subtracting it by
    ``1 - f / s - g / s^2``; so ``s`` is below a root of a quadratic equation, or between two.
    """
    with working():
        return mp.mpf(_by_density(arb(epsilon), degrees, arb(top), arb(bottom)))


def _by_density(epsilon: Any, degrees: int, top: Any, bottom: Any) -> Any:
    mean, spread, product = (top - bottom) / 2, (top + bottom) / 2, top * bottom
    lower, order = 1 - _factor(epsilon, degrees, top, bottom), 2 * degrees + 2
    upper = lower / (1 - lower)

    def there(f: Any, c: Any) -> Any:
        root = (f * f + lower * product * c * c).sqrt()
        return cdf(2 * product / (root + f) if f > 0 else 2 * (root - f) / (lower * c * c), order)

    def here(f: Any, c: Any) -> Any:
        square = f * f - upper * product * c * c
        if not (f < 0 and square > 0):
            return arb(0)
        root = square.sqrt()
        return cdf(2 * (root - f) / (upper * c * c), order) - cdf(2 * product / (root - f), order)

    def weighted(function: Callable[[Any, Any], Any], a: Any, low: Any) -> Any:
        """Integral of a function of ``f`` and ``c`` over ``b > low``, where the distance of two roots vanishes.

        It does so like a square root, hence the sine. The nodes are those of `_gauss` from 0 to ``pi/2``.
        """
        sine_of_a, cosine = a.sin_cos()
        f, width = mean - spread * sine_of_a, arb.pi() / 2 - low
        terms = []
        for sine, weight in _quarter(flint.ctx.prec):
            c = (width * sine).sin()  # cos(b)
            terms.append(function(f, cosine * c) * c ** (degrees - 1) * weight)
        return cosine**degrees * width * sum(terms, arb(0))

    def from_two_roots(a: Any) -> Any:
        sine, cosine = a.sin_cos()
        ratio = (spread * sine - mean) / ((upper * product).sqrt() * cosine)
        return weighted(here, a, ratio.max(arb(0)).min(arb(1)).acos())

    start, all_angles = (mean / spread).asin(), arb.atan2((upper * product).sqrt(), spread)
    all_angles += (mean / (spread**2 + upper * product).sqrt()).asin()
    quarter = arb.pi() / 2
    halves = itertools.pairwise([-quarter, start, quarter])
    first = sum((_gauss(lambda a: weighted(there, a, 0), low, high) for low, high in halves), arb(0))
    second = _towards(from_two_roots, start, all_angles) - _towards(from_two_roots, quarter, all_angles)
    norm = _beta(arb(degrees + 1) / 2) * _beta(arb(degrees) / 2) / 2
    return (first - epsilon.exp() * second) / norm


def _gauss(function: Callable[[Any], Any], start: Any, end: Any) -> Any:
    """Integral by `NODES` nodes."""
    return sum((weight * function(x) for x, weight in _placed(start, end)), arb(0))


def _placed(start: Any, end: Any) -> list[tuple[Any, Any]]:
    """Return the nodes between two ends, and their weights."""
    middle, half = (start + end) / 2, (end - start) / 2
    return [(middle + half * node, half * weight) for node, weight in rule(NODES)]


def _towards(function: Callable[[Any], Any], start: Any, end: Any) -> Any:
    """Integral of a function with a root or a logarithm at ``end``, by `NODES` nodes over the inverse sine."""
    width = end - start
    return width * sum((weight * function(start + width * sine) for sine, weight in _quarter(flint.ctx.prec)), arb(0))


@functools.cache
def _quarter(_precision: int) -> list[tuple[Any, Any]]:
    """Sines of the nodes of `_gauss` from 0 to ``pi/2``, and their weights times their cosines."""
    quarter = arb.pi() / 4
    angles = [(quarter * (1 + node), weight) for node, weight in rule(NODES)]
    return [(angle.sin(), quarter * weight * angle.cos()) for angle, weight in angles]


def cdf(x: Any, degrees: int) -> Any:
    """Chi-square distribution function at a ball; for an even number of degrees the finite Poisson sum."""
    if degrees % 2:
        return (x / 2).gamma_lower(arb(degrees) / 2, regularized=1)
    half, total = x / 2, arb(0)
    for inverse in _inverse_factorials(degrees // 2, flint.ctx.prec):
        total = total * half + inverse
    return 1 - (-half).exp() * total


@functools.cache
def _inverse_factorials(number: int, _precision: int) -> list[Any]:
    """``1 / k!`` for ``k`` below a number, in descending order, at the precision of balls."""
    return [1 / arb(k).fac() for k in reversed(range(number))]
