"""Noise on symmetric matrices whose law treats the trace by itself, added to exact numbers and rounded to the grid.

Arguments and results as in `dpspectra.certified.noise_on_grid`: the numbers on and above the diagonal, row by row.
"""

import functools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from flint import arb

from dpspectra.certified import ball_noise, kernels, noise_on_grid
from dpspectra.certified.entropy import Source
from dpspectra.certified.exponential_sums import exponential_sum
from dpspectra.certified.grid import Integers, Steps
from dpspectra.certified.noise_on_grid import Normals, Part, product_error
from dpspectra.ground.array_types import Floats


def gaussian(steps: Steps, d: int, ratio: float, source: Source) -> Integers:
    """Add ``ratio`` times Gaussian noise as `dpspectra.fast.trace_noise.gaussian` draws it.

    With normal ``g`` on the diagonal, its entries there are ``sqrt 2 (g_i - (1 - 1/sqrt(d + 1)) (g_1 + .. + g_d)/d)``.
    """
    size = d * (d + 1) // 2
    normals = Normals((1, size), source)
    estimate = normals.values[0]
    on_diagonal = np.cumsum([0, *range(d, 1, -1)])
    g = estimate[on_diagonal]
    estimate[on_diagonal] = math.sqrt(2) * (g - (1 - 1 / math.sqrt(d + 1)) / d * np.sum(g))
    bounds = np.full(size, kernels.NORMAL_ERROR + noise_on_grid.ROUNDING)
    # sqrt 2 (1 + 1) < 3 errors of normal numbers, at most d + 10 roundings of numbers of at most 3 times the largest
    bounds[on_diagonal] += 2 * kernels.NORMAL_ERROR + 4 * (d + 10) * kernels.UNIT * np.max(np.abs(g))

    @functools.cache
    def mean(bits: int) -> Any:
        return (1 - 1 / arb(d + 1).sqrt()) / d * sum((normals.ball(0, int(i), bits) for i in on_diagonal), arb(0))

    def value(i: int, bits: int) -> Any:
        z = normals.ball(0, i, bits)
        if i in on_diagonal:
            z = arb(2).sqrt() * (z - mean(bits))
        return ball_noise.exact(steps.fraction(i)) + z * ball_noise.exact(ratio)

    def parts() -> Iterator[Part]:
        for first in range(0, size, noise_on_grid.CHUNK):
            here = slice(first, first + noise_on_grid.CHUNK)
            sums = estimate[here] * ratio + fractions[here]
            yield sums, np.zeros(len(sums), dtype=bool), ratio * bounds[here] + noise_on_grid.SLACK

    fractions = steps.fractions
    return steps.plus(noise_on_grid.rounded(parts(), size, value))


def square(normals: Normals, first: int, last: int, bits: int) -> Any:
    """Sum of the squares of all entries of some rows, an even number: each pair has twice an exponential."""
    return 2 * exponential_sum(normals.words, range(first * normals.columns, last * normals.columns, 2), bits)


class Traces:
    """The traces of two Wishart matrices of ``d + 1`` degrees of freedom, tilted by ``exp(-|T - T'| / 2)`` (DPS-TILT).

    The larger one, ``T``, is a sum of ``d (d + 1)`` exponential numbers; the other is ``T exp(-e / D)`` for one more,
    ``e``, and ``D = d (d + 1) / 2``. Which matrix has the larger trace is the last bit of the last word.
    """

    def __init__(self, d: int, source: Source) -> None:
        self._dimension = d * (d + 1) // 2
        self._words = source.words(2 * self._dimension + 1)
        last = 2 * self._dimension
        self.sign = 1 - 2 * (int(self._words.values[last]) & 1)
        step = (d + 1) * max(1, noise_on_grid.CHUNK // (d + 1))
        self.larger = sum((self._sum_of(range(i, min(i + step, last)), d + 1) for i in range(0, last, step)), 0.0)
        self.smaller = self.larger * ball_noise.within(self._ratio, kernels.UNIT)
        self.error = 2 * kernels.EXPONENTIAL_ERROR * last / self.larger + (2 * d + 8) * kernels.UNIT
        """Bound on the relative errors of both."""

    def _sum_of(self, which: range, columns: int) -> float:
        """Sum of some exponential numbers, whose rows have so many columns."""
        numbers, is_open = kernels.exponentials(self._words.values[which.start : which.stop])
        for i in np.flatnonzero(is_open).tolist():
            numbers[i] = ball_noise.within(
                functools.partial(ball_noise.exponential, self._words, which[i]), kernels.EXPONENTIAL_ERROR / 4
            )
        return float(np.sum(np.sum(numbers.reshape(-1, columns), axis=1)))

    def _ratio(self, bits: int) -> Any:
        return (-ball_noise.exponential(self._words, 2 * self._dimension, bits) / self._dimension).exp()

    def balls(self, bits: int) -> tuple[Any, Any]:
        """Return the larger and the smaller one."""
        larger = exponential_sum(self._words, range(2 * self._dimension), bits)
        return larger, larger * self._ratio(bits)


def tilted_wishart(steps: Steps, d: int, ratio: float, source: Source) -> Integers:
    """Add ``ratio`` times noise as `dpspectra.fast.trace_noise.tilted_wishart` draws it.

    That is ``+-(T G G' / |G|**2 - T' H H' / |H|**2)`` with normal ``G``, ``H`` of shape ``(d, d + 1)`` and `Traces`.
    """
    normals, traces = Normals((2 * d, d + 1), source), Traces(d, source)
    error, terms = kernels.NORMAL_ERROR, noise_on_grid.additions(d + 1)
    blocks = normals.values.reshape(2, d, d + 1)
    squares = np.einsum("bij,bij->bi", blocks, blocks)
    parts = []
    for block, trace, of_rows in zip(blocks, (traces.larger, -traces.smaller), squares, strict=True):
        length = float(np.sum(of_rows))
        # (x + e)^2 - x^2 <= 2 e |x| + e^2, summed; the sum's rounding; then those of the factor and its product
        share = error * math.sqrt(d * (d + 1) / length)
        relative = 2 * share + share**2 + traces.error + (2 * d + 8) * kernels.UNIT
        parts.append((block, traces.sign * trace / length, np.sqrt(of_rows), relative))

    def strip(rows: slice) -> tuple[Floats, Floats]:
        estimate = bounds = np.zeros(())
        for block, factor, lengths, relative in parts:
            product, one, other = noise_on_grid.product(block, rows), lengths[rows, None], lengths[rows.start :]
            near = math.sqrt(d + 1) * error * (one + other) + (d + 1) * error**2 + product_error(terms, one, other)
            estimate = estimate + factor * product
            bounds = bounds + abs(factor) * (near + relative * np.abs(product))
        return estimate, 1.02 * bounds

    @functools.cache
    def factors(bits: int) -> list[Any]:
        signed = zip(traces.balls(bits), (traces.sign, -traces.sign), (0, d), strict=True)
        return [sign * trace / square(normals, first, first + d, bits) for trace, sign, first in signed]

    def entry(row: int, column: int, bits: int) -> Any:
        products = (normals.product(first + row, first + column, bits) for first in (0, d))
        return sum((factor * product for factor, product in zip(factors(bits), products, strict=True)), arb(0))

    return noise_on_grid.symmetric(steps, d, ratio, strip, entry)
