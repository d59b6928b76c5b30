"""Exact sums of data in all their forms, with the names of their columns, and of people who have several rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from dpspectra.certified.gram import ExactMoments, exact_moments
from dpspectra.ground.foreign import Chunks
from dpspectra.matrices.frames import names_of, selected
from dpspectra.matrices.kinds import Data
from dpspectra.matrices.people import of_people
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

    Raises ``ValueError`` for what is not rows, and for people whose rows are not in memory.
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
