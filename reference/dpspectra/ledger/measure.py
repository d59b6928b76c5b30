"""Measure the parts of an entry, compare them with the `dpspectra.ledger.baseline`, and write it.

`make notes` measures new parts and keeps what is recorded of all others; ``make notes AGAIN="JXZ-T1"`` measures a
statement again.
"""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from dpspectra.ledger import tables
from dpspectra.ledger.baseline import FILE, Baseline, Ratios, Row, digests, of, text
from dpspectra.ledger.judgement import Judgement, judge_tight, named, outcomes

if TYPE_CHECKING:
    from dpspectra.ledger.entry import Statement

KEPT = 80
"""Percent of a measured share of cases that a later run must still reach."""
NEAR = 1e-3
"""Largest change of a ratio, relative to it, that is none; the file has one more digit."""
NOTHING = 1e-9
"""Change of a ratio that is none, however small the ratio is."""
MORE_DIGITS = 7
"""Digits of another run of the oracle: a ratio that they change is one of rounding errors, and is not recorded."""


def uncovered(label: str, evaluated: Mapping[str, int], drawn: int) -> list[str]:
    """Return the recorded parts whose premise holds in too few of the drawn cases."""
    demanded = {part: row.coverage for part, row in of(label).rows.items() if row.coverage is not None}
    return [
        f"{named(part)} is evaluated in {evaluated.get(part, 0)} of {drawn} drawn cases, {FILE} demands {least} %"
        for part, least in demanded.items()
        if 100 * evaluated.get(part, 0) < least * drawn
    ]


def changed(label: str, tight: Sequence[Judgement]) -> list[str]:
    """Return the parts that are not as close to their right sides as recorded, at some tight instance.

    A part that occurs at none of them is missed by its name.
    """
    found = {part for judged in tight for part in judged.parts}
    listed = {part: row.ratios for part, row in of(label).rows.items() if row.ratios and part in found}
    if any(len(row) != len(tight) for row in listed.values()):
        return [f"the face tight has {len(tight)} instances, {FILE} has {max(map(len, listed.values()))}"]
    return [
        f"{named(part)} comes to {ratio} of its right side at instance {place} of the face tight, {FILE} has {before}"
        for part, row in listed.items()
        for place, (before, ratio) in enumerate(zip(row, _ratios(part, tight), strict=True), 1)
        if before is not None and not _near(ratio, before)
    ]


def unexplained(entry: Statement, tight: Sequence[Judgement]) -> list[str]:
    """Return the numbers to which no tight instance is sensitive, if no reason is recorded; and reasons without one."""
    from dpspectra.ledger.input_sensitivity import told, unnoticed

    found, rows = unnoticed(entry, tight), of(entry.id).rows
    known = {(part, number): reason for part, row in rows.items() for number, reason in row.insensitive.items()}
    new = sorted(one for one in found if not known.get(one))
    faults = [f"challenge: {told(*one)}, and {FILE} does not say why" for one in new]
    return faults + [f"{FILE}: no longer true: {told(*one)}" for one in sorted(known.keys() - found)]


def _ratios(part: str, tight: Sequence[Judgement]) -> Ratios:
    """Return the mean ratio of the outcomes of a part at each instance: the largest one would hide the others."""
    seen = [judged.parts[part].ratios if part in judged.parts else [] for judged in tight]
    return tuple(math.fsum(ratios) / len(ratios) if ratios else None for ratios in seen)


def _near(ratio: float | None, listed: float) -> bool:
    return ratio is not None and abs(ratio - listed) <= NEAR * abs(listed) + NOTHING


def parts(entry: Statement) -> tuple[str, ...]:
    """Return the names of the parts of an entry, in order, evaluated in float64 at its tight instances.

    An entry that is not written yet has none.
    """
    from dpspectra.ledger.unwritten import unwritten

    if unwritten(entry):
        return ()
    cases = entry.faces["tight"]() if "tight" in entry.faces else ()
    return tuple(dict.fromkeys(outcome.part for case in cases for outcome in outcomes(entry, "fast", case)))


def measured(entry: Statement) -> dict[str, Row]:
    """Return the rows of an entry as it is now, by part, with an empty reason for each number."""
    from dpspectra.ledger.input_sensitivity import unnoticed

    if not (names := parts(entry)):
        return {"": Row()}
    tight = judge_tight(entry)
    coverage, ratios, numbers = _coverage(entry, names), _steady(entry, tight), sorted(unnoticed(entry, tight))
    return {
        part: Row(coverage.get(part), ratios.get(part, ()), {number: "" for its, number in numbers if its == part})
        for part in ("", *names)
    }


def _coverage(entry: Statement, names: Collection[str]) -> dict[str, int]:
    """Return the percentages of the usual drawn cases to be demanded, by part."""
    from dpspectra.ledger.cases import drawn  # loads Hypothesis

    assert entry.cases is not None
    cases, seen = drawn(entry.cases(), entry.examples, f"{entry.id}, seed None"), Counter[str]()
    for case in cases:
        seen.update({outcome.part for outcome in outcomes(entry, "fast", case)})
    return {part: KEPT * seen[part] // len(cases) for part in names}


def _steady(entry: Statement, tight: Sequence[Judgement]) -> dict[str, Ratios]:
    """Return the ratios by part, without those that change with the digits of the oracle."""
    again = judge_tight(dataclasses.replace(entry, digits=entry.digits + MORE_DIGITS))
    found = {}
    for part in dict.fromkeys(part for judged in tight for part in judged.parts):
        pairs = zip(_ratios(part, tight), _ratios(part, again), strict=True)
        row = tuple(a if a is not None and b is not None and _near(b, a) else None for a, b in pairs)
        if any(ratio is not None for ratio in row):
            found[part] = row
    return found


def rows(entry: Statement, again: bool = False) -> dict[str, Row]:
    """Return the rows to be recorded of an entry: new parts are measured, known ones only ``again``.

    Reasons are kept, and so are the digests of formulas that were not read ``again``.
    """
    before, names, sealed = of(entry.id).rows, parts(entry), digests(entry)
    kept = {} if again else before
    found = {} if kept.keys() >= set(names) else measured(entry)
    now = {part: kept[part] if part in kept else found.get(part, Row()) for part in ("", *names)}
    for part, row in now.items():
        known = before.get(part, Row())
        now[part] = dataclasses.replace(
            row,
            insensitive={number: known.insensitive.get(number, "") for number in row.insensitive},
            formula=(not again and known.formula) or sealed.get(part, ""),
        )
    return {part: row for part, row in now.items() if part or row.insensitive or not names}


def write(root: Path, again: Collection[str] = ()) -> None:
    """Bring the file of the project at ``root`` up to date, and measure ``again`` the entries with these identities."""
    from dpspectra.ledger.registry import all_statements

    book = all_statements()
    found = (Baseline(entry.labels, entry.chapter, rows(entry, entry.id in again)) for entry in book)
    tables.write(root, FILE, text(found))
