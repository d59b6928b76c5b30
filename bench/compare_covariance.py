"""Covariance mechanisms side by side: noise in three norms, lost variance of a top-5 space, time and memory.

    python bench/compare_covariance.py [--dimensions 2 3 10 50 200 500] [--rows 2000] [--epsilon 1] [--plot FILE.svg]

One row is replaced between neighbours, rows have norm at most 1, delta is 1e-6 where there is one. Errors are those of
``X'X / n``, times ``n epsilon``; the data are synthetic rows whose spectrum decays like 1/j, and the handwritten
digits (extra ``sklearn``). The eigenvector samplers of diffprivlib and OpenDP (their extras) are put back together as
``V diag(w) V'``; they are slow, so they stop at d = 10. Means of `REPEATS` runs; memory is the peak that Python's
allocator saw above the input.
"""

import argparse
import importlib
import time
import tracemalloc
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import dpspectra as dps

ROWS, REPEATS, DELTA, TOP, RIVALS_UP_TO = 2000, 5, 1e-6, 5, 10
HEAD = f"{'d':>4} {'mechanism':<30}{'spectral':>10}{'Frobenius':>11}{'nuclear':>10}{'lost':>9}{'ms':>9}{'MiB':>7}"


def ours(epsilon: float) -> dict[str, Callable[[Any, int], Any]]:
    return {
        "laplace_covariance": lambda x, seed: dps.laplace_covariance(x, epsilon, rng=seed).value,
        "symmetric_wishart_covariance": lambda x, seed: dps.symmetric_wishart_covariance(x, epsilon, rng=seed).value,
        "gaussian_covariance, delta": lambda x, seed: dps.gaussian_covariance(x, epsilon, DELTA, rng=seed).value,
        "wishart_covariance, delta": lambda x, seed: dps.wishart_covariance(x, epsilon, DELTA, rng=seed).value,
    }


def rivals(epsilon: float) -> dict[str, Callable[[Any, int], Any]]:
    found: dict[str, Callable[[Any, int], Any]] = {}
    try:
        eig = importlib.import_module("diffprivlib.models.utils").covariance_eig
    except ImportError:
        print("diffprivlib is not installed (extra diffprivlib): skipped")
    else:

        def diffprivlib(x: Any, seed: int) -> Any:
            values, vectors = eig(x, epsilon=epsilon, norm=1.0, random_state=seed)
            return vectors @ np.diag(values) @ vectors.T / len(x)

        found["diffprivlib covariance_eig"] = diffprivlib
    try:
        dp = importlib.import_module("opendp.prelude")
        make = importlib.import_module("opendp.extras.sklearn.decomposition").make_private_pca
    except ImportError:
        print("OpenDP is not installed (extra opendp): skipped")
    else:
        dp.enable_features("contrib", "idealized-numerics", "honest-but-curious")

        def opendp(x: Any, seed: int) -> Any:
            domain = dp.numpy.array2_domain(size=len(x), num_columns=x.shape[1], norm=1.0, p=2, origin=0.0, T=float)
            out = make(domain, dp.symmetric_distance(), unit_epsilon=epsilon)(x)
            return out.Vt.T @ np.diag(out.S**2) @ out.Vt / len(x)

        found["OpenDP private_pca"] = opendp
    return found


def decaying(n: int, d: int) -> Any:
    """Rows in the unit ball, second moments about ``1/j``."""
    x = np.random.default_rng(d).standard_normal((n, d)) / np.sqrt(np.arange(1, d + 1))
    return x / np.linalg.norm(x, axis=1).max()


def measured(mechanism: Callable[[Any, int], Any], x: Any, epsilon: float) -> list[float]:
    """Mean spectral, Frobenius and nuclear error times ``n epsilon``, lost variance in per cent, ms, MiB."""
    truth = x.T @ x / len(x)
    k = min(TOP, len(truth) - 1)
    best = np.linalg.eigvalsh(truth)[::-1][:k].sum()
    rows = []
    for seed in range(REPEATS):
        start = time.perf_counter()
        value = mechanism(x, seed)
        seconds = time.perf_counter() - start
        noise = np.abs(np.linalg.eigvalsh(value - truth)) * len(x) * epsilon
        frame = np.linalg.eigh(value)[1][:, -k:]
        lost = 100 * (1 - np.trace(frame.T @ truth @ frame) / best)
        rows.append([noise.max(), np.sqrt(np.sum(noise**2)), noise.sum(), lost, 1000 * seconds])
    tracemalloc.start()
    mechanism(x, 0)
    peak = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    return [*np.mean(rows, axis=0), peak]


def table(x: Any, epsilon: float) -> Iterator[tuple[str, list[float]]]:
    d = x.shape[1]
    mechanisms = ours(epsilon) | (RIVALS if d <= RIVALS_UP_TO else {})
    for name, mechanism in mechanisms.items():
        numbers = measured(mechanism, x, epsilon)
        spectral, frobenius, nuclear, lost, ms, mib = numbers
        print(f"{d:>4} {name:<30}{spectral:>10.3g}{frobenius:>11.3g}{nuclear:>10.3g}{lost:>8.2f}%{ms:>9.3g}{mib:>7.2f}")
        yield name, numbers


def plot(path: str, dimensions: list[int], spectral: dict[str, list[float]]) -> None:
    figures = importlib.import_module("matplotlib.figure")
    figure = figures.Figure(figsize=(6.4, 4.2), layout="constrained")
    axis = figure.subplots()
    for name, values in spectral.items():
        axis.loglog(dimensions[: len(values)], values, "o-", label=name)
    axis.set(xlabel="d", ylabel="mean spectral norm of the noise, times n epsilon")
    axis.grid(alpha=0.3, which="both")
    axis.legend(fontsize=8)
    figure.savefig(path)
    print(f"plot: {path}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dimensions", type=int, nargs="+", default=[2, 3, 5, 10, 20, 50, 100, 200, 500])
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--epsilon", type=float, default=1.0)
    parser.add_argument("--plot")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    RIVALS = rivals(args.epsilon)
    print(f"\nsynthetic rows, epsilon {args.epsilon:g}\n{HEAD}")
    spectral: dict[str, list[float]] = {}
    for d in args.dimensions:
        for name, numbers in table(decaying(args.rows, d), args.epsilon):
            spectral.setdefault(name, []).append(numbers[0])
    try:
        digits = importlib.import_module("sklearn.datasets").load_digits().data / 128.0
    except ImportError:
        print("scikit-learn is not installed (extra sklearn): the digits are skipped")
    else:
        print(f"\nhandwritten digits, {len(digits)} rows, epsilon {args.epsilon:g}\n{HEAD}")
        list(table(digits, args.epsilon))
    if args.plot:
        plot(args.plot, args.dimensions, spectral)
