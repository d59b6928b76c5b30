"""Products of a matrix with a thin block of columns: dense, sparse, an operator, or on a cluster."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike
from scipy import sparse

from dpspectra.ground import checks
from dpspectra.ground.array_types import Array
from dpspectra.ground.foreign_code import read
from dpspectra.matrices.kinds import Matrix

MULTIPLIES = "multiply by it to see why"
FEW = 2**22
"""Stored integers that are converted once and for all."""


@dataclass(frozen=True, slots=True)
class Product:
    """A real matrix known by its action ``X -> A X`` on ``(columns, p)`` blocks, and ``Y -> A' Y``.

    Products are arrays of the block's type that nobody else holds: they may be written into.
    """

    shape: tuple[int, int]
    forward: Callable[[Array], Array]
    backward: Callable[[Array], Array]

    def dilated(self) -> Product:
        """``[[0, A], [A', 0]]``, symmetric of order ``m + n``, without forming it."""
        m, n = self.shape

        def both(x: Array) -> Array:
            out = np.empty_like(x)
            out[:m], out[m:] = self.forward(x[m:]), self.backward(x[:m])
            return out

        return Product((m + n, m + n), both, both)


def product(a: Matrix, name: str = "A", dtype: DTypeLike = np.float64) -> Product:
    """Read a matrix: an array, a scipy sparse matrix or ``LinearOperator``, or a dask array, real and finite.

    Sparse matrices are multiplied by a kernel that looks ahead where that is quicker and numba is installed (extra
    ``fast``), else by scipy; both in ``dtype``. Entries of operators and dask arrays are not looked at. Raises
    ``ValueError`` otherwise.
    """
    matrix: Any = a
    shape = read(lambda: getattr(matrix, "shape", None), name)
    if hasattr(type(matrix), "dask"):
        if isinstance(getattr(matrix, "_meta", None), np.ma.MaskedArray):
            matrix = matrix.map_blocks(checks.plain, name, dtype=matrix.dtype)
        from dpspectra.matrices import cluster  # other matrices need none

        return _checked(
            shape, name, lambda x: cluster.times(matrix, x, name), lambda y: cluster.times(matrix.T, y, name)
        )
    if sparse.issparse(matrix):
        return _sparse_product(matrix, name, dtype)
    if hasattr(type(matrix), "matmat"):
        return _checked(
            shape,
            name,
            lambda x: read(lambda: np.array(matrix.matmat(x), x.dtype), name, MULTIPLIES),
            lambda y: read(lambda: np.array(matrix.rmatmat(y), y.dtype), name, MULTIPLIES),
        )
    array = checks.plain(matrix, name)
    if array.dtype.kind not in "buif":
        raise ValueError(f"{name} must be real, got an array of {array.dtype}")
    array = array.astype(dtype, copy=False)
    checks.require_finite(array, name)
    return _checked(array.shape, name, lambda x: array @ x, lambda y: array.T @ y)


def _checked(shape: Any, name: str, forward: Callable[[Array], Array], backward: Callable[[Array], Array]) -> Product:
    if shape is None or len(shape) != 2 or 0 in shape:
        raise ValueError(f"{name} must be a matrix and not empty, got shape {shape}")
    return Product((int(shape[0]), int(shape[1])), forward, backward)


def _sparse_product(a: Any, name: str, dtype: Any) -> Product:
    if a.dtype.kind not in "buif":
        raise ValueError(f"{name} must be real, got an array of {a.dtype}")
    rows = read(a.tocsr, name)
    if a.dtype.kind not in "iu" or rows.nnz <= FEW:  # the kernel takes integers as they are, which are mostly narrow
        rows = _converted(rows, dtype)
        checks.require_finite(rows.data, f"the stored values of {name}")
    try:
        kernel = importlib.import_module("dpspectra.matrices.sparse_products")
    except ImportError:
        rows = _converted(rows, dtype)
        return _checked(rows.shape, name, lambda x: rows @ x, lambda y: rows.T @ y)
    if not rows.has_sorted_indices:
        rows = rows.sorted_indices()

    def quicker(ahead: Callable[[Any, Array], Array], a: Any, block: Array) -> Array:
        block = block.astype(dtype, copy=False)
        looks_ahead = rows.dtype != dtype or kernel.pays(rows.shape[1], block)
        return np.asarray(ahead(rows, block) if looks_ahead else a @ block)

    return _checked(
        rows.shape,
        name,
        lambda x: quicker(kernel.multiply, rows, x),
        lambda y: quicker(kernel.multiply_transposed, rows.T, y),
    )


def _converted(rows: Any, dtype: Any) -> Any:
    """Return the CSR matrix with values of the type; its places are shared, where ``astype`` would copy them."""
    if rows.dtype == dtype:
        return rows
    return sparse.csr_array((rows.data.astype(dtype), rows.indices, rows.indptr), shape=rows.shape)
