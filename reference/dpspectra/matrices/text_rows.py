"""Rows of numbers in text files, line by line, so that no more of a file than a line is held."""

import csv
import itertools
import math
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from dpspectra.ground.values import shown
from dpspectra.matrices.reading import is_number

NAME = re.compile(r"[^\W\d][^.]*")
NO_NAMES = {"na", "n/a", "null", "none", "nil", "missing", "true", "false"}
"""Words that stand for a value, or for a missing one."""


class Malformed(ValueError):
    """A line below the header is refused, which is an answer about the data."""


class Text(NamedTuple):
    """A file of text whose first line was looked at."""

    path: Path
    names: tuple[str, ...] | None
    """Names of the columns, if the file has any."""
    width: int
    """Fields of the first line; 0 if there is none."""
    lines: Iterator[tuple[int, list[str]]]
    """Lines of fields that hold a row, each with its number."""

    def rows(self, places: Sequence[int], *, total: bool = False) -> Iterator[list[float]]:
        """Yield the numbers in these fields of each line.

        With ``total``, a line that is no row of numbers gives NaN.

        Otherwise raises ``ValueError`` with the place of the field that is no number.
        """
        for number, fields in self.lines:
            if len(fields) != self.width:
                if not total:
                    found = f"got {len(fields)} fields in line {number} instead of {self.width}"
                    raise Malformed(f"{self.path} must be rectangular, {found}")
                yield [math.nan] * len(places)
                continue
            for place in () if total else places:
                if not is_number(fields[place]):
                    where = f"column {shown(self.names[place])}" if self.names else f"field {place + 1}"
                    raise Malformed(f"{self.path} must hold numbers, but line {number} has none in {where}")
            yield [float(fields[place]) if is_number(fields[place]) else math.nan for place in places]


def opened(path: Path, separator: str, header: bool | None = None, *, total: bool = False) -> Text:
    """Look at the first line of a file of rows of numbers between separators.

    ``header`` says whether it holds names. Untold, it must for certain: its fields are all different, begin with a
    letter, have no full stop, and stand for no value, as "NA" does. Whether a first row is one of numbers is not
    guessed, as a refusal that depends on the row would tell about a person. Raises ``ValueError`` for anything else;
    with ``total`` an empty line between others is a line without fields, and so is one that cannot be read. Quotes
    hold one field, over lines too: they must be closed.
    """
    lines = _lines(path, separator, total)
    first = next(lines, None)
    if first is None:
        return Text(path, None, 0, lines)
    if header if header is not None else _names(path, first[1]):
        return Text(path, tuple(field.strip() for field in first[1]), len(first[1]), lines)
    return Text(path, None, len(first[1]), itertools.chain([first], lines))


def _lines(path: Path, separator: str, total: bool) -> Iterator[tuple[int, list[str]]]:
    """Lines of a text file with their numbers; empty ones may end it, but elsewhere they may be missing values."""
    with path.open(encoding="utf-8-sig", newline="", errors="replace" if total else "strict") as file:
        reader = csv.reader(file, strict=not total, delimiter=separator)
        empty: list[int] = []
        try:
            for fields in _whole(reader) if total else reader:
                if fields == []:
                    empty.append(reader.line_num)
                    continue
                if empty and not total:
                    raise Malformed(f"{path} must have no empty line between others, which line {empty[0]} is")
                yield from ((line, []) for line in empty)
                yield reader.line_num, fields or []
                empty = []
        except (csv.Error, UnicodeDecodeError):
            where = f"which it is not after line {reader.line_num}"
            raise Malformed(f"{path} must be text in UTF-8 with fields between separators, {where}") from None


def _whole(reader: Iterator[list[str]]) -> Iterator[list[str] | None]:
    """Lines of fields; ``None`` for one that the reader refuses, as it does if a field is too long for it."""
    while True:
        try:
            yield next(reader)
        except csv.Error:
            yield None
        except StopIteration:
            return


def _names(path: Path, fields: Sequence[str]) -> bool:
    """Whether the first line holds names; raises ``ValueError`` unless that is certain."""
    cleaned = [field.strip() for field in fields]
    different = len(set(cleaned)) == len(cleaned)
    if different and all(NAME.fullmatch(field) and field.lower() not in NO_NAMES for field in cleaned):
        return True
    raise ValueError(f"the first line of {path} must hold names for certain: say --header or --no-header")
