"""Sources for the proof assistant Coq: theorems tied to labels, forbidden words, certificates as lemmas.

The files stand in ``proofs_notes/coq`` and ship with the notes. A line ``(* @proves LABEL THEOREM COVERAGE *)`` ties a
theorem to a label of the ledger; coverage says of which form of the statement the theorem speaks. Nothing here runs
Coq: `dpspectra.ledger.prove` does, and `dpspectra.ledger.stamps` keeps what it found.
"""

from __future__ import annotations

import functools
import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpspectra.ledger import notes
from dpspectra.ledger.certificate import Tree

MEANING = "Certificate"
"""File that gives the meaning of a certificate."""
COVERAGE = ("finite outcomes", "real", "finite dimension")
"""What a theorem may cover; or ``partial: `` and words."""

_TIE = re.compile(r"\(\*\s*@proves\b\s*(.*?)\s*\*\)", re.DOTALL)
_NEVER = (
    *("Admitted", "admit", "give_up", "Axioms?", "Parameters?", "Conjectures?", "bypass_check", "Load"),
    *(r"Declare\s+ML", r"Unset\s+(?:Guard|Positivity|Universe)\s+Checking"),
)
_ASSUMED = re.compile(
    rf"\b(?P<never>{'|'.join(_NEVER)})\b"
    r"|\b(?P<inside>Hypothes[ie]s|Variables?|Context)\b|\b(?P<step>Section|End)\s+(?P<name>\w+)"
)
_NAMES = {"sqrt": "root", "exp": "exponential", "log": "logarithm"}
"""Constructors of the file `MEANING` that are not called as the operation is."""


@dataclass(frozen=True, slots=True)
class Tie:
    """A theorem that proves a statement of the ledger, or a part of it."""

    label: str
    theorem: str
    coverage: str
    file: str
    """Without its suffix."""


@functools.cache
def sources() -> dict[str, str]:
    """Text of every file, by its name without the suffix; empty where the notes did not ship."""
    folder = notes.folder().joinpath("coq")
    found = sorted(folder.iterdir(), key=lambda path: path.name) if folder.is_dir() else []
    return {path.name[:-2]: path.read_text(encoding="utf-8") for path in found if path.name.endswith(".v")}


def ties(file: str, text: str) -> list[Tie]:
    """Return the ties of a file in order. Raises ``ValueError`` for a line that is not one.

    >>> ties("Counting", "(* @proves MWKTV-COUNT counting finite outcomes *)")
    [Tie(label='MWKTV-COUNT', theorem='counting', coverage='finite outcomes', file='Counting')]
    """
    found = []
    for written in _TIE.findall(text):
        label, theorem, coverage, *_ = (*" ".join(written.split()).split(" ", 2), "", "", "")
        if coverage not in COVERAGE and not re.fullmatch(r"partial: \S.*", coverage):
            known = f"{', '.join(COVERAGE)}, or 'partial: ' and words"
            raise ValueError(f"{file}.v: @proves {label} {theorem}: coverage must be {known}, got {coverage!r}")
        found.append(Tie(label, theorem, coverage, file))
    return found


def without_comments(text: str) -> str:
    """Return a source without its comments, which nest.

    >>> without_comments("Lemma a (* (* one *) two *): True.")
    'Lemma a : True.'
    """
    depth, out = 0, []
    for piece in re.split(r"(\(\*|\*\))", text):
        if piece == "(*":
            depth += 1
        elif piece == "*)" and depth:
            depth -= 1
        elif not depth:
            out.append(piece)
    return "".join(out)


def faults(file: str, text: str) -> list[str]:
    """List the faults of a file: assumptions without proof, and ties to theorems that it does not have.

    >>> faults("A", "Lemma a : False. Admitted.")
    ['A.v contains Admitted']
    """
    found, opened = [], set[str]()
    body = without_comments(text)
    for word in _ASSUMED.finditer(body):
        if word["step"]:
            (opened.add if word["step"] == "Section" else opened.discard)(word["name"])
        elif word["never"] or not opened:
            found.append(f"{file}.v contains {' '.join(word[0].split())}" + ("" if word["never"] else " in no section"))
    proved = set(re.findall(r"\b(?:Theorem|Lemma|Corollary|Proposition|Fact|Remark)\s+(\w+)", body))
    return found + [
        f"{file}.v has no theorem {tie.theorem} ({tie.label})" for tie in ties(file, text) if tie.theorem not in proved
    ]


def needed(file: str, texts: Mapping[str, str]) -> list[str]:
    """Return the files that a file needs, in an order in which Coq can read them, itself last."""
    order: list[str] = []

    def visit(name: str) -> None:
        sentences = re.findall(r"\bRequire\b(.*?)\.(?:\s|$)", without_comments(texts[name]), re.DOTALL)
        for other in {word for sentence in sentences for word in sentence.split()} & texts.keys() - {name}:
            if other not in order:
                visit(other)
        order.append(name)

    visit(file)
    return order


def digest(text: str) -> str:
    """Return the SHA-256 of a text, in hexadecimal digits."""
    return hashlib.sha256(text.encode()).hexdigest()


def lemma(label: str, certificate: Mapping[str, Any]) -> str:
    """Return the lemma, with its proof, that the certificate of an entry states, as one line.

    >>> lemma("JXZ-T4", {"greater": "1/2", "lesser": ["neg", "3"]})
    'Lemma JXZ_T4 : greater_than (ratio 1 2) (neg (ratio 3 1)). Proof. certify. Qed.'
    """
    sides = f"({_tree(certificate['greater'])}) ({_tree(certificate['lesser'])})"
    return f"Lemma {name(label)} : greater_than {sides}. Proof. certify. Qed."


def name(label: str) -> str:
    """Return the name of the lemma of a label's certificate."""
    return re.sub(r"\W", "_", label)


def _tree(tree: Tree) -> str:
    if isinstance(tree, str):
        value = Fraction(tree)
        top = str(value.numerator) if value >= 0 else f"({value.numerator})"
        return f"ratio {top} {value.denominator}"
    operation, *arguments = tree
    parts = [f"({_tree(argument)})" for argument in arguments]
    if operation in ("add", "mul"):
        return functools.reduce(lambda left, right: f"{operation} {_bracketed(left)} {right}", parts)
    return " ".join([_NAMES.get(str(operation), str(operation)), *parts])


def _bracketed(part: str) -> str:
    return part if part.startswith("(") else f"({part})"
