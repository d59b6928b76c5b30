"""The private power method side by side with randomized_svd and svds; the streaming one with IncrementalPCA.

    python bench/compare_power.py [--nonzeros 1e7] [--dimensions 2e5 1e6] [--columns uniform power] [--repeats 3]
        [--no-rivals] [--parts speed accuracy stream] [--plot accuracy.svg]

Speed: a symmetric matrix of ten planted blocks in noise, its places uniform or with the row sizes of a power law; ten
products with a block of twenty columns each, which is what ``randomized_svd`` (extra ``sklearn``) does with four power
iterations. ``products alone`` is the floor. CPU seconds are the smallest of several runs, taken in turn, with the
seconds of the clock beside them and the ratio to ``randomized_svd`` on as many threads; memory is the peak of Python's
allocator above the input, in blocks of 20 columns of float64 too.

Accuracy: the sine of the largest angle to the top ten eigenvectors against epsilon, and what HP-T1.3 guarantees for the
tangent if there are rounds enough (a dash where that is nothing, from 1/2 on); nine tenths of the nonzeros are planted.

Stream: batches of 4096 dense rows.
"""

import argparse
import importlib
import resource
import time
import tracemalloc
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import eigsh, svds

import dpspectra as dps
from dpspectra.fast.linalg import principal_angles
from dpspectra.lemmas.power import private_convergence
from dpspectra.matrices.blocks import add_noise
from dpspectra.matrices.orthonormal import orthonormal
from dpspectra.matrices.products import product

RANK, WIDTH, ROUNDS = 10, 20, 10
EPSILON, DELTA, ETA = 1.0, 1e-6, 0.05
BLOCK, SHARE, DECAY = 1000, 0.1, 3.0
"""Order of a planted block, share of the nonzeros that is planted, and the power of a uniform number for places."""
BATCH, BATCHES, LENGTH = 4096, 24, 1000
REFERENCE = "randomized_svd"
Key = tuple[str, int]


def matrix(nonzeros: int, d: int, columns: str, share: float = SHARE) -> Any:
    """Symmetric with about ``nonzeros`` entries, CSR: bulk entries of size 1, and ones in the planted blocks."""
    rng = np.random.default_rng(0)

    def places(size: int) -> Any:
        drawn = rng.random(size, dtype=np.float32)
        return labels[np.minimum((drawn**DECAY if columns == "power" else drawn) * d, d - 1).astype(np.int32)]

    labels = rng.permutation(d).astype(np.int32)
    planted = int(share * nonzeros) // 2
    group = rng.integers(RANK, size=planted, dtype=np.int32) * BLOCK
    i, j = (np.concatenate([places(nonzeros // 2 - planted), rng.integers(BLOCK, size=planted, dtype=np.int32) + group])
            for _ in range(2))  # fmt: skip
    values = np.ones(len(i))
    values[:-planted] = 2 * rng.integers(2, size=len(i) - planted) - 1
    upper = sparse.coo_array((values, (i, j)), shape=(d, d)).tocsr()
    return upper + upper.T


@contextmanager
def threads(number: int) -> Iterator[None]:
    with ExitStack() as stack:
        for module, name in (("threadpoolctl", "threadpool_limits"), ("numba", "set_num_threads")):
            try:
                limited = getattr(importlib.import_module(module), name)(number)
            except ImportError:
                continue
            if limited is not None:
                stack.enter_context(limited)
        yield


def measured(runs: dict[Key, Callable[[], Any]], repeats: int) -> dict[Key, tuple[float, float, float]]:
    """CPU seconds and seconds of the clock (the smallest of ``repeats``), and peak MiB, of each ``(name, threads)``.

    They run in turn, so that a machine that slows down for a while slows down everybody.
    """
    times: dict[Key, list[tuple[float, float]]] = {key: [] for key in runs}
    for _ in range(repeats):
        for key, run in runs.items():
            with threads(key[1]):
                before, start = time.process_time(), time.perf_counter()
                run()
                times[key].append((time.process_time() - before, time.perf_counter() - start))
    found = {}
    for key, run in runs.items():
        tracemalloc.start()
        with threads(key[1]):
            run()
        cpu, clock = (min(column) for column in zip(*times[key], strict=True))
        found[key] = cpu, clock, tracemalloc.get_traced_memory()[1] / 2**20
        tracemalloc.stop()
    return found


def private(a: Any, dtype: Any, epsilon: float = EPSILON) -> Any:
    options = {"width": WIDTH, "iterations": ROUNDS, "dtype": dtype, "rng": 0}
    return dps.private_power_method(a, RANK, epsilon, DELTA, **options)


def bare(a: Any, dtype: Any) -> Any:
    x = np.ones((a.shape[0], WIDTH), dtype)
    forward = product(a, dtype=dtype).forward
    for _ in range(ROUNDS):
        y = forward(x)
    return y


def scipy_products(a: Any) -> Any:
    x = np.ones((a.shape[0], WIDTH))
    for _ in range(ROUNDS):
        y = a @ x
    return y


def overhead(d: int, dtype: Any) -> None:
    """Apply the steps of a run apart from products: the noise and the basis of the start and of each round."""
    rng = np.random.default_rng(0)
    for _ in range(ROUNDS + 1):
        orthonormal(add_noise(np.zeros((d, WIDTH), dtype), 1.0, rng), overwrite=True)


def contestants(a: Any, rivals: bool) -> dict[Key, Callable[[], Any]]:
    """Runs to time, by name and number of threads."""
    runs: dict[Key, Callable[[], Any]] = {}
    if rivals:
        try:
            randomized = importlib.import_module("sklearn.utils.extmath").randomized_svd
        except ImportError:
            print("scikit-learn is not installed (extra sklearn): skipped")
        else:
            options = {"n_oversamples": WIDTH - RANK, "n_iter": ROUNDS // 2 - 1, "random_state": 0}
            runs |= {(REFERENCE, number): lambda: randomized(a, RANK, **options) for number in (1, 2)}
        runs["svds, tol 1e-3", 1] = lambda: svds(a, RANK, tol=1e-3, rng=0)
        runs["scipy products alone", 1] = lambda: scipy_products(a)
    for dtype in (np.float64, np.float32):
        for number in (1, 2):
            runs[f"products alone, {dtype.__name__}", number] = partial(bare, a, dtype)
            runs[f"noise and QR, {dtype.__name__}", number] = partial(overhead, a.shape[0], dtype)
            runs[f"private, {dtype.__name__}", number] = partial(private, a, dtype)
    return runs


def speed(nonzeros: int, d: int, columns: str, repeats: int, rivals: bool) -> None:
    a = matrix(nonzeros, d, columns)
    block = d * WIDTH * 8 / 2**20
    runs = contestants(a, rivals)
    for dtype in (np.float64, np.float32):
        bare(a[:WIDTH, :WIDTH], dtype)  # so that it is compiled
    found = measured(runs, repeats)
    print(f"\nd = {d:,}, {a.nnz:,} nonzeros, {columns} columns, a block is {block:.0f} MiB")
    print(f"{'':<26}{'threads':>8}{'CPU s':>9}{'clock s':>9}{'ratio':>7}{'MiB':>8}{'blocks':>8}")
    for (name, number), (cpu, clock, peak) in found.items():
        ratio = cpu / found.get((REFERENCE, number), (np.nan,))[0]
        print(f"{name:<26}{number:>8}{cpu:>9.2f}{clock:>9.2f}{ratio:>7.2f}{peak:>8.0f}{peak / block:>8.1f}")
    share = found["noise and QR, float64", 1][0] / found["private, float64", 1][0]
    print(f"noise and QR: {share:.0%} of a float64 run on one thread")
    print(
        f"largest resident set so far: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.1f} GiB", flush=True
    )


def accuracy(path: Path | None) -> None:
    d = 20_000
    a = matrix(5_000_000, d, "uniform", 0.9)
    values, vectors = eigsh(a, RANK + 1, v0=np.ones(d))
    order = np.argsort(-np.abs(values))
    top, gap = vectors[:, order[:RANK]], -float(np.diff(np.abs(values[order[RANK - 1 :]]))[0])
    print(f"\nd = {d:,}, {a.nnz:,} nonzeros, gap {gap:.0f}, pair changes by 1, delta {DELTA:g}, {1 - 2 * ETA:.0%}")
    print(f"{'epsilon':>8}{'sine':>9}{'guarantee':>11}")
    found = []
    for epsilon in (0.1, 0.3, 1.0, 3.0, 10.0, 30.0):
        release = private(a, np.float64, epsilon)
        sine = np.sin(np.max(principal_angles(release.value, top)))
        level = max(release.details["noise"])
        whole, _ = private_convergence.noise_norms(level, d, RANK, WIDTH, ROUNDS, ETA)
        promised = float(private_convergence.accuracy(whole, gap))
        print(f"{epsilon:>8g}{sine:>9.4f}{f'{promised:.4f}' if promised < 0.5 else '-':>11}", flush=True)
        found.append((epsilon, sine, promised if promised < 0.5 else np.nan))
    if path is not None:
        plot(path, found)


def plot(path: Path, found: list[tuple[float, float, float]]) -> None:
    """Error against epsilon, and the guarantee where there is one."""
    figure = importlib.import_module("matplotlib.figure").Figure(figsize=(5.2, 3.6), layout="constrained")
    axis = figure.subplots()
    epsilons, sines, promises = zip(*found, strict=True)
    axis.plot(epsilons, sines, "o-", label="sine of the largest angle")
    axis.plot(epsilons, promises, "s--", label=f"guaranteed (HP-T1.3, {1 - 2 * ETA:.0%})")
    axis.set(xscale="log", yscale="log", xlabel="epsilon", ylabel="error", title="private power method")
    axis.grid(alpha=0.3, which="both")
    axis.legend()
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)


def stream(repeats: int, rivals: bool) -> None:
    rng = np.random.default_rng(0)
    kept = [rng.standard_normal((BATCH, LENGTH)) / np.sqrt(np.arange(1, LENGTH + 1)) for _ in range(4)]
    for dtype in (np.float64, np.float32):
        batches = [kept[i % len(kept)].astype(dtype, copy=False) for i in range(len(kept))]

        def products(batches: Any = batches, dtype: Any = dtype) -> None:
            x, y = np.ones((LENGTH, WIDTH), dtype), np.zeros((LENGTH, WIDTH), dtype)
            for i in range(BATCHES):
                y += batches[i % len(kept)].T @ (batches[i % len(kept)] @ x)

        def ours(batches: Any = batches, dtype: Any = dtype) -> None:
            turns = (batches[i % len(kept)] for i in range(BATCHES))
            dps.streaming_power_method(turns, RANK, rows_per_round=BATCH * 4, width=WIDTH, dtype=dtype, rng=0)

        runs: dict[Key, Callable[[], Any]] = {("products alone", 1): products, ("streaming_power_method", 1): ours}
        if rivals and dtype == np.float64:
            try:
                pca = importlib.import_module("sklearn.decomposition").IncrementalPCA
            except ImportError:
                print("scikit-learn is not installed (extra sklearn): skipped")
            else:

                def incremental(pca: Any = pca, batches: Any = batches) -> None:
                    model = pca(WIDTH)
                    for i in range(BATCHES):
                        model.partial_fit(batches[i % len(kept)])

                runs["IncrementalPCA", 1] = incremental
        found = measured(runs, repeats)
        print(f"\nstream: {BATCHES} batches of {BATCH} rows of length {LENGTH}, {dtype.__name__}, one thread")
        print(f"{'':<26}{'CPU s':>9}{'ratio':>7}{'MiB':>8}")
        floor = found["products alone", 1][0]
        for (name, _), (cpu, _, peak) in found.items():
            print(f"{name:<26}{cpu:>9.3f}{cpu / floor:>7.2f}{peak:>8.1f}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nonzeros", type=float, default=1e7)
    parser.add_argument("--dimensions", type=float, nargs="+", default=[2e5, 1e6])
    parser.add_argument("--columns", nargs="+", choices=["uniform", "power"], default=["uniform", "power"])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--no-rivals", action="store_true")
    parser.add_argument(
        "--parts", nargs="+", choices=["speed", "accuracy", "stream"], default=["speed", "accuracy", "stream"]
    )
    parser.add_argument("--plot", type=Path)
    args = parser.parse_args()
    if min(args.dimensions) < RANK * BLOCK:
        parser.error(f"--dimensions must be at least {RANK * BLOCK}, the {RANK} planted blocks of {BLOCK} rows")
    warnings.simplefilter("ignore")
    if "speed" in args.parts:
        for d in args.dimensions:
            for columns in args.columns:
                speed(int(args.nonzeros), int(d), columns, args.repeats, not args.no_rivals)
    if "accuracy" in args.parts:
        accuracy(args.plot)
    if "stream" in args.parts:
        stream(args.repeats, not args.no_rivals)
