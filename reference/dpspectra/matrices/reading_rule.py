"""The rule by which a row is read: public, of each row by itself, and in one order.

A block of rows becomes float64. Bounds map it. Then rows that are bad or do not count become zero. Then long rows are
clipped, made unit rows, or left to be refused. All rows pass here, so that neighbours stay neighbours.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.ground import checks
from dpspectra.matrices.foreign_data import numbers
from dpspectra.matrices.kinds import is_sparse

if TYPE_CHECKING:
    from dpspectra.matrices.column_bounds import ColumnBounds

REFUSE = "refuse"
ROWS = (REFUSE, "clip", "unit")
BAD_ROWS = (REFUSE, "zero")
LARGEST = 2.0**400
"""Largest norm bound, and largest modulus of an entry of a matrix, in the user's units and in squared norm bounds."""


def moderate(norm_bound: float, name: str = "norm_bound") -> float:
    """Return a norm bound whose square is far from where floats end. Raises ``ValueError`` for another."""
    if not 1 / LARGEST <= checks.positive(norm_bound, name) <= LARGEST:
        raise ValueError(f"{name} must lie between 2**-400 and 2**400, got {norm_bound:g}: take another unit")
    return float(norm_bound)


@dataclass(frozen=True, slots=True)
class Reading:
    """Public rules: rows over ``norm_bound`` and bad rows. Raises ``ValueError`` for other words and numbers."""

    norm_bound: float = 1.0
    """Bound on the norm of every row, once it is read."""
    rows: str = REFUSE
    """``"refuse"`` longer rows, ``"clip"`` them to the bound, or make ``"unit"`` rows of all."""
    bad_rows: str = REFUSE
    """``"refuse"`` rows with an entry that is no finite number, or take them for ``"zero"`` rows."""
    per_person: int = 1
    """Rows that each person counts as."""
    bounds: ColumnBounds | None = None
    """Public bounds of columns: rows are mapped by them first, and then clipped; a bad row is zero afterwards."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "norm_bound", checks.positive(self.norm_bound, "norm_bound"))
        checks.choice(self.rows, "rows", ROWS)
        checks.choice(self.bad_rows, "bad_rows", BAD_ROWS)
        if self.rows == "unit" and self.norm_bound != 1:
            raise ValueError(f"norm_bound must be 1 for unit rows, got {self.norm_bound:g}")
        if self.bounds is not None:
            self._of_bounds()

    def _of_bounds(self) -> None:
        from dpspectra.matrices.column_bounds import ColumnBounds

        checks.instance(self.bounds, "bounds", ColumnBounds)
        if self.norm_bound > 1:
            raise ValueError(f"norm_bound must be at most 1 with bounds, as rows then are, got {self.norm_bound:g}")
        if self.rows == REFUSE:
            object.__setattr__(self, "rows", "clip")

    def whole(self, data: Any, name: str = "X") -> Any:
        """Return rows in memory as they are to be used, all at once."""
        if self.rows == self.bad_rows == REFUSE:
            return data
        return self.changed(numbers(data, name, total=self.total), name)

    @property
    def reach(self) -> Fraction:
        """Bound on the norm of the sum of a person's rows."""
        return self.per_person * Fraction(self.norm_bound)

    @property
    def square(self) -> Fraction:
        """Bound on the trace of a person's second moments."""
        return self.per_person * Fraction(self.norm_bound) ** 2

    def require_single(self, what: str) -> None:
        """Raise an error for sums of people who count as several rows, which ``what`` is not made for."""
        if self.per_person != 1:
            raise ValueError(f"X must be of people with one row each for {what}, got Moments of several")

    @property
    def total(self) -> bool:
        """Whether entries may be anything."""
        return self.bad_rows == "zero"

    def changed(self, rows: Any, name: str = "X", start: int = 0, counts: NDArray[np.bool_] | None = None) -> Any:
        """Return some rows of `numbers` by the whole rule: float64, dense or by compressed rows as they were.

        ``counts`` tells which of them count, all by default. Rows over the bound that are refused are left to whoever
        adds them up. The place of a bad row that is refused is told from ``start``.
        """
        return self.fitted(self.prepared(rows, name, start, counts))

    def prepared(self, rows: Any, name: str = "X", start: int = 0, counts: NDArray[np.bool_] | None = None) -> Any:
        """Return some rows mapped by the bounds; those that are bad or do not count are zero afterwards."""
        with np.errstate(all="ignore"):
            if is_sparse(rows) and self.bounds is None:
                return self._zeroed(rows, self._good(rows, name, start, counts))
            found = np.asarray(rows.toarray() if is_sparse(rows) else rows, dtype=np.float64)
            good = self._good(found, name, start, counts)
            if self.bounds is not None:
                self.bounds.require(found.shape[1], name)
                found = self.bounds.scaled(found)
            found = self._zeroed(found, good)
            return type(rows)(found) if is_sparse(rows) else found

    def fitted(self, rows: Any) -> Any:
        """Return prepared rows clipped or made unit rows."""
        if self.rows == REFUSE or not rows.shape[0]:
            return rows
        from dpspectra.matrices.prepared_rows import (  # rows that are refused or left need neither
            clipped_rows,
            unit_rows,
        )

        with np.errstate(all="ignore"):
            return clipped_rows(rows, self.norm_bound) if self.rows == "clip" else unit_rows(rows)

    def _good(self, rows: Any, name: str, start: int, counts: NDArray[np.bool_] | None) -> NDArray[np.bool_] | None:
        """Rows that are finite and count; ``None`` if all are. Raises ``ValueError`` for a bad one that is refused."""
        numbers = rows.data if is_sparse(rows) else rows
        if np.isfinite(numbers.sum()) or np.isfinite(numbers).all():  # one pass in the usual case
            return counts
        place = np.nonzero(~np.isfinite(numbers))[0]
        if is_sparse(rows):
            place = np.searchsorted(rows.indptr, place, side="right") - 1
        bad = np.zeros(rows.shape[0], dtype=bool)
        bad[place] = True
        good = ~bad if counts is None else counts & ~bad
        if not self.total and (refused := bad if counts is None else counts & bad).any():
            first = int(np.argmax(refused))
            row = rows[[first]]
            checks.require_finite(row.toarray() if is_sparse(rows) else row, name, start + first, checks.ZERO_ROWS)
        return good

    @staticmethod
    def _zeroed(rows: Any, good: NDArray[np.bool_] | None) -> Any:
        if good is None:
            return rows
        if not is_sparse(rows):
            return np.where(good[:, None], rows, 0.0)
        rows = rows.copy()
        rows.data[~np.repeat(good, np.diff(rows.indptr))] = 0.0
        return rows
