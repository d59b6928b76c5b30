"""The exact sum of rows on a grid."""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.certified.rows import exponent, quantised, quantised_sparse
from dpspectra.matrices.chunks import summed
from dpspectra.matrices.kinds import Data
from dpspectra.matrices.totals import Total

BLOCK = 2**20
"""Numbers of a dense array that are made integers at a time."""


def exact_total(rows: Data, norm_bound: float, name: str = "X") -> tuple[Total, int]:
    """The sum of the integer rows of `dpspectra.certified.rows.quantised`, in int64, and the ``p`` of their unit.

    Entries are at most ``2**20``, so that no sum overflows. Arguments and errors as for
    `dpspectra.certified.gram.exact_moments`.
    """
    p = exponent(norm_bound)
    return summed(rows, name, partial(_of_dense, norm_bound, p, name), partial(_of_sparse, norm_bound, p, name)), p


def _of_dense(norm_bound: float, p: int, name: str, rows: NDArray[Any], start: int) -> Total:
    n, d = rows.shape
    step, vector = max(1, BLOCK // d), np.zeros(d, dtype=np.int64)
    for first in range(0, n, step):
        q = quantised(rows[first : first + step], norm_bound, p, name, start + first)
        vector += q.astype(np.int64).sum(axis=0)
    return Total(vector, n)


def _of_sparse(norm_bound: float, p: int, name: str, rows: Any, start: int) -> Total:
    q = quantised_sparse(rows, norm_bound, p, name, start)
    return Total(np.asarray(q.sum(axis=0), dtype=np.int64).ravel(), q.shape[0])
