"""The page of public faults, re-created: what both auditors say of each, and of its sound twin."""

from collections.abc import Sequence
from typing import Any

from atlas import markup as md
from dpspectra.audit import audit, inside
from dpspectra.audit.subjects.museum import cases

INTRODUCTION = """Each case is a fault that was reported in public, or a classic, in our own words.
It is one function with its claim, a pair of data sets that shows the fault, and its sound twin.

Both auditors judge all of them when this site is built.
From inside they follow the noise through the code for at most 20 seconds.
From outside they take at most 4,096 draws on each data set.
A verdict that is not decided is said as such; the twin's verdict is that from inside."""
AFTER = """`dpspectra museum` prints the same list, and `dpspectra museum --list` what each case is about.

A fault that only the floats show, such as noise whose lowest bits tell the location, is none in the ideal arithmetic
of an audit from inside: `audit(..., bits=True)` looks there."""
HEAD = ("case", "thread", "claim", "inside", "line", "twin", "outside", "draws")
DRAWS = 4096
SECONDS = 20
"""For a look from inside; a quarter of it for paths, of which some cases have no end."""


def judged(name: str) -> list[str]:
    """Return the row of a case, as the auditors of this moment judge it."""
    case = cases()[name]
    looked, twin = (inside(f, case.pair, case.claim, seconds=SECONDS) for f in (case.wrong, case.right))
    drawn = audit(case.wrong, case.pair, case.claim, draws=DRAWS, rng=0)
    line = "" if case.place is None else md.code(case.place.strip())
    said = f"{looked.verdict} in {looked.runs} runs"
    texts = (case.name, case.thread, str(case.claim), said, twin.verdict, drawn.verdict, str(drawn.draws))
    name, thread, claim, found, sound, outside, draws = map(md.escape, texts)
    return [name, thread, claim, found, line, sound, outside, draws]


def page(rows: Sequence[Any]) -> str:
    """Return the page in MyST Markdown."""
    return md.page("Faults that were public", INTRODUCTION, md.table(HEAD, rows), AFTER)
