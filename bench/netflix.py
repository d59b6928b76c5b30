"""A matrix of the shape of the Netflix prize, released privately: time of each phase, peak memory, errors.

    python bench/netflix.py [--scale 0.1] [--k 10] [--epsilon 1] [--row-change 5] [--threads N]

17,770 movies by 480,189 users (``--scale`` takes a share of the users) and nearly 10^8 ratings from 1 to 5, made from a
seed: the popularity of movies is a Zipf-Mandelbrot law of exponent 1.6 whose first movie takes 0.232 % of the ratings,
that of users is lognormal; ratings that meet in a cell are one. Neighbours differ in the ratings of one movie, by a
vector of norm at most ``--row-change``: 5 covers one whole rating, present or absent. Timed are `project_find_prune`
end to end, the same with time stamps around its two products, and these products alone, by the kernel and by scipy (the
best of three each). Errors are of ``|A - B|_F``: releasing zero is the trivial baseline, `randomized_range_finder` is
what rank ``k`` can do without privacy, and noise on every entry, which needs the matrix dense, is taken to add the
usual ``sqrt(k) (sqrt(m) + sqrt(n))`` times its standard deviation to that, in squares.
"""

import argparse
import importlib
import itertools
import resource
import time
from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import brentq

import dpspectra as dps
from dpspectra.fast.gaussian import mu_for
from dpspectra.matrices.low_rank import LowRank
from dpspectra.matrices.products import product

MOVIES, USERS, RATINGS = 17_770, 480_189, 100_480_507
TOP_SHARE, EXPONENT, SPREAD = 0.00232, 1.6, 1.2
LOST = 1.23
"""Draws for each rating that is left when those in one cell are merged."""
STARS = (0.05, 0.10, 0.29, 0.33, 0.23)
"""Probabilities of 1 to 5, assumed."""
TABLE = 2**22
DELTA = 1e-6
RUNS = 3
PHASES = ("reading, levels, Omega", "A Omega", "noise, basis", "basis' A", "noise")


def ratings(users: int, seed: int) -> Any:
    """Rows are movies; 8-bit ratings."""
    rng = np.random.default_rng(seed)
    popularity = zipf(float(brentq(lambda shift: zipf(shift)[0] - TOP_SHARE, 1.0, 1e5)))
    activity = rng.lognormal(sigma=SPREAD, size=users)
    table = np.repeat(np.arange(users, dtype=np.int32), rng.multinomial(TABLE, activity / activity.sum()))
    counts = rng.permutation(rng.multinomial(int(LOST * RATINGS * users / USERS), popularity))
    rows = [np.unique(table[rng.integers(0, TABLE, count)]) for count in counts]
    starts = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int32)
    places = np.concatenate(rows)
    stars = (1 + np.searchsorted(np.cumsum(STARS)[:-1], rng.random(len(places), dtype=np.float32))).astype(np.int8)
    return sparse.csr_array((stars, places, starts), shape=(MOVIES, users))


def zipf(shift: float) -> Any:
    weights = (np.arange(MOVIES) + shift) ** -EXPONENT
    return weights / weights.sum()


class Stamped:
    """A sparse matrix that notes when each of its products begins and ends."""

    def __init__(self, a: Any) -> None:
        self.stamps = [time.perf_counter()]
        self.product = product(a)
        self.shape = a.shape

    def matmat(self, x: Any) -> Any:
        return self._timed(self.product.forward, x)

    def rmatmat(self, y: Any) -> Any:
        return self._timed(self.product.backward, y)

    def _timed(self, multiply: Any, block: Any) -> Any:
        self.stamps.append(time.perf_counter())
        out = multiply(block)
        self.stamps.append(time.perf_counter())
        return out


def gigabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def warmed_up(k: int) -> float:
    """Seconds that a small release takes: imports, and compiling the kernels."""
    start = time.perf_counter()
    dps.project_find_prune(sparse.csr_array(np.ones((100, 100), dtype=np.int8)), k, 1.0, DELTA, rng=0)
    return time.perf_counter() - start


def seconds(run: Any) -> float:
    """The best of `RUNS`, as the machine may be busy."""
    found = []
    for _ in range(RUNS):
        start = time.perf_counter()
        run()
        found.append(time.perf_counter() - start)
    return min(found)


def bare(a: Any, width: int) -> dict[str, tuple[float, float]]:
    """Seconds of ``A Omega`` and ``A'Q`` alone, by the kernel and by scipy."""
    rng = np.random.default_rng(0)
    omega, q = rng.standard_normal((a.shape[1], width)), np.linalg.qr(rng.standard_normal((a.shape[0], width)))[0]
    kernel, values = product(a), a.astype(float)
    return {
        "kernel": (seconds(lambda: kernel.forward(omega)), seconds(lambda: kernel.backward(q))),
        "scipy": (seconds(lambda: values @ omega), seconds(lambda: values.T @ q)),
    }


def main(args: argparse.Namespace) -> None:
    start = time.perf_counter()
    a = ratings(round(USERS * args.scale), args.seed)
    m, n = a.shape
    squares = np.array([np.sum(np.square(a.data[i:j], dtype=float)) for i, j in itertools.pairwise(a.indptr)])
    norm = float(np.sqrt(squares.sum()))
    print(f"{m:,} x {n:,}, {a.nnz:,} ratings, coherence {m * squares.max() / squares.sum():.1f}", end=", ")
    print(f"made in {time.perf_counter() - start:.0f} s, peak so far {gigabytes():.2f} GiB")
    print(f"imports and compiling    {warmed_up(args.k):>8.2f} s")

    def release(matrix: Any) -> Any:
        return dps.project_find_prune(matrix, args.k, args.epsilon, DELTA, row_change=args.row_change, rng=args.seed)

    total = seconds(lambda: release(a))
    print(f"end to end               {total:>8.2f} s, peak memory {gigabytes():.2f} GiB with the making of the matrix")
    stamped = Stamped(a)
    release(stamped)
    phases = np.diff([*stamped.stamps, time.perf_counter()])
    for name, took in zip(PHASES, phases, strict=True):
        print(f"  {name:<23}{took:>8.2f} s")
    width = 2 * args.k + 1
    for name, (forward, backward) in bare(a, width).items():
        print(f"two products by {name:<9}{forward + backward:>8.2f} s = {forward:.2f} + {backward:.2f}", end=", ")
        print(f"end to end takes {total / (forward + backward):.2f} times that")
    report(a, norm, release(a), args)


def report(a: Any, norm: float, release: dps.Release, args: argparse.Namespace) -> None:
    m, n = a.shape
    details = release.details
    basis = dps.randomized_range_finder(a, args.k, rng=args.seed)
    open_release = LowRank(basis, product(a).backward(basis).T).truncated(args.k)
    noise = np.sqrt(args.k) * (np.sqrt(m) + np.sqrt(n)) * args.row_change / mu_for(args.epsilon, DELTA)
    lines = {
        f"ours, rank {2 * args.k + 1}": release.value.frobenius_distance(a),
        f"ours, rank {args.k}": release.value.truncated(args.k).frobenius_distance(a),
        "noise on every entry": float(np.hypot(open_release.frobenius_distance(a), noise)),
        "releasing zero": norm,
        "without privacy": open_release.frobenius_distance(a),
    }
    for name, error in lines.items():
        print(f"error: {name:<21}{error:>8.0f}")
    print(f"range noise {details['range_noise']:.1f}, noise {details['noise']:.2f}, ", end="")
    print(f"largest leverage {details['largest_leverage']:.3f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--epsilon", type=float, default=1.0)
    parser.add_argument("--row-change", type=float, default=5.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int)
    arguments = parser.parse_args()
    if arguments.threads:
        importlib.import_module("numba").set_num_threads(arguments.threads)
    main(arguments)
