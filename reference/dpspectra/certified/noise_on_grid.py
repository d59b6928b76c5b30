"""Ideal noise added to exact numbers and rounded to a public grid: in float64 where that is certain, else in balls.

All functions take numbers in steps of the grid and the scale of the noise over the step, and return whole numbers of
steps: ``floor(x + noise + 1/2)``, a function of the bits alone (DPS-ROUNDED). An estimate within ``bound`` of the truth
decides where it is nearer than ``1/2 - bound`` to a whole number (DPS-AMBIGUOUS).

Do not change lightly: the bounds are proved for this order of operations, and releases repeat by a key only if words
are drawn in this order.
"""

import contextlib
import importlib
import math
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from flint import arb

from dpspectra.certified import ball_noise, kernels
from dpspectra.certified.entropy import Source, Words
from dpspectra.certified.grid import Integers, Steps
from dpspectra.ground.array_types import Flags, Floats
from dpspectra.ground.progress import progress

CHUNK = 2**14
"""Words whose noise is computed at a time: few enough for the cache, enough that calls of numpy cost little."""
FUSED = "dpspectra.certified.fused_kernels"
WORTH = 2**24
"""Words from which it pays to load numba (extra ``fast``) for them alone."""
LONG = 2**20
"""Numbers from which on a terminal shows how far they are."""
COLUMNS = 2**9
"""Columns that are multiplied at a time, so that sums of many products lose less by rounding."""
SLACK = 2.0**-52
"""Allowance in a bound for roundings that do not shrink with the noise: of sums with fractions, and of these."""
ROUNDING = 2.0**-48
"""Allowance for rounding products and sums of noise of at most `kernels.LARGEST_EXPONENTIAL` scales, over the scale."""


def laplace(steps: Steps, ratio: float, source: Source) -> Integers:
    """Add independent Laplace noise of scale ``ratio`` (mean absolute value); shape ``(n,)``."""
    words = source.words(len(steps.whole))
    bound = ratio * (kernels.EXPONENTIAL_ERROR + ROUNDING) + SLACK

    def value(i: int, bits: int) -> Any:
        return ball_noise.exact(steps.fraction(i)) + ball_noise.laplace(words, i, bits) * ball_noise.exact(ratio)

    return steps.plus(rounded(_noisy(_parts("laplace", words), ratio, steps), len(steps.whole), bound, value))


def gaussian(steps: Steps, ratio: float, source: Source) -> Integers:
    """Add independent normal noise of standard deviation ``ratio``; shape ``(n,)``."""
    words = _words_of_pairs(len(steps.whole), source)
    bound = ratio * (kernels.NORMAL_ERROR + ROUNDING) + SLACK

    def value(i: int, bits: int) -> Any:
        return ball_noise.exact(steps.fraction(i)) + ball_noise.normal(words, i, bits) * ball_noise.exact(ratio)

    return steps.plus(rounded(_noisy(_parts("normal", words), ratio, steps), len(steps.whole), bound, value))


def wishart(steps: Steps, d: int, degrees: int, ratio: float, signs: tuple[int, ...], source: Source) -> Integers:
    """Add ``ratio`` times a sum of signed Wishart matrices ``G G'`` to the upper triangle of a symmetric matrix.

    One matrix ``G`` of shape ``(d, degrees)`` with standard normal entries for each sign. The numbers are those on and
    above the diagonal, row by row; shape ``(d (d + 1) / 2,)``.
    """
    normals = Normals((len(signs) * d, degrees), source)
    estimate, squares = np.zeros((d, d)), np.zeros(d)
    for sign, block in zip(signs, normals.values.reshape(len(signs), d, degrees), strict=True):
        for first in range(0, degrees, COLUMNS):
            part = block[:, first : first + COLUMNS]
            estimate += sign * (part @ part.T)
        squares += np.einsum("ij,ij->i", block, block)
    lengths, numbers = 1.01 * np.sqrt(squares), degrees * len(signs)
    one, other = lengths[:, None], lengths[None, :]
    near = math.sqrt(numbers) * 1.01 * kernels.NORMAL_ERROR * (one + other)
    terms = min(degrees, COLUMNS) + len(signs) * -(-degrees // COLUMNS)
    products = product_error(terms, one, other)
    bounds = ratio * (near + products + numbers * kernels.NORMAL_ERROR**2) * 1.01 + SLACK
    upper = ~np.tri(d, k=-1, dtype=bool)

    def value(i: int, bits: int) -> Any:
        row, column = divmod(int(np.flatnonzero(upper)[i]), d)
        total = arb(0)
        for block, sign in enumerate(signs):
            total += sign * normals.product(block * d + row, block * d + column, bits)
        return ball_noise.exact(steps.fraction(i)) + total * ball_noise.exact(ratio)

    sums = estimate[upper] * ratio + steps.fractions
    return steps.plus(rounded([(sums, np.zeros(len(sums), dtype=bool))], len(sums), bounds[upper], value))


def product_error(terms: int, first: Floats, second: Floats) -> Floats:
    """Bound on the rounding error of inner products of vectors of these norms, also if rounding is directed.

    ``terms`` bounds the additions that a product goes through (at most four more).
    """
    return 2 * (terms + 4) * kernels.UNIT * first * second


class Normals:
    """A matrix of ideal normal numbers: float64 values within `kernels.NORMAL_ERROR`, and balls beside them."""

    def __init__(self, shape: tuple[int, int], source: Source) -> None:
        self.columns = shape[1]
        size = shape[0] * shape[1]
        self.words = _words_of_pairs(size, source)
        values, first = np.empty(len(self.words)), 0
        with progress(len(values), "normal numbers", long=size >= LONG) as bar:
            for numbers, is_open in _parts("normal", self.words):
                for i in np.flatnonzero(is_open).tolist():
                    numbers[i] = ball_noise.within(
                        partial(ball_noise.normal, self.words, first + i), kernels.NORMAL_ERROR / 4
                    )
                values[first : first + len(numbers)] = numbers
                first += len(numbers)
                bar.advance("drawn", len(numbers))
        self.values = values[:size].reshape(shape)

    def ball(self, row: int, column: int, bits: int) -> Any:
        """Return an entry from so many bits beyond its words."""
        return ball_noise.normal(self.words, row * self.columns + column, bits)

    def row(self, row: int, bits: int) -> list[Any]:
        """Return all entries of a row, which takes half as long as one after the other."""
        first, last = row * self.columns, (row + 1) * self.columns
        pairs = (ball_noise.normal_pair(self.words, pair, bits) for pair in range(first // 2, (last + 1) // 2))
        return [x for pair in pairs for x in pair][first % 2 :][: self.columns]

    def product(self, row: int, other: int, bits: int) -> Any:
        """Return the inner product of two rows."""
        one = self.row(row, bits)
        two = one if other == row else self.row(other, bits)
        return sum((x * y for x, y in zip(one, two, strict=True)), arb(0))


Part: TypeAlias = tuple[Floats, Flags]
"""Some consecutive numbers in float64, and which of them are open."""


def _words_of_pairs(size: int, source: Source) -> Words:
    """Words of at least so many normal numbers."""
    return source.words(size + size % 2)


def _parts(law: str, words: Words) -> Iterator[Part]:
    """Yield the numbers of ``kernels.laplace`` or ``kernels.normal``, `CHUNK` at a time."""
    draw = getattr(_kernels(len(words)), law)
    return (draw(words.values[first : first + CHUNK]) for first in range(0, len(words), CHUNK))


def _kernels(count: int) -> Any:
    """Return the kernels in one pass where they pay for so many words; bits are the same.

    That is if numba is loaded, or worth loading for these words alone; once these kernels are here they serve all.
    """
    fused = sys.modules.get(FUSED)
    if fused is None and count >= (CHUNK if "numba" in sys.modules else WORTH):
        with contextlib.suppress(ImportError):
            fused = importlib.import_module(FUSED)
    return fused or kernels


def _noisy(parts: Iterator[Part], ratio: float, steps: Steps) -> Iterator[Part]:
    """Yield the fractions of numbers, with noise of scale ``ratio``."""
    fractions, first = steps.fractions, 0
    for numbers, is_open in parts:
        here = fractions[first : first + len(numbers)]
        numbers, is_open = numbers[: len(here)], is_open[: len(here)]
        numbers *= ratio
        numbers += here
        first += len(here)
        yield numbers, is_open


def rounded(parts: Iterable[Part], count: int, bound: float | Floats, value: Callable[[int, int], Any]) -> Integers:
    """Nearest whole numbers: of the estimates where these are certain, else of the balls ``value(i, bits)``.

    Estimates of ``2**62`` and more, and those that are not finite, are never certain. The parts have ``count`` numbers
    together; a bound is for all, or for each.
    """
    margin = 0.5 - bound
    whole, open_places, large, first = np.empty(count, dtype=np.int64), list[int](), False, 0
    with progress(count, "noisy numbers", long=count >= LONG) as bar:
        for estimate, is_open in parts:
            here = slice(first, first + len(estimate))
            if isinstance(margin, np.ndarray):
                certain, more = kernels.settled(estimate, is_open, margin[here], whole[here])
            else:
                certain, more = _kernels(len(estimate)).settled(estimate, is_open, margin, whole[here])
            if not certain.all():
                open_places += (first + np.flatnonzero(~certain)).tolist()
            large, first = large or more, here.stop
            bar.advance("rounded", len(estimate))
    found: Integers = whole.astype(object) if large else whole
    with progress(len(open_places), "numbers near a half", long=count >= LONG) as bar:
        for i in open_places:
            found[i] = ball_noise.nearest(partial(value, i))
            bar.advance("decided by balls")
    return found
