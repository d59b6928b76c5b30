"""Lines of a text file: how it is written, where it comes from, and lines that are put back."""

import codecs
import functools
import gzip
import io
import re
import sys
import weakref
import zlib
from collections import deque
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import IO, NamedTuple, NoReturn, TypeVar, cast

from dpspectra.ground import checks
from dpspectra.ground.values import shown

T = TypeVar("T")
SEPARATORS = {".csv": ",", ".tsv": "\t"}
"""Separator of the fields of a text file, by its ending."""
PACKED = ".gz"
STANDARD_INPUT = "-"
"""Name of the standard input, which is text as in a .csv file."""
ONE_FIELD = "; another --separator may be meant, as each line is one field"
"""Words for a file that has one column by its separator."""
BY_THEMSELVES = {"ascii", "cp1250", "cp1251", "cp1252", "iso8859-1", "iso8859-2", "iso8859-15", "utf-8"}
"""Encodings in which no byte changes how bytes after a line end are read, by their names in Python."""
ESCAPED = re.compile("[\udc80-\udcff]")
"""Bytes that are no text, as they are decoded: each becomes a character of its own."""
BROKEN = (UnicodeError, EOFError, OSError, zlib.error)
"""Errors of a file whose bytes are not what they should be."""


class Malformed(ValueError):
    """A line below the header is refused, which is an answer about the data."""


class Form(NamedTuple):
    """How a text file is written."""

    header: bool | None = None
    """Whether the first line holds names; ``None`` if it must for certain."""
    separator: str | None = None
    """Separator of the fields; ``None`` for the one of the ending of the file."""
    encoding: str = "utf-8"
    decimal: str = "."
    """Character before the fraction of a number: ``"."`` or ``","``."""

    def checked(self, path: Path, *, total: bool = False) -> "Form":
        """Return the form of a file, with its separator; ``ValueError`` for what no text file has.

        Total reading needs an encoding in which each line is read by itself.
        """
        separator = SEPARATORS[ending(path)] if self.separator is None else self.separator
        if not isinstance(separator, str) or len(separator) != 1 or separator.isalnum() or separator in '".+-\r\n ':
            raise ValueError(f"separator must be one character that is no part of a number, got {shown(separator)}")
        if separator == checks.choice(self.decimal, "decimal", (".", ",")):
            raise ValueError(f"separator must be another character than decimal, got {shown(separator)} for both")
        try:
            encoding = codecs.lookup(self.encoding).name
        except (LookupError, TypeError):
            known = "utf-8, cp1252 or another that Python knows"
            raise ValueError(f"encoding must be {known}, got {shown(self.encoding)}") from None
        if total:
            checks.choice(encoding, "encoding with bad_rows='zero'", sorted(BY_THEMSELVES))
        return self._replace(separator=separator, encoding="utf-8-sig" if encoding == "utf-8" else encoding)


PLAIN = Form()


def ending(path: Path) -> str:
    """Return the ending of a name in small letters: of a packed text file the one before; of `STANDARD_INPUT` .csv."""
    if str(path) == STANDARD_INPUT:
        return ".csv"
    name = Path(path.name.lower())
    inner = Path(name.stem).suffix if name.suffix == PACKED else ""
    return inner if inner in SEPARATORS else name.suffix


class Lines:
    """Lines of a file, each with its ending, in order; some may be put back."""

    def __init__(self, path: Path, encoding: str) -> None:
        self._path = path
        if str(path) == STANDARD_INPUT:
            source: IO[bytes] = io.BytesIO(_standard_input())
        else:
            packed = path.name.lower().endswith(PACKED)
            source = cast("IO[bytes]", gzip.open(path)) if packed else path.open("rb")  # noqa: SIM115
        self._file = io.TextIOWrapper(source, encoding, errors="surrogateescape", newline="")
        weakref.finalize(self, self._file.close)  # readers may stop early
        self._waiting: deque[str] = deque()
        self.number = 0
        """Lines that were read so far."""

    def next(self) -> str:
        """Return the next line; the empty text at the end."""
        line = self._waiting.popleft() if self._waiting else self._read(self._file.readline)
        self.number += bool(line)
        return line

    def some(self, characters: int) -> list[str]:
        """Return the next lines, with about so many characters; none at the end."""
        lines = list(self._waiting) or self._read(lambda: self._file.readlines(characters))
        self._waiting.clear()
        self.number += len(lines)
        return lines

    def back(self, lines: Iterable[str]) -> None:
        """Put the lines back that were read last."""
        lines = list(lines)
        self._waiting.extendleft(reversed(lines))
        self.number -= len(lines)

    def refuse(self, number: int) -> NoReturn:
        """Raise `Malformed` for what comes after so many lines."""
        raise self._problem(number)

    def _problem(self, number: int) -> Malformed:
        encoding = self._file.encoding.upper().removesuffix("-SIG")
        where = f"which it is not after line {number}: say --encoding or --separator if they are others"
        return Malformed(f"{self._path} must be text in {encoding} with fields between separators, {where}")

    def _read(self, call: Callable[[], T]) -> T:
        try:
            return call()
        except BROKEN:
            problem = self._problem(self.number)
        raise problem


@functools.cache
def _standard_input() -> bytes:
    """Return all bytes of the standard input, which can be read only once."""
    return sys.stdin.buffer.read()
