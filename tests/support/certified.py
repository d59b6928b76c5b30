"""What tests of certified arithmetic share: keys, exact numbers, draws whose entries are asked for in balls."""

import itertools
from functools import cache

import flint
import numpy as np

from dpspectra.certified import ball_chart, ball_noise, noise_on_grid
from dpspectra.certified.entropy import Source, Words
from dpspectra.certified.grid import Steps

GRIDS = (20, 24, 40)


def in_balls(draw, bits=64):
    """All entries in balls."""
    d = len(draw.estimate)
    with ball_noise.precision(bits + ball_noise.GUARD):
        return draw.times(ball_chart.identity(d), bits)


def distance(draw, bits=64):
    """Bound on the Frobenius norm of the error of the floats."""
    with ball_noise.precision(bits + ball_noise.GUARD):
        found = flint.acb_mat(draw.estimate.tolist()) - in_balls(draw, bits)
        return float(sum((x.abs_upper() ** 2 for x in found.entries()), flint.arb(0)).sqrt().upper())


def rounded(draw, exponent, bound):
    """Parts above the diagonal in whole steps of ``2**-exponent``; a bound of 1 asks balls for all."""
    enclosed = cache(lambda bits: in_balls(draw, bits))
    d = len(draw.estimate)
    places = [(i, j) for i in range(d) for j in range(i, d)]

    def value(place, bits):
        h = enclosed(bits)[places[place // 2]]
        return (h.imag if place % 2 else h.real) * flint.arb(2) ** exponent

    upper = draw.estimate[np.triu_indices(d)].view(float)
    kept = np.array([not (place % 2 and i == j) for place, (i, j) in enumerate(p for p in places for _ in (0, 1))])
    numbers = np.flatnonzero(kept)
    estimate = np.ldexp(upper[kept], exponent)
    parts = [(estimate, np.zeros(len(estimate), dtype=bool), bound)]
    return noise_on_grid.rounded(parts, len(numbers), lambda place, bits: value(int(numbers[place]), bits))


def features(h):
    """Diagonals, a modulus, its phase, a product around a triangle, and spectra of the last minor of order 2.

    A product that must be real is one up to 1e-15; its phase would be off by much more where the product is small.
    """
    d = h.shape[-1]
    yield from (h[:, i, i].real for i in range(d))
    yield from (np.abs(h[:, 0, d - 1]), np.angle(h[:, 0, d - 1]))
    if d > 2:
        triangle = h[:, 0, 1] * h[:, 1, 2] * h[:, 2, 0]
        yield from (triangle.real, triangle.imag)
        yield from np.linalg.eigvalsh(h[:, -2:, -2:]).T


def some_steps(size, seed):
    """Exact numbers, some of them halfway between steps."""
    integers = np.random.default_rng(seed).integers(-(2**50), 2**50, size=size)
    integers[: size // 4] = integers[: size // 4] >> 20 << 20 | 1 << 19
    return Steps.of(integers, -20)


class Chosen(Source):
    """Words that are given, followed by nothing but zeros."""

    class _Words(Words):
        def __init__(self, values):
            self.values = np.array(values, dtype=np.uint64)

        def beyond(self, i, bits):
            return 0

    def __init__(self, values):
        self.values = values

    def words(self, count):
        return self._Words(list(itertools.islice(itertools.cycle(self.values), count)))
