"""The numbers of `dpspectra.certified.kernels` in balls, to any precision, from as many bits as that takes."""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any, TypeVar

import flint
from flint import acb, acb_mat, arb, fmpq, fmpz

from dpspectra.certified.entropy import Words
from dpspectra.ground import fork_safety

FIRST = 64
"""Bits read beyond a word at first; doubled until a decision is certain."""
GUARD = 96
"""Bits of precision beyond those that are read."""

_LOCK = fork_safety.free_lock()

T = TypeVar("T")


@contextmanager
def precision(bits: int) -> Iterator[None]:
    """Work with this precision. It is the whole process's, hence the lock; no result depends on it, only how soon."""
    with _LOCK, flint.ctx.workprec(bits):
        yield


def decided(value: Callable[[int], Any], decide: Callable[[Any], T | None]) -> T:
    """Decide about a real number; ``value`` makes a ball of it from so many more bits.

    More bits are read until ``decide`` does not say ``None``, which ends with probability 1 if the number has a
    density. There is no cap: to give up would itself be a release.
    """
    bits = FIRST
    while True:
        with precision(bits + GUARD):
            found = decide(value(bits))
        if found is not None:
            return found
        bits *= 2


def sign(x: Any) -> bool | None:
    """Whether all numbers of a ball are positive, or negative; ``None`` if that is open."""
    return True if x > 0 else False if x < 0 else None


def nearest(value: Callable[[int], Any]) -> int:
    """Return the integer ``floor(x + 1/2)`` of a real number ``x``, as `decided` says."""
    return int(decided(value, lambda x: (x + arb(1) / 2).floor().unique_fmpz()))


def within(value: Callable[[int], Any], radius: float) -> float:
    """Return a float no farther than ``radius``, and an ulp, from a real number of which ``value`` makes balls."""
    return decided(value, lambda x: float(x.mid()) if x.is_finite() and float(x.rad()) < radius else None)


def exact(x: float | Fraction | int) -> Any:
    """Return a number as a ball of the precision in use."""
    x = Fraction(x)
    return arb(fmpq(x.numerator, x.denominator))


def above(ball: Any) -> float:
    """Return a float above all numbers of a ball."""
    return math.nextafter(float(ball.upper()), math.inf)


def uniform(word: int, length: int, words: Words, i: int, bits: int) -> Any:
    """Return the number whose binary digits are the first ``length`` bits of a word, and then those beyond it."""
    known = fmpz(word >> (64 - length) << bits | words.beyond(i, bits))
    return (arb(known) + arb(0.5, 0.5)) * arb(2) ** -(length + bits)


def exponential(words: Words, i: int, bits: int) -> Any:
    """Return the standard exponential number of word ``i``."""
    return -uniform(int(words.values[i]), 63, words, i, bits).log()


def laplace(words: Words, i: int, bits: int) -> Any:
    """Return the standard Laplace number of word ``i``."""
    return exponential(words, i, bits) * (1 - 2 * (int(words.values[i]) & 1))


def normal_pair(words: Words, pair: int, bits: int) -> tuple[Any, Any]:
    """Return the two standard normal numbers that words ``2 pair`` and ``2 pair + 1`` make."""
    last = int(words.values[2 * pair + 1])
    r = (2 * exponential(words, 2 * pair, bits)).sqrt()
    sine, cosine = (uniform(last, 61, words, 2 * pair + 1, bits) * arb.pi() / 4).sin_cos()
    first, second = (cosine, sine) if last & 1 else (sine, cosine)
    return r * first * (1 - (last & 2)), r * second * (1 - (last >> 1 & 2))


def normal(words: Words, i: int, bits: int) -> Any:
    """Return the standard normal number ``i``, of the pairs that words make."""
    return normal_pair(words, i // 2, bits)[i % 2]


def unknown(rows: int, columns: int) -> Any:
    """Return a complex matrix of which nothing is known."""
    return acb_mat(rows, columns, [acb(arb.nan(), arb.nan())] * (rows * columns))
