"""Exact second moments of rows on a grid: neither order nor chunks nor threads can change a bit (DPS-EXACTSUM).

A product of at most ``2**13`` integer rows of squared norm at most ``2**40`` has partial sums of at most ``2**53``,
which float64 holds exactly in any order, with fused operations or without. This covers classical products only; that
the library multiplies in this way is tested once in every process.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.certified.rows import BITS, exponent, quantised, quantised_sparse
from dpspectra.ground.foreign import UnfitMachine
from dpspectra.matrices.chunks import summed
from dpspectra.matrices.kinds import Data

EXACT_ROWS = 2 ** (53 - 2 * BITS)
"""Rows whose product float64 holds exactly."""
INT64_ROWS = 2 ** (62 - 2 * BITS)
"""Rows whose product int64 holds."""
BLOCK = 2**16
"""Numbers of a dense array that are made integers at a time: few enough to stay in the cache."""


@dataclass(frozen=True, slots=True)
class ExactMoments:
    """Exact second moments of some rows of integers, not divided by their number."""

    total: NDArray[Any]
    """The sum of ``q q'`` over integer rows ``q``, ``(d, d)``: int64, or Python integers above `INT64_ROWS` rows."""
    count: int
    exponent: int
    """The integer rows are in units of ``2**-exponent``, and ``total`` in units of ``4**-exponent``."""

    @property
    def width(self) -> int:
        """Numbers in a row."""
        return len(self.total)

    def __add__(self, other: ExactMoments) -> ExactMoments:
        if self.width != other.width:
            raise ValueError(f"chunks must have one width, got {self.width} and {other.width} columns")
        if self.exponent != other.exponent:
            raise ValueError(f"chunks must have one unit, got 2**-{self.exponent} and 2**-{other.exponent}")
        count = self.count + other.count
        total = self.total if count <= INT64_ROWS else self.total.astype(object)
        return ExactMoments(total + other.total, count, self.exponent)


def exact_moments(rows: Data, norm_bound: float, name: str = "X", *, empty: bool = False) -> ExactMoments:
    """The exact sum of ``q q'`` over rows ``q`` of integers, which are the rows given, moved onto a public grid.

    ``rows`` is a real ``(n, d)`` array, a scipy sparse matrix, a dask array, or an iterator over chunks of rows of any
    of these kinds, which is gone through once. No copy of the whole is made. The result is the same integers, whatever
    the form of the rows, their order and how they are cut. `quantised` in `dpspectra.certified.rows` says how each row
    moves: by at most one unit in each entry (for rows over the bound by rounding, two), and a unit is at most
    ``norm_bound / 2**19``. Raises ``ValueError`` for ``norm_bound`` outside ``2**-900`` to ``2**900``, rows over the
    bound by more than rounding (a relative 1e-12 once they are integers, about 7e-8 before), numbers that are not
    finite or not real, no rows unless ``empty`` data are allowed, and chunks of different widths;
    ``ImportError`` naming the extra for dask arrays without it; ``RuntimeError`` if the library for matrix products
    does not multiply classically in float64.
    """
    p = exponent(norm_bound)
    of_dense, of_sparse = (partial(part, norm_bound, p, name) for part in (_of_dense, _of_sparse))
    return summed(rows, name, of_dense, of_sparse, empty=empty)


def exact_matrix(m: NDArray[Any]) -> ExactMoments:
    """A real symmetric matrix of floats as a sum that is exactly what it is, of one row's worth."""
    numbers = [[Fraction(x) for x in row] for row in m.tolist()]
    digits = max(x.denominator.bit_length() - 1 for row in numbers for x in row)
    half = -(-digits // 2)
    return ExactMoments(np.array([[int(x * 4**half) for x in row] for row in numbers], dtype=object), 1, half)


def _of_dense(norm_bound: float, p: int, name: str, rows: NDArray[Any], start: int) -> ExactMoments:
    require_classical_products()
    n, d = rows.shape
    step = min(EXACT_ROWS, max(d, BLOCK // d))
    moments = ExactMoments(np.zeros((d, d), dtype=np.int64), 0, p)
    for first in range(0, n, step):
        q = quantised(rows[first : first + step], norm_bound, p, name, start + first)
        moments += ExactMoments(_product(q).astype(np.int64), len(q), p)
    return moments


def _of_sparse(norm_bound: float, p: int, name: str, rows: Any, start: int) -> ExactMoments:
    n, d = rows.shape
    moments = ExactMoments(np.zeros((d, d), dtype=np.int64), 0, p)
    for first in range(0, n, INT64_ROWS):
        q = quantised_sparse(rows[first : first + INT64_ROWS], norm_bound, p, name, start + first)
        moments += ExactMoments((q.T @ q).toarray(), q.shape[0], p)
    return moments


def _product(q: NDArray[np.float64]) -> NDArray[np.float64]:
    return q.T @ q


@functools.cache
def require_classical_products() -> None:
    """Raise `UnfitMachine` unless the library's product of full-size integers is exact. Looks once in a process.

    Sums of products of whole columns, as in Strassen's method, and parts of lower precision lose bits here: the entries
    are almost ``2**20``, and the sums almost ``2**53``.
    """
    places = np.arange(EXACT_ROWS * 64, dtype=np.uint64).reshape(EXACT_ROWS, 64)
    q = 2**BITS - (places * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(54)).astype(np.int64)
    some = slice(None, None, 21)  # of the columns: products of integers are slow
    exact = np.einsum("ij,ik->jk", q[:, some], q)
    if not np.array_equal(_product(q.astype(np.float64))[some].astype(np.int64), exact):
        raise UnfitMachine("the product of float64 matrices must be classical, got one that is not exact on integers")
