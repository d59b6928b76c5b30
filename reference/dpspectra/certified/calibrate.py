"""Scales of noise rounded upward: each is certified in rational numbers or balls; candidates come from ordinary floats.

``epsilon``, ``delta`` and norm bounds are the rational numbers that the floats given are; an irrational sensitivity is
given by its square, a rational number (DPS-UPWARD).
"""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from flint import arb

from dpspectra.certified import ball_noise

LARGEST_SCALE = 2**250
"""Scales lie between its inverse and this, so that neither they nor their fourth powers underflow or overflow."""
EXTREME = 900
"""Base-2 logarithm of the largest inverse temperature."""
TINY = Fraction(1, 2**200)
"""A ``delta`` below which there is nothing to be gained."""
SHRINK = 2.0**-44
"""Relative step by which a candidate is made smaller, doubled until it is certified."""


def least(holds: Callable[[Fraction], bool], candidate: Fraction) -> float:
    """Return the smallest float from about the candidate on that ``holds``, as all larger ones do.

    Raises ``ValueError`` if it would underflow or overflow as the scale of a noise.
    """
    if not Fraction(1, LARGEST_SCALE) < candidate < LARGEST_SCALE:
        raise ValueError("the scale of the noise must lie between 2**-250 and 2**250, as epsilon and norm_bound set it")
    scale, steps = float(candidate), 1
    while not holds(Fraction(scale)):
        for _ in range(steps):
            scale = math.nextafter(scale, math.inf)
        steps *= 2
    return scale


def at_most(number: Fraction) -> float:
    """Return the largest float up to a positive number, which must lie between ``2**-900`` and ``2**900``."""
    if not Fraction(1, 2**EXTREME) < number < 2**EXTREME:
        raise ValueError(
            "the inverse temperature must lie between 2**-900 and 2**900, as epsilon and the eigenvalues set it"
        )
    found = float(number)
    return found if Fraction(found) <= number else math.nextafter(found, 0.0)


def largest(holds: Callable[[float], bool], candidate: float) -> float:
    """About the largest float up to the candidate that ``holds``, as all smaller ones do."""
    found, step = candidate, SHRINK
    while not holds(found):
        found, step = found * (1 - step), 2 * step
    return found


def at_least_root(square: Fraction, divisor: float) -> float:
    """Return a float ``s`` with ``(s divisor)**2 >= square``, within a few ulps of the smallest one."""
    target = square / Fraction(divisor) ** 2
    return least(lambda s: s * s >= target, root(target))


def root(square: Fraction) -> Fraction:
    """About the square root of a positive rational number of any size."""
    exponent = (square.numerator.bit_length() - square.denominator.bit_length()) // 2
    return Fraction(math.sqrt(float(square / Fraction(4) ** exponent))) * Fraction(2) ** exponent


def gaussian_mu(epsilon: float, delta: float, candidate: float) -> float:
    """Return a ``mu`` whose Gaussian profile at ``epsilon`` is surely at most ``delta``: the candidate, or nearly."""
    return largest(lambda mu: profile_at_most(epsilon, mu, delta), candidate)


def gaussian_delta(epsilon: float, mu: float, candidate: float) -> float:
    """Return a ``delta`` that is surely at least the Gaussian profile at ``epsilon``.

    It is the candidate, or slightly more, or tiny.
    """
    return least(lambda d: profile_at_most(epsilon, mu, float(d)), max(Fraction(candidate), TINY))


def profile_at_most(epsilon: float, mu: float, delta: float) -> bool:
    """Whether the `profile` at ``epsilon`` is at most ``delta``; it is below 1, by about ``exp(-mu**2 / 8)``."""
    if delta >= 1:
        return True
    return surely_positive(
        lambda bits: ball_noise.exact(delta) - profile(ball_noise.exact(epsilon), ball_noise.exact(mu))
    )


def profile(epsilon: Any, mu: Any) -> Any:
    """Ball of ``Phi(mu/2 - epsilon/mu) - e**epsilon Phi(-mu/2 - epsilon/mu)`` (HR-T2.6R), also for complex ``mu``."""
    scale = arb(2).sqrt()
    first = ((epsilon / mu - mu / 2) / scale).erfc() / 2
    second = ((epsilon / mu + mu / 2) / scale).erfc() / 2
    return first - epsilon.exp() * second


def surely_positive(value: Callable[[int], Any]) -> bool:
    """Whether a number of which ``value`` makes balls is positive; it must not be 0."""
    return ball_noise.decided(value, ball_noise.sign)
