"""Ratios: how close each part comes to its right side at every tight instance, so that no right side gets loose.

A part is tight at some instance; at the others it shows how its right side depends on the case. Of the outcomes of a
part at an instance the mean ratio counts, as the largest one hides the others. ``ratios.csv`` lists what the oracle
finds at all of them, and `dpspectra verify` compares. So a right side that lost a term is noticed even if the instances
where it is tight do not need that term. ``python -m dpspectra.ledger.ratios .`` writes the file again, in some minutes;
a row that changes shows in a review.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import sys
from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from dpspectra.ledger import tables
from dpspectra.ledger.judgement import Judgement, judge_tight, named
from dpspectra.ledger.pins import SEPARATOR

if TYPE_CHECKING:
    from dpspectra.ledger.entry import Statement

FILE = "ratios.csv"
"""Name of the file, beside this module."""
NEAR = 1e-3
"""Largest change of a ratio, relative to it, that is none; the file has one more digit."""
NOTHING = 1e-9
"""Change of a ratio that is none, however small the ratio is."""
MORE_DIGITS = 7
"""Digits of another run of the oracle: a ratio that they change is one of rounding errors, and is not listed."""

Ratios = tuple[float | None, ...]
"""Ratios of a part at the tight instances in order; None where there is none to compare."""


@functools.cache
def ratios() -> dict[str, dict[str, Ratios]]:
    """Return the listed ratios by entry and part."""
    found: dict[str, dict[str, Ratios]] = defaultdict(dict)
    for row in tables.rows(FILE):
        listed = row["ratios"].split(SEPARATOR.strip())
        found[row["label"]][row["part"]] = tuple(float(x) if x.strip() else None for x in listed)
    return dict(found)


def changed(label: str, tight: Sequence[Judgement]) -> list[str]:
    """Return the parts that are not as close to their right sides as listed, at some tight instance.

    A part that occurs at none of them is missed by the pins.
    """
    found = {part for judged in tight for part in judged.parts}
    listed = {part: row for part, row in ratios().get(label, {}).items() if part in found}
    if any(len(row) != len(tight) for row in listed.values()):
        return [f"the face tight has {len(tight)} instances, {FILE} has {max(map(len, listed.values()))}"]
    return [
        f"{named(part)} comes to {ratio} of its right side at instance {place} of the face tight, {FILE} has {before}"
        for part, row in listed.items()
        for place, (before, ratio) in enumerate(zip(row, _found(part, tight), strict=True), 1)
        if before is not None and not _near(ratio, before)
    ]


def _found(part: str, tight: Sequence[Judgement]) -> Ratios:
    seen = [judged.parts[part].ratios if part in judged.parts else [] for judged in tight]
    return tuple(math.fsum(ratios) / len(ratios) if ratios else None for ratios in seen)


def _near(ratio: float | None, listed: float) -> bool:
    return ratio is not None and abs(ratio - listed) <= NEAR * abs(listed) + NOTHING


def steady(entry: Statement) -> dict[str, Ratios]:
    """Return the ratios by part, without those that change with the digits of the oracle."""
    tight = judge_tight(entry)
    again = judge_tight(dataclasses.replace(entry, digits=entry.digits + MORE_DIGITS))
    found = {}
    for part in dict.fromkeys(part for judged in tight for part in judged.parts):
        pairs = zip(_found(part, tight), _found(part, again), strict=True)
        row = tuple(a if a is not None and b is not None and _near(b, a) else None for a, b in pairs)
        if any(ratio is not None for ratio in row):
            found[part] = row
    return found


def text() -> str:
    """Return the file as it should be for the book as it is now."""
    from dpspectra.ledger.registry import all_statements

    rows = (
        (entry.id, part, SEPARATOR.join("" if ratio is None else f"{ratio:.5g}" for ratio in row))
        for entry in all_statements()
        if {"tight", "oracle"} <= entry.faces.keys()
        for part, row in steady(entry).items()
    )
    return tables.text(("label", "part", "ratios"), rows)


if __name__ == "__main__":
    tables.write(sys.argv[1], FILE, text())
