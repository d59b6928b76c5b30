"""Ratings of many films by many people: a sparse matrix, and directions of taste by the private power method.

    python examples/ratings.py [FOLDER] [PEOPLE]

Ratings are made up: three tastes, a tenth of the entries known. Writes ``ratings.svg`` to the folder. Needs the extra
``plot``; with the extra ``fast`` sparse products run at the speed of memory.
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from scipy import sparse
from scipy.sparse.linalg import LinearOperator

import dpspectra as dps

FILMS, TASTES, DELTA = 300, 3, 1e-7
EPSILONS = [0.1, 0.2, 0.4, 0.8]


def ratings(people, rng):
    """Rows of unit length: what a person rated, above or below the middle, and the tastes behind all of it."""
    tastes = np.linalg.qr(rng.normal(size=(FILMS, TASTES)))[0]
    each = FILMS // 10
    films = rng.integers(FILMS, size=(people, each))
    liking = rng.normal(size=(people, TASTES))
    values = np.einsum("pt,pft->pf", liking, tastes[films]) + 0.01 * rng.normal(size=(people, each))
    rows = sparse.csr_array((values.ravel(), films.ravel(), np.arange(people + 1) * each), (people, FILMS))
    rows.sum_duplicates()
    return dps.unit_rows(rows), tastes


def main(folder, people=60_000):
    """Run the example; the picture goes to a folder."""
    rng = np.random.default_rng(0)
    rows, tastes = ratings(people, rng)

    def product(block):
        return rows.T @ (rows @ block)

    square = LinearOperator((FILMS, FILMS), matvec=product, matmat=product, rmatvec=product, dtype=float)
    shares = []
    for epsilon in EPSILONS:
        best, *_ = dps.advise("subspace", d=FILMS, k=TASTES, n=people, epsilon=epsilon, delta=DELTA)
        iterations = best.arguments["iterations"] if best.mechanism == "private_power_method" else 4
        # a replaced row of unit length moves the matrix by at most 1 in spectral norm
        release = dps.private_power_method(
            square, TASTES, epsilon, DELTA, relation="spectral", width=TASTES, iterations=iterations
        )
        shares.append(np.linalg.norm(tastes.T @ release.value) ** 2 / TASTES)
        print(f"epsilon {epsilon:4g}: {iterations} rounds, {shares[-1]:.0%} of the tastes found")
    figure = Figure(figsize=(4.5, 3.2), layout="constrained")
    axis = figure.subplots()
    axis.semilogx(EPSILONS, shares, "o-")
    axis.set(xlabel="epsilon (nats)", ylabel="tastes found", ylim=(0, 1), title=f"{people:,} people, {FILMS:,} films")
    figure.savefig(folder / "ratings.svg")
    return shares


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."), *map(int, sys.argv[2:3]))
