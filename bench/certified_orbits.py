"""Certified draws on orbits: beside balls on the same bits, beside float samplers in law, and how long they take.

    python bench/certified_orbits.py [--size 200] [--draws 100000] [--parts bits law time]

The first table counts numbers that floats and balls would release differently (there must be none), and those that
floats leave to balls, over spectra with ties and gaps of 1e-12, ranks 1, 2, 3 and ``d - 1``, on three grids.

The second compares ``--draws`` certified draws with as many of the float samplers: the smallest p-value of Kolmogorov
and Smirnov over entries and the score. It raises an alarm, and exits with 1, at a level at which equal laws do so with
probability `ALARM`, all tests together.

The third shows what the time of a release tells: its median and its tenth and ninetieth percentile in milliseconds, for
matrices that an observer may want to tell apart.
"""

import argparse
import sys
import time
from typing import Any
from unittest import mock

import numpy as np
from scipy import stats

import dpspectra as dps
from dpspectra import Matrix, sampling
from dpspectra.certified import noise
from dpspectra.certified.orbit import Orbit
from dpspectra.mechanisms.summed import decomposed

ALARM = 1e-3
GRIDS = -20, -24, -40
TIME = 300

CASES: dict[str, tuple[Any, Any, str]] = {
    "real line, ties": ([9.0, 9.0, 4.0, 4.0], [1, 0, 0, 0], "real"),
    "real hyperplane, gaps of 1e-12": ([9.0, 9.0 - 1e-12, 4.0, 4.0 - 1e-12], [1, 1, 1, 0], "real"),
    "real line, d = 12": (np.linspace(60.0, 5.0, 12), [1] + [0] * 11, "real"),
    "complex line, ties": ([9.0, 9.0, 4.0, 4.0], [1, 0, 0, 0], "complex"),
    "plane, chart": ([90.0, 80.0, 5.0, 4.0], [1, 1, 0, 0], "complex"),
    "plane, a gap of 1e-12 at it": ([9.0, 5.0, 5.0 - 1e-12, 1.0], [1, 1, 0, 0], "complex"),
    "rank 3 of 6": ([60.0, 50, 40, 3, 2, 1], [1, 1, 1, 0, 0, 0], "complex"),
    "rank d - 1 = 4": ([9.0, 8.0, 7.0, 1.0, 0.0], [1, 1, 1, 1, 0], "complex"),
    "all values different": ([30.0, 12.0, 2.0], [1, 0.25, -1], "complex"),
    "ties in both": ([9.0, 9.0, 4.0, 4.0], [2, 1, 1, 0], "complex"),
    "flat, by quantiles": ([0.5, 0.4, 0.3, 0.2, 0.1, 0.0], [3, 2, 1, 0, -1, -2], "complex"),
}
LAWS: dict[str, tuple[Any, Any, str]] = {
    "real line": ([3.0, 1.0, 0.5], [1, 0, 0], "real"),
    "complex line": ([3.0, 1.0, 0.5], [1, 0, 0], "complex"),
    "plane": ([12.0, 10.0, 2.0, 1.0], [1, 1, 0, 0], "complex"),
    "all values different": ([9.0, 5.0, 0.0], [1, 0.5, 0], "complex"),
    "three values, ties in M": ([4.0, 1.0, 1.0], [1, 0.5, 0], "complex"),
}


def matrix(values: Any) -> np.ndarray:
    """A real matrix of these eigenvalues."""
    q = np.linalg.qr(np.random.default_rng(1).normal(size=(len(values), len(values))))[0]
    m = (q * np.asarray(values)) @ q.T
    return (m + m.T) / 2


def law_of(m: np.ndarray, spectrum: Any, field: str) -> Orbit:
    """The certified law at temperature 1."""
    found = decomposed(m)
    return Orbit(m, 1.0, found.values, found.vectors, np.array(spectrum, dtype=float), field)


class Compared:
    """Rounds as `noise.rounded` does, and once more by balls alone; counts numbers."""

    def __init__(self) -> None:
        self.numbers = self.left = self.different = 0
        self._rounded = noise.rounded

    def __call__(self, parts: Any, count: int, bound: Any, value: Any) -> Any:
        asked: set[int] = set()

        def noted(i: int, bits: int) -> Any:
            asked.add(i)
            return value(i, bits)

        found = self._rounded(parts, count, bound, noted)
        unknown = [(estimate, np.ones(len(is_open), dtype=bool)) for estimate, is_open in parts]
        self.numbers, self.left = self.numbers + len(found), self.left + len(asked)
        self.different += int(np.count_nonzero(found != self._rounded(unknown, count, bound, value)))
        return found


def print_agreement(size: int) -> int:
    """The first table; returns how many numbers differ."""
    print(f"{'':<34}{'sampler':<16}{'grid':>8}{'numbers':>10}{'left to balls':>15}{'different':>11}")
    wrong = 0
    for name, (values, spectrum, field) in CASES.items():
        law = law_of(matrix(values), spectrum, field)
        for exponent in GRIDS:
            seen = Compared()
            with mock.patch.object(noise, "rounded", seen):
                for i in range(size):
                    law.draw(exponent, dps.Entropy(i.to_bytes(32, "big")))
            wrong += seen.different
            cells = f"{f'2**{exponent}':>8}{seen.numbers:>10}{seen.left:>15}{seen.different:>11}"
            print(f"{name:<34}{law.method:<16}{cells}", flush=True)
    return wrong


def print_laws(draws: int) -> bool:
    """The second table; returns whether it raises an alarm."""
    print(f"{'':<34}{'sampler':<16}{'draws':>8}{'least p':>10}")
    found: list[float] = []
    for name, (values, spectrum, field) in LAWS.items():
        m = matrix(values)
        law, source = law_of(m, spectrum, field), dps.Entropy(bytes(32))
        certified = np.array([law.draw(-24, source) for _ in range(draws)])
        ideal = sampling.orbit(m, spectrum, 1.0, size=draws, field=field, rng=3)
        rows, columns = np.triu_indices(len(m))
        features = [np.einsum("ij,nji->n", m, x).real for x in (certified, ideal)]
        pairs = [
            tuple(features),
            *((certified[:, i, j].real, ideal[:, i, j].real) for i, j in zip(rows, columns, strict=True)),
        ]
        p = [float(stats.ks_2samp(*pair).pvalue) for pair in pairs]
        found += p
        print(f"{name:<34}{law.method:<16}{draws:>8}{min(p):>10.3f}", flush=True)
    level = ALARM / len(found)
    print(f"{len(found)} tests, the least p-value {min(found):.2g}; an alarm is one below {level:.2g}")
    return min(found) < level


def print_times() -> None:
    """The third table."""
    rng = np.random.default_rng(2)
    rows = {
        "spread over all directions": rng.normal(size=(1000, 6)),
        "along the axes, unequal": rng.normal(size=(1000, 6)) * [4, 2, 1, 1, 0.5, 0.2],
        "along a line": rng.normal(size=(1000, 1)) * np.eye(6)[0],
        "twice in a plane, equal": np.repeat(np.eye(6)[:2], 500, axis=0),
    }
    mechanisms: dict[str, Any] = {
        "private_pca, k = 1": lambda x: dps.private_pca(x, 1, 1.0, mechanism="orbit"),
        "private_pca, k = 2": lambda x: dps.private_pca(x, 2, 1.0, mechanism="orbit"),
        "private_low_rank, k = 2": lambda x: dps.private_low_rank(Matrix(x.T @ x), 2, 1.0, mechanism="orbit"),
    }
    print(f"{'':<28}{'data':<30}{'10 %':>8}{'median':>8}{'90 %':>8}")
    for name, release in mechanisms.items():
        for title, x in rows.items():
            x = x / np.linalg.norm(x, axis=1).max()
            seconds = []
            for _ in range(TIME // (10 if "low" in name else 1)):
                start = time.perf_counter()
                release(x)
                seconds.append(time.perf_counter() - start)
            low, middle, high = np.quantile(seconds, [0.1, 0.5, 0.9]) * 1e3
            print(f"{name:<28}{title:<30}{low:>8.2f}{middle:>8.2f}{high:>8.2f}", flush=True)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=200)
    parser.add_argument("--draws", type=int, default=100_000)
    parser.add_argument("--parts", nargs="+", choices=["bits", "law", "time"], default=["bits", "law", "time"])
    options: Any = parser.parse_args(arguments)
    failed = "bits" in options.parts and print_agreement(options.size) > 0
    alarm = "law" in options.parts and print_laws(options.draws)
    if "time" in options.parts:
        print_times()
    return int(failed or alarm)


if __name__ == "__main__":
    sys.exit(main())
