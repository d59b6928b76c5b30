"""Six products of a sparse matrix with a block, by the kernel, by scipy, and by the one that the shape chooses.

NUMBA_NUM_THREADS=2 python -m bench.sparse
"""

import statistics
import time
from unittest import mock

import numba
import numpy as np
from scipy import sparse

from dpspectra.matrices import products, sparse_products

SHAPES = (
    # rows, columns, entries, type, columns of the block
    (6_040, 3_706, 1_000_209, np.int8, 10),
    (50_000, 17_770, 5_000_000, np.float64, 10),
    (17_770, 50_000, 5_000_000, np.float64, 20),
    (200_000, 200_000, 5_000_000, np.float64, 20),
    (1_000_000, 1_000_000, 10_000_000, np.float64, 20),
)
WAYS = {"kernel": (lambda *_: True, 0), "scipy": (lambda *_: False, 2**62), "by shape": None}
"""Stand-ins for `sparse_products.pays` and `products.FEW`."""


def seconds(a: sparse.csr_array, block: np.ndarray, repeats: int = 3) -> float:
    """Median time of three products there and back."""
    matrix, times = products.product(a), []
    for _ in range(repeats + 1):  # the first one compiles
        start, x = time.perf_counter(), block
        for _ in range(3):
            x = matrix.backward(matrix.forward(x)) / np.abs(x).max()
        times.append(time.perf_counter() - start)
    return statistics.median(times[1:])


def main() -> None:
    """Print a table."""
    rng, threads = np.random.default_rng(0), numba.get_num_threads()
    print("| matrix | entries | block | threads | kernel, ms | scipy, ms | by shape, ms |")
    print("|---|---|---|---|---|---|---|")
    for rows, columns, entries, kind, width in SHAPES:
        places = rng.integers(0, rows, entries), rng.integers(0, columns, entries)
        a = sparse.csr_array((rng.integers(1, 6, entries).astype(kind), places), shape=(rows, columns))
        block, found = rng.standard_normal((columns, width)), []
        for way in WAYS.values():
            pays, few = way or (sparse_products.pays, products.FEW)
            with mock.patch.object(sparse_products, "pays", pays), mock.patch.object(products, "FEW", few):
                found.append(f"{1e3 * seconds(a, block):.0f}")
        print(f"| {rows:,} x {columns:,}, {kind.__name__} | {entries:,} | {width} | {threads} | {' | '.join(found)} |")


if __name__ == "__main__":
    main()
