"""Files of rows, opened so that a batch of rows is read at a time. Never unpickles."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpspectra.ground import extras
from dpspectra.ground.foreign_code import Chunks
from dpspectra.ground.values import shown
from dpspectra.matrices.foreign_data import is_arrow_number, near, require_no_index
from dpspectra.matrices.people import listed
from dpspectra.matrices.sums_over_chunks import Kept, require_ids
from dpspectra.matrices.text_lines import ONE_FIELD, PLAIN, SEPARATORS, Form, Malformed, ending
from dpspectra.matrices.text_rows import Text

TABLES = (".parquet", ".arrow", ".feather")
NUMPY = ".npy"
ENDINGS = (*SEPARATORS, *TABLES, NUMPY)
BATCH = 2**20
"""Numbers of a batch."""


class Opened(NamedTuple):
    """Rows of a file, or an iterator over batches of them, which is gone through once."""

    rows: Any
    names: tuple[str, ...] | None
    """Names of the columns that are taken."""
    width: int
    """How many these are."""
    promised: int = 0
    """Rows that a head promises."""


def opened(path: Path, columns: Sequence[str] | None, form: Form = PLAIN, *, total: bool = False) -> Opened:
    """Open a file by its ending; the ``columns`` are taken by name, or by number from 1 in text without names.

    Records of text that are no rows of numbers are rows of NaN if ``total``. Raises ``ValueError`` for other files, for
    columns that are not there or not of numbers, and for a ``form`` of files that are no text; ``OSError`` if a file
    cannot be read, ``ImportError`` naming the extra.
    """
    if (kind := ending(path)) in SEPARATORS:
        return _text(path, columns, form, total)
    if kind not in ENDINGS:
        way_out = ": save it as one of them" if kind else ""
        raise ValueError(f"path must end in {', '.join(ENDINGS)}, got {path.name!r}{way_out}")
    for name, given, usual in zip(Form._fields, form, PLAIN, strict=True):
        if given != usual:
            raise ValueError(f"{name} must be left out unless the file is one of text, got {path.name!r}")
    return _numpy(path, columns) if kind == NUMPY else _table(path, columns)


def names_in(path: Path, form: Form = PLAIN, *, total: bool = False, named: bool = False) -> tuple[str, ...]:
    """Names of all columns of a file; none if it has none. For text see `Text`."""
    if (kind := ending(path)) in SEPARATORS:
        return Text(path, form, total=total, named=named).names or ()
    return tuple(_head(path).schema.names) if kind in TABLES else opened(path, None, form).names or ()


def ids(path: Path, column: str, form: Form = PLAIN, *, total: bool = False) -> Sequence[Any]:
    """Return the entries of one column of a file with names: all of them, as a row that is without one is of nobody.

    A record of text with too few or too many fields has none. Raises as `opened` does.
    """
    if (kind := ending(path)) in SEPARATORS:
        text = Text(path, form, total=total, named=True)
        (place,) = _places(path, (column,), text.names or (), 0)
        return text.column(place)
    if kind not in TABLES:
        raise ValueError(f"person must be ids, one for each row, for a file without names, got {path.name!r}")
    head = _head(path)
    _places(path, (column,), head.schema.names, 0)
    batches = Chunks(_batches(head.file, (column,)), str(path))
    return [entry for batch in batches for entry in listed(batch.column(0))]


def kept(rows: Any, counts: NDArray[np.bool_]) -> Iterator[Kept]:
    """Rows of a file batch by batch, with those that count; ``ValueError`` for another number of rows."""
    first = 0
    for batch in rows if isinstance(rows, Iterator) else _cut(rows):
        yield Kept(batch, counts[first : first + len(batch)])
        first += len(batch)
    require_ids(counts, first)


def _cut(rows: NDArray[Any]) -> Iterable[NDArray[Any]]:
    step = max(1, BATCH // rows.shape[1])
    return (rows[first : first + step] for first in range(0, len(rows), step))


def _text(path: Path, columns: Sequence[str] | None, form: Form, total: bool) -> Opened:
    text = Text(path, form, total=total, named=columns is not None)
    if not text.width:
        raise Malformed(f"{path} must hold rows, got an empty file")
    places = _places(path, columns, text.names, text.width)
    names = None if text.names is None else tuple(text.names[place] for place in places)
    if columns is None:
        require_no_index(names, str(path))
    return Opened(Chunks(text.blocks(places, BATCH), str(path), ours=True), names, len(places))


def _numpy(path: Path, columns: Sequence[str] | None) -> Opened:
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
    return Opened(rows, None if columns is None else tuple(columns), rows.shape[1])


class Head(NamedTuple):
    """A file of Parquet or Arrow whose head was read."""

    file: Any
    schema: Any
    rows: int


def _head(path: Path) -> Head:
    purpose = f"{ending(path)} files"
    parquet, ipc, pyarrow = (
        extras.load(name, "parquet", purpose) for name in ("pyarrow.parquet", "pyarrow.ipc", "pyarrow")
    )
    with path.open("rb"):  # an OSError that names the file
        pass
    try:
        if ending(path) == ".parquet":
            file = parquet.ParquetFile(str(path))
            return Head(file, file.schema_arrow, file.metadata.num_rows)
        file = ipc.open_file(pyarrow.memory_map(str(path)))
        return Head(file, file.schema, 0)
    except Exception:
        pass
    raise ValueError(f"{path} must be a file of the kind that its name says, found something else")


def _table(path: Path, columns: Sequence[str] | None) -> Opened:
    head = _head(path)
    names = tuple(head.schema.names[place] for place in _places(path, columns, head.schema.names, len(head.schema)))
    if columns is None:
        require_no_index(names, str(path))
    for name in names:
        if not is_arrow_number(head.schema.field(name).type):
            raise ValueError(f"{path} must hold numbers, but column {shown(name)} does not: name others by columns")
    return Opened(Chunks(_batches(head.file, names), str(path)), names, len(names), head.rows)


def _batches(file: Any, names: tuple[str, ...]) -> Iterator[Any]:
    """Batches of a table with these columns, not much larger than `BATCH`."""
    step = max(1, BATCH // len(names))
    if hasattr(file, "iter_batches"):
        yield from file.iter_batches(batch_size=step, columns=list(names))
        return
    for number in range(file.num_record_batches):
        batch = file.get_batch(number).select(list(names))
        yield from (batch.slice(first, step) for first in range(0, batch.num_rows, step))


def _places(path: Path, columns: Sequence[str] | None, names: Sequence[str] | None, width: int) -> list[int]:
    """Places of columns, all if none is named; each once, by name, or by number from 1 where there are no names."""
    if columns is None:
        return list(range(width))
    known = list(map(str, range(1, width + 1)) if names is None else names)
    for column in columns:
        if (times := columns.count(column)) > 1:
            found = f"got {shown(column)} {times} times: name it once"
            raise ValueError(f"columns must name each column of {path} once, {found}")
        if known.count(column) != 1:
            what = f"by its number from 1 to {width}, as it has no names" if names is None else "by a name of its own"
            found = f"got {shown(column)}{near(column, tuple(known))}{ONE_FIELD if len(known) == 1 else ''}"
            raise ValueError(f"columns must name each column of {path} once, {what}, {found}")
    return [known.index(column) for column in columns]
