"""Files of rows, opened so that a batch of rows is read at a time. Never unpickles."""

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpspectra.ground import extras
from dpspectra.ground.foreign import Chunks
from dpspectra.matrices import text_rows
from dpspectra.matrices.reading import numbers

SEPARATORS = {".csv": ",", ".tsv": "\t"}
"""Separator of the fields of a text file."""
TABLES = (".parquet", ".arrow", ".feather")
NUMPY = ".npy"
BATCH = 2**20
"""Numbers of a batch."""


class Opened(NamedTuple):
    """Rows of a file, or an iterator over batches of them, which is gone through once."""

    rows: Any
    names: tuple[str, ...] | None
    """Names of the columns that are taken."""
    width: int
    """How many these are."""


def opened(path: Path, columns: tuple[str, ...] | None, header: bool | None = None, *, total: bool = False) -> Opened:
    """Open a file by its ending; of one with names the ``columns`` are taken, by default all.

    Lines of text that are no rows of numbers are rows of NaN if ``total``. Raises ``ValueError`` for other files, for
    columns that are not there, and for a ``header`` of files that are no text; ``OSError`` if a file cannot be read,
    ``ImportError`` naming the extra.
    """
    if path.suffix in SEPARATORS:
        return _text(path, columns, header, total)
    if path.suffix not in (*TABLES, NUMPY):
        raise ValueError(f"path must end in {', '.join((*SEPARATORS, *TABLES, NUMPY))}, got {path.name!r}")
    if header is not None:
        raise ValueError(f"header must be left out unless the file is one of text, got {path.name!r}")
    return _numpy(path, columns) if path.suffix == NUMPY else _table(path, columns)


def ids(path: Path, column: str, header: bool | None = None) -> list[Any]:
    """Return the entries of one column of a file with names: all of them, as a row that is without one is of nobody.

    A line of text with too few or too many fields has none. Raises as `opened` does.
    """
    if path.suffix in SEPARATORS:
        text = text_rows.opened(path, SEPARATORS[path.suffix], header, total=True)
        (place,) = _places(path, (column,), text.names)
        return [fields[place] if len(fields) == text.width else None for _, fields in text.lines]
    if path.suffix == NUMPY:
        raise ValueError(f"person must be ids, one for each row, for a file without names, got {path.name!r}")
    rows = opened(path, (column,)).rows
    return [entry for batch in rows for entry in batch.column(0).to_pylist()]


def of_people(rows: Any, kept: NDArray[np.bool_], *, total: bool) -> Iterator[Any]:
    """Rows of a file batch by batch, those that do not count being zero; ``ValueError`` for another number of rows."""
    first = 0
    for batch in rows if isinstance(rows, Iterator) else _cut(rows):
        found = numbers(batch, "X", first, total=total)
        if first + len(found) > len(kept):
            break
        yield np.where(kept[first : first + len(found), None], found, 0)
        first += len(found)
    else:
        if first == len(kept):
            return
    raise ValueError("person must be ids, one for each row, got another number of them")


def _cut(rows: NDArray[Any]) -> Iterator[NDArray[Any]]:
    step = max(1, BATCH // rows.shape[1])
    return (rows[first : first + step] for first in range(0, len(rows), step))


def _text(path: Path, columns: tuple[str, ...] | None, header: bool | None, total: bool) -> Opened:
    text = text_rows.opened(path, SEPARATORS[path.suffix], header, total=total)
    if not text.width:
        raise ValueError(f"{path} must hold rows, got an empty file")
    places = list(range(text.width)) if columns is None else _places(path, columns, text.names)
    rows, step = text.rows(places, total=total), max(1, BATCH // len(places))
    batches = iter(lambda: list(itertools.islice(rows, step)), [])
    arrays = (np.array(batch, dtype=np.float64) for batch in batches)
    names = None if text.names is None else tuple(text.names[place] for place in places)
    return Opened(Chunks(arrays, str(path), ours=True), names, len(places))


def _numpy(path: Path, columns: tuple[str, ...] | None) -> Opened:
    try:
        rows = np.load(path, mmap_mode="r", allow_pickle=False)
    except OSError:
        raise
    except Exception:  # whatever a broken file makes of it
        rows = None
    if not isinstance(rows, np.ndarray) or rows.ndim != 2:
        raise ValueError(f"{path} must be an .npy file of numbers in shape (n, d), found something else")
    if columns is not None and len(columns) != rows.shape[1]:
        raise ValueError(f"columns must be names of the {rows.shape[1]} columns of {path}, got {len(columns)}")
    return Opened(rows, columns, rows.shape[1])


def _table(path: Path, columns: tuple[str, ...] | None) -> Opened:
    purpose = f"{path.suffix} files"
    parquet, ipc, pyarrow = (
        extras.load(name, "parquet", purpose) for name in ("pyarrow.parquet", "pyarrow.ipc", "pyarrow")
    )
    with path.open("rb"):  # an OSError that names the file
        pass
    try:
        if path.suffix == ".parquet":
            file = parquet.ParquetFile(str(path))
            schema = file.schema_arrow
        else:
            file = ipc.open_file(pyarrow.memory_map(str(path)))
            schema = file.schema
    except Exception:
        raise ValueError(f"{path} must be a file of the kind that its name says, found something else") from None
    names = tuple(schema.names) if columns is None else columns
    _places(path, names, tuple(schema.names))
    return Opened(Chunks(_batches(file, names), str(path)), names, len(names))


def _batches(file: Any, names: tuple[str, ...]) -> Iterator[Any]:
    """Batches of a table with these columns, not much larger than `BATCH`."""
    step = max(1, BATCH // len(names))
    if hasattr(file, "iter_batches"):
        yield from file.iter_batches(batch_size=step, columns=list(names))
        return
    for number in range(file.num_record_batches):
        batch = file.get_batch(number).select(list(names))
        yield from (batch.slice(first, step) for first in range(0, batch.num_rows, step))


def _places(path: Path, columns: tuple[str, ...], names: tuple[str, ...] | None) -> list[int]:
    """Places of columns by their names."""
    known = list(names or ())
    for column in columns:
        if known.count(column) != 1:
            raise ValueError(f"columns must be names that {path} has once each, got {column!r}")
    return [known.index(column) for column in columns]
