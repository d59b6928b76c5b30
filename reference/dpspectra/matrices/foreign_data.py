"""Data that somebody else made, as arrays of numbers: arrays, lists, sparse matrices, and tables in memory.

Types speak first: what they declare is public, and a column that is declared as text is refused before an entry is
looked at (`unfit`). Where a type declares nothing, each entry is judged by itself. Foreign code is called through
`foreign.read` alone, so that none of its words come out.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from decimal import Decimal
from numbers import Complex, Real
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.ground import checks
from dpspectra.ground.foreign_code import PASSED, computed, read
from dpspectra.matrices.kinds import is_dask_frame, is_frame, is_lazy, is_sparse

NUMBER = re.compile(r"[+-]?((\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?|nan|inf(inity)?)", re.ASCII | re.IGNORECASE)
INDEX = re.compile(r"|Unnamed: 0|__index_level_\d+__")
"""Names of columns that pandas and others make of an index."""
REAL = "biuf"
"""Kinds of numpy types that hold real numbers."""
OF_ARROW = ("is_integer", "is_floating", "is_boolean", "is_decimal", "is_null")
"""Functions of ``pyarrow.types`` that know the types of columns that are read."""


def numbers(
    rows: Any, name: str = "X", start: int = 0, *, total: bool = False, counts: NDArray[np.bool_] | None = None
) -> Any:
    """Rows ``(n, d)`` of real numbers: an array, not copied if it is one, or a float64 matrix by compressed rows.

    With ``total``, an entry that is no number is NaN; else it is a ``ValueError``, which tells its place only, counted
    from row ``start``. Of a table a number that is not finite is refused, too, by its column, in rows that ``counts``
    tells; all do by default. Raises ``ValueError`` for another shape or declared type in any case; there may be no
    rows.
    """
    if is_sparse(rows):
        return compressed_rows(rows, name)
    if is_lazy(rows):
        rows = read(rows.collect, name, "collect it to see why")
    if words := unfit(rows, name):
        raise ValueError(words)
    if is_frame(rows):
        return _of_frame(rows, total, name, start, counts)
    array = floats(rows, name) if total else checks.plain(rows, name, start)
    if array.ndim != 2 or array.shape[1] == 0 or array.dtype.kind not in REAL:
        checks.real_rows(array, name, start)
    return array


def compressed_rows(rows: Any, name: str) -> Any:
    """Return a scipy sparse matrix of real rows as a float64 one by compressed rows without duplicates.

    Raises ``ValueError`` unless they are ``(n, d)`` and real.
    """
    from scipy import sparse  # loaded by whoever has such rows

    if rows.ndim != 2 or rows.shape[1] == 0 or rows.dtype.kind not in REAL:
        checks.real_rows(np.zeros(rows.shape, dtype=rows.dtype), name)

    def compressed() -> Any:
        x = sparse.csr_array(rows.astype(float).tocsr())  # duplicates of small integers would wrap around
        x.sum_duplicates()
        return x

    return read(compressed, name, "give its tocsr() to see why")


# ---------------------------------------------------------------- declared types


def unfit(data: Any, name: str = "X") -> str:
    """Say in words why declared types are not those of real numbers; empty if they are, or if nothing is declared."""
    if isinstance(data, (str, PathLike)):
        return f"{name} must hold numbers, got text: Moments.read reads files"
    if is_dask_frame(data):
        data = data._meta
    if is_frame(data) or is_lazy(data):
        for column, kind, fits in read(lambda: list(_types(data)), name):
            if not fits:
                given = f"leave it out, or cast it, got type {checks.shown(kind)}"
                return f"{name} must hold numbers, but column {column!r} does not: {given}"
        return ""
    declared = read(lambda: getattr(data, "dtype", None), name)
    if not isinstance(declared, np.dtype) or declared.kind in f"{REAL}O":
        return ""
    if declared.kind == "c":
        return f"{name} must be real, got complex numbers"
    found = "text: its astype(float) holds numbers" if declared.kind in "UST" else str(declared)
    return f"{name} must hold numbers, got an array of {found}"


def _types(frame: Any) -> Iterator[tuple[Any, str, bool]]:
    """Name, declared type in words, and whether it may hold real numbers, of each column."""
    if is_lazy(frame) or hasattr(frame, "iter_columns"):  # of polars
        for column, kind in (frame.collect_schema() if hasattr(frame, "collect_schema") else frame.schema).items():
            yield column, str(kind), kind.is_numeric() or str(kind) in ("Boolean", "Null", "Object")
    elif hasattr(frame, "column_names"):  # of Arrow
        for field in frame.schema:
            yield field.name, str(field.type), is_arrow_number(field.type)
    else:
        for column, kind in zip(frame.columns, frame.dtypes, strict=True):
            yield column, str(kind), _fits(kind)


def _fits(kind: Any) -> bool:
    """Whether a type of pandas may hold numbers; objects may hold anything."""
    if isinstance(kind, np.dtype):
        return kind.kind in f"{REAL}O"
    arrow = getattr(kind, "pyarrow_dtype", None)
    return kind.kind in REAL if arrow is None else is_arrow_number(arrow)


def is_arrow_number(kind: Any) -> bool:
    """Whether a type of Arrow is one of numbers."""
    types = sys.modules["pyarrow"].types  # who has a type has loaded it
    return any(getattr(types, known)(kind) for known in OF_ARROW)


# ---------------------------------------------------------------- tables


def names_of(rows: Any) -> tuple[str, ...] | None:
    """Names of the columns of a table, also of dask or a lazy one, if all are texts; ``None`` for other data."""
    if is_lazy(rows):
        found = read(lambda: list(rows.collect_schema()), "X")
    elif is_frame(rows) or is_dask_frame(rows):
        found = read(lambda: list(rows.column_names if hasattr(type(rows), "column_names") else rows.columns), "X")
    else:
        return None
    return tuple(found) if all(isinstance(name, str) for name in found) else None


def selected(rows: Any, columns: tuple[str, ...], name: str = "X") -> Any:
    """Return a table with these columns only, in this order; ``ValueError`` for one that it has not once."""
    known = names_of(rows) or ()
    for column in columns:
        if known.count(column) != 1:
            raise ValueError(
                f"{name} must have each of its columns once by name, which {column!r} is not{near(column, known)}"
            )
    if known == columns:
        return rows
    return read(lambda: rows.select(list(columns)) if hasattr(rows, "select") else rows[list(columns)], name)


def require_no_index(names: Sequence[str] | None, name: str) -> None:
    """Raise ``ValueError`` for columns that programs make of an index, unless they were asked for by name."""
    for column in names or ():
        if INDEX.fullmatch(column):
            way_out = "drop it, or name the columns to be read (columns, --columns)"
            raise ValueError(f"{name} must hold data alone, but column {column!r} is a stored index: {way_out}")


def near(word: str, known: tuple[str, ...]) -> str:
    """Words that name what may have been meant; empty if nothing is near."""
    import difflib  # a mistake is rare

    if (times := known.count(word)) > 1:
        return f", which is there {times} times"
    found = difflib.get_close_matches(word, known, 3)
    return f": near it are {', '.join(map(repr, found))}" if found else ""


def _of_frame(frame: Any, total: bool, name: str, start: int, counts: NDArray[np.bool_] | None) -> NDArray[Any]:
    """Numbers of a table, column by column; all at once where pandas holds finite numbers of one type of numpy."""
    if (array := _of_one_type(frame, name)) is not None and (total or np.isfinite(array.sum())):
        return array
    columns = read(lambda: list(_columns(frame)), name)
    if not columns:
        raise ValueError(f"{name} must have shape (n, d), got a frame without columns")
    names = names_of(frame) or tuple(map(str, range(len(columns))))
    out = np.empty((len(columns[0]), len(columns)))
    for place, (column, called) in enumerate(zip(columns, names, strict=True)):
        said = f"column {called!r} of {name}"
        out[:, place] = floats(column, said) if total else checks.plain(column, said, start)
        if not total and (counts is None or len(counts) == len(out)):
            seen = out[:, place] if counts is None else np.where(counts, out[:, place], 0.0)
            checks.require_finite(seen, said, start, checks.ZERO_ROWS)
    return out


def _of_one_type(frame: Any, name: str) -> NDArray[Any] | None:
    """Return the array in a table of pandas whose columns are of one type of numpy, if it is one."""
    kinds = set(frame.dtypes) if hasattr(frame, "iloc") else set()
    if len(kinds) != 1 or not isinstance(kind := kinds.pop(), np.dtype) or kind.kind not in REAL:
        return None
    return read(lambda: np.asarray(frame), name)


def _columns(frame: Any) -> Iterator[NDArray[Any]]:
    """Columns as arrays of numbers, or of objects where some are missing or decimal."""
    if hasattr(frame, "iter_columns"):  # of polars
        for column in frame.iter_columns():
            plain = column.dtype.is_float() or str(column.dtype) == "Boolean" or _of_64_bits(column.dtype)
            yield np.asarray(column.to_numpy()) if plain else _objects(column.to_list())
    elif hasattr(frame, "column_names"):  # of Arrow
        for column in frame.columns:
            yield _of_arrow(column)
    else:
        for _, column in frame.items():
            yield _of_pandas(column)


def _of_64_bits(kind: Any) -> bool:
    return bool(kind.is_integer()) and "128" not in str(kind)


def _of_arrow(column: Any) -> NDArray[Any]:
    types = sys.modules["pyarrow"].types
    if types.is_decimal(column.type):
        return _objects(column.to_pylist())
    return np.asarray(column.to_numpy(zero_copy_only=False))


def _of_pandas(column: Any) -> NDArray[Any]:
    kind = column.dtype
    if isinstance(kind, np.dtype):
        return np.asarray(column)
    arrow = getattr(kind, "pyarrow_dtype", None)
    if arrow is not None and sys.modules["pyarrow"].types.is_decimal(arrow):
        return _objects(column.tolist())
    return np.asarray(column.to_numpy(dtype=np.float64, na_value=np.nan))


def _objects(entries: list[Any]) -> NDArray[Any]:
    """Return entries in an array that takes none of them apart."""
    out = np.empty(len(entries), dtype=object)
    out[:] = entries
    return out


# ---------------------------------------------------------------- entries


def floats(rows: Any, name: str = "X") -> NDArray[Any]:
    """Entries as numbers; an entry that is no number is NaN.

    Each is judged by itself: a real number, a complex one without imaginary part, or a text that is a `number`, is that
    one in float64; all else, what is missing or masked and what overflows is none. So no entry changes how another one
    is read, whatever type of a column it makes.
    """
    if hasattr(type(rows), "dask"):
        rows = computed(rows, name)
    if isinstance(rows, np.ma.MaskedArray):
        rows = np.where(np.ma.getmaskarray(rows), np.nan, np.ma.getdata(rows).astype(object))
    if isinstance(rows, (list, tuple)):
        widths = {_length(row) for row in rows}
        if len(widths) == 1 and None not in widths:  # also where an entry is itself a list
            return np.array([[_float(entry) for entry in row] for row in rows], dtype=np.float64)
    entries = read(lambda: np.asarray(rows, dtype=object if isinstance(rows, (list, tuple)) else None), name)
    if entries.dtype.kind in REAL:
        return entries
    return np.array([_float(entry) for entry in entries.flat], dtype=np.float64).reshape(entries.shape)


def _length(row: Any) -> int | None:
    """Entries of a row; ``None`` for what is no sequence in memory."""
    return len(row) if isinstance(row, (list, tuple)) or (isinstance(row, np.ndarray) and row.ndim) else None


def _float(entry: object) -> float:
    """Return a number, or NaN; an entry may be of anybody's class."""
    try:
        if isinstance(entry, Complex) and not entry.imag:
            entry = entry.real
        if isinstance(entry, str):
            return number(str.__str__(entry))
        if isinstance(entry, (Real, Decimal, np.bool_)) and not isinstance(entry, np.timedelta64):
            return float(entry)
    except PASSED:
        raise
    except BaseException:
        pass
    return np.nan


def number(text: str) -> float:
    """Return the number that a text is, as programs write it; NaN for what is none.

    Python's ``float`` would take ``1_0`` for 10, and digits of all scripts.
    """
    cleaned = text.strip()
    if "_" in cleaned or not cleaned.isascii():
        return np.nan
    try:
        return float(cleaned)
    except ValueError:
        return np.nan
