"""Exact sums of data in all their forms, with the names of their columns, and of people who have several rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from dpspectra.certified.gram import ExactMoments, exact_moments
from dpspectra.certified.terms import zero
from dpspectra.ground.foreign import Chunks
from dpspectra.matrices import row_files
from dpspectra.matrices.frames import names_of, selected
from dpspectra.matrices.kinds import Data
from dpspectra.matrices.people import listed, of_people, places
from dpspectra.matrices.reading import Reading


def summed(
    X: Data,
    reading: Reading,
    names: tuple[str, ...] | None,
    order: int,
    start: ExactMoments | None,
    person: str | Sequence[Any] | None,
    salt: str | None,
) -> tuple[ExactMoments, tuple[str, ...] | None]:
    """Return the sums of ``start`` and of more rows, or of those of people that count; and the names of the columns.

    Raises ``ValueError`` for data that are not rows, and for people whose rows are not in memory.
    """
    if hasattr(X, "terms"):
        raise ValueError("X must hold rows, got Moments: add them by +")
    if person is None:
        data = _Named(X, names)
        return exact_moments(data.rows, reading, empty=True, order=order, start=start), data.names
    if isinstance(X, Iterator) or hasattr(X, "dask"):
        kind = "an iterator" if isinstance(X, Iterator) else "dask"
        raise ValueError(f"X must be rows in memory with person: add a part for each chunk of whole people, got {kind}")
    people = of_people(X, person, reading.per_person, salt or "", names, total=reading.total)
    sums = exact_moments(people.rows, reading, empty=True, order=order, start=start)
    return replace(sums, count=people.number + (start.count if start else 0)), people.columns


def summed_file(
    path: Path,
    reading: Reading,
    columns: tuple[str, ...] | None,
    header: bool | None,
    order: int,
    person: str | Sequence[Any] | None,
    salt: str | None,
) -> tuple[ExactMoments, tuple[str, ...] | None]:
    """Return sums over the rows of a file, or over those of people that count, and the names of its columns.

    Ids are read before the rows, as what counts of a person depends on all rows of that person.
    """
    if person is None:
        file = row_files.opened(path, columns, header, total=reading.total)
        start = zero(reading, file.width, order)
        return exact_moments(file.rows, reading, empty=True, order=order, start=start), file.names
    ids = row_files.ids(path, person, header) if isinstance(person, str) else listed(person)
    if isinstance(person, str):
        known = row_files.opened(path, None, header, total=reading.total).names or ()
        columns = tuple(name for name in known if name != person) if columns is None else columns
    kept, people = places(ids, len(ids), reading.per_person, salt or "")
    file = row_files.opened(path, columns, header, total=reading.total)
    start = zero(reading, file.width, order)
    rows = Chunks(row_files.of_people(file.rows, kept, total=reading.total), str(path), ours=True)
    sums = exact_moments(rows, reading, empty=True, order=order, start=start)
    return replace(sums, count=people), file.names


class _Named:
    """Data as they are read, with the names of the columns: those wanted, or those of the first table."""

    def __init__(self, X: Data, wanted: tuple[str, ...] | None) -> None:
        self.names = wanted
        self.rows: Data = self._taken(X)
        if isinstance(X, Iterator):
            self.rows = Chunks(map(self._taken, Chunks.of(X, "X")), "X", ours=True)

    def _taken(self, rows: Any) -> Any:
        found = names_of(rows)
        self.names = self.names or found
        return rows if found is None or self.names is None else selected(rows, self.names)
