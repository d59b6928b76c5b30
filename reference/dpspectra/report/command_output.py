"""The answers of commands: text on standard output, and JSON where it was asked for.

``--json FILE`` means one thing in all commands: the text is printed, and the JSON is written to the file. With ``-``
the JSON is printed in place of the text.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from dpspectra.report.files import write_text

STDOUT = Path("-")
"""Stands for standard output."""


def file_of(target: Path | None) -> Path | None:
    """Return the file that JSON goes to; ``None`` if it is printed, or not wanted."""
    return None if target == STDOUT else target


def say(target: Path | None, text: str) -> None:
    """Print text, unless JSON takes its place."""
    if target != STDOUT:
        print(text)


def put(target: Path | None, made: Callable[[], str]) -> None:
    """Make the JSON and write it to its file, or print it; make none if none is wanted."""
    if target is None:
        return
    text = made().rstrip("\n")
    if target == STDOUT:
        print(text)
    else:
        write_text(target, text + "\n")
