"""A step by rows: exact sums ``sum q t(q)'`` over rows ``q`` of integers, ``t(q)`` being ``q V`` rounded (DPS-ROWSTEP).

``V`` is a block of integers in units of ``2**-BITS``, orthonormal or nearly. A partial sum of ``q V`` is at most
``2**40 |V_j|``, and ``t(q)`` at most ``2**20 |V_j| + 1/2``: with ``|V_j|^2 <= 2`` products of `SHORT` rows are exact in
float64, in any order, those of `LONG` rows in int64, and all others in two limbs.

Do not change lightly: what is summed decides the bits of certified releases.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from dpspectra.certified.gram import require_classical_products
from dpspectra.certified.grid import Integers, Limbs
from dpspectra.certified.integer_rows import exponent, integers
from dpspectra.certified.products import nearest
from dpspectra.matrices.kinds import Rows
from dpspectra.matrices.reading_rule import Reading
from dpspectra.matrices.sums_over_chunks import Block, summed

BITS = 20
"""Digits after the point of the entries of a block."""
SHORT, LONG = 2**12, 2**21
"""Rows whose sum float64 holds exactly, and int64."""
BLOCK = 2**18
"""Numbers of an array that are made integers at a time."""
LARGEST = 2
"""Bound on the squared norm of a column of ``V``."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class RowProduct:
    """The sum over some rows, row by row of its ``(d, p)``."""

    total: Limbs
    count: int

    def __add__(self, other: RowProduct) -> RowProduct:
        if len(self.total) != len(other.total):
            raise ValueError("chunks must have one width, got another one")
        return RowProduct(self.total + other.total, self.count + other.count)


def row_product(rows: Rows, cut: Integers, reading: Reading, name: str = "X") -> Integers:
    """Return the sum for rows, read as `exact_moments` reads them, and a block ``cut`` of integers, both ``(., p)``.

    The result is ``(d, p)``, in units of ``4**-p`` with ``p`` the exponent of the norm bound. Rows may be an array, a
    scipy sparse matrix, a table, or a dask array, whose blocks are multiplied where they lie. Raises ``ValueError`` for
    anything else, for rows that are refused, for no rows, and for a block far from orthonormal.
    """
    if not np.all(np.sum((np.asarray(cut, dtype=float) * 2.0**-BITS) ** 2, axis=0) <= LARGEST):
        raise ValueError("the columns of a block must be orthonormal up to rounding, and these are not")
    of_dense, of_sparse = (
        partial(part, np.asarray(cut), reading, exponent(reading.norm_bound), name) for part in (_of_dense, _of_sparse)
    )
    found: RowProduct = summed(rows, name, of_dense, of_sparse, total=reading.total)
    return found.total.integers().reshape(cut.shape)


def of_integers(q: NDArray[np.float64], cut: Integers) -> Integers:
    """Return the sum over at most `SHORT` rows of integers in float64."""
    images = nearest(np.ldexp(q @ np.asarray(cut, dtype=np.float64), -BITS))
    return np.asarray((q.T @ images).astype(np.int64))


def _require_width(block: Block, cut: Integers, name: str) -> None:
    if (width := block.rows.shape[1]) != len(cut):
        raise ValueError(f"{name} must have {len(cut)} columns in each chunk, got {width}")


def _of_dense(cut: Integers, reading: Reading, p: int, name: str, block: Block, start: int) -> RowProduct:
    require_classical_products()
    _require_width(block, cut, name)
    total, part, since = Limbs.zeros(cut.size), np.zeros(cut.shape, dtype=np.int64), 0
    for begin, some in block.parts(min(SHORT, max(1, BLOCK // block.rows.shape[1]))):
        q = integers(some, reading, p, name, start + begin)
        if since + len(q) > LONG:
            total, part, since = total + Limbs.of(part.ravel()), np.zeros_like(part), 0
        part += of_integers(q, cut)
        since += len(q)
    return RowProduct(total + Limbs.of(part.ravel()), block.size)


def _of_sparse(cut: Integers, reading: Reading, p: int, name: str, block: Block, start: int) -> RowProduct:
    _require_width(block, cut, name)
    total = Limbs.zeros(cut.size)
    for begin, some in block.parts(LONG):
        q = integers(some, reading, p, name, start + begin)
        images = ((q @ np.asarray(cut, dtype=np.int64)) + (1 << BITS - 1)) >> BITS
        total += Limbs.of(np.asarray(q.T @ images).ravel())
    return RowProduct(total, block.size)
