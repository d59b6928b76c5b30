"""The kernels in one pass over the words, with the same bits (extra ``fast``: numba).

Each number goes through the operations of `dpspectra.certified.kernels`, one by one and in their order. The compiler is
not allowed to contract or reorder them, so that DPS-KERNELS holds here as it stands there.

Do not change lightly: a test compares all bits, and balls see what is open.
"""

from typing import Any

import numpy as np

from dpspectra.certified import kernels
from dpspectra.certified.kernels import LARGEST_ESTIMATE
from dpspectra.ground.array_types import Bits, Flags, Floats, Integers
from dpspectra.ground.compiling import compiled

FIRST, SECOND, MANTISSA, SIGN = map(np.uint64, (1, 2, 3, 63))
"""By how much words are shifted."""
HALF, WHOLE = 2.0**-63, 2.0**-61 * kernels.EIGHTH
LOGARITHM, SINE, COSINE = kernels.LOGARITHM, kernels.SINE, kernels.COSINE
LEAST_WORD, LEAST_EXPONENTIAL = kernels.LEAST_WORD, kernels.LEAST_EXPONENTIAL
ROOT_BITS, FRACTION_BITS = kernels.ROOT_BITS, kernels.FRACTION_BITS
LOG2_HIGH, LOG2_LOW = kernels.LOG2_HIGH, kernels.LOG2_LOW

_polynomial = compiled(kernels.polynomial)


@compiled
def _minus_log(x: Any) -> Any:
    raw = np.float64(x).view(np.int64)
    exponent = (raw - ROOT_BITS) >> FRACTION_BITS
    f = np.int64(raw - (exponent << FRACTION_BITS)).view(np.float64) - 1.0
    s = f / (f + 2.0)
    log = _polynomial(LOGARITHM, s * s) * s
    log = log + log
    e = np.float64(exponent)
    log = log + e * LOG2_LOW
    return -(e * LOG2_HIGH + log)


@compiled
def _flipped(value: Any, sign: Any) -> Any:
    """Change the sign of a number if the last bit is set."""
    return np.uint64(np.float64(value).view(np.uint64) ^ (sign << SIGN)).view(np.float64)


@compiled
def _exponential(k: Any) -> Any:
    return _minus_log(0.5 if k < LEAST_WORD else np.float64(np.int64(k)) * HALF)


@compiled
def _laplace(words: Any, numbers: Any, is_open: Any) -> None:
    for i in range(len(words)):
        k = words[i] >> FIRST
        is_open[i] = k < LEAST_WORD
        numbers[i] = _flipped(_exponential(k), words[i])


@compiled
def _normal(radii: Any, angles: Any, first: Any, second: Any, is_open: Any) -> None:
    for i in range(len(radii)):
        k, angle = radii[i] >> FIRST, angles[i]
        a = _exponential(k)
        unknown = (k < LEAST_WORD) | (a < LEAST_EXPONENTIAL)
        is_open[i] = unknown
        a = 1.0 if unknown else a
        r = np.sqrt(a + a)
        t = np.float64(np.int64(angle >> MANTISSA)) * WHOLE
        q = t * t
        sine, cosine = _polynomial(SINE, q) * t * r, _polynomial(COSINE, q) * r
        first[i] = _flipped(cosine if angle & FIRST else sine, angle >> FIRST)
        second[i] = _flipped(sine if angle & FIRST else cosine, angle >> SECOND)


@compiled
def _apart(words: Any, radii: Any, angles: Any) -> None:
    for i in range(len(radii)):
        radii[i], angles[i] = words[2 * i], words[2 * i + 1]


@compiled
def _together(first: Any, second: Any, is_open: Any, numbers: Any, flags: Any) -> None:
    for i in range(len(first)):
        numbers[2 * i], numbers[2 * i + 1] = first[i], second[i]
        flags[2 * i] = flags[2 * i + 1] = is_open[i]


@compiled
def _settled(estimate: Any, is_open: Any, margin: Any, whole: Any, certain: Any) -> Any:
    large = False
    for i in range(len(estimate)):
        nearest = np.floor(estimate[i])  # as the nearest number of a compiler has the direction of rounding
        nearest += 1.0 if estimate[i] - nearest > 0.5 else 0.0
        small = abs(nearest) < LARGEST_ESTIMATE
        found = small & (abs(estimate[i] - nearest) < margin) & (not is_open[i])
        large |= not small
        certain[i] = found
        whole[i] = np.int64(nearest if found else 0.0)
    return large


def laplace(words: Bits) -> tuple[Floats, Flags]:
    """Laplace numbers of scale 1, and which are open."""
    numbers, is_open = _blank(len(words))
    _laplace(words, numbers, is_open)
    return numbers, is_open


def normal(words: Bits) -> tuple[Floats, Flags]:
    """Return as many standard normal numbers as there are words, an even number, and which are open."""
    count = len(words) // 2
    radii, angles = np.empty((2, count), dtype=np.uint64)  # in one piece each, which vector registers want
    _apart(words, radii, angles)
    (first, is_open), second = _blank(count), np.empty(count)
    _normal(radii, angles, first, second, is_open)
    numbers, flags = _blank(len(words))
    _together(first, second, is_open, numbers, flags)
    return numbers, flags


def settled(estimate: Floats, is_open: Flags, margin: float, whole: Integers) -> tuple[Flags, bool]:
    """Do what `kernels.settled` does, for one margin."""
    certain = np.empty(len(estimate), dtype=np.bool_)
    return certain, _settled(estimate, is_open, margin, whole, certain)


def _blank(count: int) -> tuple[Floats, Flags]:
    return np.empty(count), np.empty(count, dtype=np.bool_)
