"""Sums of many exponential numbers in balls, from their words alone: in whole numbers, and without a ball for each.

``-log U_1 - .. - log U_n`` is minus the logarithm of a product. The word of ``U`` tells a whole number ``k`` with ``k
<= 2**63 U < k + 1``, so that its logarithm is off by at most ``1/k``. Factors are kept as 64 bits that begin with a one
and an exponent. The first 64 bits of a product are at least ``2**62``, so that cutting the rest off changes the
logarithm by at most ``2**-61``.
"""

from typing import Any

import numpy as np
from flint import arb, fmpz

from dpspectra.certified import ball_noise, kernels
from dpspectra.certified.entropy import Words
from dpspectra.ground.array_types import Bits

CHUNK = 2**14
"""Factors that are multiplied at a time: few enough for the cache."""
PART = 2**20
"""Words that are read at a time: few enough to need little room."""
CUT = 2.0**-61
"""Bound on what a product of two factors loses, of its logarithm."""
LEADING = np.uint64(2**63)
"""A factor of 1 as 64 bits, whose exponent is 1."""
HALF = np.uint64(32)
LOW = np.uint64(2**32 - 1)


def exponential_sum(words: Words, which: range, bits: int) -> Any:
    """Sum of `ball_noise.exponential` of these words, from so many bits beyond them.

    Of the first bits asked for, only those of open words are read: words alone tell a sum of ``n`` within about ``n
    2**-59``.
    """
    if bits > ball_noise.FIRST:
        return sum((ball_noise.exponential(words, i, bits) for i in which), arb(0))
    parts = (which[first : first + PART] for first in range(0, len(which), PART))
    return sum((_sum_of_words(words, part, bits) for part in parts), arb(0))


def _sum_of_words(words: Words, which: range, bits: int) -> Any:
    k = words.values[which.start : which.stop : which.step] >> np.uint64(1)
    is_open = k < kernels.LEAST_WORD
    places = np.flatnonzero(is_open).tolist()
    k[is_open] = LEADING - np.uint64(1)  # counts as 1, by at most 2**-63
    known = arb(float(np.sum(1.01 / k)) + CUT * len(k))
    total = minus_log_product(k) + arb(0, known)
    return sum((ball_noise.exponential(words, which[i], bits) for i in places), total)


def minus_log_product(k: Bits) -> Any:
    """Return ``-log`` of the product of ``k / 2**63``, too large by at most `CUT` for each number of 63 bits."""
    exponent, parts = 0, []
    for first in range(0, len(k), CHUNK):
        mantissas, shifts = _leading(k[first : first + CHUNK])
        mantissa, more = _product(mantissas)
        exponent += len(mantissas) - shifts - more
        parts.append(mantissa)
    mantissa, more = _product(np.array(parts, dtype=np.uint64))
    return -(arb(fmpz(mantissa)) / arb(2) ** 64).log() - (exponent - more) * arb.const_log2()


def _leading(k: Bits) -> tuple[Bits, int]:
    """Shift each number until its first bit is a one; and by how many places altogether."""
    shifted, places = k.copy(), 0
    for shift in (32, 16, 8, 4, 2, 1):
        small = shifted < np.uint64(2 ** (64 - shift))
        shifted[small] <<= np.uint64(shift)
        places += shift * int(np.count_nonzero(small))
    return shifted, places


def _product(mantissas: Bits) -> tuple[int, int]:
    """First 64 bits of a product of numbers whose first bit is a one, and by how many places it was shifted."""
    shifts = 0
    while len(mantissas) > 1:
        half = len(mantissas) // 2
        high = _high(mantissas[:half], mantissas[half : 2 * half])
        small = high < LEADING
        high[small] <<= np.uint64(1)
        shifts += int(np.count_nonzero(small))
        mantissas = np.concatenate([high, mantissas[2 * half :]])
    return (int(mantissas[0]), shifts) if len(mantissas) else (2**63, -1)


def _high(a: Bits, b: Bits) -> Bits:
    """First 64 of the 128 bits of products, by halves; no sum of theirs is as large as ``2**64``."""
    a_high, a_low, b_high, b_low = a >> HALF, a & LOW, b >> HALF, b & LOW
    one, other = a_high * b_low, a_low * b_high
    carried = (a_low * b_low >> HALF) + (one & LOW) + (other & LOW)
    return np.asarray(a_high * b_high + (one >> HALF) + (other >> HALF) + (carried >> HALF))
