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
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dpspectra.certified.grid import Limbs
from dpspectra.certified.integer_rows import BITS, exponent, integers
from dpspectra.ground.foreign_code import UnfitMachine
from dpspectra.matrices.kinds import Data
from dpspectra.matrices.reading_rule import Reading
from dpspectra.matrices.sums_over_chunks import Block, summed

EXACT_ROWS = 2 ** (53 - 2 * BITS)
"""Rows whose product float64 holds exactly."""
INT64_ROWS = 2 ** (62 - 2 * BITS)
"""Rows whose product int64 holds."""
MOST_ROWS = 2**54
"""Rows whose product two limbs hold, with room for one more sum."""
BLOCK = 2**16
"""Numbers of a dense array that are made integers at a time: few enough to stay in the cache."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class ExactMoments:
    """Exact sums over some rows of integers ``q``, not divided by their number."""

    first: Limbs
    """The sum of ``q``, ``(d,)``."""
    upper: Limbs
    """The sum of ``q q'`` on and above the diagonal, row by row; nothing where only first moments are needed."""
    count: int
    exponent: int
    """The integer rows are in units of ``2**-exponent``, and ``upper`` in units of ``4**-exponent``."""

    @classmethod
    def zero(cls, width: int, exponent: int, order: int = 2) -> ExactMoments:
        """Return the sums over no rows."""
        return cls(Limbs.zeros(width), Limbs.zeros(width * (width + 1) // 2 if order == 2 else 0), 0, exponent)

    @property
    def width(self) -> int:
        """Numbers in a row."""
        return len(self.first)

    @property
    def total(self) -> NDArray[Any]:
        """The sum of ``q q'``, ``(d, d)``: int64, or Python integers where some need more bits."""
        upper = self.upper.integers()
        out = np.empty((self.width,) * 2, dtype=upper.dtype)
        places = _on_and_above(self.width)
        out[places] = upper
        out.T[places] = upper
        return out

    def __add__(self, other: ExactMoments) -> ExactMoments:
        if self.width != other.width:
            raise ValueError(f"chunks must have one width, got {self.width} and {other.width} columns")
        if self.exponent != other.exponent:
            raise ValueError(f"chunks must have one unit, got 2**-{self.exponent} and 2**-{other.exponent}")
        if (count := self.count + other.count) >= MOST_ROWS:
            raise ValueError("rows must be fewer than 2**54 in a sum, got more")
        return ExactMoments(self.first + other.first, self.upper + other.upper, count, self.exponent)


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class ExactMatrix:
    """A matrix that somebody else summed, as integers of any size: in the place of `ExactMoments`."""

    total: NDArray[Any]
    """Symmetric Python integers in units of ``4**-exponent``."""
    exponent: int
    count: int = 1
    """By how many they are to be divided."""

    @property
    def width(self) -> int:
        """Numbers in a row."""
        return len(self.total)

    @property
    def upper(self) -> NDArray[Any]:
        """The integers on and above the diagonal, row by row."""
        return self.total[_on_and_above(self.width)]


Exact: TypeAlias = ExactMoments | ExactMatrix
"""Exact second moments."""


def exact_moments(
    rows: Data,
    reading: Reading | float,
    name: str = "X",
    *,
    empty: bool = False,
    order: int = 2,
    start: ExactMoments | None = None,
) -> ExactMoments:
    """Return the exact sums of ``q`` and ``q q'`` over rows ``q`` of integers: the given rows on a public grid.

    ``rows`` is a real ``(n, d)`` array, a scipy sparse matrix, a data frame, a dask array or frame, or an iterator over
    chunks of rows of any of these kinds, which is gone through once. ``reading`` says what is done with long and bad
    rows, block by block; a number stands for a bound over which rows are refused. No copy of the whole is made. The
    result is the same integers, whatever the form of the rows, their order and how they are cut. `quantised` in
    `dpspectra.certified.integer_rows` says how each row moves: by at most one unit in each entry (for rows over the
    bound by rounding, two), and a unit is at most ``norm_bound / 2**19``. With ``order=1`` second moments are left out.
    They are added to the sums of ``start``, if it is given.

    Raises ``ValueError`` for ``norm_bound`` outside ``2**-900`` to ``2**900``, rows over the bound by more than
    rounding (a relative 1e-12 once they are integers, about 7e-8 before), numbers that are not finite or not real, no
    rows unless ``empty`` data are allowed, and chunks of different widths; ``ImportError`` naming the extra for dask
    arrays without it; ``RuntimeError`` if the library for matrix products does not multiply classically in float64.
    """
    reading = reading if isinstance(reading, Reading) else Reading(reading)
    p = exponent(reading.norm_bound)
    of_dense, of_sparse = (partial(part, reading, p, order, name) for part in (_of_dense, _of_sparse))
    return summed(rows, name, of_dense, of_sparse, empty=empty, total=reading.total, start=start)


def exact_matrix(m: NDArray[Any]) -> ExactMatrix:
    """Return a real symmetric matrix of floats as a sum that is exactly what it is, of one row's worth."""
    numbers = [[Fraction(x) for x in row] for row in m.tolist()]
    digits = max(x.denominator.bit_length() - 1 for row in numbers for x in row)
    half = -(-digits // 2)
    return ExactMatrix(np.array([[int(x * 4**half) for x in row] for row in numbers], dtype=object), half)


def _of_dense(reading: Reading, p: int, order: int, name: str, block: Block, start: int) -> ExactMoments:
    d = block.rows.shape[1]
    if order == 2:
        require_classical_products()
    moments = ExactMoments.zero(d, p, order)
    first, second, since = np.zeros(d, dtype=np.int64), np.zeros((d, d) if order == 2 else 0, dtype=np.int64), 0
    for begin, part in block.parts(min(EXACT_ROWS, max(d if order == 2 else 1, BLOCK // d))):
        q = integers(part, reading, p, name, start + begin)
        if since + len(q) > INT64_ROWS:
            moments += _split(first, second, since, p)
            first, second, since = np.zeros_like(first), np.zeros_like(second), 0
        first += q.sum(axis=0).astype(np.int64)
        if order == 2:
            second += _product(q).astype(np.int64)
        since += len(q)
    return moments + _split(first, second, since, p)


def _of_sparse(reading: Reading, p: int, order: int, name: str, block: Block, start: int) -> ExactMoments:
    moments = ExactMoments.zero(block.rows.shape[1], p, order)
    for begin, part in block.parts(INT64_ROWS):
        q = integers(part, reading, p, name, start + begin)
        first = np.asarray(q.sum(axis=0), dtype=np.int64).ravel()
        second = (q.T @ q).toarray() if order == 2 else np.zeros(0, dtype=np.int64)
        moments += _split(first, second, q.shape[0], p)
    return moments


def _split(first: NDArray[np.int64], second: NDArray[np.int64], count: int, p: int) -> ExactMoments:
    """Return sums in int64 as limbs; of second moments only what is on and above the diagonal."""
    upper = second[_on_and_above(len(second))] if second.ndim == 2 else second
    return ExactMoments(Limbs.of(first), Limbs.of(upper), count, p)


def _on_and_above(d: int) -> NDArray[np.bool_]:
    return ~np.tri(d, k=-1, dtype=bool)


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
        raise UnfitMachine(
            "numpy's product of float64 matrices must be exact on integers below 2**53, and on this machine it is not: "
            "install numpy with another BLAS"
        )
