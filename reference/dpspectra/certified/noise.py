"""Ideal noise added to exact numbers and rounded to a public grid: in float64 where that is certain, else in balls.

All functions take numbers in steps of the grid and the scale of the noise over the step, and return whole numbers of
steps: ``floor(x + noise + 1/2)``, a function of the bits alone (DPS-ROUNDED). An estimate within ``bound`` of the truth
decides where it is nearer than ``1/2 - bound`` to a whole number (DPS-AMBIGUOUS).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from flint import arb
from numpy.typing import NDArray

from dpspectra.certified import balls, kernels
from dpspectra.certified.entropy import Source
from dpspectra.certified.grid import Integers, Steps

CHUNK = 2**13
"""Words whose noise is computed at a time: few enough to stay in the cache."""
COLUMNS = 2**9
"""Columns that are multiplied at a time, so that sums of many products lose less by rounding."""
SLACK = 2.0**-52
"""Allowance in a bound for what is rounded however small the noise is: sums with fractions, and these."""
LARGEST = 2.0**62
"""Size from which estimates are left to balls, so that whole numbers fit in int64."""
ROUNDING = 2.0**-48
"""Allowance for rounding products and sums of noise of at most `kernels.LARGEST_EXPONENTIAL` scales, over the scale."""

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


def laplace(steps: Steps, ratio: float, source: Source) -> Integers:
    """Add independent Laplace noise of scale ``ratio`` (mean absolute value); shape ``(n,)``."""
    words, fractions = source.words(len(steps.whole)), steps.fractions
    noise, is_open = np.empty(len(words)), np.empty(len(words), dtype=bool)
    for first in range(0, len(words), CHUNK):
        part = slice(first, first + CHUNK)
        noise[part], is_open[part] = kernels.exponentials(words.values[part])
        kernels.flip(noise[part], words.values[part], 0)
    noise *= ratio
    bound = ratio * (kernels.EXPONENTIAL_ERROR + ROUNDING) + SLACK

    def value(i: int, bits: int) -> Any:
        return balls.exact(steps.fraction(i)) + balls.laplace(words, i, bits) * balls.exact(ratio)

    noise += fractions
    return steps.plus(rounded(noise, bound, is_open, value))


def gaussian(steps: Steps, ratio: float, source: Source) -> Integers:
    """Add independent normal noise of standard deviation ``ratio``; shape ``(n,)``."""
    size = len(steps.whole)
    pairs = _Pairs(size, source)
    bound = ratio * (kernels.NORMAL_ERROR + ROUNDING) + SLACK

    def value(i: int, bits: int) -> Any:
        return balls.exact(steps.fraction(i)) + balls.normal(pairs.words, i, bits) * balls.exact(ratio)

    estimate = pairs.values[:size]
    estimate *= ratio
    estimate += steps.fractions
    return steps.plus(rounded(estimate, bound, pairs.open[:size], value))


def wishart(steps: Steps, d: int, degrees: int, ratio: float, signs: tuple[int, ...], source: Source) -> Integers:
    """Add ``ratio`` times a sum of signed Wishart matrices ``G G'`` to the upper triangle of a symmetric matrix.

    One matrix ``G`` of shape ``(d, degrees)`` with standard normal entries for each sign. The numbers are those on and
    above the diagonal, row by row; shape ``(d (d + 1) / 2,)``.
    """
    blocks = [Normals((d, degrees), source) for _ in signs]
    estimate, squares = np.zeros((d, d)), np.zeros(d)
    for sign, block in zip(signs, blocks, strict=True):
        for first in range(0, degrees, COLUMNS):
            part = block.values[:, first : first + COLUMNS]
            estimate += sign * (part @ part.T)
        squares += np.einsum("ij,ij->i", block.values, block.values)
    rows, columns = np.triu_indices(d)
    lengths = 1.01 * np.sqrt(squares)
    numbers = degrees * len(signs)
    near = math.sqrt(numbers) * 1.01 * kernels.NORMAL_ERROR * (lengths[rows] + lengths[columns])
    sums = min(degrees, COLUMNS) + len(signs) * -(-degrees // COLUMNS)
    products = product_error(sums, lengths[rows], lengths[columns])
    bounds = ratio * (near + products + numbers * kernels.NORMAL_ERROR**2) * 1.01 + SLACK

    def value(i: int, bits: int) -> Any:
        total = arb(0)
        for sign, block in zip(signs, blocks, strict=True):
            for k in range(degrees):
                total += sign * block.ball(rows[i], k, bits) * block.ball(columns[i], k, bits)
        return balls.exact(steps.fraction(i)) + total * balls.exact(ratio)

    none = np.zeros(len(rows), dtype=bool)
    return steps.plus(rounded(estimate[rows, columns] * ratio + steps.fractions, bounds, none, value))


def product_error(terms: int, first: Floats, second: Floats) -> Floats:
    """Bound on the rounding error of inner products of vectors of these norms, also if rounding is directed.

    ``terms`` bounds the additions that a product goes through, of which there are at most four more.
    """
    return 2 * (terms + 4) * kernels.UNIT * first * second


class Normals:
    """A matrix of ideal normal numbers: float64 values within `kernels.NORMAL_ERROR`, and balls beside them."""

    def __init__(self, shape: tuple[int, int], source: Source) -> None:
        self._columns = shape[1]
        pairs = _Pairs(shape[0] * shape[1], source)
        self._words, values = pairs.words, pairs.values
        for i in np.flatnonzero(pairs.open).tolist():
            values[i] = balls.within(partial(balls.normal, self._words, i), kernels.NORMAL_ERROR / 4)
        self.values = values[: shape[0] * shape[1]].reshape(shape)

    def ball(self, row: int, column: int, bits: int) -> Any:
        """An entry from so many bits beyond its words."""
        return balls.normal(self._words, int(row) * self._columns + int(column), bits)


class _Pairs:
    """Normal numbers, at least so many, in float64; which are open; and their words."""

    def __init__(self, size: int, source: Source) -> None:
        self.words = source.words(size + size % 2)
        self.values, self.open = np.empty(len(self.words)), np.empty(len(self.words), dtype=bool)
        for first in range(0, len(self.words), CHUNK):
            even, odd = (slice(first + j, first + CHUNK, 2) for j in (0, 1))
            x, y, is_open = kernels.normal_pairs(self.words.values[even], self.words.values[odd])
            self.values[even], self.values[odd] = x, y
            self.open[even] = self.open[odd] = is_open


def rounded(estimate: Floats, bound: float | Floats, is_open: Flags, value: Callable[[int, int], Any]) -> Integers:
    """Nearest whole numbers: of the estimates where these are certain, else of the balls ``value(i, bits)``.

    Estimates of ``2**62`` and more, and those that are not finite, are never certain.
    """
    margin = np.broadcast_to(0.5 - bound, estimate.shape)
    whole, open_places, large = np.empty(len(estimate), dtype=np.int64), list[int](), False
    for first in range(0, len(estimate), CHUNK):
        part = slice(first, first + CHUNK)
        nearest = np.rint(estimate[part])
        with np.errstate(invalid="ignore"):
            certain = np.abs(estimate[part] - nearest) < margin[part]
        certain &= ~is_open[part]
        if not (np.min(nearest) > -LARGEST and np.max(nearest) < LARGEST):
            large, certain = True, certain & (np.abs(nearest) < LARGEST)
        if not certain.all():
            open_places += (first + np.flatnonzero(~certain)).tolist()
            nearest[~certain] = 0.0
        whole[part] = nearest
    found: Integers = whole.astype(object) if large else whole
    for i in open_places:
        found[i] = balls.nearest(partial(value, i))
    return found
