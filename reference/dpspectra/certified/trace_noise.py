"""Noise on symmetric matrices whose law treats the trace by itself, added to exact numbers and rounded to the grid.

Arguments and results as in `dpspectra.certified.noise_on_grid`: the numbers on and above the diagonal, row by row.
"""

import functools
import math
from typing import Any

import numpy as np
from flint import arb

from dpspectra.certified import ball_noise, kernels, noise_on_grid
from dpspectra.certified.entropy import Source
from dpspectra.certified.exponential_sums import exponential_sum
from dpspectra.certified.grid import Integers, Steps
from dpspectra.certified.noise_on_grid import Normals, product_error, rounded
from dpspectra.ground.array_types import Floats


def gaussian(steps: Steps, d: int, ratio: float, source: Source) -> Integers:
    """Add ``ratio`` times Gaussian noise as `dpspectra.fast.trace_noise.gaussian` draws it.

    With normal ``g`` on the diagonal, its entries there are ``sqrt 2 (g_i - (1 - 1/sqrt(d + 1)) (g_1 + .. + g_d)/d)``.
    """
    size = d * (d + 1) // 2
    normals = Normals((1, size), source)
    estimate = normals.values[0].copy()
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

    sums = estimate * ratio + steps.fractions
    return steps.plus(rounded([(sums, np.zeros(size, dtype=bool))], size, ratio * bounds + noise_on_grid.SLACK, value))


def _sum(numbers: Floats) -> float:
    """Sum of positive numbers, shape ``(d, d + 1)``, that each go through at most ``2 d + 1`` additions."""
    return float(np.sum(np.sum(numbers, axis=1)))


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
        numbers, is_open = kernels.exponentials(self._words.values[:last])
        for i in np.flatnonzero(is_open).tolist():
            numbers[i] = ball_noise.within(
                functools.partial(ball_noise.exponential, self._words, i), kernels.EXPONENTIAL_ERROR / 4
            )
        self.larger = _sum(numbers.reshape(d, d + 1))
        self.smaller = self.larger * ball_noise.within(self._ratio, kernels.UNIT)
        self.error = 2 * kernels.EXPONENTIAL_ERROR * last / self.larger + (2 * d + 8) * kernels.UNIT
        """Bound on the relative errors of both."""

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
    error = kernels.NORMAL_ERROR
    estimate, bounds = np.zeros((d, d)), np.zeros((d, d))
    pairs = zip(normals.values.reshape(2, d, d + 1), (traces.larger, -traces.smaller), strict=True)
    for block, trace in pairs:
        length, product = _sum(block**2), block @ block.T
        factor = traces.sign * trace / length
        estimate += factor * product
        lengths = np.sqrt(np.einsum("ij,ij->i", block, block))
        one, other = lengths[:, None], lengths[None, :]
        near = math.sqrt(d + 1) * error * (one + other) + (d + 1) * error**2 + product_error(d + 2, one, other)
        # (x + e)^2 - x^2 <= 2 e |x| + e^2, summed; the sum's rounding; then those of the factor and its product
        share = error * math.sqrt(d * (d + 1) / length)
        relative = 2 * share + share**2 + traces.error + (2 * d + 8) * kernels.UNIT
        bounds += abs(factor) * (near + relative * np.abs(product))
    upper = ~np.tri(d, k=-1, dtype=bool)

    @functools.cache
    def factors(bits: int) -> list[Any]:
        signed = zip(traces.balls(bits), (traces.sign, -traces.sign), (0, d), strict=True)
        return [sign * trace / square(normals, first, first + d, bits) for trace, sign, first in signed]

    def value(i: int, bits: int) -> Any:
        row, column = divmod(int(np.flatnonzero(upper)[i]), d)
        total = arb(0)
        for first, factor in zip((0, d), factors(bits), strict=True):
            total += factor * normals.product(first + row, first + column, bits)
        return ball_noise.exact(steps.fraction(i)) + total * ball_noise.exact(ratio)

    sums = estimate[upper] * ratio + steps.fractions
    bound = 1.02 * ratio * bounds[upper] + noise_on_grid.SLACK
    return steps.plus(rounded([(sums, np.zeros(len(sums), dtype=bool))], len(sums), bound, value))
