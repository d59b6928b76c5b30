"""Privacy of one-sided chi-square noise from the definition of the hockey-stick divergence.

``T`` is chi-square with ``degrees >= 2`` and is compared with ``T + shift``.
"""

import functools
from typing import Any

from flint import arb
from mpmath import mp

from dpspectra.oracle.quadrature import working
from dpspectra.oracle.roots import bisect, bracket


def cdf(x: Any, degrees: Any) -> Any:
    """Chi-square distribution function, up to the mean by its power series, all of whose terms are positive."""
    with working():
        return mp.mpf(_below(arb(x) / 2, arb(degrees) / 2))


def survival(x: Any, degrees: Any) -> Any:
    """Probability of exceeding ``x``; beyond the mean by a continued fraction, to keep the digits of a small one."""
    with working():
        return mp.mpf(_above(arb(x) / 2, arb(degrees) / 2))


def _below(half: Any, order: Any) -> Any:
    """Distribution function at twice ``half`` for twice ``order`` degrees, in balls."""
    if half > order + 1:
        return 1 - _above(half, order)
    if half == 0:
        return arb(0)
    term = total = (order * half.log() - half - (order + 1).lgamma()).exp()
    small = arb(mp.eps)
    while term > total * small:
        order += 1
        term *= half / order
        total += term
    return total


def _above(half: Any, order: Any) -> Any:
    """Probability of exceeding twice ``half``, by the method of Lentz."""
    if half <= order + 1:
        return 1 - _below(half, order)
    denominator, small = half + 1 - order, arb(mp.eps)
    below, value = 1 / denominator, 1 / denominator
    step, above, n = arb(2), None, 0
    while abs((step - 1).mid()) > small:
        n, denominator = n + 1, denominator + 2
        gain = n * (n - order)
        above = denominator if above is None else denominator - gain / above
        below = 1 / (denominator - gain * below)
        step = above * below
        value *= step
    return value * (order * half.log() - half - order.lgamma()).exp()


def log_density(x: Any, degrees: Any) -> Any:
    """Logarithm of the chi-square density at ``x > 0``."""
    return (mp.mpf(degrees) / 2 - 1) * mp.log(x) - x / 2 - _log_norm(mp.mpf(degrees), mp.prec)


@functools.lru_cache(maxsize=64)
def _log_norm(degrees: Any, precision: int) -> Any:
    """Logarithm of what the density is divided by, at the working precision in bits."""
    return degrees / 2 * mp.log(2) + mp.loggamma(degrees / 2)


def loss(rest: Any, degrees: Any, shift: Any) -> Any:
    """Log-ratio of the densities of ``T`` and ``T + shift`` at ``shift + rest``; it decreases to ``-shift / 2``."""
    with working():
        rest, shift = arb(rest), arb(shift)
        before, after = ((arb(degrees) / 2 - 1) * x.log() - x / 2 for x in (shift + rest, rest))
        return mp.mpf(before - after)  # what both densities are divided by cancels


def crossing(level: Any, degrees: Any, shift: Any) -> Any:
    """Return the ``rest`` up to which the loss exceeds ``level``, by bisection.

    It is 0 if it does so nowhere, infinite if everywhere.
    """
    level, shift = mp.mpf(level), mp.mpf(shift)
    if level <= -shift / 2:
        return mp.inf
    if degrees == 2:
        return mp.mpf(0)

    def below(rest: Any) -> bool:
        return bool(loss(rest, degrees, shift) > level)

    return bisect(below, *bracket(below, shift))[1]


def excess_below(epsilon: Any, degrees: Any, shift: Any) -> Any:
    """Largest ``P(T in S) - e^epsilon P(T + shift in S)``: the best ``S`` is where the loss exceeds ``epsilon``."""
    if shift == 0:
        return mp.mpf(0)
    rest = crossing(epsilon, degrees, shift)
    return cdf(shift + rest, degrees) - mp.exp(epsilon) * cdf(rest, degrees)


def excess_above(epsilon: Any, degrees: Any, shift: Any) -> Any:
    """Largest ``P(T + shift in S) - e^epsilon P(T in S)``: the best ``S`` is where the loss is below ``-epsilon``."""
    if shift == 0 or (rest := crossing(-epsilon, degrees, shift)) == mp.inf:
        return mp.mpf(0)
    return survival(rest, degrees) - mp.exp(epsilon) * survival(shift + rest, degrees)


def profile(epsilon: Any, degrees: Any, shift: Any) -> Any:
    """Smallest ``delta`` at ``epsilon`` in both orders."""
    return max(excess_below(epsilon, degrees, shift), excess_above(epsilon, degrees, shift))


def exchange(epsilon: Any, degrees: Any, before: Any, after: Any, share: Any) -> Any:
    """Upper bound on ``delta`` if a shift ``before`` gives way to ``after`` along another direction, in two steps.

    The first step gets ``share`` of ``epsilon``; with both shifts or with none in between, whichever is better.
    """
    first, second = share * mp.mpf(epsilon), (1 - share) * mp.mpf(epsilon)
    without = excess_above(first, degrees, before) + mp.exp(first) * excess_below(second, degrees, after)
    both = excess_below(first, degrees, after) + mp.exp(first) * excess_above(second, degrees, before)
    return min(without, both)
