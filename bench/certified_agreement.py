"""Certified noise beside balls on the same bits, and beside ideal noise in law.

    python bench/certified_agreement.py [--numbers 100000] [--fine 10000] [--draws 1000000] [--parts bits law]

The first table counts numbers that floats and balls would release differently (there must be none), and those that
floats leave to balls, over each law on three grids: that of releases, ``2**-24`` of the noise or a little more; one on
which floats are in doubt more often; and ``2**-48`` of the noise, where they decide hardly anything.

The second compares ``--draws`` draws of noise in certified arithmetic with as many of numpy: the p-value of Kolmogorov
and Smirnov, and the differences of four moments in standard deviations. It raises an alarm, and exits with 1, at a
level at which equal laws do so with probability `ALARM`, all tests together.
"""

import argparse
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from unittest import mock

import numpy as np
from scipy import stats

import dpspectra as dps
from dpspectra.certified import ball_noise, noise_on_grid
from dpspectra.certified.grid import Steps
from dpspectra.fast.linalg import upper_triangle
from dpspectra.mechanisms import added_noise, wishart
from dpspectra.mechanisms.noises import gaussian, laplace, symmetric_wishart

ALARM = 1e-3
MOMENTS = 1, 2, 3, 4
GRIDS = {"2**-24": 2.0**23.5, "2**-37": 2.0**36.5, "2**-48": 2.0**48}
RELEASED = "2**-24"
EVERY = "every entry"
DIAGONAL = "on the diagonal"
PAIRS = "of disjoint pairs of rows"


@dataclass(frozen=True)
class Noise:
    """A law of symmetric noise in a dimension, and which of its entries are compared with ideal ones.

    These are independent within a matrix: all of them, or, of Wishart matrices, those on the diagonal, and off it some
    that share no row.
    """

    law: added_noise.Law
    d: int
    places: tuple[str, ...]

    @property
    def entries(self) -> int:
        """Numbers of the upper triangle."""
        return self.d * (self.d + 1) // 2


WISHART = DIAGONAL, PAIRS
LAWS = {
    "Laplace": Noise(laplace.LAPLACE, 44, (EVERY,)),
    "Gauss, every entry": Noise(gaussian.TRIANGLE, 44, (EVERY,)),
    "Gauss, best shape": Noise(gaussian.OPTIMAL, 2, (PAIRS,)),
    "tilted Wishart matrices": Noise(symmetric_wishart.TILTED, 2, (PAIRS,)),
    "difference of Wishart matrices": Noise(symmetric_wishart.DIFFERENCE, 8, WISHART),
    "centred Wishart matrix": Noise(wishart.centred(11), 8, WISHART),
}


def key(*numbers: int) -> dps.Entropy:
    return dps.Entropy(bytes(numbers).ljust(32, b"\0"))


# ---------------------------------------------------------------- floats and balls


def exact_numbers(size: int, rng: np.random.Generator) -> Steps:
    """Numbers to add noise to, some of them halfway between steps."""
    integers = rng.integers(-(2**50), 2**50, size=size)
    integers[: size // 4] = integers[: size // 4] >> 20 << 20 | 1 << 19
    return Steps.of(integers, -20)


def released(one: Noise, ratio: float, count: int) -> tuple[np.ndarray, int]:
    """At least so many numbers on a grid that is finer than the noise by ``ratio``; how many balls decided."""
    rng, source, found, decided = np.random.default_rng(0), key(1), [], 0
    with mock.patch.object(ball_noise, "nearest", wraps=ball_noise.nearest) as nearest:
        for _ in range(-(-count // one.entries)):
            found.append(one.law.certified(exact_numbers(one.entries, rng), one.d, ratio, source))
        decided = nearest.call_count
    return np.concatenate(found), decided


def agreement(one: Noise, ratio: float, count: int) -> tuple[int, int, int]:
    """Numbers, those that balls release differently, and those that floats leave to balls."""
    fast, left = released(one, ratio, count)
    with mock.patch.object(noise_on_grid, "SLACK", 1.0):  # no float is certain
        slow, decided = released(one, ratio, count)
    if decided != len(slow):
        raise RuntimeError(f"balls must have decided all {len(slow)} numbers, got {decided}")
    return len(fast), int(np.count_nonzero(fast != slow)), left


def print_agreement(numbers: int, fine: int) -> int:
    """The first table; returns how many numbers differ."""
    print(f"{'':<34}{'grid':>8}{'numbers':>10}{'left to balls':>15}{'different':>11}")
    wrong = 0
    for name, one in LAWS.items():
        for title, ratio in GRIDS.items():
            size, different, left = agreement(one, ratio, numbers if title == RELEASED else fine)
            wrong += different
            print(f"{name:<34}{title:>8}{size:>10}{left:>15}{different:>11}", flush=True)
    return wrong


# ---------------------------------------------------------------- certified and ideal


def places(d: int, place: str) -> np.ndarray:
    """Where in the upper triangle of order ``d``, row by row, the entries of a place are."""
    rows, columns = np.triu_indices(d)
    if place == EVERY:
        return np.arange(len(rows))
    return np.flatnonzero(columns == rows if place == DIAGONAL else (rows % 2 == 0) & (columns == rows + 1))


def draws(count: int, one: Noise, draw: Callable[[], np.ndarray]) -> dict[str, np.ndarray]:
    """So many independent draws at each place that is compared, from upper triangles."""
    at = {place: places(one.d, place) for place in one.places}
    calls = -(-count // min(map(len, at.values())))
    triangles = np.array([draw() for _ in range(calls)])
    return {place: triangles[:, entries].ravel()[:count] for place, entries in at.items()}


def both(one: Noise, count: int) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Draws of certified and of ideal noise of scale 1, place by place."""
    source, rng, zeros = key(2), np.random.default_rng(2), Steps.of(np.zeros(one.entries, dtype=np.int64), 0)
    ratio = GRIDS[RELEASED]
    certified = draws(count, one, lambda: one.law.certified(zeros, one.d, ratio, source) / ratio)
    ideal = draws(count, one, lambda: upper_triangle(one.law.ideal(one.d, 1.0, rng)))
    for place in one.places:
        yield place, certified[place], ideal[place]


def comparisons(x: np.ndarray, y: np.ndarray) -> tuple[float, list[float]]:
    """The p-value of Kolmogorov and Smirnov, and the differences of four moments in standard deviations."""
    pairs = [(x**p, y**p) for p in MOMENTS]
    differences = [float((a.mean() - b.mean()) / np.hypot(a.std(), b.std()) * len(a) ** 0.5) for a, b in pairs]
    return float(stats.ks_2samp(x, y).pvalue), differences


def p_values(found: tuple[float, list[float]]) -> list[float]:
    """The p-values of all tests of two samples."""
    return [found[0], *(float(2 * stats.norm.sf(abs(z))) for z in found[1])]


def print_laws(count: int) -> bool:
    """The second table; returns whether it raises an alarm."""
    print(f"{'':<60}{'KS, p':>8}" + "".join(f"{f'moment {p}':>10}" for p in MOMENTS))
    found: list[float] = []
    for name, one in LAWS.items():
        for place, x, y in both(one, count):
            result = comparisons(x, y)
            found += p_values(result)
            print(f"{f'{name}, {place}':<60}{result[0]:>8.3f}" + "".join(f"{z:>10.2f}" for z in result[1]), flush=True)
    level = ALARM / len(found)
    print(f"{len(found)} tests, the least p-value {min(found):.2g}; an alarm is one below {level:.2g}")
    return min(found) < level


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--numbers", type=int, default=100_000)
    parser.add_argument("--fine", type=int, default=10_000)
    parser.add_argument("--draws", type=int, default=1_000_000)
    parser.add_argument("--parts", nargs="+", choices=["bits", "law"], default=["bits", "law"])
    options: Any = parser.parse_args(arguments)
    failed = "bits" in options.parts and print_agreement(options.numbers, options.fine) > 0
    alarm = "law" in options.parts and print_laws(options.draws)
    return int(failed or alarm)


if __name__ == "__main__":
    sys.exit(main())
