"""Floors: the smallest share of the drawn cases in which the premise of each part holds, so that no premise can shrink.

A premise that holds less often makes every statement true, and nothing else would notice. `dpspectra verify` compares a
run of the usual cases with ``floors.csv``; ``python -m dpspectra.ledger.floors .`` writes the file again, in some
minutes, from the float64 faces. A floor that falls shows in a review.
"""

from __future__ import annotations

import csv
import functools
import io
import sys
from collections import Counter, defaultdict
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from dpspectra.ledger.judgement import named, outcomes

if TYPE_CHECKING:
    from dpspectra.ledger.entry import Statement

FILE = "floors.csv"
"""Name of the file, beside this module."""
KEPT = 80
"""Percent of a share that a later run must still reach."""


@functools.cache
def floors() -> dict[str, dict[str, int]]:
    """Return the floors in percent of the drawn cases, by entry and part."""
    found: dict[str, dict[str, int]] = defaultdict(dict)
    text = resources.files("dpspectra.ledger").joinpath(FILE).read_text(encoding="utf-8")
    for row in csv.DictReader(text.splitlines()):
        found[row["label"]][row["part"]] = int(row["percent"])
    return dict(found)


def below(label: str, evaluated: Mapping[str, int], drawn: int) -> list[str]:
    """Return the parts that too few of the drawn cases evaluate; one that is not listed has no floor."""
    return [
        f"{named(part)} is evaluated in {evaluated.get(part, 0)} of {drawn} drawn cases, {FILE} demands {least} %"
        for part, least in floors().get(label, {}).items()
        if 100 * evaluated.get(part, 0) < least * drawn
    ]


def shares(entry: Statement) -> dict[str, int]:
    """Return the floors, in percent, that the usual cases of an entry reach, in float64."""
    from dpspectra.ledger.cases import drawn

    assert entry.cases is not None
    cases, seen = drawn(entry.cases(), entry.examples, f"{entry.id}, seed None"), Counter[str]()
    for case in cases:
        seen.update({outcome.part for outcome in outcomes(entry, "fast", case)})
    return {part: KEPT * number // len(cases) for part, number in seen.items()}


def text() -> str:
    """Return the file as it should be for the book as it is now."""
    from dpspectra.ledger.registry import all_statements

    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("label", "part", "percent"))
    for entry in all_statements():
        if "fast" in entry.faces and entry.cases is not None:
            writer.writerows((entry.id, part, least) for part, least in shares(entry).items() if least)
    return out.getvalue()


if __name__ == "__main__":
    (Path(sys.argv[1]) / "reference" / "dpspectra" / "ledger" / FILE).write_text(text(), encoding="utf-8")
