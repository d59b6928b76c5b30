"""Files of rows as the command ``release`` reads them: all rows at once, which must fit in memory. Never unpickles."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from dpspectra.certified.exact_moments import Moments
from dpspectra.commands.array_files import read_npy, read_rows
from dpspectra.commands.file_checks import require_room
from dpspectra.ground.memory import available
from dpspectra.ground.progress import progress
from dpspectra.ground.values import shown
from dpspectra.matrices import row_files
from dpspectra.matrices.column_bounds import ColumnBounds
from dpspectra.matrices.foreign_data import numbers
from dpspectra.matrices.row_files import TABLES
from dpspectra.matrices.text_lines import PLAIN, SEPARATORS, STANDARD_INPUT, Form, ending

SUMS = ".moments"
"""Ending of files that `Moments.save` has written."""
TAB = "tab"
"""Word for a tabulator on the command line."""
ARRAYS: dict[str, Callable[[Path], Any]] = {".npy": read_npy, ".npz": read_rows}


class Table(NamedTuple):
    """Rows, dense or sparse, or their `Moments`, and the names of their columns where the file has them."""

    rows: Any
    names: tuple[str, ...] | None = None
    labels: list[str | None] | None = None
    """Texts of another column, one for each row."""


class Reading(NamedTuple):
    """How a file of rows is to be understood."""

    form: Form = PLAIN
    """How a text file is written."""
    columns: tuple[str, ...] = ()
    """Names of the columns to be read, or numbers from 1 where there are none; all if empty."""
    total: bool = False
    """Whether entries may be anything."""
    labels: str | None = None
    """Name of a column of labels, which is none of the rows'."""
    bounds: ColumnBounds | None = None
    """Bounds, whose names must be those of the columns, which shows before any row is read."""


AS_IT_SAYS = Reading()


def form_of(header: bool | None, separator: str | None, encoding: str, decimal: str) -> Form:
    """Return the form of a text file from the words of the command line."""
    return Form(header, "\t" if separator == TAB else separator, encoding, decimal)


def read_tables(paths: Sequence[Path], reading: Reading = AS_IT_SAYS) -> Table:
    """Read one file of rows as `read_table` does, or the sum of files of `Moments`, which have no rows.

    Raises ``ValueError`` for several other files, for parts that do not merge, and for options that they do not take.
    """
    if not any(path.suffix == SUMS for path in paths):
        if len(paths) > 1:
            way_out = "put the parts together, or make Moments of each (Moments.read)"
            raise ValueError(f"data must be one file, or several of {SUMS}, got {len(paths)} files: {way_out}")
        return read_table(paths[0], reading)
    if others := [path for path in paths if path.suffix != SUMS]:
        raise ValueError(f"data must be files of {SUMS} alone, got {others[0].name!r} beside them")
    if reading._replace(bounds=None) != AS_IT_SAYS:
        raise ValueError(f"options that say how rows are read must come with rows, got files of {SUMS}")
    moments = Moments.together(map(Moments.load, paths))
    return Table(moments, moments.terms.columns)


def read_table(path: Path, reading: Reading = AS_IT_SAYS) -> Table:
    """Read rows ``(n, d)`` from .npy, .npz (one array, or a sparse matrix), text, .parquet, .arrow and .feather.

    Raises ``ValueError`` for another type or content, and for what would not fit in memory `COPIES` times; ``OSError``
    if the file cannot be read.
    """
    kind = ending(path)
    if kind not in (known := (*ARRAYS, *SEPARATORS, *TABLES)):
        way_out = f"save it as one of them, or send text through {STANDARD_INPUT}"
        raise ValueError(f"the data file must end in {', '.join(known)}, got {path.name!r}: {way_out}")
    if reading.labels is not None:
        return _labelled(path, reading, reading.labels)
    if kind not in ARRAYS:
        return _gathered(path, reading)
    for option, given, usual in zip(Form._fields, reading.form, PLAIN, strict=True):
        if given != usual:
            raise ValueError(f"--{option} must come with a {' or '.join(SEPARATORS)} file, got {path.name!r}")
    if reading.columns:
        text = " or ".join(SEPARATORS)
        raise ValueError(f"--columns must come with a file of named columns or a {text} file, got {path.name!r}")
    return Table(ARRAYS[kind](path))


def _labelled(path: Path, reading: Reading, column: str) -> Table:
    """Read a file with a column of labels, as texts, beside those of the rows."""
    others = beside(path, column, reading, "--groups must name a column of labels")
    entries = row_files.ids(path, column, reading.form, total=reading.total)
    table = _gathered(path, reading._replace(columns=others))
    return table._replace(labels=[None if entry is None else str(entry).strip() for entry in entries])


def beside(path: Path, column: str, reading: Reading, requirement: str) -> tuple[str, ...]:
    """Return the columns of the rows, beside one of something else. Raises ``ValueError`` if that is not there."""
    names = row_files.names_in(path, reading.form, total=reading.total, named=bool(reading.columns))
    if names.count(column) != 1 or column in reading.columns:
        raise ValueError(f"{requirement} that {path} has, beside --columns, got {shown(column)}")
    return reading.columns or tuple(name for name in names if name != column)


def _gathered(path: Path, reading: Reading) -> Table:
    """All rows of a file that is read batch by batch; what a head promises is looked at before so much is read."""
    found = row_files.opened(path, reading.columns or None, reading.form, total=reading.total)
    if reading.bounds is not None:
        reading.bounds.of_columns(found.names)
    require_room(path, 8 * found.promised * found.width)
    free, size, blocks = available(), 0, [np.empty((0, found.width))]
    with progress(found.promised or None, f"rows of {path.name}") as bar:
        for batch in found.rows:
            blocks.append(numbers(batch, str(path), sum(map(len, blocks)), total=reading.total))
            size += 8 * blocks[-1].size
            require_room(path, size, free)
            bar.advance("read", len(blocks[-1]))
    return Table(np.concatenate(blocks[1:] or blocks), found.names)


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
        per_person: int,
        salt: str,
        rows: Mapping[str, Any],
    ) -> People:
        """Look at the header of a file whose column ``person`` holds ids.

        ``rows`` says how rows are read; its ``bounds`` are those of columns with these names. Raises
        ``ValueError`` for what is no one file with such columns, ``OSError`` if it cannot be read.
        """
        if len(paths) > 1 or paths[0].suffix == SUMS:
            raise ValueError(f"--person must come with one file of rows, got {' '.join(path.name for path in paths)}")
        path, form = paths[0], reading.form
        wanted = beside(path, person, reading, "--person must name a column of ids")
        width = row_files.opened(path, wanted, form, total=reading.total).width
        bounds = None if rows["bounds"] is None else rows["bounds"].of_columns(wanted)
        given = {**rows, "bounds": bounds, "columns": wanted, "per_person": per_person, "salt": salt}
        return cls(path, Moments.empty(width, **given), {**given, **form._asdict(), "person": person})

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns of numbers that are read."""
        return tuple(self.given["columns"])

    def read(self) -> Table:
        """Read the ids and then the rows, a batch at a time."""
        moments = Moments.read(self.path, **self.given)
        return Table(moments, moments.terms.columns)
