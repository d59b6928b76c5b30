"""Whether a matrix equals its transpose, exactly."""

import importlib
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

TILE = 256
"""Rows and columns of a square that is compared with its mirror image: both fit in the cache."""


def is_symmetric(x: NDArray[Any]) -> bool:
    """Whether a square array is symmetric, tile by tile."""
    starts = range(0, len(x), TILE)
    tiles = ((slice(i, i + TILE), slice(j, j + TILE)) for i in starts for j in starts if j <= i)
    return all(np.array_equal(x[rows, columns], x[columns, rows].T) for rows, columns in tiles)


def is_symmetric_sparse(rows: Any) -> bool:
    """Whether a square matrix by compressed rows without duplicates, in order, is symmetric; zeros may be stored.

    Without numba (extra ``fast``) it is transposed, which takes longer and a copy.
    """
    if not rows.data.all():
        rows = sparse.csr_array((rows.data, rows.indices, rows.indptr), shape=rows.shape).copy()
        rows.eliminate_zeros()
    try:
        kernel = importlib.import_module("dpspectra.matrices.sparse_products")
    except ImportError:
        columns = rows.T.tocsr()  # what it stores is in order
        return all(np.array_equal(getattr(rows, x), getattr(columns, x)) for x in ("indptr", "indices", "data"))
    return bool(kernel.is_symmetric(rows))
