"""How rows are read: what is done with rows over a public bound, and with rows that hold no numbers.

Each row is changed by itself, by a public rule, so that neighbours stay neighbours.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.ground import checks
from dpspectra.ground.foreign import Chunks, refusing
from dpspectra.matrices.chunks import compressed_rows
from dpspectra.matrices.kinds import Data, is_sparse

REFUSE = "refuse"
ROWS = (REFUSE, "clip", "unit")
BAD_ROWS = (REFUSE, "zero")
LARGEST = 2.0**400
"""Largest norm bound, and largest modulus of an entry of a matrix, in the user's units and in squared norm bounds."""
BLOCK = 2**20
"""Numbers of an array that are changed at a time."""


def moderate(norm_bound: float) -> float:
    """A norm bound whose square is far from where floats end. Raises ``ValueError`` for another."""
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

    def __post_init__(self) -> None:
        object.__setattr__(self, "norm_bound", checks.positive(self.norm_bound, "norm_bound"))
        checks.choice(self.rows, "rows", ROWS)
        checks.choice(self.bad_rows, "bad_rows", BAD_ROWS)
        if self.rows == "unit" and self.norm_bound != 1:
            raise ValueError(f"norm_bound must be 1 for unit rows, got {self.norm_bound:g}")

    def whole(self, data: Any, name: str = "X") -> Any:
        """Rows in memory as they are to be used, all at once."""
        return data if self.rows == self.bad_rows == REFUSE else self._changed(data, name, 0)

    def of(self, data: Data, name: str = "X") -> Data:
        """Rows as they are to be summed: the data themselves, a dask array, or an iterator over changed blocks."""
        if self.rows == self.bad_rows == REFUSE:
            return data
        if hasattr(data, "dask"):
            return self._of_dask(data, name)
        chunks = Chunks.of(data, name) if isinstance(data, Iterator) else iter([data])
        return Chunks(self._stream(chunks, name), name, ours=True)

    def _of_dask(self, data: Any, name: str) -> Any:
        whole = data.rechunk({1: -1}) if data.ndim == 2 else data
        return whole.map_blocks(
            lambda block: refusing(self._changed, block, name, 0), dtype=float, meta=np.empty((0, 0))
        )

    def _stream(self, chunks: Iterable[Any], name: str) -> Iterator[Any]:
        start = 0
        for chunk in chunks:
            if hasattr(chunk, "dask"):
                yield self._of_dask(chunk, name)
                start += int(chunk.shape[0])
                continue
            for block in _blocks(chunk):
                changed = self._changed(block, name, start)
                yield changed
                start += changed.shape[0]

    def _changed(self, block: Any, name: str, start: int) -> Any:
        """Some rows, changed."""
        if self.bad_rows == "zero":
            block = without_bad_rows(block, name)
        elif not is_sparse(block):
            block = checks.plain(block, name, start)
            block = block if block.ndim == 2 and not block.shape[0] else checks.real_rows(block, name, start)
        if self.rows == REFUSE or not block.shape[0]:
            return block
        from dpspectra.matrices.rows import clipped_rows, unit_rows  # rows that are refused or left need neither

        return clipped_rows(block, self.norm_bound) if self.rows == "clip" else unit_rows(block)


def _blocks(chunk: Any) -> Iterator[Any]:
    if not isinstance(chunk, np.ndarray) or chunk.ndim != 2 or not chunk.size:
        yield chunk
        return
    step = max(1, BLOCK // chunk.shape[1])
    yield from (chunk[first : first + step] for first in range(0, len(chunk), step))


def without_bad_rows(rows: Any, name: str = "X") -> Any:
    """Rows in float64, those with an entry that is no finite number replaced by rows of zeros.

    Each entry is judged by itself: a number, or a text that Python's ``float`` takes for one, is that number in
    float64; all else, what is missing or masked, NaN, infinity and what overflows is none. So one entry of a column
    changes how no other one is read.
    """
    if is_sparse(rows):
        x = compressed_rows(rows, name, empty=True)
        bad = np.unique(np.repeat(np.arange(x.shape[0]), np.diff(x.indptr))[~np.isfinite(x.data)])
        x.data[np.isin(np.repeat(np.arange(x.shape[0]), np.diff(x.indptr)), bad)] = 0.0
        return x
    values = _floats(rows)
    if values.ndim != 2 or values.shape[1] == 0:
        raise ValueError(f"{name} must have shape (n, d), got {values.shape}")
    values[~np.isfinite(values).all(axis=1)] = 0.0
    return values


def _floats(rows: Any) -> NDArray[np.float64]:
    if isinstance(rows, np.ma.MaskedArray):
        rows = np.where(np.ma.getmaskarray(rows), np.nan, np.ma.getdata(rows).astype(object))
    if isinstance(rows, np.ndarray) and rows.dtype.kind in "biuf":
        return rows.astype(np.float64)
    if isinstance(rows, (list, tuple)):
        widths = {len(row) if hasattr(row, "__len__") else None for row in rows}
        if len(widths) == 1 and None not in widths:  # also where an entry is itself a list
            return np.array([[_float(entry) for entry in row] for row in rows], dtype=np.float64)
    entries = np.asarray(rows, dtype=object)
    return np.array([_float(entry) for entry in entries.flat], dtype=np.float64).reshape(entries.shape)


def _float(entry: object) -> float:
    if isinstance(entry, (Real, Decimal, str, np.bool_)):
        try:
            return float(entry)
        except (TypeError, ValueError, OverflowError):
            pass
    return np.nan
