"""Words for a statement: its title, its verdict, its check, its certificate as an inequality."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

from dpspectra.ledger.certificate import Interval, Tree
from dpspectra.ledger.entry import Statement, Verdict
from dpspectra.ledger.notes import Paragraph

MEANING = {
    Verdict.DEFINITION: "It fixes what is meant; both arithmetics agree on what it says.",
    Verdict.VERIFIED: "True as printed: proved here, and checked in two arithmetics.",
    Verdict.PROOF_GAP: "The claim is true, and proved here; a step of the printed proof fails.",
    Verdict.CORNER: "False in a degenerate corner only, with a counterexample; away from it true, and proved here.",
    Verdict.REPAIRED: "False as printed, with a counterexample. Our corrected form is proved.",
    Verdict.REFUTED: "False as printed: a certificate proves that. A true form, if known, is named.",
    Verdict.OPEN: "A step of the printed proof fails; whether the claim is true is open. We state what we prove.",
    Verdict.CITED: "Taken from elsewhere: its instances are checked, its proof is not repeated.",
    Verdict.CONJECTURE: "Nobody has proved it; how a counterexample was searched for is stated.",
    Verdict.NEW: "Not in the papers: stated, proved and checked here.",
}
"""A verdict in a sentence."""

NOT_AT_HAND = "The printed formula is not at hand: the verdict is on the reading that is quoted."
"""Remark that is added where the wording is a reading of ours."""

FACES = {
    "fast": "In float64",
    "oracle": "By definition, in arbitrary precision",
    "as_printed": "As printed",
    "hypotheses": "Its hypotheses, at the counterexample",
    "counterexample": "Counterexample",
    "certificate": "Certificate",
    "tight": "Chosen instances",
    "beyond": "Beyond its hypotheses",
}
"""Descriptions of the faces for readers, in the order of reading."""

PRINTED = ("What was printed", "Printed", "Printed form", "Conjectured")
OURS = ("Statement", "Statement and proof", "Definition", "Repair", "What is true")
DIFFERENCE = (
    "What fails",
    "Why it fails",
    "The gap",
    "Counterexample",
    "The counterexample",
    "The instance",
    "First reason",
    "It fails for large $`\\varepsilon`$",
)
"""Leads of the paragraphs of a note that say these things, the best one first."""


def title(number: str, name: str) -> str:
    """Return ``Theorem 2.4: name`` for a printed statement, and the name with a capital for one of ours."""
    return f"{number}: {name}" if number else name[:1].upper() + name[1:]


def meaning(verdict: Verdict, at_hand: bool) -> str:
    """Return the meaning of a verdict in one or two sentences; ``at_hand`` says whether the printed formula is."""
    return MEANING[verdict] if at_hand else f"{MEANING[verdict]} {NOT_AT_HAND}"


def checked(entry: Statement, chosen: int) -> list[str]:
    """Return how an entry is checked: cases, arithmetics, and the docstrings of its faces.

    ``chosen`` is the number of instances of the face ``tight``.
    """
    if "oracle" not in entry.faces:
        first = "There are no cases: the certificate decides."
    else:
        also = f", and at {chosen} chosen instance{'s' * (chosen != 1)}" if chosen else ""
        first = f"On {entry.examples} drawn cases{also}, in float64 and with {entry.digits} digits."
    said = {face: inspect.getdoc(entry.faces[face]) for face in FACES if face in entry.faces}
    shown = [f"{FACES[face]}: {' '.join(doc.split())}" for face, doc in said.items() if doc]
    return [first, *shown, *([f"Claimed, and evaluated nowhere: {entry.unchecked}"] if entry.unchecked else [])]


def told(paragraphs: Iterable[Paragraph], leads: tuple[str, ...]) -> str | None:
    """Return the text of the first paragraph with the best of these leads, if there is one."""
    texts: dict[str, str] = {}
    for paragraph in paragraphs:
        texts.setdefault(paragraph.lead, paragraph.text)
    return next((texts[lead] for lead in leads if lead in texts), None)


def formula(tree: Tree) -> str:
    """Return an expression of a certificate as one usually writes it, such as ``1 - exp(-1/3)``."""
    return _written(tree)[0]


_SUM, _PRODUCT, _ATOM = range(3)


def _written(tree: Tree) -> tuple[str, int]:
    """Return the text of a tree, and how tightly its outermost operation binds."""
    if isinstance(tree, str):
        return tree, _ATOM if tree.isdigit() else _PRODUCT if "/" in tree and tree[0] != "-" else _SUM
    operation, *arguments = tree
    parts = [_written(argument) for argument in arguments]
    if operation == "add":
        return " + ".join(text if k == 0 else _enclosed((text, b), _PRODUCT) for k, (text, b) in enumerate(parts)), _SUM
    if operation == "sub":
        return f"{parts[0][0]} - {_enclosed(parts[1], _PRODUCT)}", _SUM
    if operation == "mul":
        return " * ".join(_enclosed(part, _PRODUCT) for part in parts), _PRODUCT
    if operation == "div":
        return f"{_enclosed(parts[0], _PRODUCT)} / {_enclosed(parts[1], _ATOM)}", _PRODUCT
    if operation == "neg":
        return f"-{_enclosed(parts[0], _PRODUCT)}", _SUM
    return (f"{operation}({', '.join(text for text, _ in parts)})" if parts else operation), _ATOM


def _enclosed(part: tuple[str, int], least: int) -> str:
    """Return the text in brackets if it binds less than ``least``."""
    text, binding = part
    return text if binding >= least else f"({text})"


def up_to_rounding(sides: Mapping[str, str]) -> str:
    """Say that an inequality holds up to rounding alone, where its digits show the contrary."""
    return ", up to rounding" if sides["kind"] == "AtMost" and float(sides["left"]) > float(sides["right"]) else ""


def ends(interval: Interval, digits: int) -> list[str]:
    """Return both ends of an enclosure in decimals, each rounded outwards."""
    return [_rounded(interval.low, ROUND_FLOOR, digits), _rounded(interval.high, ROUND_CEILING, digits)]


def _rounded(value: Fraction, direction: str, digits: int) -> str:
    quotient = Context(prec=digits, rounding=direction).divide(Decimal(value.numerator), Decimal(value.denominator))
    return f"{quotient.normalize(Context(prec=digits)):g}"
