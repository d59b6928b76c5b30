"""Exponential and normal numbers from words of bits in float64, with bounds on their errors that are proved.

Only ``+ - * / sqrt``, exact scalings by powers of two and casts of integers are used, so that the bounds hold wherever
IEEE 754 does, also if its rounding is directed (DPS-KERNELS). A word has 63 bits of a uniform number ``U`` and one that
is left over; a normal pair takes its angle from a second word: 61 bits within an eighth of the circle, 3 for which.

*Open* words are those that the bounds do not cover: balls must decide them (probability ``2**-15`` each).

Do not change lightly: the constants are those of the proof of DPS-KERNELS, and decide which words are open.
"""

import math

import numpy as np

from dpspectra.ground.array_types import Bits, Flags, Floats, Integers

UNIT = 2.0**-53
"""Largest relative rounding error of one operation, to nearest."""
LEAST_WORD = np.uint64(2**48)
"""Words of 63 bits below this are open."""
LEAST_EXPONENTIAL = 2.0**-15
"""Exponentials below this leave a normal pair open."""
EXPONENTIAL_ERROR = 2.0**-47
"""Bound on the absolute error of an exponential that is not open."""
LOGARITHM_ERROR = 2.0**-48
"""Bound on the absolute error of `minus_log`."""
NORMAL_ERROR = 2.0**-45
"""Bound on the error of a normal number that is not open, absolute."""
LARGEST_EXPONENTIAL = 10.4
"""Bound on exponentials that are not open: ``15 log 2``."""
LEAST_OPEN = 10.39
"""Exponentials of open words are larger."""
LARGEST_NORMAL = 4.6
"""Bound on normal numbers that are not open: the square root of twice that."""

LARGEST_ESTIMATE = 2.0**62
"""Size from which estimates are left to balls, so that whole numbers fit in int64."""

LOG2_HIGH = math.ldexp(1488522235, -31)
"""The first 31 bits of ``log 2``: its product with an exponent is exact."""
LOG2_LOW = float.fromhex("0x1.d1cf79abc9e3bp-32")
"""The rest, rounded."""
EIGHTH = float.fromhex("0x1.921fb54442d18p-1")
"""``pi / 4``, rounded: an eighth of the circle."""
ROOT_BITS = int(np.float64(float.fromhex("0x1.6a09e667f3bcdp-1")).view(np.int64))
"""The float nearest to the root of 1/2, as an integer: floats above 0 have the order of these integers."""
FRACTION_BITS = 52
"""Bits of a float below its exponent."""
LOGARITHM = tuple(1 / (2 * j + 1) for j in range(12))
"""Coefficients of ``atanh(s) / s`` in ``s**2``."""
SINE = tuple((-1) ** j / math.factorial(2 * j + 1) for j in range(9))
"""Coefficients of ``sin(t) / t`` in ``t**2``."""
COSINE = tuple((-1) ** j / math.factorial(2 * j) for j in range(9))


def minus_log(x: Floats) -> Floats:
    """``-log x`` of ``x`` in ``[2**-20, 1]``, from ``log m = 2 atanh((m - 1) / (m + 1))`` near 1."""
    raw = x.view(np.int64)
    exponent = raw - ROOT_BITS
    exponent >>= FRACTION_BITS
    rest = exponent << FRACTION_BITS
    f = np.subtract(raw, rest, out=rest).view(np.float64)  # x over the power of two that leaves sqrt(1/2) to sqrt(2)
    f -= 1.0  # exact
    s = f + 2.0
    np.divide(f, s, out=s)
    log = polynomial(LOGARITHM, np.multiply(s, s, out=f))
    log *= s
    log += log
    e = exponent.astype(float)
    log += np.multiply(e, LOG2_LOW, out=f)
    e *= LOG2_HIGH
    e += log
    return np.negative(e, out=e)


def exponentials(words: Bits) -> tuple[Floats, Flags]:
    """Exponential numbers ``-log U`` within `EXPONENTIAL_ERROR`, and which are open; the last bit is unused."""
    k = words >> np.uint64(1)
    is_open = k < LEAST_WORD
    x = k.astype(float)
    x *= 2.0**-63
    np.copyto(x, 0.5, where=is_open)
    return minus_log(x), is_open


def normal_pairs(radii: Bits, angles: Bits) -> tuple[Floats, Floats, Flags]:
    """Two standard normal numbers for each pair of words, within `NORMAL_ERROR`, and which pairs are open."""
    a, is_open = exponentials(radii)
    is_open |= a < LEAST_EXPONENTIAL
    np.copyto(a, 1.0, where=is_open)
    r = np.sqrt(a + a)
    t = (angles >> np.uint64(3)).astype(float) * (2.0**-61 * EIGHTH)
    q = t * t
    sine, cosine = polynomial(SINE, q), polynomial(COSINE, q)
    sine *= t
    sine *= r
    cosine *= r
    exchange(sine, cosine, angles)
    flip(sine, angles, 1)
    flip(cosine, angles, 2)
    return sine, cosine, is_open


def laplace(words: Bits) -> tuple[Floats, Flags]:
    """Laplace numbers of scale 1 within `EXPONENTIAL_ERROR`, and which are open; the last bit is the sign."""
    numbers, is_open = exponentials(words)
    flip(numbers, words, 0)
    return numbers, is_open


def normal(words: Bits) -> tuple[Floats, Flags]:
    """Return as many standard normal numbers as there are words, an even number, and which are open."""
    x, y, is_open = normal_pairs(words[::2], words[1::2])
    numbers, flags = np.empty(len(words)), np.empty(len(words), dtype=np.bool_)
    numbers[::2], numbers[1::2] = x, y
    flags[::2] = flags[1::2] = is_open
    return numbers, flags


def settled(estimate: Floats, is_open: Flags, margin: float | Floats, whole: Integers) -> tuple[Flags, bool]:
    """Write the nearest whole numbers, or 0; return which are nearer than the margin, and whether any does not fit.

    Estimates of `LARGEST_ESTIMATE` and more, and those that are not finite, do not fit. One margin, or one for each.
    """
    nearest = np.rint(estimate)
    with np.errstate(invalid="ignore"):
        distance = estimate - nearest
        np.abs(distance, out=distance)
        certain = distance < margin
    np.greater(certain, is_open, out=certain)  # certain and not open
    large = not (np.min(nearest) > -LARGEST_ESTIMATE and np.max(nearest) < LARGEST_ESTIMATE)
    if large:
        certain &= np.abs(nearest) < LARGEST_ESTIMATE
    if not certain.all():
        nearest[~certain] = 0.0
    whole[:] = nearest
    return certain, large


def exchange(first: Floats, second: Floats, words: Bits) -> None:
    """Exchange those values whose words have the last bit set. In place."""
    one, other = first.view(np.uint64), second.view(np.uint64)
    differences = one ^ other
    differences &= -(words & np.uint64(1))  # all bits or none
    one ^= differences
    other ^= differences


def flip(values: Floats, words: Bits, bit: int) -> None:
    """Change the signs of those values whose words have a bit set; bit 0 is the last one. In place."""
    raw = values.view(np.uint64)
    signs = words << np.uint64(63 - bit)
    signs &= np.uint64(2**63)
    raw ^= signs


def polynomial(coefficients: tuple[float, ...], x: Floats) -> Floats:
    """Horner's rule, in one array; it is compiled for single numbers, too."""
    value = x * coefficients[-1]
    value += coefficients[-2]
    for c in coefficients[-3::-1]:
        value *= x
        value += c
    return value
