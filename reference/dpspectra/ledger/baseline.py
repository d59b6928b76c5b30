"""Baseline: what was measured of each part of each statement, so that a later run notices what got weaker.

``baseline.csv`` has a row for each part, with things that a run of the statement must show again:

* the name of the part: a part that is lost or renamed is named by `dpspectra verify`;
* its coverage, the percent of the usual drawn cases in which its premise must hold: a premise that holds less often
  makes every statement true, and nothing else would notice;
* its ratios of left to right side at all tight instances, in order: a right side that lost a term is noticed even if
  the instances where it is tight do not need that term;
* the numbers of a case to which no tight instance is sensitive (`dpspectra.ledger.input_sensitivity`), with the reason,
  which a person writes. These may only get fewer.

Each row has a digest of the formula of its part, with what is given: a formula that is edited alone, such as its
constant, is no longer the one that was read beside the part, and `dpspectra verify` says so until it is measured again.

A row without the name of a part is of the statement as a whole. `dpspectra.ledger.measure` compares and writes; what
changes shows in a review. The file is read without importing the book.
"""

from __future__ import annotations

import functools
import hashlib
import itertools
import operator
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dpspectra.ledger import tables

if TYPE_CHECKING:
    from dpspectra.ledger.entry import Statement

FILE = "baseline.csv"
"""Name of the file, beside this module."""
SEPARATOR = "; "
"""Text between ratios, and between numbers that have one reason."""
BETWEEN_REASONS = " | "

Ratios = tuple[float | None, ...]
"""Ratios of a part at the tight instances in order; None where there is none to compare, empty if there is nowhere."""


@dataclass(frozen=True, slots=True)
class Row:
    """Measurements of one part, or of the statement as a whole."""

    coverage: int | None = None
    """Percent of the usual drawn cases in which the premise must hold; None for the statement as a whole."""
    ratios: Ratios = ()
    insensitive: Mapping[str, str] = field(default_factory=dict)
    """Reasons by name of the number; an empty one is still to be written."""
    formula: str = ""
    """Digest of the formula that was read beside the part; see `digests`."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """Labels and chapter of an entry, and its rows by name of the part."""

    labels: tuple[str, ...] = ("",)
    chapter: str = ""
    rows: Mapping[str, Row] = field(default_factory=dict)

    @property
    def parts(self) -> tuple[str, ...]:
        """Names of the parts that are judged; none where a printed form is refuted and nothing stands."""
        return tuple(filter(None, self.rows))


@functools.cache
def recorded() -> dict[str, Baseline]:
    """Return what is recorded, by label; an entry stands under each of its labels."""
    entries = itertools.groupby(tables.rows(FILE), operator.itemgetter("labels", "chapter"))
    found = []
    for (labels, chapter), rows in entries:
        parts = {row["part"]: _read(row) for row in rows}
        found.append(Baseline(tuple(labels.split()), chapter, parts))
    return {label: one for one in found for label in one.labels}


def of(label: str) -> Baseline:
    """Return what is recorded of the entry with a label; an empty baseline if nothing is."""
    return recorded().get(label, Baseline())


def text(entries: Iterable[Baseline]) -> str:
    """Return the file that holds these entries."""
    names = ("labels", "chapter", "formula", "part", "coverage", "ratios", "insensitive to")
    rows = (
        (" ".join(one.labels), one.chapter, row.formula, part, *_fields(row))
        for one in entries
        for part, row in one.rows.items()
    )
    return tables.text(names, rows)


def digests(entry: Statement) -> dict[str, str]:
    """Return the digest of each formula with what is given, by part, as the file has it."""
    return {
        part: hashlib.sha256(f"{entry.given}\n{formula}".encode()).hexdigest()[:8]
        for part, formula in entry.formulas.items()
    }


def _read(row: Mapping[str, str]) -> Row:
    ratios = row["ratios"].split(SEPARATOR.strip()) if row["ratios"] else []
    reasons = [each.partition(":") for each in filter(None, row["insensitive to"].split(BETWEEN_REASONS))]
    return Row(
        int(row["coverage"]) if row["coverage"] else None,
        tuple(float(ratio) if ratio.strip() else None for ratio in ratios),
        {number: reason.strip() for numbers, _, reason in reasons for number in numbers.split(SEPARATOR)},
        row["formula"],
    )


def _fields(row: Row) -> tuple[str, str, str]:
    numbers = defaultdict[str, list[str]](list)
    for number, reason in row.insensitive.items():
        numbers[reason].append(number)
    return (
        "" if row.coverage is None else str(row.coverage),
        SEPARATOR.join("" if ratio is None else f"{ratio:.5g}" for ratio in row.ratios),
        BETWEEN_REASONS.join(f"{SEPARATOR.join(each)}: {reason}".strip() for reason, each in numbers.items()),
    )
