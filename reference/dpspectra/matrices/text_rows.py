"""Rows of numbers in text files, some lines at a time.

A record is a line. A field that begins with a quote ends at the next quote, and two quotes in it stand for one; so a
record has more lines where a quoted field does. Strict reading refuses what is not CSV in this sense. Total reading
takes all files: a quote that no other one closes before a separator or a line end is closed by its line, and a record
that is no row of numbers is a row of NaN. So who writes CSV as programs do owns one row, whatever the fields hold, and
an open quote takes no other line with it.
"""

import csv
import itertools
import math
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from dpspectra.ground import checks
from dpspectra.ground.foreign_code import PASSED
from dpspectra.ground.values import shown
from dpspectra.matrices.foreign_data import NUMBER, number
from dpspectra.matrices.text_lines import ESCAPED, ONE_FIELD, PLAIN, Form, Lines, Malformed

NAME = re.compile(r"[^\W\d][^.]*")
NO_NAMES = {"na", "n/a", "null", "none", "nil", "missing", "true", "false"}
"""Words that stand for a value, or for a missing one."""
ENDS = "\r\n"
DECIMAL_COMMA = ", or --decimal , reads decimal commas"
QUOTED = re.compile(r'[^"]*(?:""[^"]*)*"(?!")')
"""The inside of a quoted field, and the quote that ends it."""
NAMED = (
    "columns must be named (--columns) where bad_rows='zero' reads text, as its first line must hold names and nothing "
    "may be guessed from entries"
)
Record = list[str] | None
"""Fields of a record; ``None`` where a line is none."""


class Text:
    """A file of text whose first record was looked at; the others are gone through once."""

    def __init__(self, path: Path, form: Form = PLAIN, *, total: bool = False, named: bool = False) -> None:
        """Look at the first record, which holds names if ``named`` columns are wanted and the form does not say.

        Else it must hold names for certain: its fields are all different, begin with a letter, have no full stop, and
        stand for no value, as "NA" does. Whether a first row is one of numbers is not guessed, as a refusal that
        depends on the row would tell about a person. Raises ``ValueError`` for anything else.
        """
        form = form.checked(path, total=total)
        if total and (form.header is False or not named):
            raise ValueError(f"{NAMED}, got {'none' if form.header is not False else 'a file without names'}")
        header = True if named and total else form.header
        self.path, self.total, self._form = path, total, form
        self._separator = str(form.separator)
        self._lines, self._taken = Lines(path, form.encoding), list[str]()
        first = next(self._strict(), (0, []))[1]
        self.width = len(first)
        """Fields of the first record; 0 if there is none."""
        self.names: tuple[str, ...] | None = None
        """Names of the columns, if the file has any."""
        if not first:
            return
        if header if header is not None else _names(path, first):
            self.names = tuple(field.strip() for field in first)
        else:
            self._lines.back(self._taken)

    def blocks(self, places: Sequence[int], numbers: int) -> Iterator[NDArray[np.float64]]:
        """Yield the numbers in these fields of the records, about so many at a time; raises `Malformed`."""
        while lines := self._lines.some(16 * numbers):
            if (found := self._quickly(lines, places)) is not None:
                yield found
                continue
            self._lines.back(lines)
            records = self._alone(len(lines)) if self.total else self._strict()
            rows = (self._row(fields, line, places) for line, fields in records)
            while some := list(itertools.islice(rows, max(1, numbers // len(places)))):
                yield np.array(some, dtype=np.float64)

    def column(self, place: int) -> list[str | None]:
        """Texts of one field of all records; ``None`` where a record is no row."""
        records = self._alone(math.inf) if self.total else self._strict()
        return [fields[place] if fields and len(fields) == self.width else None for _, fields in records]

    # ------------------------------------------------------------ records

    def _strict(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the records to the end, each with the number of its last line; empty lines may end the file."""
        reader, empty = csv.reader(self._checked(), strict=True, delimiter=self._separator), 0
        try:
            for fields in reader:
                if not fields:
                    empty = empty or self._lines.number
                    continue
                if empty:
                    raise Malformed(f"{self.path} must have no empty line between others, which line {empty} is")
                yield self._lines.number, fields
                self._taken.clear()
        except csv.Error:
            pass
        else:
            return
        self._lines.refuse(self._lines.number)

    def _checked(self) -> Iterator[str]:
        """Lines to the end of the file; raises `Malformed` for bytes that are no text."""
        while line := self._lines.next():
            if not line.isascii() and ESCAPED.search(line):
                self._lines.refuse(self._lines.number - 1)
            self._taken.append(line)
            yield line

    def _alone(self, number: float) -> Iterator[tuple[int, Record]]:
        """Yield the records that begin in the next lines, so many of them; each is read by itself."""
        last = self._lines.number + number
        while self._lines.number < last and (line := self._lines.next()):
            yield self._lines.number, self._record(line.rstrip(ENDS))

    def _record(self, text: str) -> Record:
        """Fields of the record that begins with a line; it takes more lines only if a quote closes there."""
        fields: list[str] = []
        taken: list[str] = []
        at = 0
        while True:
            if not text.startswith('"', at):
                end = self._end(text, at)
                fields.append(text[at:end])
            elif inside := QUOTED.match(text, at + 1):
                end = self._end(text, inside.end())
                fields.append(inside[0][:-1].replace('""', '"') + text[inside.end() : end])
            else:
                held, text, end = self._over_lines(text[at + 1 :], taken)
                if held is None:
                    self._lines.back(taken)
                    return None
                fields.append(held)
            if end == len(text):
                return fields
            at = end + 1

    def _over_lines(self, begun: str, taken: list[str]) -> tuple[str | None, str, int]:
        """Return what a quoted field holds that has ``begun``, the line in which it is closed, and where it ends there.

        The field is ``None`` if no quote closes it. All lines that were looked at are added to ``taken``.
        """
        held = [begun]
        while line := self._lines.next():
            taken.append(line)
            text = line.rstrip(ENDS)
            if inside := QUOTED.match(text):
                closed = inside.end() in (len(text), self._end(text, inside.end()))
                return "\n".join((*held, inside[0][:-1])).replace('""', '"') if closed else None, text, inside.end()
            held.append(text)
        return None, "", 0

    def _end(self, text: str, at: int) -> int:
        """Place of the next separator, or the end of the text."""
        return len(text) if (found := text.find(self._separator, at)) < 0 else found

    # ------------------------------------------------------------ numbers

    def _quickly(self, lines: list[str], places: Sequence[int]) -> NDArray[np.float64] | None:
        """Return the numbers of lines that need no care, by numpy's reader of text; ``None`` if any may.

        Without a quote each line is a record, and its fields are what stands between separators. Numpy reads the texts
        that `number` reads as the same floats, and fails at others.
        """
        text = "".join(lines)
        comma = self._form.decimal == ","
        if '"' in text or (comma and "." in text) or not (text.isascii() or self.total or not ESCAPED.search(text)):
            return None
        if set(map(str.count, lines, itertools.repeat(self._separator))) != {self.width - 1}:
            return None
        if self.width == 1 and not all(map(str.strip, lines)):
            return None  # numpy leaves empty lines out
        if comma:
            lines = [line.replace(",", ".") for line in lines]
        try:
            found = np.loadtxt(lines, delimiter=self._separator, usecols=places, comments=None, ndmin=2, encoding=None)
        except PASSED:
            raise
        except Exception:
            return None
        return found if len(found) == len(lines) else None

    def _row(self, fields: Record, line: int, places: Sequence[int]) -> list[float]:
        """Return the numbers in these fields; what is none is NaN if reading is total, else refused by its place."""
        if fields is None or len(fields) != self.width:
            if self.total:
                return [math.nan] * len(places)
            self._ragged(len(fields or ()), line)
        row = [self._number(fields[place]) for place in places]
        if not self.total and any(map(math.isnan, row)):
            for place, value in zip(places, row, strict=True):
                if math.isnan(value) and not NUMBER.fullmatch(fields[place].strip()):
                    where = f"column {shown(self.names[place])}" if self.names else f"field {place + 1}"
                    way_out = f"name others by columns, or {checks.ZERO_ROWS}{self._comma}{self._hint}"
                    raise Malformed(f"{self.path} must hold numbers, but line {line} has none in {where}: {way_out}")
        return row

    def _ragged(self, found: int, line: int) -> NoReturn:
        told = f"got {found} fields in line {line} instead of {self.width}{self._hint}"
        raise Malformed(f"{self.path} must be rectangular, {told}")

    @property
    def _comma(self) -> str:
        """Words for a file that may have decimal commas, as they do not separate its fields."""
        return "" if "," in (self._separator, self._form.decimal) else DECIMAL_COMMA

    @property
    def _hint(self) -> str:
        """Words for a file that has one column by this separator."""
        return ONE_FIELD if self.width == 1 else ""

    def _number(self, field: str) -> float:
        if self._form.decimal == ",":
            return math.nan if "." in field else number(field.replace(",", "."))
        return number(field)


def _names(path: Path, fields: Sequence[str]) -> bool:
    """Whether the first record holds names; raises ``ValueError`` unless that is certain."""
    cleaned = [field.strip() for field in fields]
    different = len(set(cleaned)) == len(cleaned)
    if different and all(NAME.fullmatch(field) and field.lower() not in NO_NAMES for field in cleaned):
        return True
    raise ValueError(f"the first line of {path} must hold names for certain: say --header or --no-header")
