"""Tables of pandas, polars and Arrow: names of their columns, and what they hold as numbers."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.ground import checks
from dpspectra.matrices.kinds import is_frame


def names_of(rows: Any) -> tuple[str, ...] | None:
    """Names of the columns of a data frame, also of dask, if all are texts; ``None`` for other data."""
    if not (is_frame(rows) or (hasattr(rows, "dask") and hasattr(rows, "columns"))):
        return None
    found = rows.column_names if hasattr(rows, "column_names") else list(rows.columns)
    return tuple(found) if all(isinstance(name, str) for name in found) else None


def selected(rows: Any, columns: tuple[str, ...], name: str = "X") -> Any:
    """Return a data frame with these columns only, in this order; ``ValueError`` for one that it has not once."""
    known = names_of(rows) or ()
    for column in columns:
        if known.count(column) != 1:
            raise ValueError(f"{name} must have each of its columns once by name, which {column!r} is not")
    if known == columns:
        return rows
    return rows.select(list(columns)) if hasattr(rows, "select") else rows[list(columns)]


def of_frame(frame: Any, floats: Callable[[Any], NDArray[Any]] | None, name: str, start: int) -> NDArray[Any]:
    """Numbers of a table, column by column where types differ: by ``floats``, or refused if they are none."""
    columns = [np.asarray(column) for column in _columns(frame)]
    if not columns:
        raise ValueError(f"{name} must have shape (n, d), got a frame without columns")
    names = names_of(frame) or tuple(map(str, range(len(columns))))
    said = [f"column {column!r} of {name}" for column in names]
    for column, words in zip(columns, said, strict=True):
        if floats is None and column.dtype.kind == "f":
            checks.require_finite(column, words, start, checks.ZERO_ROWS)
    if len({column.dtype for column in columns}) == 1 and columns[0].dtype.kind in "buif":
        return np.asarray(frame) if hasattr(frame, "iloc") else np.column_stack(columns)
    out = np.empty((len(columns[0]), len(columns)))
    for place, (column, words) in enumerate(zip(columns, said, strict=True)):
        if column.dtype.kind in "buif":
            out[:, place] = column
        else:
            out[:, place] = floats(column) if floats else _refusing(column, words, start)
    return out


def _refusing(column: NDArray[Any], name: str, start: int) -> NDArray[Any]:
    found = checks.plain(column, name, start)
    if found.dtype.kind == "c":
        raise ValueError(f"{name} must be real, got complex numbers")
    return found


def _columns(frame: Any) -> Iterator[Any]:
    if hasattr(frame, "iter_columns"):  # of polars
        return iter(frame.iter_columns())
    if hasattr(frame, "column_names"):  # of Arrow
        return (column.to_numpy(zero_copy_only=False) for column in frame.columns)
    return (column for _, column in frame.items())
