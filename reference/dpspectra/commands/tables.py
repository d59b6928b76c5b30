"""Numbers read from files: what a header promises is looked at before so much is read. Never unpickles."""

from __future__ import annotations

import csv
import itertools
import math
import re
import zipfile
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.ground import extras
from dpspectra.ground.memory import available

COPIES = 4
"""Times that the numbers of a file may lie in memory at once, while they are read, checked and computed with."""
NUMBER = re.compile(r"[+-]?((\d+\.?\d*|\.\d+)(e[+-]?\d+)?|nan|inf(inity)?)", re.ASCII | re.IGNORECASE)
NAME = re.compile(r"[^\W\d][^.]*")
NO_NAMES = {"na", "n/a", "null", "none", "nil", "missing", "true", "false"}
"""Words that stand for a value, or for a missing one."""
HEADERS: dict[tuple[int, int], Callable[[IO[bytes]], Any]] = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}
"""Readers of the header of an .npy file, by version of the format; the third is for structured types only."""


def read_table(path: Path, header: bool | None = None) -> NDArray[Any]:
    """Read a table ``(n, d)`` from .npy, .npz (one array), .csv, .parquet, or Arrow's .arrow and .feather.

    ``header`` says whether the first line of a .csv file holds names. Untold, it does if its fields are all different,
    begin with a letter, have no full stop and stand for no value, as "NA" does; it does not if they all are numbers,
    other than 0, 1, 2, ... in this order, as columns without names are numbered; any other first line is refused.

    Raises ``ValueError`` for another type or content, and for what would not fit in memory `COPIES` times; ``OSError``
    if the file cannot be read.
    """
    if path.suffix not in _READERS:
        raise ValueError(f"the data file must end in {', '.join(_READERS)}, got {path.name!r}")
    if header is None:
        return _READERS[path.suffix](path)
    if path.suffix != ".csv":
        raise ValueError(f"--header and --no-header must come with a .csv file, got {path.name!r}")
    return _read_csv(path, header)


def read_npy(path: Path) -> NDArray[Any]:
    """Read the array of an .npy file, of any type but objects. Raises as `read_table` does."""
    kind = "a plain numeric .npy file"
    with path.open("rb") as file:
        with _sound(path, kind):
            size = _promised(file, path.stat().st_size)
        _require_room(path, size)
        file.seek(0)
        with _sound(path, kind):
            return np.asarray(np.lib.format.read_array(file, allow_pickle=False))


def read_npz(path: Path) -> dict[str, NDArray[Any]]:
    """Read the arrays of an .npz archive by name, of any type but objects. Raises as `read_table` does."""
    kind = "an .npz archive of numeric arrays"
    with path.open("rb") as file:
        with _sound(path, kind):
            archive = zipfile.ZipFile(file)
            size = sum(_promised(archive.open(member), member.file_size) for member in archive.infolist())
        _require_room(path, size)
        with _sound(path, kind):
            members = [(member.filename.removesuffix(".npy"), archive.open(member)) for member in archive.infolist()]
            return {name: np.lib.format.read_array(member, allow_pickle=False) for name, member in members}


def _only_array(path: Path) -> NDArray[Any]:
    arrays = list(read_npz(path).values())
    if len(arrays) != 1:
        raise ValueError(f"{path} must hold exactly one array, got {len(arrays)}")
    return arrays[0]


def _promised(file: IO[bytes], size: int) -> int:
    """Bytes of the numbers that an .npy header promises, in float64 if they are narrower; the file must hold them."""
    shape, _, dtype = HEADERS[np.lib.format.read_magic(file)](file)
    if dtype.hasobject or min(shape, default=0) < 0 or math.prod(shape) * dtype.itemsize != size - file.tell():
        raise ValueError
    return math.prod(shape) * max(8, dtype.itemsize)


def _read_csv(path: Path, header: bool | None = None) -> NDArray[Any]:
    lines, numbers, free = _lines(path), array("d"), available()
    first = next(lines, None)
    if first is None:
        return np.empty((0, 0))
    width = len(first[1])
    named = _is_header(path, first[1]) if header is None else header
    for number, fields in lines if named else itertools.chain([first], lines):
        if len(fields) != width:
            raise ValueError(
                f"{path} must be rectangular, got {len(fields)} fields in line {number} instead of {width}"
            )
        for place, field in enumerate(fields, 1):
            if not _is_number(field):
                raise ValueError(f"{path} must hold numbers, but field {place} of line {number} is none")
        numbers.extend(map(float, fields))
        _require_room(path, 8 * len(numbers), free)
    return np.frombuffer(numbers, dtype=float).reshape(-1, width)


def _lines(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Lines of a .csv file with their numbers; empty ones may end it, but elsewhere they may be missing values."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader, empty = csv.reader(file, strict=True), 0
        try:
            for fields in reader:
                if fields and empty:
                    raise ValueError(f"{path} must have no empty line between others, which line {empty} is")
                if fields:
                    yield reader.line_num, fields
                else:
                    empty = empty or reader.line_num
        except (csv.Error, UnicodeDecodeError):
            where = f"which it is not after line {reader.line_num}"
            raise ValueError(f"{path} must be text in UTF-8 with fields between commas, {where}") from None


def _is_number(field: str) -> bool:
    """Whether it is a number as other programs write it; Python's ``float`` would take ``1_0`` for 10."""
    return NUMBER.fullmatch(field.strip()) is not None


def _is_header(path: Path, fields: Sequence[str]) -> bool:
    """Whether the first line holds names rather than numbers, if that is certain."""
    cleaned = [field.strip() for field in fields]
    if all(map(_is_number, cleaned)) and cleaned != [str(place) for place in range(len(cleaned))]:
        return False
    different = len(set(cleaned)) == len(cleaned)
    if different and all(NAME.fullmatch(field) and field.lower() not in NO_NAMES for field in cleaned):
        return True
    raise ValueError(f"the first line of {path} must be numbers or names for certain: say --header or --no-header")


def _read_parquet(path: Path) -> NDArray[Any]:
    parquet, pyarrow = (extras.load(name, "parquet", "parquet files") for name in ("pyarrow.parquet", "pyarrow"))
    kind = "a parquet file"
    with path.open("rb") as source:
        with _sound(path, kind):
            file = parquet.ParquetFile(source)
            rows, columns = file.metadata.num_rows, file.schema_arrow
        _require_numbers(path, columns, pyarrow.types)
        _require_room(path, 8 * rows * len(columns))
        with _sound(path, kind):
            return _stacked(file.read())


def _read_arrow(path: Path) -> NDArray[Any]:
    """Batch by batch, as nothing says before how many rows there are."""
    ipc, pyarrow = (extras.load(name, "parquet", "Arrow files") for name in ("pyarrow.ipc", "pyarrow"))
    kind, free, rows, batches = "an Arrow file", available(), 0, []
    with path.open("rb") as source:
        with _sound(path, kind):
            file = ipc.open_file(source)
            columns, number = file.schema, file.num_record_batches
        _require_numbers(path, columns, pyarrow.types)
        for place in range(number):
            with _sound(path, kind):
                batches.append(file.get_batch(place))
            rows += batches[-1].num_rows
            _require_room(path, 8 * rows * len(columns), free)
        with _sound(path, kind):
            return _stacked(pyarrow.Table.from_batches(batches, columns))


def _require_numbers(path: Path, columns: Any, types: Any) -> None:
    """Raise ``ValueError`` unless the columns of a schema of pyarrow hold numbers."""
    known = (types.is_integer, types.is_floating, types.is_boolean, types.is_decimal)
    for place, column in enumerate(columns, 1):
        if not any(fits(column.type) for fits in known):
            raise ValueError(f"{path} must hold numbers, which column {place} does not")


def _stacked(table: Any) -> NDArray[Any]:
    """A table of pyarrow as an array."""
    arrays = [column.to_numpy() for column in table.columns]
    return np.column_stack(arrays) if arrays else np.empty((table.num_rows, 0))


@contextmanager
def _sound(path: Path, kind: str) -> Iterator[None]:
    """Turn whatever a reader raises on a broken file into a ``ValueError``."""
    try:
        yield
    except MemoryError:
        raise
    except Exception:
        raise ValueError(f"{path} must be {kind}, found something else") from None


def _require_room(path: Path, size: int, free: int | None = None) -> None:
    """Raise ``ValueError`` if `COPIES` of so many bytes are more than `available`."""
    room = available() if free is None else free
    if COPIES * size > room:
        needed = f"takes {COPIES * size / 2**30:.3g} GiB of {room / 2**30:.3g} GiB"
        raise ValueError(f"{path} must fit in memory {COPIES} times in float64, which {needed}")


_READERS: dict[str, Callable[[Path], NDArray[Any]]] = {
    ".npy": read_npy,
    ".npz": _only_array,
    ".csv": _read_csv,
    ".parquet": _read_parquet,
    ".arrow": _read_arrow,
    ".feather": _read_arrow,
}
