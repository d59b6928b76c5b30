"""How often is a component said to stand out from noise that is none, and how often is one that is?

    python -m bench.remarks [--releases 200] [--tables WORD ...] [--rows N ...] [--centers WORD ...]

Tables are drawn from real ones with replacement, so many rows, or made without structure: rows that are all alike, and
rows as long in every direction. A row of what is printed counts releases of two components for one centre, epsilon and
delta: in how many a component is said to stand out, the first and the second, and in how many falsely: its |cos| with
the one that it should be is below .5. That one is of the rows about their mean, of unit length for the centre "mean",
or about the middle of the bounds without a centre. Exits with 1 if any row has more than two falsely of a hundred.
"""

import argparse
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn import datasets

import dpspectra as dps
from dpspectra.mechanisms.usefulness import standing

ALLOWED = 0.02
"""Largest share of releases in which a component is falsely said to stand out."""
ROWS = 178, 500, 1000, 2000, 5000, 20_000
CENTERS = "none", "mean", "pairs"
EPSILONS = 0.1, 0.3, 1.0, 3.0, 10.0
DELTAS = 0.0, 1e-6
TABLES = "wine", "breast_cancer", "alike", "isotropic"
Array = NDArray[Any]


class Cell(NamedTuple):
    """A kind of release, and of how many what was said."""

    center: str
    epsilon: float
    delta: float
    first: float
    second: float
    falsely: float


def table(name: str, n: int, rng: np.random.Generator) -> Array:
    """Return so many rows within public bounds, powers of ten, as a mechanism takes them."""
    if name == "alike":
        return np.full((n, 3), 0.5)
    if name == "isotropic":
        return dps.clipped_rows(0.3 + 0.02 * rng.normal(size=(n, 10)), 1.0)
    known = real(name)
    return known[rng.integers(0, len(known), n)]


def real(name: str) -> Array:
    """Return a table of scikit-learn in one unit, by public bounds from 0 to powers of ten."""
    known: Array = getattr(datasets, f"load_{name}")().data
    bounds = dps.ColumnBounds(np.zeros(known.shape[1]), 10.0 ** np.ceil(np.log10(known.max(axis=0))))
    return np.asarray(bounds.rows(known))


def components(rows: Array, center: str) -> Array:
    """Return the two components of the rows; columns of zeros where there is no variance."""
    about = rows if center == "none" else rows - rows.mean(axis=0)
    about = dps.unit_rows(about) if center == "mean" else about
    values, vectors = np.linalg.eigh(about.T @ about)
    return np.asarray(vectors * (values > 1e-12 * len(rows)))[:, :-3:-1]


def measured(rows: Array, releases: int, centers: tuple[str, ...], rng: np.random.Generator) -> Iterator[Cell]:
    """Release the two components of the rows so many times in each way."""
    for center in centers:
        best = components(rows, center)
        for epsilon, delta in ((e, d) for e in EPSILONS for d in DELTAS):
            said = np.zeros((releases, 2), dtype=bool)
            wrong = np.zeros((releases, 2), dtype=bool)
            for number in range(releases):
                release = dps.private_pca(rows, 2, epsilon, delta, center=center, rng=rng)
                said[number] = standing(release.details)
                wrong[number] = np.abs(np.sum(release.value * best, axis=0)) < 0.5
            first, second = said.mean(axis=0)
            yield Cell(center, epsilon, delta, first, second, float(np.mean((said & wrong).any(axis=1))))


def main(argv: list[str] | None = None) -> int:
    """Print the table and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--releases", type=int, default=200)
    parser.add_argument("--tables", nargs="+", default=TABLES, choices=TABLES)
    parser.add_argument("--rows", nargs="+", type=int, default=ROWS)
    parser.add_argument("--centers", nargs="+", default=CENTERS, choices=CENTERS)
    args = parser.parse_args(argv)
    worst, rng = 0.0, np.random.default_rng(1)
    print("table            rows center  epsilon  delta   first  second  falsely")
    for n in args.rows:
        for name in args.tables:
            for cell in measured(table(name, n, rng), args.releases, tuple(args.centers), rng):
                told = f"{cell.center:6} {cell.epsilon:8g} {cell.delta:6g} {cell.first:7.3f} {cell.second:7.3f}"
                print(f"{name:13} {n:7} {told} {cell.falsely:8.3f}", flush=True)
                worst = max(worst, cell.falsely)
    print(f"falsely in at most {worst:.1%} of the releases of a row; allowed: {ALLOWED:.0%}")
    return int(worst > ALLOWED)


if __name__ == "__main__":
    sys.exit(main())
