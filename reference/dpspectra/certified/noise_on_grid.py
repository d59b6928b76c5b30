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
STRIP = 2**8
"""Rows that are multiplied at a time, so that all that a bound is made of takes little room."""
SLACK = 2.0**-52
"""Allowance in a bound for roundings that do not shrink with the noise: of sums with fractions, and of these."""
ROUNDING = 2.0**-48
"""Allowance for rounding products and sums of noise of at most `kernels.LARGEST_EXPONENTIAL` scales, over the scale."""


def laplace(steps: Steps, ratio: float, source: Source) -> Integers:
    """Add independent Laplace noise of scale ``ratio`` (mean absolute value); shape ``(n,)``."""
    words = source.words(len(steps.whole))

    def value(i: int, bits: int) -> Any:
        return ball_noise.exact(steps.fraction(i)) + ball_noise.laplace(words, i, bits) * ball_noise.exact(ratio)

    return steps.plus(rounded(_noisy("laplace", words, ratio, steps), len(steps.whole), value))


def gaussian(steps: Steps, ratio: float, source: Source) -> Integers:
    """Add independent normal noise of standard deviation ``ratio``; shape ``(n,)``."""
    words = _words_of_pairs(len(steps.whole), source)

    def value(i: int, bits: int) -> Any:
        return ball_noise.exact(steps.fraction(i)) + ball_noise.normal(words, i, bits) * ball_noise.exact(ratio)

    return steps.plus(rounded(_noisy("normal", words, ratio, steps), len(steps.whole), value))


def wishart(steps: Steps, d: int, degrees: int, ratio: float, signs: tuple[int, ...], source: Source) -> Integers:
    """Add ``ratio`` times a sum of signed Wishart matrices ``G G'`` to the upper triangle of a symmetric matrix.

    One matrix ``G`` of shape ``(d, degrees)`` with standard normal entries for each sign. The numbers are those on and
    above the diagonal, row by row; shape ``(d (d + 1) / 2,)``.
    """
    normals = Normals((len(signs) * d, degrees), source)
    blocks = normals.values.reshape(len(signs), d, degrees)
    lengths, numbers = 1.01 * np.sqrt(np.einsum("bij,bij->i", blocks, blocks)), degrees * len(signs)

    def strip(rows: slice) -> tuple[Floats, Floats]:
        estimate = np.sum([sign * product(block, rows) for sign, block in zip(signs, blocks, strict=True)], axis=0)
        one, other = lengths[rows, None], lengths[rows.start :]
        near = math.sqrt(numbers) * 1.01 * kernels.NORMAL_ERROR * (one + other) + numbers * kernels.NORMAL_ERROR**2
        return estimate, 1.01 * (near + product_error(additions(degrees) + len(signs) - 1, one, other))

    def entry(row: int, column: int, bits: int) -> Any:
        products = (normals.product(first + row, first + column, bits) for first in range(0, len(signs) * d, d))
        return sum((sign * product for sign, product in zip(signs, products, strict=True)), arb(0))

    return symmetric(steps, d, ratio, strip, entry)


def symmetric(
    steps: Steps,
    d: int,
    ratio: float,
    strip: Callable[[slice], tuple[Floats, Floats]],
    entry: Callable[[int, int, int], Any],
) -> Integers:
    """Add ``ratio`` times a symmetric matrix to numbers on and above the diagonal, row by row.

    ``strip(rows)`` estimates some rows from the diagonal of the first on, and bounds the errors; ``entry(row, column,
    bits)`` is a ball.
    """
    size, fractions = d * (d + 1) // 2, steps.fractions

    def parts() -> Iterator[Part]:
        first = 0
        for start in range(0, d, STRIP):
            estimate, bound = strip(slice(start, start + STRIP))
            upper = ~np.tri(len(estimate), d - start, k=-1, dtype=bool)
            sums = estimate[upper] * ratio
            sums += fractions[first : first + len(sums)]
            first += len(sums)
            yield sums, np.zeros(len(sums), dtype=bool), bound[upper] * ratio + SLACK

    def value(i: int, bits: int) -> Any:
        return ball_noise.exact(steps.fraction(i)) + entry(*place(i, d), bits) * ball_noise.exact(ratio)

    return steps.plus(rounded(parts(), size, value))


def place(i: int, d: int) -> tuple[int, int]:
    """Row and column of number ``i`` on and above the diagonal, row by row."""
    row = d - (math.isqrt(4 * d * (d + 1) - 8 * i - 7) + 1) // 2
    return row, i - row * (2 * d - row - 1) // 2


def product(block: Floats, rows: slice) -> Floats:
    """Inner products of some rows with each other and all that follow, through `additions`."""
    found = np.zeros((len(block[rows]), len(block) - rows.start))
    for first in range(0, block.shape[1], COLUMNS):
        part = block[rows.start :, first : first + COLUMNS]
        found += part[: len(found)] @ part.T
    return found


def additions(columns: int) -> int:
    """Return how many additions a `product` of rows of so many columns goes through at most."""
    return min(columns, COLUMNS) + -(-columns // COLUMNS)


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
        """Return the inner product of two rows; of the first bits asked for none is read, as words alone tell much."""
        bits = 0 if bits == ball_noise.FIRST else bits
        one = self.row(row, bits)
        two = one if other == row else self.row(other, bits)
        return sum((x * y for x, y in zip(one, two, strict=True)), arb(0))


Part: TypeAlias = tuple[Floats, Flags, float | Floats]
"""Some consecutive numbers in float64, which of them are open, and a bound on errors: one for all, or for each."""


def _words_of_pairs(size: int, source: Source) -> Words:
    """Words of at least so many normal numbers."""
    return source.words(size + size % 2)


def _parts(law: str, words: Words) -> Iterator[tuple[Floats, Flags]]:
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


def _noisy(law: str, words: Words, ratio: float, steps: Steps) -> Iterator[Part]:
    """Yield the fractions of numbers, with noise of a law and scale ``ratio``."""
    fractions, first = steps.fractions, 0
    error = kernels.EXPONENTIAL_ERROR if law == "laplace" else kernels.NORMAL_ERROR
    for numbers, is_open in _parts(law, words):
        here = fractions[first : first + len(numbers)]
        numbers, is_open = numbers[: len(here)], is_open[: len(here)]
        numbers *= ratio
        numbers += here
        first += len(here)
        yield numbers, is_open, ratio * (error + ROUNDING) + SLACK


def rounded(parts: Iterable[Part], count: int, value: Callable[[int, int], Any]) -> Integers:
    """Nearest whole numbers: of the estimates where these are certain, else of the balls ``value(i, bits)``.

    Estimates of ``2**62`` and more, and those that are not finite, are never certain. The parts have ``count`` numbers
    together.
    """
    whole, open_places, large, first = np.empty(count, dtype=np.int64), list[int](), False, 0
    with progress(count, "noisy numbers", long=count >= LONG) as bar:
        for estimate, is_open, bound in parts:
            here = slice(first, first + len(estimate))
            settled = kernels.settled if isinstance(bound, np.ndarray) else _kernels(len(estimate)).settled
            certain, more = settled(estimate, is_open, 0.5 - bound, whole[here])
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
