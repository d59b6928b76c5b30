"""Privacy of one-sided Wishart noise, bounded from above in balls: chi-square profiles, and those of exchanged rows.

``degrees`` is at least 2 and counts the degrees of freedom beyond ``d - 1``; ``shift`` is the squared norm of a row in
units of the scale. The formulas are those of JXZ-T4-G, JXZ-T4-R2 and JXZ-T4-E, whose double integrals are sums over a
grid here: on a line the trapezoidal rule errs by at most ``2 M / (exp(2 pi a / h) - 1)`` if the integrand is analytic
and of integral at most ``M`` in modulus on every line of the strip ``|Im| < a`` (DPS-DEGREES).
"""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

from flint import arb

from dpspectra.certified import ball_noise

ACCURACY = 2.0**-24
"""Sums over a grid err by less than this relative to ``delta``."""
NEGLIGIBLE = 2.0**-24
"""Weight of a place that is left out, over the error; what is left out is counted."""
SUMMED = 80.0
"""Largest ``log(exp(epsilon) / delta)``, about, for which grids are used: the number of places grows as its square."""


def row_at_most(epsilon: float, degrees: int, shift: float, delta: float) -> bool:
    """Whether the profile at ``epsilon`` is surely at most ``delta`` if a row becomes zero or was zero."""
    with ball_noise.precision(bits_for(epsilon, degrees, delta)):
        e, s, most = Fraction(epsilon), Fraction(shift), ball_noise.exact(delta)
        return bool(below(e, degrees, s) <= most and above(e, degrees, s) <= most)


def exchange_at_most(epsilon: float, degrees: int, shift: float, delta: float, share: float) -> bool:
    """Whether the profile at ``epsilon`` is surely at most ``delta`` if a row is replaced by another.

    By two steps, the first with ``share`` of ``epsilon``; or by the sum of three profiles, unless that would
    take long.
    """
    with ball_noise.precision(bits_for(epsilon, degrees, delta)):
        e, s, most = Fraction(epsilon), Fraction(shift), ball_noise.exact(delta)
        first = Fraction(share) * e
        growth = ball_noise.exact(first).exp()
        without = above(first, degrees, s) + growth * below(e - first, degrees, s)
        both = below(first, degrees, s) + growth * above(e - first, degrees, s)
        if without <= most or both <= most:
            return True
        alone = below(e, degrees, s) + above(e, degrees, s)
        few = epsilon - 0.7 * math.frexp(delta)[1] <= SUMMED
        return bool(few and alone < most and alone + orthogonal(e, degrees, s, delta) <= most)


def bits_for(epsilon: float, degrees: int, delta: float) -> int:
    """Precision at which differences of probabilities keep their digits."""
    return 160 - 2 * math.frexp(delta)[1] + 2 * math.ceil(epsilon) + 2 * degrees.bit_length()


def below(epsilon: Fraction, degrees: int, shift: Fraction) -> Any:
    """Largest ``P(T in S) - exp(epsilon) P(T + shift in S)`` for a chi-square ``T``."""
    low = (
        ball_noise.exact(0)
        if degrees == 2
        else ball_noise.exact(shift) / ball_noise.exact((2 * epsilon + shift) / (degrees - 2)).expm1()
    )
    return _cdf(low + ball_noise.exact(shift), degrees) - ball_noise.exact(epsilon).exp() * _cdf(low, degrees)


def above(epsilon: Fraction, degrees: int, shift: Fraction) -> Any:
    """Largest ``P(T + shift in S) - exp(epsilon) P(T in S)`` for a chi-square ``T``."""
    if 2 * epsilon >= shift:
        return arb(0)
    low = (
        ball_noise.exact(0)
        if degrees == 2
        else ball_noise.exact(shift) / ball_noise.exact((shift - 2 * epsilon) / (degrees - 2)).expm1()
    )
    return _tail(low, degrees) - ball_noise.exact(epsilon).exp() * _tail(low + ball_noise.exact(shift), degrees)


def _tail(x: Any, degrees: int) -> Any:
    """Probability that a chi-square variable exceeds ``x``."""
    return (x / 2).gamma_upper(arb(degrees) / 2, regularized=1)


def _cdf(x: Any, degrees: int) -> Any:
    return 1 - _tail(x, degrees)


class _Rule(NamedTuple):
    """Places and positive weights, as balls, and the error of the weighted sum over all places of the whole grid."""

    nodes: list[tuple[Any, Any]]
    error: Any


def orthogonal(epsilon: Fraction, degrees: int, shift: Fraction, delta: float) -> Any:
    """Bound on the profile if a row gives way to an orthogonal one of the same norm: above it by ``delta ACCURACY``.

    Let ``u`` be chi-square of ``degrees + 1``, with the distribution function ``F``, and ``y = u / cosh(x)**2``, where
    the density of ``x`` is proportional to ``cosh(x)**-degrees``. The profile is the mean of
    ``F(shift (u + shift) / (lost y + shift))``, less ``exp(epsilon)`` times that of
    ``F(shift (u - shift) / (gained y + shift))`` over ``u > shift``.
    """
    s, growth = ball_noise.exact(shift), ball_noise.exact(epsilon).exp()
    error = ball_noise.exact(delta) * ACCURACY / (8 * (1 + growth))
    angles = _angles(degrees, error)

    def mean(start: Any, argument: Callable[[Any, Any], Any]) -> tuple[Any, Any]:
        """Bounds from below and above on the mean of ``F(argument(v, y))``, ``v = u - start > 0``."""
        radii, total, weight = _radii(degrees, start, error), arb(0), arb(0)
        for v, p in radii.nodes:
            for q, r in angles.nodes:
                if p * r > error * NEGLIGIBLE:
                    total += p * r * _cdf(argument(v, (v + start) * q), degrees + 1)
                    weight += p * r
        off = radii.error + (1 + radii.error) * angles.error
        return total - off, total + off + (1 + radii.error) * (1 + angles.error) - weight

    if degrees == 2:
        return mean(arb(0), lambda v, y: s * (v + s) / (y + s))[1]
    exponent = ball_noise.exact(2 * epsilon / (degrees - 2))
    lost, gained = -(-exponent).expm1(), exponent.expm1()
    before = mean(arb(0), lambda v, y: s * (v + s) / (lost * y + s))[1]
    return before - growth * mean(s, lambda v, y: s * v / (gained * y + s))[0]


def _radii(degrees: int, start: Any, error: Any) -> _Rule:
    """For ``v = u - start > 0``, ``u`` chi-square of ``degrees + 1``, with a grid for ``log v``.

    On the line ``Im = a`` neither the integral of the density nor ``F`` exceeds ``cos(a)**-((degrees + 1) / 2)``.
    """
    half = arb(degrees + 1) / 2
    factor = half.rgamma() / arb(2) ** half

    def node(t: Any) -> tuple[Any, Any]:
        v = t.exp()
        return v, factor * v * (v + start) ** (half - 1) * (-(v + start) / 2).exp()

    a = min(math.sqrt(2 * _exponent(error) / (degrees + 1)), 1.25)
    step, off = _spacing(a, arb(a).cos() ** -(degrees + 1), error)
    middle = (2 * half).log().mid()
    return _Rule([*_nodes(node, middle, step, error), *_nodes(node, middle - step, -step, error)], off)


def _angles(degrees: int, error: Any) -> _Rule:
    """For ``1 / cosh(x)**2``, with a grid for ``x`` (one half is listed).

    On the line ``Im = a`` the integral of the density is at most ``cos(a)**-degrees``, and ``F`` is at most
    ``cos(2 a)**-((degrees + 1) / 2)``.
    """
    nu = arb(degrees)
    factor = ((nu + 1) / 2).gamma() * (nu / 2).rgamma() / arb.pi().sqrt()

    def node(x: Any) -> tuple[Any, Any]:
        q = x.sech() ** 2
        return q, factor * q ** (nu / 2)

    a = min(math.sqrt(_exponent(error) / (1.5 * degrees)), 0.625)
    step, off = _spacing(a, arb(a).cos() ** -degrees * (arb(2 * a).cos() ** -(degrees + 1)).sqrt(), error)
    (q, r), *rest = _nodes(node, arb(0), step, error)
    return _Rule([(q, r), *((q, 2 * r) for q, r in rest)], off)


def _exponent(error: Any) -> float:
    """Return about ``log(1 / error)``, or a little more."""
    return float(-error.log().mid()) + 1


def _spacing(strip: float, mass: Any, error: Any) -> tuple[Any, Any]:
    """Distance between places, and the error of the rule, which is about ``error``."""
    around = 2 * arb.pi() * strip
    step = (around / (1 + 2 * mass / error).log()).mid()
    return step, 2 * mass / (around / step).expm1()


def _nodes(node: Callable[[Any], tuple[Any, Any]], start: Any, step: Any, error: Any) -> list[tuple[Any, Any]]:
    """Places and weights from ``start`` on, up to where weights are negligible."""
    nodes = list[tuple[Any, Any]]()
    while (found := node(start + len(nodes) * step))[1] > error * NEGLIGIBLE:
        nodes.append((found[0], found[1] * abs(step)))
    return nodes
