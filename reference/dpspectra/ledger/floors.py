"""Floors: the smallest share of the drawn cases in which the premise of each part holds, so that no premise can shrink.

A premise that holds less often makes every statement true, and nothing else would notice. ``floors.csv`` lists the
parts that not every case evaluates. `dpspectra verify` compares a run of the usual cases with it; ``python -m
dpspectra.ledger.floors .`` writes it again, in some minutes, from the float64 faces. A row that is new, or whose floor
falls, shows in a review.
"""

from __future__ import annotations

import functools
import sys
from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING

from dpspectra.ledger import tables
from dpspectra.ledger.judgement import named, outcomes
from dpspectra.ledger.pins import UNPINNED, pins

if TYPE_CHECKING:
    from dpspectra.ledger.entry import Statement

FILE = "floors.csv"
"""Name of the file, beside this module."""
KEPT = 80
"""Percent of a share that a later run must still reach: the floor of a part that every case evaluates."""


@functools.cache
def floors() -> dict[str, dict[str, int]]:
    """Return the floors in percent of the drawn cases, by entry and part; `KEPT` where there is none."""
    found: dict[str, dict[str, int]] = defaultdict(dict)
    for row in tables.rows(FILE):
        found[row["label"]][row["part"]] = int(row["percent"])
    return dict(found)


def below(label: str, evaluated: Mapping[str, int], drawn: int) -> list[str]:
    """Return the pinned parts that too few of the drawn cases evaluate."""
    demanded = dict.fromkeys(pins().get(label, UNPINNED).parts, KEPT) | floors().get(label, {})
    return [
        f"{named(part)} is evaluated in {evaluated.get(part, 0)} of {drawn} drawn cases, its floor is {least} %"
        for part, least in demanded.items()
        if 100 * evaluated.get(part, 0) < least * drawn
    ]


def shares(entry: Statement) -> dict[str, int]:
    """Return the floors, in percent, that the usual cases of an entry reach, in float64, for each pinned part."""
    from dpspectra.ledger.cases import drawn

    assert entry.cases is not None
    cases, seen = drawn(entry.cases(), entry.examples, f"{entry.id}, seed None"), Counter[str]()
    for case in cases:
        seen.update({outcome.part for outcome in outcomes(entry, "fast", case)})
    return {part: KEPT * seen[part] // len(cases) for part in pins()[entry.id].parts}


def text() -> str:
    """Return the file as it should be for the book as it is now."""
    from dpspectra.ledger.registry import all_statements

    rows = (
        (entry.id, part, least)
        for entry in all_statements()
        if "fast" in entry.faces and entry.cases is not None
        for part, least in shares(entry).items()
        if least < KEPT
    )
    return tables.text(("label", "part", "percent"), rows)


if __name__ == "__main__":
    tables.write(sys.argv[1], FILE, text())
