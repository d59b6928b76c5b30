"""How many processor seconds and how much memory does `private_pca` take of many columns, beside scikit-learn's PCA?

    python -m bench.wide [1000 2000 3000]

Each call has a process of its own, which makes the same release of 100 columns first: seconds and memory are of what
comes after. Two components of 50 normal rows, epsilon 1, in certified arithmetic; what `advise` says stands beside it.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time

import numpy as np

import dpspectra as dps

ROWS, K, DELTA = 50, 2, 1e-6
WAYS = ("symmetric_wishart_covariance", "gaussian_covariance", "full", "randomized")
"""Noises of `private_pca`, and solvers of scikit-learn."""


def release(x: np.ndarray, way: str) -> None:
    """Two components by one way."""
    if way.endswith("covariance"):
        dps.private_pca(x, K, 1.0, mechanism=way, delta=DELTA if way.startswith("gaussian") else 0.0)
    else:
        from sklearn.decomposition import PCA

        PCA(K, svd_solver=way, random_state=0).fit(x)


def measured(d: int, way: str) -> tuple[float, float]:
    """Processor seconds and bytes of this process that a release of ``d`` columns takes beyond one of 100."""
    x = np.random.default_rng(0).normal(size=(ROWS, d))
    release(x[:, :100], way)
    before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    release(x, way)
    return time.process_time() - start, 1024.0 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)


def main(arguments: list[str]) -> int:
    """Print a row for each dimension and way."""
    if len(arguments) == 2 and arguments[1] in WAYS:
        print(*measured(int(arguments[0]), arguments[1]))
        return 0
    print("| columns | way | processor s | MB | advised s | advised MB |\n|---|---|---|---|---|---|")
    for d in map(int, arguments or ["1000", "2000", "3000"]):
        ways = {
            way.arguments["mechanism"]: way for way in dps.advise("pca", d=d, k=K, n=ROWS, epsilon=1.0, delta=DELTA)
        }
        for way in WAYS:
            asked = [sys.executable, "-m", "bench.wide", str(d), way]
            told = subprocess.run(asked, check=True, capture_output=True, text=True).stdout
            seconds, memory = map(float, told.split())
            said = f"{ways[way].seconds:g} | {ways[way].memory / 1e6:,.0f}" if way in ways else " | "
            print(f"| {d:,} | {way} | {seconds:.2g} | {memory / 1e6:,.0f} | {said} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
