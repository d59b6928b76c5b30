"""Certified sketching: random test matrices on a public grid, and the noise that makes their products private.

A random test matrix ``Omega`` is ideal, rounded to multiples of ``2**-GRID``: that makes the image of a change longer
by at most a public number. Given ``Omega`` the sketch ``A Omega + N`` is Gaussian noise, so that its ``delta`` is the
mean of Gaussian profiles over the chi law of the length of the image, an integral in balls (DPS-SHIFTED). A basis is
cut off toward zero, which makes its rows shorter (DPS-TOWARDZERO).

Do not change lightly: `GRID` is part of the proved scale of the noise, and of what is released.
"""

import functools
import math
from fractions import Fraction
from typing import Any

import numpy as np
from flint import acb
from numpy.typing import NDArray

from dpspectra.certified import ball_noise, calibrate, noise_on_grid
from dpspectra.certified.entropy import Source
from dpspectra.certified.grid import Integers, Steps

GRID = 20
"""Blocks are in units of ``2**-GRID``."""
PART = 2**14
"""Entries of a test matrix that are drawn at a time: few enough to stay in the cache."""
TAIL = 64
"""Lengths beyond some are counted as violations; they have probability about ``delta * 2**-TAIL``."""
GROWTH = 2.0**-40
"""Relative step by which a candidate is made larger, doubled until it is certified."""


def test_matrix(n: int, width: int, source: Source) -> Integers:
    """Ideal standard normal entries, ``(n, width)``, rounded to integers in units of ``2**-GRID``."""
    omega: Integers = np.zeros(n * width, dtype=np.int64)
    for first in range(0, len(omega), PART):
        part = omega[first : first + PART]
        part[:] = noise_on_grid.gaussian(Steps.of(part, 0), math.ldexp(1.0, GRID), source)
    return omega.reshape(n, width)


def lengthening(n: int, width: int) -> Fraction:
    """Bound on how much longer rounding an ``(n, width)`` test matrix makes the image of a unit vector."""
    return root_above(n * width) / 2 ** (GRID + 1)


def cut(basis: NDArray[np.float64]) -> Integers:
    """Entries of modulus below ``2**40`` cut off toward zero, as integers in units of ``2**-GRID``."""
    return np.trunc(np.ldexp(basis, GRID)).astype(np.int64)


def projection_noise(digits: Integers, change: Fraction, mu: float) -> float:
    """Noise for the product of a basis that was `cut` with a matrix of which a row changes by at most ``change``.

    In proportion to the longest row of the basis, rounded upward; 0 if there is none.
    """
    return noise_within(max(map(int, np.sum(digits**2, axis=1))), change, mu)


def noise_within(longest: int, change: Fraction, mu: float) -> float:
    """`projection_noise` for a basis of which no row of digits has a squared norm above ``longest``."""
    return calibrate.at_least_root(Fraction(longest, 4**GRID) * change**2, mu) if longest else 0.0


def rounded_change(change: float, columns: int, exponent: int) -> Fraction:
    """Bound on the change of a row of so many entries after each was rounded to a multiple of ``2**-exponent``."""
    return Fraction(change) + root_above(columns) * Fraction(2) ** -exponent


def root_above(square: int) -> Fraction:
    """Return a rational number that is no less than the root of a positive integer, by less than ``2**-32``."""
    return Fraction(math.isqrt(square << 64) + 1, 2**32)


@functools.lru_cache(maxsize=64)
def noise_scale(epsilon: float, delta: float, width: int, mu: float, longer: Fraction, candidate: float) -> float:
    """Return a noise whose `delta_at_most` is certified, for a change of norm 1: the candidate, or a little more.

    Remembered, because it takes some integrals. Raises ``ValueError`` if the ``mu`` step alone exceeds ``delta``.
    """
    scale, step = candidate, GROWTH
    while not delta_at_most(epsilon, delta, width, mu, longer, scale):
        scale, step = scale * (1 + step), 2 * step
        if not scale < calibrate.LARGEST_SCALE:
            raise ValueError(f"mu must leave room below delta = {delta:g}, got mu = {mu:g}")
    return scale


def delta_at_most(epsilon: float, delta: float, width: int, mu: float, longer: Fraction, scale: float) -> bool:
    """Whether ``E profile(epsilon, hypot((R + longer) / scale, mu))`` is at most ``delta``, ``R`` chi of ``width``.

    Lengths beyond the end of the integral count in full.
    """
    end = _longest(width, delta)

    def margin(bits: int) -> Any:
        e, half = ball_noise.exact(epsilon), ball_noise.exact(Fraction(width, 2))
        norm = 2 / (ball_noise.exact(2) ** half * half.gamma())
        more, s, square = ball_noise.exact(longer), ball_noise.exact(scale), ball_noise.exact(mu) ** 2

        def mean(r: Any, analytic: bool) -> Any:
            shift = (((r + more) / s) ** 2 + square).sqrt(analytic=analytic)
            return r ** (width - 1) * (-r * r / 2).exp() * calibrate.profile(e, shift)

        tolerance = ball_noise.exact(2) ** -bits
        allowed = ball_noise.exact(delta)
        inside = acb.integral(
            mean, 0, ball_noise.exact(end), rel_tol=tolerance, abs_tol=tolerance * allowed / norm
        ).real
        beyond = (ball_noise.exact(end) ** 2 / 2).gamma_upper(half, regularized=1)
        return allowed - norm * inside - beyond

    return calibrate.surely_positive(margin)


def _longest(width: int, delta: float) -> float:
    """Return a length that a chi variable exceeds with probability about ``delta * 2**-TAIL`` at most."""
    x = 0.7 * (TAIL - math.frexp(delta)[1])
    return math.sqrt(width + 2 * math.sqrt(width * x) + 2 * x)
