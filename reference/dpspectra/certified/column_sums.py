"""The exact sums of rows on a grid and of the squares of their entries."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.certified.gram import BLOCK, INT64_ROWS
from dpspectra.certified.rows import exponent, quantised, quantised_sparse
from dpspectra.matrices.chunks import summed
from dpspectra.matrices.column_sums import ColumnSums
from dpspectra.matrices.kinds import Data


def exact_column_sums(rows: Data, norm_bound: float, name: str = "X") -> tuple[ColumnSums, int]:
    """Sums of the integer rows of `dpspectra.certified.rows.quantised`, in Python's integers, and the ``p`` of it.

    Squares are in units of ``4**-p``, and add up in int64 over at most `INT64_ROWS` rows. Arguments and errors as for
    `dpspectra.certified.gram.exact_moments`.
    """
    p = exponent(norm_bound)
    of_dense, of_sparse = (partial(part, norm_bound, p, name) for part in (_of_dense, _of_sparse))
    return summed(rows, name, of_dense, of_sparse), p


def _of_dense(norm_bound: float, p: int, name: str, rows: NDArray[Any], start: int) -> ColumnSums:
    n, d = rows.shape
    step, sums = max(1, BLOCK // d), _none(d)
    for first in range(0, n, step):
        q = quantised(rows[first : first + step], norm_bound, p, name, start + first).astype(np.int64)
        sums += _exactly(q.sum(axis=0), np.einsum("ij,ij->j", q, q), len(q))
    return sums


def _of_sparse(norm_bound: float, p: int, name: str, rows: Any, start: int) -> ColumnSums:
    n, d = rows.shape
    sums = _none(d)
    for first in range(0, n, INT64_ROWS):
        q = quantised_sparse(rows[first : first + INT64_ROWS], norm_bound, p, name, start + first)
        sums += _exactly(np.asarray(q.sum(axis=0)).ravel(), np.asarray(q.multiply(q).sum(axis=0)).ravel(), q.shape[0])
    return sums


def _none(d: int) -> ColumnSums:
    return _exactly(np.zeros(d, dtype=np.int64), np.zeros(d, dtype=np.int64), 0)


def _exactly(vector: NDArray[Any], squares: NDArray[Any], count: int) -> ColumnSums:
    return ColumnSums(vector.astype(object), squares.astype(object), count)
