"""Rows of people who have several: each counts as a fixed number of rows, missing ones being zero (DPS-PEOPLE).

Which rows of a person are kept is decided by a public salt, the person's id and the places of these rows among the
person's own, so that nobody's rows push out somebody else's.

Do not change lightly: parts that are read in different years must keep rows by one rule.
"""

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpspectra.ground import checks
from dpspectra.matrices.frames import names_of, selected
from dpspectra.matrices.kinds import is_frame, is_sparse
from dpspectra.matrices.reading import is_number, numbers

MISSING = {"", "nan", "nat", "<na>", "none", "null"}
"""Ids, as texts in small letters, that are of nobody."""


class People(NamedTuple):
    """Rows of people, those that do not count being zero."""

    rows: Any
    number: int
    """How many people there are."""
    columns: tuple[str, ...] | None
    """Names of the columns that are taken."""


def of_people(X: Any, person: Any, most: int, salt: str, columns: tuple[str, ...] | None, *, total: bool) -> People:
    """Return the rows of data in memory that count: of each person the ``most`` whose turn comes first.

    ``person`` is the name of a column of a table, or ids, one for each row. A row without an id is of nobody. Raises
    ``ValueError`` for other data, and for ids that are too many or few.
    """
    if isinstance(person, str):
        if not is_frame(X):
            raise ValueError("person must be ids, one for each row, unless X is a table in memory, got a name")
        known = names_of(X) or ()
        found = selected(X, (person,), "X")
        ids: Any = next(iter(found.columns)) if hasattr(found, "column_names") else found[person]
        columns = tuple(name for name in known if name != person) if columns is None else columns
    else:
        ids = person
    if is_frame(X) and columns is not None:
        X = selected(X, columns)
    rows = numbers(X, total=total)
    kept, people = places(listed(ids), rows.shape[0], most, salt)
    if is_sparse(rows):
        rows = rows.copy()
        rows.data[~np.repeat(kept, np.diff(rows.indptr))] = 0.0
    else:
        rows = np.where(kept[:, None], rows, 0)
    return People(rows, people, columns or names_of(X))


def places(ids: Sequence[Any], n: int, most: int, salt: str) -> tuple[NDArray[np.bool_], int]:
    """Which of ``n`` rows count, and of how many people they are."""
    if len(ids) != n:
        raise ValueError("person must be ids, one for each row, got another number of them")
    own: dict[str, list[int]] = {}
    for place, entry in enumerate(ids):
        if (name := id_of(entry)) is not None:
            own.setdefault(name, []).append(place)
    kept = np.zeros(n, dtype=bool)
    for name, rows in own.items():
        kept[[rows[turn] for turn in turns(name, len(rows), most, salt)]] = True
    return kept, len(own)


def turns(name: str, number: int, most: int, salt: str) -> Iterable[int]:
    """Places among a person's own rows that count: those whose digests are the smallest."""
    if number <= most:
        return range(number)

    def digest(place: int) -> bytes:
        return hashlib.blake2b(f"{len(salt)} {salt} {place} {name}".encode(), digest_size=16).digest()

    return sorted(range(number), key=digest)[:most]


def id_of(entry: Any) -> str | None:
    """Return an id as text, ``None`` if it is missing; numbers are equal whatever type a column has, up to ``2**53``.

    >>> [id_of(entry) for entry in (7, 7.0, "007", " 7 ", "a7", float("nan"), None)]
    ['7', '7', '7', '7', 'a7', None, None]
    """
    text = str(entry).strip()
    if text.lower() in MISSING:
        return None
    if not is_number(text):
        return text
    try:
        return str(int(text))
    except ValueError:
        number = float(text)
        return str(int(number)) if number.is_integer() else repr(number)


def listed(ids: Any) -> Sequence[Any]:
    """Ids in a list; what a mask hides is missing."""
    if isinstance(ids, np.ma.MaskedArray):
        hidden = np.ma.getmaskarray(ids).tolist()
        return [None if masked else entry for masked, entry in zip(hidden, np.ma.getdata(ids).tolist(), strict=True)]
    if hasattr(ids, "to_pylist"):  # of Arrow
        return list(ids.to_pylist())
    if isinstance(ids, (list, tuple)):
        return ids
    found = np.asarray(ids)
    if found.ndim != 1:
        raise ValueError(f"person must be ids, one for each row, got {checks.shown(type(ids).__name__)}")
    return list(found.tolist())
