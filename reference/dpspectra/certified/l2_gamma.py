"""Noise on a vector that no direction tells apart, added to exact numbers and rounded to the grid (DPS-L2GAMMA)."""

import functools
import math
from typing import Any

import numpy as np
from flint import arb

from dpspectra.certified import ball_noise, kernels, noise_on_grid
from dpspectra.certified.entropy import Source
from dpspectra.certified.grid import Integers, Steps
from dpspectra.certified.noise_on_grid import Normals, rounded


def l2_gamma(steps: Steps, ratio: float, source: Source) -> Integers:
    """Add ``ratio`` times noise of density proportional to ``exp(-|z|)``; shape ``(d,)``.

    That is ``T g / |g|`` with normal ``g`` and a sum ``T`` of ``d`` exponential numbers.
    """
    d = len(steps.whole)
    normals, words = Normals((1, d), source), source.words(d)
    numbers, is_open = kernels.exponentials(words.values)
    for i in np.flatnonzero(is_open).tolist():
        numbers[i] = ball_noise.within(
            functools.partial(ball_noise.exponential, words, i), kernels.EXPONENTIAL_ERROR / 4
        )
    g, total = normals.values[0], max(float(np.sum(numbers)), kernels.EXPONENTIAL_ERROR)
    length = max(float(np.linalg.norm(g)), kernels.NORMAL_ERROR)
    # |g~ - g| <= sqrt(d) e for errors e; the sums and the root are of positive numbers, and lose no more than that
    spread = math.sqrt(d) * kernels.NORMAL_ERROR / length
    relative = spread + d * kernels.EXPONENTIAL_ERROR / total + (4 * d + 16) * kernels.UNIT
    bounds = 1.02 * total / length * (kernels.NORMAL_ERROR + relative * np.abs(g))
    if relative > 0.01:  # a bound to first order, as good as none
        bounds = np.full(d, math.inf)

    @functools.cache
    def factor(bits: int) -> Any:
        exact = sum((ball_noise.exponential(words, i, bits) for i in range(d)), arb(0))
        square = sum((normals.ball(0, i, bits) ** 2 for i in range(d)), arb(0))
        return exact / square.sqrt() * ball_noise.exact(ratio)

    def value(i: int, bits: int) -> Any:
        return ball_noise.exact(steps.fraction(i)) + normals.ball(0, i, bits) * factor(bits)

    sums = g * (total / length * ratio) + steps.fractions
    part = sums, np.zeros(d, dtype=bool), ratio * bounds + noise_on_grid.SLACK
    return steps.plus(rounded([part], d, value))
