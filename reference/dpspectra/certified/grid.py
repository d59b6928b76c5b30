"""Exact numbers on a public grid of powers of two, and their way out as float64.

Do not change lightly: the grid decides the bits of every certified release.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

INT64_BITS = 62
"""Bits of integers that are kept as int64, with one to spare."""
DIGITS = 53
LIMB = 32
"""Bits of the lower limb."""
LOW = 2**LIMB - 1
NARROW = 2**30
"""Modulus of the upper limb below which integers fit in int64, with one bit to spare."""

Integers = NDArray[Any]
"""Array of int64, or of Python's integers in an object array where they may be larger."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Limbs:
    """Integers ``high 2**32 + low`` with ``0 <= low < 2**32``, of up to 94 bits: no sum of rows overflows them."""

    high: NDArray[np.int64]
    low: NDArray[np.int64]

    @classmethod
    def of(cls, integers: NDArray[np.int64]) -> Limbs:
        """Split integers of int64."""
        return cls(integers >> LIMB, integers & LOW)

    @classmethod
    def zeros(cls, number: int) -> Limbs:
        """So many zeros."""
        return cls(np.zeros(number, dtype=np.int64), np.zeros(number, dtype=np.int64))

    def __len__(self) -> int:
        return len(self.high)

    def __add__(self, other: Limbs) -> Limbs:
        low = self.low + other.low
        return Limbs(self.high + other.high + (low >> LIMB), low & LOW)

    def integers(self) -> NDArray[Any]:
        """Return the integers in int64 if all of them fit, else as Python's in an object array."""
        if not len(self) or max(abs(int(self.high.max())), abs(int(self.high.min()))) < NARROW:
            return (self.high << LIMB) + self.low
        return (self.high.astype(object) << LIMB) + self.low.astype(object)


@dataclass(frozen=True, slots=True)
class Steps:
    """Exact numbers counted in steps: ``whole + remainder / 2**bits`` with ``0 <= remainder < 2**bits``."""

    whole: Integers
    remainder: Integers
    bits: int

    @classmethod
    def of(cls, integers: Integers | Limbs, shift: int) -> Steps:
        """Return the numbers ``integers * 2**shift``; limbs stay in int64 where the steps fit."""
        if isinstance(integers, Limbs):
            return cls._of_limbs(integers, -shift)
        if shift >= 0:
            wide = integers.astype(object) if _length(integers) + shift > INT64_BITS else integers
            return cls(wide << shift, np.zeros_like(integers), 0)
        if -shift > INT64_BITS:
            integers = integers.astype(object)
        return cls(integers >> -shift, integers & ((1 << -shift) - 1), -shift)

    @classmethod
    def _of_limbs(cls, x: Limbs, bits: int) -> Steps:
        """Return the numbers over ``2**bits``."""
        more = bits - LIMB
        if not -LIMB < more <= INT64_BITS - LIMB or _length(x.high) - more > INT64_BITS:
            return cls.of(x.integers(), -bits)
        if more >= 0:
            return cls(x.high >> more, ((x.high & ((1 << more) - 1)) << LIMB) + x.low, bits)
        return cls((x.high << -more) + (x.low >> bits), x.low & ((1 << bits) - 1), bits)

    @property
    def fractions(self) -> NDArray[np.float64]:
        """``remainder / 2**bits`` in float64, within ``2**-54``."""
        if self.bits == 0:
            return np.broadcast_to(0.0, len(self.remainder))  # takes no memory
        if self.remainder.dtype == object:
            return np.array([float(Fraction(r, 1 << self.bits)) for r in self.remainder.tolist()])
        return np.ldexp(self.remainder.astype(float), -self.bits)

    def fraction(self, i: int) -> Fraction:
        """``remainder / 2**bits`` of number ``i``, exactly."""
        return Fraction(int(self.remainder[i]), 1 << self.bits)

    def plus(self, integers: Integers) -> Integers:
        """``whole`` and further integers, added exactly and in place: in int64 both have at most `INT64_BITS` bits."""
        if object in (self.whole.dtype, integers.dtype):
            return self.whole.astype(object) + integers.astype(object)
        integers += self.whole
        return integers


def added(one: Integers, other: Integers) -> Integers:
    """Return the exact sum of integers: in int64 if both have at most `INT64_BITS` bits, else as Python's integers."""
    if object in (one.dtype, other.dtype) or max(_length(one), _length(other)) > INT64_BITS:
        return one.astype(object) + other.astype(object)
    return one + other


def over(integers: Integers, exponent: int, count: int) -> NDArray[np.float64]:
    """``integers * 2**exponent / count``, each rounded once, to nearest."""
    if integers.dtype != object and _length(integers) <= DIGITS and count < 2**DIGITS:
        return np.ldexp(integers / float(count), exponent) + 0.0
    up, down = (1 << exponent, count) if exponent >= 0 else (1, count << -exponent)
    return np.array([int(k) * up / down for k in integers.tolist()]) + 0.0


def step_exponent(scale: float, bits: int) -> int:
    """Return the exponent of the power of two that is larger than ``scale * 2**-bits`` and at most twice that."""
    return math.frexp(scale)[1] - bits


def _length(integers: Integers) -> int:
    """Bits of the largest modulus."""
    return max(abs(int(integers.max())), abs(int(integers.min()))).bit_length() if integers.size else 0
