"""The texts that ``python -m tools.new`` writes: they pass the linters, and the checks list the gaps in them."""

from dpspectra.ledger.entry import BROKEN, STANDING, Verdict
from dpspectra.ledger.unwritten import MARK

HEAD = '''"""{first}

{mark}: why it is true, in two lines, and what breaks without each hypothesis.
"""

from typing import Any

from dpspectra.ledger import {names}
'''
DRAWN = "from dpspectra.strategies import dimensions, dyadics, hermitian, st\n"
ENTRY = """

@statement
class {name}:
    labels = ("{label}",)
    claim = {claim}
{printed}    where = {{"x": "{mark}"}}
    verdict = Verdict.{verdict}
    note = "{note}"
"""
STANDS = '''
    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, float]:
        """A Hermitian matrix and a number: draw the fields of your case, in the order of the faces' arguments."""
        return draw(hermitian(draw(dimensions()))), draw(dyadics(0.25, 4.0))

    def fast(self, x: Any, size: float) -> Parts:
        raise NotImplementedError("the face fast: for each part yield AtMost, Equal or Frequency, with numpy")

    def oracle(self, x: Matrix, size: Real) -> Parts:
        raise NotImplementedError("the face oracle: yield the same parts from the definition, with mpmath")

    def tight(self) -> list[tuple[Any, float]]:
        raise NotImplementedError(
            "the face tight: return cases at which each part is at equality, or declare its slack"
        )

    def beyond(self) -> dict[str, Outcome]:
        raise NotImplementedError("the face beyond: return what fails without each hypothesis, or set without_beyond")
'''
BREAKS = """
    def as_printed(self, x: Any, size: float) -> Outcome:
        raise NotImplementedError("the face as_printed: return the printed form at an instance, with mpmath")

    def hypotheses(self, x: Any, size: float) -> dict[str, Outcome]:
        raise NotImplementedError(
            "the face hypotheses: return the printed hypotheses by name, which the instance meets"
        )

    def counterexample(self) -> tuple[Any, float]:
        raise NotImplementedError("the face counterexample: return an instance at which the printed form is false")

    def certificate(self) -> dict[str, Any]:
        raise NotImplementedError("the face certificate: name a reason, the greater and the lesser side instead")
"""


def module(name: str, label: str, title: str, verdict: Verdict, note: str, *, printed: bool) -> str:
    """Return the module ``name`` of a statement, a class with the faces that its verdict demands."""
    stands, breaks = verdict.demands >= STANDING, verdict.demands >= BROKEN
    names = ["Outcome", "Verdict", *(["Matrix", "Parts", "Real"] if stands else []), "statement"]
    fields = {
        "first": f"{label}: {title}.",
        "mark": MARK,
        "names": ", ".join(sorted(names[:-1]) + names[-1:]),
        "name": "".join(word.capitalize() for word in name.split("_")),
        "label": label,
        "claim": f'{{"name of the part": r"{MARK}"}}' if stands else f'r"{MARK}"',
        "printed": f'    printed = "{MARK}"\n' * printed,
        "verdict": verdict.name,
        "note": note,
    }
    parts = [HEAD, DRAWN * stands, ENTRY, STANDS * stands, BREAKS * breaks]
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
