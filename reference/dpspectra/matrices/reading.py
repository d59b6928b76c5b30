"""How rows are read: whether rows over a public bound, and rows that hold no numbers, are refused or changed.

Each row is changed by itself, by a public rule, so that neighbours stay neighbours.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from numbers import Complex, Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.ground import checks
from dpspectra.matrices.kinds import is_frame, is_sparse

if TYPE_CHECKING:
    from dpspectra.matrices.column_bounds import ColumnBounds

NUMBER = re.compile(r"[+-]?((\d+\.?\d*|\.\d+)(e[+-]?\d+)?|nan|inf(inity)?)", re.ASCII | re.IGNORECASE)
REFUSE = "refuse"
ROWS = (REFUSE, "clip", "unit")
BAD_ROWS = (REFUSE, "zero")
LARGEST = 2.0**400
"""Largest norm bound, and largest modulus of an entry of a matrix, in the user's units and in squared norm bounds."""


def moderate(norm_bound: float) -> float:
    """Return a norm bound whose square is far from where floats end. Raises ``ValueError`` for another."""
    if not 1 / LARGEST <= checks.positive(norm_bound, "norm_bound") <= LARGEST:
        raise ValueError(f"norm_bound must lie between 2**-400 and 2**400, got {norm_bound:g}: take another unit")
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
        """Rows in memory as they are to be used, all at once."""
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

    @property
    def total(self) -> bool:
        """Whether entries may be anything."""
        return self.bad_rows == "zero"

    def changed(self, block: Any, name: str = "X", start: int = 0) -> Any:
        """Return some rows of `numbers`, changed; their place is told from ``start``."""
        if self.bounds is not None:
            return self._bounded(block, name, start)
        if self.total:
            block = finite_or_zero(block)
        elif not is_sparse(block) and block.shape[0]:
            block = checks.real_rows(block, name, start, instead=checks.ZERO_ROWS)
        if self.rows == REFUSE or not block.shape[0]:
            return block
        from dpspectra.matrices.rows import clipped_rows, unit_rows  # rows that are refused or left need neither

        return clipped_rows(block, self.norm_bound) if self.rows == "clip" else unit_rows(block)

    def _bounded(self, block: Any, name: str, start: int) -> Any:
        """Return some rows mapped by the bounds and then changed, sparse if they were; bad rows are zero afterwards."""
        assert self.bounds is not None
        rows = block.toarray() if is_sparse(block) else np.asarray(block, dtype=float)
        self.bounds.require(rows.shape[1], name)
        good = np.isfinite(rows).all(axis=1)
        if not self.total and not good.all():
            checks.real_rows(rows, name, start, instead=checks.ZERO_ROWS)
        mapped: Any = np.where(good[:, None], self.bounds.scaled(rows), 0.0)
        mapped = type(block)(mapped) if is_sparse(block) else mapped
        return replace(self, bounds=None).changed(mapped, name, start)


def numbers(rows: Any, name: str = "X", start: int = 0, *, total: bool = False) -> Any:
    """Rows ``(n, d)`` of real numbers: an array, not copied if it is one, or a matrix by compressed rows.

    With ``total``, an entry that is no number is NaN; else it is a ``ValueError``, which tells its place only, counted
    from row ``start``. Raises ``ValueError`` for another shape in any case; there may be no rows.
    """
    if is_sparse(rows):
        return compressed_rows(rows, name)
    if is_frame(rows):
        from dpspectra.matrices.frames import of_frame  # whoever has one has loaded larger libraries

        return of_frame(rows, floats if total else None, name, start)
    array = floats(rows) if total else checks.plain(rows, name, start)
    if array.ndim != 2 or array.shape[1] == 0 or array.dtype.kind not in "buif":
        checks.real_rows(array, name, start)
    return array


def compressed_rows(rows: Any, name: str) -> Any:
    """Return a scipy sparse matrix of real rows as a float64 one by compressed rows without duplicates.

    Raises ``ValueError`` unless they are ``(n, d)`` and real.
    """
    if rows.ndim != 2 or rows.shape[1] == 0 or rows.dtype.kind not in "buif":
        checks.real_rows(np.zeros(rows.shape, dtype=rows.dtype), name)
    x = rows.astype(float).tocsr()  # duplicates of small integers would wrap around
    x.sum_duplicates()
    return x


def finite_or_zero(rows: Any) -> Any:
    """Rows of numbers, those with an entry that is not finite replaced by zeros; others are not copied."""
    if is_sparse(rows):
        if np.isfinite(rows.data).all():
            return rows
        place = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
        rows = rows.copy()
        rows.data[np.isin(place, place[~np.isfinite(rows.data)])] = 0.0
        return rows
    with np.errstate(over="ignore", invalid="ignore"):
        values = rows if rows.dtype.itemsize <= 8 else rows.astype(np.float64)  # which may overflow
        if np.isfinite(values.sum()):  # one pass in the usual case
            return values
    bad = np.logical_not(np.isfinite(values).all(axis=1))
    return np.where(bad[:, None], 0.0, values) if bad.any() else values


def floats(rows: Any) -> NDArray[Any]:
    """Entries as numbers; an entry that is no number is NaN.

    Each is judged by itself: a real number, a complex one without imaginary part, or a text that `is_number`, is that
    number in float64; all else, what is missing or masked and what overflows is none. So no
    entry changes how another one is read, whatever type of a column it makes.
    """
    if isinstance(rows, np.ma.MaskedArray):
        rows = np.where(np.ma.getmaskarray(rows), np.nan, np.ma.getdata(rows).astype(object))
    if isinstance(rows, np.ndarray) and rows.dtype.kind in "biuf":
        return rows
    if isinstance(rows, np.ndarray) and rows.dtype.kind in "mM":  # whose objects may be integers
        return np.full(rows.shape, np.nan)
    if isinstance(rows, (list, tuple)):
        widths = {len(row) if hasattr(row, "__len__") else None for row in rows}
        if len(widths) == 1 and None not in widths:  # also where an entry is itself a list
            return np.array([[_float(entry) for entry in row] for row in rows], dtype=np.float64)
    entries = np.asarray(rows, dtype=object)
    return np.array([_float(entry) for entry in entries.flat], dtype=np.float64).reshape(entries.shape)


def _float(entry: object) -> float:
    if isinstance(entry, Complex) and not entry.imag:
        entry = entry.real
    if isinstance(entry, str) and not is_number(entry):
        return np.nan
    if isinstance(entry, (Real, Decimal, str, np.bool_)) and not isinstance(entry, np.timedelta64):
        try:
            return float(entry)
        except (TypeError, ValueError, OverflowError):
            pass
    return np.nan


def is_number(text: str) -> bool:
    """Whether a text is a number as programs write it; Python's ``float`` would take ``1_0`` for 10."""
    return NUMBER.fullmatch(text.strip()) is not None
