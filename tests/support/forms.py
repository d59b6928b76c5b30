"""Rows and matrices in every form in which they may be given, by name; each call makes its own, as iterators end."""

import numpy as np
import pytest
from scipy import sparse

NAMES = "abcdefghijklmnopqrst"
"""Names of columns, a letter each."""


def dask(rows, columns):
    """A function that makes a dask array with blocks of at most this size."""
    return lambda x: pytest.importorskip("dask.array").from_array(x, chunks=(rows, columns))


def frame(x):
    return pytest.importorskip("pandas").DataFrame(x, columns=list(NAMES[: x.shape[1]]))


def table(x):
    return pytest.importorskip("pyarrow").table(frame(x))


def halves(x):
    """A matrix by compressed rows, in which each entry is the sum of two."""
    one = sparse.csr_array(x)
    return sparse.csr_array((np.repeat(one.data / 2, 2), np.repeat(one.indices, 2), 2 * one.indptr), x.shape)


def unknown(x):
    """A dask array of which nobody knows how many rows its blocks have."""
    return dask(len(x) // 5 + 1, 2)(x)[np.ones(len(x), dtype=bool)]


MATRICES = {
    "lists": lambda x: x.tolist(),
    "Fortran order": np.asfortranarray,
    "every second column of a wider array": lambda x: np.repeat(x, 2, axis=1)[:, ::2],
    "csr": sparse.csr_array,
    "csc": sparse.csc_matrix,
    "coo": sparse.coo_matrix,
    "csr with duplicates": halves,
    "coo with duplicates": lambda x: halves(x).tocoo(),
    "dask": lambda x: dask(len(x) // 5 + 1, 3)(x),
    "dask in one block": dask(9999, 99),
}
"""Forms of a matrix."""
ROWS = MATRICES | {
    "chunks": lambda x: iter(np.array_split(x, 13)),
    "dense and sparse chunks": lambda x: iter([sparse.csc_array(x[:7]), x[7:9], x[9:10].tolist(), halves(x[10:])]),
    "sparse chunks": lambda x: map(sparse.coo_array, np.array_split(x, 4)),
    "chunks of dask": lambda x: iter([dask(2, 2)(x[:7]), x[7:]]),
    "dask of unknown lengths": unknown,
    "frame": frame,
    "chunks of frames": lambda x: iter([frame(x[:7]), frame(x[7:])]),
    "table": table,
    "batches": lambda x: iter(table(x).to_batches(len(x) // 5 + 1)),
    "dask frame": lambda x: pytest.importorskip("dask.dataframe").from_pandas(frame(x), npartitions=5),
}
"""Forms of rows that a mechanism goes through once."""
PLACED = [form for form in ROWS if form != "dask frame"]
"""Those whose refusals count the rows from the first; a block of a dask frame counts its own."""
ORDERS = {"reversed": lambda x: x[::-1], "permuted": lambda x: x[np.random.default_rng(3).permutation(len(x))]}
"""Rows in another order, where order does not matter."""
