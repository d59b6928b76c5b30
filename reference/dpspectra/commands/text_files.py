"""Rows of numbers from text files, line by line."""

from __future__ import annotations

import csv
import itertools
import re
from array import array
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpspectra.commands.file_checks import require_room
from dpspectra.ground.memory import available
from dpspectra.ground.values import shown

NUMBER = re.compile(r"[+-]?((\d+\.?\d*|\.\d+)(e[+-]?\d+)?|nan|inf(inity)?)", re.ASCII | re.IGNORECASE)
NAME = re.compile(r"[^\W\d][^.]*")
NO_NAMES = {"na", "n/a", "null", "none", "nil", "missing", "true", "false"}
"""Words that stand for a value, or for a missing one."""


class Malformed(ValueError):
    """A line below the header is refused, which is an answer about the data."""


class TextRows(NamedTuple):
    """Rows of numbers and the names of their columns, if the file has any."""

    rows: NDArray[np.float64]
    names: tuple[str, ...] | None


def read_text(path: Path, separator: str, header: bool | None = None, columns: Sequence[str] = ()) -> TextRows:
    """Read rows of numbers between separators; only the ``columns`` named, or numbered from 1 where there are no names.

    ``header`` says whether the first line holds names. Untold, it must for certain: its fields are all different, begin
    with a letter, have no full stop, and stand for no value, as "NA" does. Whether a first row is one of numbers is not
    guessed, as a refusal that depends on the row would tell about a person. Raises `Malformed` for lines that hold
    anything else, and ``ValueError`` for bad arguments.
    """
    lines, numbers, free = _lines(path, separator), array("d"), available()
    first = next(lines, None)
    if first is None:
        return TextRows(np.empty((0, 0)), None)
    width = len(first[1])
    names = None
    if header if header is not None else _names(path, first[1]):
        names = tuple(field.strip() for field in first[1])
    places = chosen(path, columns, names, width)
    for number, fields in lines if names else itertools.chain([first], lines):
        if len(fields) != width:
            raise Malformed(f"{path} must be rectangular, got {len(fields)} fields in line {number} instead of {width}")
        for place in places:
            if not _is_number(fields[place]):
                raise Malformed(f"{path} must hold numbers, but field {place + 1} of line {number} is none")
        numbers.extend(float(fields[place]) for place in places)
        require_room(path, 8 * len(numbers), free)
    rows = np.frombuffer(numbers, dtype=float).reshape(-1, len(places))
    return TextRows(rows, None if names is None else tuple(names[place] for place in places))


def chosen(path: Path, columns: Sequence[str], names: Sequence[str] | None, width: int) -> list[int]:
    """Places of columns, all if none is named; each once. Raises ``ValueError`` for one that is not there."""
    known = list(names) if names else [str(place) for place in range(1, width + 1)]
    for column in columns:
        if known.count(column) != 1 or columns.count(column) != 1:
            what = "by a name of its own" if names else f"by its number from 1 to {width}, as it has no names"
            raise ValueError(f"--columns must name each column of {path} once, {what}, got {shown(column)}")
    return [known.index(column) for column in columns] or list(range(width))


def _lines(path: Path, separator: str) -> Iterator[tuple[int, list[str]]]:
    """Lines of a text file with their numbers; empty ones may end it, but elsewhere they may be missing values."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader, empty = csv.reader(file, strict=True, delimiter=separator), 0
        try:
            for fields in reader:
                if fields and empty:
                    raise Malformed(f"{path} must have no empty line between others, which line {empty} is")
                if fields:
                    yield reader.line_num, fields
                else:
                    empty = empty or reader.line_num
        except (csv.Error, UnicodeDecodeError):
            where = f"which it is not after line {reader.line_num}"
            raise Malformed(f"{path} must be text in UTF-8 with fields between separators, {where}") from None


def _is_number(field: str) -> bool:
    """Whether it is a number as other programs write it; Python's ``float`` would take ``1_0`` for 10."""
    return NUMBER.fullmatch(field.strip()) is not None


def _names(path: Path, fields: Sequence[str]) -> bool:
    """Whether the first line holds names; raises ``ValueError`` unless that is certain."""
    cleaned = [field.strip() for field in fields]
    different = len(set(cleaned)) == len(cleaned)
    if different and all(NAME.fullmatch(field) and field.lower() not in NO_NAMES for field in cleaned):
        return True
    raise ValueError(f"the first line of {path} must hold names for certain: say --header or --no-header")
