"""The texts that ``dpspectra new`` writes: they pass the linters, and the checks list the gaps in them."""

from dpspectra.ledger.entry import BROKEN, STANDING, Verdict
from dpspectra.ledger.unwritten import MARK

HEAD = '''"""{first}

{mark}: why it is true, in two lines, and what breaks without each hypothesis.
"""

from typing import Any

from dpspectra.ledger import {names}
'''
DRAWN = '''from dpspectra.strategies import dimensions, dyadics, hermitian, st


@st.composite
def _cases(draw: st.DrawFn) -> tuple[Any, float]:
    """A Hermitian matrix and a number: draw the fields of your case, in the order of the faces' arguments."""
    return draw(hermitian(draw(dimensions()))), draw(dyadics(0.25, 4.0))
'''
ENTRY = """
lemma = Statement(
    labels=("{label}",),
    claim=r"{mark}",
    verdict=Verdict.{verdict},{cases}
    note="{note}",
)
"""
CASES = "\n    cases=_cases,"
STANDS = """

@lemma.fast
def sides(x: Any, size: float) -> Parts:
    raise NotImplementedError("the face fast: for each part yield AtMost, Equal or Frequency, with numpy")


@lemma.oracle
def exact_sides(x: Matrix, size: Real) -> Parts:
    raise NotImplementedError("the face oracle: yield the same parts from the definition, with mpmath")


@lemma.tight
def equality() -> list[tuple[Any, float]]:
    raise NotImplementedError("the face tight: return cases at which each part is at equality, or declare its slack")


@lemma.beyond
def outside() -> dict[str, Outcome]:
    raise NotImplementedError("the face beyond: return what fails without each hypothesis, or set without_beyond")
"""
BREAKS = """

@lemma.as_printed
def printed(x: Any, size: float) -> Outcome:
    raise NotImplementedError("the face as_printed: return the printed form at an instance, with mpmath")


@lemma.hypotheses
def premises(x: Any, size: float) -> dict[str, Outcome]:
    raise NotImplementedError("the face hypotheses: return the printed hypotheses by name, which the instance meets")


@lemma.counterexample
def instance() -> tuple[Any, float]:
    raise NotImplementedError("the face counterexample: return an instance at which the printed form is false")


@lemma.certificate
def proof() -> dict[str, Any]:
    raise NotImplementedError("the face certificate: return the inequality that proves it, by `ledger.inequality`")
"""


def module(label: str, title: str, verdict: Verdict, note: str) -> str:
    """Return the module of a statement with the faces that its verdict demands."""
    stands, breaks = verdict.demands >= STANDING, verdict.demands >= BROKEN
    names = ["Outcome", "Statement", "Verdict", *(["Matrix", "Parts", "Real"] if stands else [])]
    fields = {
        "first": f"{label}: {title}.",
        "mark": MARK,
        "names": ", ".join(sorted(names)),
        "label": label,
        "verdict": verdict.name,
        "cases": CASES if stands else "",
        "note": note,
    }
    parts = [HEAD, DRAWN * stands, "\n" * stands, ENTRY, STANDS * stands, BREAKS * breaks]
    return "".join(part.format(**fields) if part in (HEAD, ENTRY) else part for part in parts)


def section(label: str, heading: str, number: str, verdict: Verdict) -> str:
    """Return the section of the notes, with the paragraphs that its verdict asks for."""
    leads = {
        Verdict.REPAIRED: ("What was printed", "What fails", "Repair", "Proof"),
        Verdict.CORNER: ("What was printed", "What fails", "Repair", "Proof"),
        Verdict.REFUTED: ("What was printed", "What fails"),
        Verdict.DEFINITION: ("Definition",),
        Verdict.PROOF_GAP: ("Statement", "The gap", "Proof"),
        Verdict.OPEN: ("What was printed", "The gap", "Repair", "Proof"),
        Verdict.CONJECTURE: ("Statement", "What is known", "Search"),
    }.get(verdict, ("Statement", "Proof"))
    where = f"printed as {number}" if number else "ours"
    paragraphs = "\n\n".join(f"**{lead}.** {MARK}." for lead in leads)
    return f"## {heading}\n\n**{label}** ({where}) · {verdict}\n\n{paragraphs}\n"
