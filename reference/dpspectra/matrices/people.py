"""Rows of people who have several: each counts as a fixed number of rows, missing ones being zero (DPS-PEOPLE).

Which rows of a person are kept is decided by a public salt, the person's id and the places of these rows among the
person's own, so that nobody's rows push out somebody else's.

An id is what is written. Text is an id as it stands, with its blanks. An integer of any size is the text of its digits.
Other numbers are ids only if they are integers, floats only below ``2**53``, as a column of integers with a missing one
holds floats. Dates and times are counted in the units of their column. What is missing, the empty text, and anything
else, as 7.5 or an object, is no id, and the row of nobody.

Do not change lightly: parts that are read in different years must keep rows by one rule.
"""

import datetime
import hashlib
import operator
import sys
import uuid
from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.ground import checks
from dpspectra.ground.foreign_code import PASSED, read
from dpspectra.matrices.foreign_data import names_of, selected
from dpspectra.matrices.kinds import is_frame, is_lazy

EXACT = 2**53
"""Floats below this that are integers are exactly what was written."""
LONG = 10**600
"""Python may be told not to write integers with more digits than 640."""
APART = "\0"
"""Begins ids that are neither texts nor integers; a text that begins so is given one more."""


def of_table(X: Any, person: Any, columns: tuple[str, ...] | None) -> tuple[Any, Sequence[Any], tuple[str, ...] | None]:
    """Return rows in memory without the ids, the ids, and the names of the columns that are taken.

    ``person`` is the name of a column of a table, or ids, one for each row. Raises ``ValueError`` for other data.
    """
    ids = person
    if isinstance(person, str):
        if not (is_frame(X) or is_lazy(X)):
            raise ValueError("person must be ids, one for each row, unless X is a table in memory, got a name")
        if is_lazy(X):
            X = read(X.collect, "X", "collect it to see why")
        known = names_of(X) or ()
        found = selected(X, (person,), "X")
        ids = read(lambda: next(iter(found.columns)) if hasattr(found, "column_names") else found[person], "person")
        columns = tuple(name for name in known if name != person) if columns is None else columns
    if columns is not None and (names_of(X) or ()):
        X = selected(X, columns)
    return X, listed(ids), columns or names_of(X)


def places(ids: Sequence[Any], most: int, salt: str) -> tuple[NDArray[np.bool_], int]:
    """Which rows count, one for each id, and of how many people they are."""
    own: dict[str, list[int]] = {}
    for place, entry in enumerate(ids):
        if (name := id_of(entry)) is not None:
            own.setdefault(name, []).append(place)
    kept = np.zeros(len(ids), dtype=bool)
    for name, rows in own.items():
        kept[[rows[turn] for turn in turns(name, len(rows), most, salt)]] = True
    return kept, len(own)


def turns(name: str, number: int, most: int, salt: str) -> Iterable[int]:
    """Places among a person's own rows that count: those whose digests are the smallest."""
    if number <= most:
        return range(number)

    def digest(place: int) -> bytes:
        told = f"{len(salt)} {salt} {place} {name}".encode("utf-8", "surrogatepass")
        return hashlib.blake2b(told, digest_size=16).digest()

    return sorted(range(number), key=digest)[:most]


def id_of(entry: Any) -> str | None:
    """Return an id as text, ``None`` if it is missing or no id; different ids have different texts.

    >>> [id_of(entry) for entry in (7, 7.0, "7", "007", " 7 ", "nan", 7.5, float("nan"), None, "")]
    ['7', '7', '7', '007', ' 7 ', 'nan', None, None, None, None]
    """
    try:
        return _id_of(entry)
    except PASSED:
        raise
    except BaseException:  # of somebody's class
        return None


def _id_of(entry: Any) -> str | None:
    if isinstance(entry, str):
        text = str.__str__(entry)
        return (APART + text if text.startswith(APART) else text) or None
    if isinstance(entry, (bool, np.bool_)):
        return str(bool(entry))
    if isinstance(entry, (Integral, np.integer)) and not isinstance(entry, np.timedelta64):
        number = operator.index(entry)
        return str(number) if abs(number) < LONG else f"{APART}{number:x}"
    if isinstance(entry, (Decimal, Fraction)):
        return _id_of(int(entry)) if entry == int(entry) else None
    if isinstance(entry, Real):
        found = float(entry)
        return str(int(found)) if found.is_integer() and abs(found) < EXACT and entry == found else None
    if isinstance(entry, np.datetime64):
        return None if np.isnat(entry) else f"{APART}{entry.dtype} {entry.astype(np.int64)}"
    if isinstance(entry, (bytes, bytearray)):
        return f"{APART}bytes {bytes(entry).hex()}"
    if isinstance(entry, uuid.UUID):
        return str(uuid.UUID(int=entry.int))
    if isinstance(entry, (datetime.date, datetime.time)) and entry == entry:
        return f"{APART}{type(entry).__name__} {entry.isoformat()}"
    return None


def listed(ids: Any) -> Sequence[Any]:
    """Ids in a list; what a mask hides is missing. Raises ``ValueError`` for what is no column of ids by its type."""
    if isinstance(ids, (list, tuple)):
        return ids
    found = read(lambda: _listed(ids), "person", "give a list of texts or integers to see why")
    if found is None:
        raise ValueError(f"person must be ids, one for each row, got {checks.shown(type(ids).__name__)}")
    return found


def _listed(ids: Any) -> Sequence[Any] | None:
    if isinstance(ids, np.ma.MaskedArray):
        entries, hidden = _listed(np.ma.getdata(ids)), np.ma.getmaskarray(ids).tolist()
        return entries and [None if masked else entry for masked, entry in zip(hidden, entries, strict=True)]
    kind = type(ids)
    if hasattr(kind, "to_pylist"):
        return _of_arrow(ids)
    if hasattr(kind, "to_physical"):  # of polars
        return list((ids.to_physical() if ids.dtype.is_temporal() else ids).to_list())
    declared = getattr(ids, "dtype", None)
    if hasattr(declared, "pyarrow_dtype"):
        return _of_arrow(sys.modules["pyarrow"].chunked_array([ids.array.__arrow_array__().combine_chunks()]))
    if hasattr(kind, "iloc") and not isinstance(declared, np.dtype):  # of pandas, by a type of its own
        return list(ids.tolist())
    found = np.asarray(ids)
    if found.ndim != 1 or found.dtype.kind in "cV":
        return None
    if found.dtype.kind in "mM":
        numbers = found.astype(np.int64)
        return [None if missing else number for missing, number in zip(np.isnat(found), numbers.tolist(), strict=True)]
    return list(found.tolist())


def _of_arrow(ids: Any) -> Sequence[Any]:
    """Entries of a column of Arrow: dates as integers, and text from its bytes, which need not be UTF-8."""
    arrow = sys.modules["pyarrow"]
    if arrow.types.is_dictionary(ids.type):
        ids = ids.cast(ids.type.value_type)
    if arrow.types.is_temporal(ids.type):
        return list(ids.cast(arrow.int64() if ids.type.bit_width == 64 else arrow.int32()).to_pylist())
    if any(known(ids.type) for known in (arrow.types.is_string, arrow.types.is_large_string)):
        told = ids.cast(arrow.large_binary()).to_pylist()
        return [None if text is None else text.decode("utf-8", "surrogateescape") for text in told]
    return list(ids.to_pylist())
