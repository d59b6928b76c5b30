"""Pins: the labels and the chapter of each entry, and the names of its parts, as they were when last written.

`python -m dpspectra.ledger.views` writes them. An entry that loses or renames a part no longer agrees with its pins:
`dpspectra verify` and the tests report it, and a change of the file shows in a review. They are read without importing
the book.
"""

from __future__ import annotations

import csv
import functools
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dpspectra.ledger.entry import Statement

FILE = "pins.csv"
"""Name of the file, beside this module."""
SEPARATOR = "; "
"""Text between names in a field."""


@dataclass(frozen=True, slots=True)
class Pin:
    """Labels, chapter and parts of an entry when the pins were written."""

    labels: tuple[str, ...]
    chapter: str
    parts: tuple[str, ...]
    """Names of the parts that are judged; none where a printed form is refuted and nothing stands."""


UNPINNED = Pin(("",), "", ())
"""Pin of a label before the pins are written."""


@functools.cache
def pins() -> dict[str, Pin]:
    """Return the pins by label; an entry stands under each of its labels."""
    text = resources.files("dpspectra.ledger").joinpath(FILE).read_text(encoding="utf-8")
    found = [
        Pin(tuple(row["labels"].split()), row["chapter"], tuple(filter(None, row["parts"].split(SEPARATOR))))
        for row in csv.DictReader(text.splitlines())
    ]
    return {label: pin for pin in found for label in pin.labels}


def parts(entry: Statement) -> tuple[str, ...]:
    """Return the names of the parts of an entry, in order, evaluated in float64 at its tight instances.

    An entry that is not written yet has none.
    """
    from dpspectra.ledger.judgement import outcomes
    from dpspectra.ledger.unwritten import unwritten

    if unwritten(entry):
        return ()
    cases = entry.faces["tight"]() if "tight" in entry.faces else ()
    return tuple(dict.fromkeys(outcome.part for case in cases for outcome in outcomes(entry, "fast", case)))


def text() -> str:
    """Return the file as it should be for the book as it is now; takes about half a minute."""
    from dpspectra.ledger import tables
    from dpspectra.ledger.registry import all_statements

    rows = ((" ".join(entry.labels), entry.chapter, SEPARATOR.join(parts(entry))) for entry in all_statements())
    return tables.text(("labels", "chapter", "parts"), rows)


def write(root: Path) -> None:
    """Bring the pins of the project at ``root`` up to date."""
    from dpspectra.ledger import tables

    tables.write(root, FILE, text())
    pins.cache_clear()
