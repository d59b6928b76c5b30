"""How many processor seconds and how much memory does `private_pca` take of many columns, beside scikit-learn's PCA?

    python -m bench.wide [50x1000 50x2000 100000x100]

Each call has a process of its own, which makes the same release of 10 columns first: seconds and memory are of what
comes after. Two components of so many normal rows and columns, epsilon 1, in certified arithmetic; what `advise` says
stands beside it.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time

import numpy as np

import dpspectra as dps
from dpspectra.advice import Advice

K, DELTA = 2, 1e-6
POWER = "private_power_method"
WAYS = ("symmetric_wishart_covariance", "gaussian_covariance", POWER, "full", "randomized")
"""Noises of `private_pca`, the power method on rows, and solvers of scikit-learn."""


def advised(n: int, d: int) -> dict[str, Advice]:
    """Return what `advise` says of each way, of the power method about zero."""
    told = [dps.advise(goal, d=d, k=K, n=n, epsilon=1.0, delta=DELTA) for goal in ("subspace", "pca")]
    return {way.arguments.get("mechanism", way.mechanism): way for ways in told for way in ways}


def release(x: np.ndarray, way: str, rounds: int) -> None:
    """Two components by one way."""
    if way == POWER:
        from dpspectra.estimators import PrivateTruncatedSVD

        PrivateTruncatedSVD(K, epsilon=1.0, delta=DELTA, iterations=rounds).fit(x)
    elif way.endswith("covariance"):
        dps.private_pca(x, K, 1.0, mechanism=way, delta=DELTA if way.startswith("gaussian") else 0.0)
    else:
        from sklearn.decomposition import PCA

        PCA(K, svd_solver=way, random_state=0).fit(x)


def measured(n: int, d: int, way: str, rounds: int) -> tuple[float, float]:
    """Processor seconds and bytes of this process that a release takes beyond one of ten columns."""
    x = np.random.default_rng(0).normal(scale=d**-0.5 / 4, size=(n, d))
    release(x[:, :10], way, rounds)
    before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    release(x, way, rounds)
    return time.process_time() - start, 1024.0 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)


def main(arguments: list[str]) -> int:
    """Print a row for each size and way."""
    if len(arguments) == 4 and arguments[2] in WAYS:
        n, d, way, rounds = arguments
        print(*measured(int(n), int(d), way, int(rounds)))
        return 0
    print("| rows x columns | way | processor s | MB | advised s | advised MB |\n|---|---|---|---|---|---|")
    for size in arguments or ["50x1000", "50x2000", "100000x100"]:
        n, d = size.split("x")
        ways = advised(int(n), int(d))
        for way in WAYS:
            asked = [sys.executable, "-m", "bench.wide", n, d, way, str(ways[POWER].arguments["iterations"])]
            told = subprocess.run(asked, check=True, capture_output=True, text=True).stdout
            seconds, memory = map(float, told.split())
            said = f"{ways[way].seconds:g} | {ways[way].memory / 1e6:,.0f}" if way in ways else " | "
            print(f"| {int(n):,} x {int(d):,} | {way} | {seconds:.2g} | {memory / 1e6:,.0f} | {said} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
