"""Rows of numbers read from files: what a header promises is looked at before so much is read. Never unpickles."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpspectra.certified.moments import Moments
from dpspectra.commands.array_files import read_npy, read_rows
from dpspectra.commands.file_checks import require_room, sound
from dpspectra.commands.text_files import chosen, read_text
from dpspectra.ground import extras
from dpspectra.ground.memory import available
from dpspectra.ground.values import shown
from dpspectra.matrices import row_files

SEPARATORS = {".csv": ",", ".tsv": "\t"}
"""Separator of the fields of a text file, unless another one is asked for."""
SUMS = ".moments"
"""Ending of files that `Moments.save` has written."""
TAB = "tab"
"""Word for a tabulator on the command line."""


class Table(NamedTuple):
    """Rows, dense or sparse, or their `Moments`, and the names of their columns where the file has them."""

    rows: Any
    names: tuple[str, ...] | None = None


class Reading(NamedTuple):
    """How a file of rows is to be understood."""

    header: bool | None = None
    """Whether the first line of a text file holds names; ``None`` if it must for certain."""
    separator: str | None = None
    """Separator of the fields of a text file; ``None`` for the one of its ending."""
    columns: tuple[str, ...] = ()
    """Names of the columns to be read, or numbers from 1 where there are none; all if empty."""


AS_IT_SAYS = Reading()


def read_tables(paths: Sequence[Path], reading: Reading = AS_IT_SAYS) -> Table:
    """Read one file of rows as `read_table` does, or the sum of files of `Moments`, which have no rows.

    Raises ``ValueError`` for several other files, for parts that do not merge, and for options that they do not take.
    """
    if not any(path.suffix == SUMS for path in paths):
        if len(paths) > 1:
            raise ValueError(f"data must be one file, or several of {SUMS}, got {len(paths)} files")
        return read_table(paths[0], reading)
    if others := [path for path in paths if path.suffix != SUMS]:
        raise ValueError(f"data must be files of {SUMS} alone, got {others[0].name!r} beside them")
    if reading != AS_IT_SAYS:
        raise ValueError(f"--header, --separator and --columns must come with rows, got files of {SUMS}")
    moments = Moments.together(map(Moments.load, paths))
    return Table(moments, moments.terms.columns)


def read_table(path: Path, reading: Reading = AS_IT_SAYS) -> Table:
    """Read rows ``(n, d)`` from .npy, .npz (one array, or a sparse matrix), .csv, .tsv, .parquet, .arrow and .feather.

    Raises ``ValueError`` for another type or content, and for what would not fit in memory `COPIES` times; ``OSError``
    if the file cannot be read.
    """
    if path.suffix in SEPARATORS:
        read = read_text(path, _separator(path, reading.separator), reading.header, reading.columns)
        return Table(*read)
    if path.suffix not in (known := (*_ARRAYS, *SEPARATORS, *_READERS)):
        raise ValueError(f"the data file must end in {', '.join(known)}, got {path.name!r}")
    text = " or ".join(SEPARATORS)
    if reading.header is not None:
        raise ValueError(f"--header and --no-header must come with a {text} file, got {path.name!r}")
    if reading.separator is not None:
        raise ValueError(f"--separator must come with a {text} file, got {path.name!r}")
    if path.suffix in _READERS:
        return _READERS[path.suffix](path, reading.columns)
    if reading.columns:
        raise ValueError(f"--columns must come with a file of named columns or a {text} file, got {path.name!r}")
    return Table(_ARRAYS[path.suffix](path))


@dataclass(frozen=True, slots=True)
class People:
    """A file whose people have several rows; its header alone was read so far."""

    path: Path
    nobody: Moments
    """Sums over no people, whose terms are those of the file."""
    given: Mapping[str, Any]
    """Arguments of `Moments.read`."""

    @classmethod
    def of(
        cls,
        paths: Sequence[Path],
        reading: Reading,
        person: str,
        per_person: int | None,
        salt: str,
        rows: Mapping[str, Any],
    ) -> People:
        """Look at the header of a file whose column ``person`` holds ids.

        ``rows`` says how rows are read; its ``bounds``, if any, give those of columns with these names. Raises
        ``ValueError`` for what is no one file with such columns, ``OSError`` if it cannot be read.
        """
        if len(paths) > 1 or paths[0].suffix == SUMS:
            raise ValueError(f"--person must come with one file of rows, got {' '.join(path.name for path in paths)}")
        if reading.separator is not None:
            raise ValueError(f"--separator must be left out with --person, got {shown(reading.separator)}")
        if per_person is None:
            raise ValueError("--person must come with --per-person, the rows that each person counts as, got none")
        path, header = paths[0], reading.header
        names = row_files.opened(path, None, header).names or ()
        if names.count(person) != 1 or person in reading.columns:
            found = f"beside --columns, got {shown(person)}"
            raise ValueError(f"--person must name a column of ids that {path} has, {found}")
        wanted = reading.columns or tuple(name for name in names if name != person)
        width = row_files.opened(path, wanted, header).width
        bounds = None if rows["bounds"] is None else rows["bounds"](wanted)
        given = {**rows, "bounds": bounds, "columns": wanted, "per_person": per_person, "salt": salt}
        return cls(path, Moments.empty(width, **given), {**given, "header": header, "person": person})

    def read(self) -> Table:
        """Read the ids and then the rows, a batch at a time."""
        moments = Moments.read(self.path, **self.given)
        return Table(moments, moments.terms.columns)


def _separator(path: Path, given: str | None) -> str:
    if given is None:
        return SEPARATORS[path.suffix]
    character = "\t" if given == TAB else given
    if len(character) != 1 or character.isalnum() or character in '".+-\r\n':
        raise ValueError(f"--separator must be one character that is no part of a number, or {TAB}, got {shown(given)}")
    return character


def _read_parquet(path: Path, columns: Sequence[str]) -> Table:
    parquet, pyarrow = (extras.load(name, "parquet", "parquet files") for name in ("pyarrow.parquet", "pyarrow"))
    kind = "a parquet file"
    with path.open("rb") as source:
        with sound(path, kind):
            file = parquet.ParquetFile(source)
            rows, schema = file.metadata.num_rows, file.schema_arrow
        places = _numbers(path, schema, columns, pyarrow.types)
        names = tuple(schema.names[place] for place in places)
        require_room(path, 8 * rows * len(places))
        with sound(path, kind):
            return Table(_stacked(file.read(columns=list(names))), names)


def _read_arrow(path: Path, columns: Sequence[str]) -> Table:
    """Batch by batch, as nothing says before how many rows there are."""
    ipc, pyarrow = (extras.load(name, "parquet", "Arrow files") for name in ("pyarrow.ipc", "pyarrow"))
    kind, free, rows, batches = "an Arrow file", available(), 0, []
    with path.open("rb") as source:
        with sound(path, kind):
            file = ipc.open_file(source)
            schema, number = file.schema, file.num_record_batches
        places = _numbers(path, schema, columns, pyarrow.types)
        for batch in range(number):
            with sound(path, kind):
                batches.append(file.get_batch(batch).select(places))
            rows += batches[-1].num_rows
            require_room(path, 8 * rows * len(places), free)
        kept = pyarrow.schema([schema.field(place) for place in places])
        with sound(path, kind):
            return Table(_stacked(pyarrow.Table.from_batches(batches, kept)), tuple(kept.names))


def _numbers(path: Path, schema: Any, columns: Sequence[str], types: Any) -> list[int]:
    """Places of the columns that are wanted; raises ``ValueError`` unless they hold numbers."""
    known = (types.is_integer, types.is_floating, types.is_boolean, types.is_decimal)
    places = chosen(path, columns, schema.names, len(schema))
    for place in places:
        if not any(fits(schema.field(place).type) for fits in known):
            name = shown(schema.names[place])
            raise ValueError(f"{path} must hold numbers, but column {name} does not: name others by --columns")
    return places


def _stacked(table: Any) -> NDArray[Any]:
    """Return a table of pyarrow as an array."""
    arrays = [column.to_numpy() for column in table.columns]
    return np.column_stack(arrays) if arrays else np.empty((table.num_rows, 0))


_ARRAYS: dict[str, Callable[[Path], Any]] = {".npy": read_npy, ".npz": read_rows}
_READERS: dict[str, Callable[[Path, Sequence[str]], Table]] = {
    ".parquet": _read_parquet,
    ".arrow": _read_arrow,
    ".feather": _read_arrow,
}
