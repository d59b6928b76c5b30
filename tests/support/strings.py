"""Words that are given: strings of bits chosen so that a decision is just to be yes, or just to be no."""

import numpy as np
from flint import arb

from dpspectra.certified import ball_noise
from dpspectra.certified.entropy import Source, Words

LENGTH = 700
"""Bits of a string."""
BITS = 600
"""Bits to which what is compared with a string is known."""
GAPS = [sign * 2.0**-e / 3 for e in (4, 30, 40, 42, 44, 46, 48, 60, 200) for sign in (1, -1)]
"""How far exponential numbers are above what they are compared with."""
LARGE_ERRORS = [((2**63 - 2**48) // 2**10 - j << 11) + 1024 for j in range(16)]
"""Words whose exponentials are just above ``2**-15``, halfway between floats: their normal numbers are the worst."""


class Strings(Words):
    """Words that begin strings of some length, each of which is followed by zeros."""

    def __init__(self, strings, length=LENGTH):
        self.strings, self.length = strings, length
        self.values = np.array([x >> (length - 64) for x in strings], dtype=np.uint64)

    def beyond(self, i, bits):
        rest = self.strings[i] & ((1 << (self.length - 64)) - 1)
        return rest << bits >> (self.length - 64)


class Given(Source):
    """Words, or some strings over and over, for each call, and nothing after them."""

    def __init__(self, *calls):
        self.calls = list(calls)

    def words(self, count):
        if not self.calls:
            raise LookupError("no proposal is accepted")
        given = self.calls.pop(0)
        if not isinstance(given, list):
            return given
        return Strings([given[i % len(given)] for i in range(count)])


def string(digits):
    """The string whose 63 bits and those beyond the word are these ``LENGTH - 1``; the word's last bit is left over."""
    rest = LENGTH - 64
    return (digits >> rest) << (rest + 1) | digits & ((1 << rest) - 1)


def exponential(x):
    """The string of bits whose exponential number is ``x``, to some 600 bits."""
    with ball_noise.precision(2 * LENGTH):
        return string(int(((-x.mid()).exp() * arb(2) ** (LENGTH - 1)).mid().floor().unique_fmpz()))


def long(word):
    """A word, and zeros after it."""
    return word << (LENGTH - 64)


def is_drawn(law, source):
    """Whether a law accepts what is given."""
    try:
        law.draw(source)
    except LookupError:
        return False
    return True
