"""Exact sums of data in all their forms, with the names of their columns, and of people who have several rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from dpspectra.certified.gram import ExactMoments, exact_moments
from dpspectra.certified.reading_parameters import zero
from dpspectra.ground.foreign_code import Chunks
from dpspectra.matrices import row_files
from dpspectra.matrices.column_bounds import ColumnBounds
from dpspectra.matrices.foreign_data import names_of, require_no_index, selected
from dpspectra.matrices.kinds import Data
from dpspectra.matrices.people import listed, of_table, places
from dpspectra.matrices.reading_rule import Reading
from dpspectra.matrices.sums_over_chunks import Kept
from dpspectra.matrices.text_lines import Form

Names = tuple[str, ...] | None


def summed(
    X: Data,
    reading: Reading,
    names: Names,
    order: int,
    start: ExactMoments | None,
    person: str | Sequence[Any] | None,
    salt: str | None,
) -> tuple[ExactMoments, Names]:
    """Return the sums of ``start`` and of more rows, or of those of people that count; and the names of the columns.

    Raises ``ValueError`` for data that are not rows, and for people whose rows are not in memory.
    """
    if hasattr(X, "terms"):
        raise ValueError("X must hold rows, got Moments: add them by +")
    if person is None:
        data = _Named(X, names)
        return exact_moments(data.rows, reading, empty=True, order=order, start=start), data.names
    if isinstance(X, Iterator) or hasattr(type(X), "dask"):
        kind = "an iterator" if isinstance(X, Iterator) else "dask"
        raise ValueError(f"X must be rows in memory with person: add a part for each chunk of whole people, got {kind}")
    rows, ids, names = of_table(X, person, names)
    counts, people = places(ids, reading.per_person, salt or "")
    sums = exact_moments(Kept(rows, counts), reading, empty=True, order=order, start=start)
    return replace(sums, count=people + (start.count if start else 0)), names


def summed_file(
    path: Path,
    reading: Reading,
    columns: Names,
    form: Form,
    order: int,
    person: str | Sequence[Any] | None,
    salt: str | None,
) -> tuple[ExactMoments, Names]:
    """Return sums over the rows of a file, or over those of people that count, and the names of its columns.

    Ids are read before the rows, as what counts of a person depends on all rows of that person.
    """
    counts, people = None, None
    if person is not None:
        ids = row_files.ids(path, person, form, total=reading.total) if isinstance(person, str) else listed(person)
        counts, people = places(ids, reading.per_person, salt or "")
        if columns is None and isinstance(person, str):
            columns = without(row_files.names_in(path, form, total=reading.total), person)
    file = row_files.opened(path, columns, form, total=reading.total)
    rows = file.rows if counts is None else Chunks(row_files.kept(file.rows, counts), str(path), ours=True)
    start = zero(reading, file.width, order)
    sums = exact_moments(rows, reading, empty=True, order=order, start=start)
    return sums if people is None else replace(sums, count=people), file.names


def names_taken(X: Any, person: str | Sequence[Any] | None) -> Names:
    """Names of the columns of a table in memory or of dask that are no ids; ``None`` for other data."""
    names = None if isinstance(X, Iterator) else names_of(X)
    require_no_index(names, "X")
    return names and without(names, person)


def without(names: Iterable[str], person: str | Sequence[Any] | None) -> tuple[str, ...]:
    """Names of columns without that of the ids."""
    return tuple(name for name in names if not (isinstance(person, str) and name == person))


def aligned_bounds(
    bounds: ColumnBounds | None, names: Names, chunks: bool = False
) -> tuple[ColumnBounds | None, Names]:
    """Return bounds in the order of these columns, and the columns; of chunks those that the bounds name are taken."""
    if not isinstance(bounds, ColumnBounds) or bounds.names is None:
        return bounds, names
    if chunks and names is None:
        names = bounds.names
    return bounds.of_columns(names), names


class _Named:
    """Data as they are read, with the names of the columns: those wanted, or those of the first table."""

    def __init__(self, X: Data, wanted: Names) -> None:
        self.names = wanted
        self.rows: Data = self._taken(X)
        if isinstance(X, Iterator):
            self.rows = Chunks(map(self._taken, Chunks.of(X, "X")), "X", ours=True)

    def _taken(self, rows: Any) -> Any:
        found = names_of(rows)
        self.names = self.names or found
        return rows if found is None or self.names is None else selected(rows, self.names)
