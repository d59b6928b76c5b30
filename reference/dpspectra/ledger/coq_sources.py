"""Sources for the proof assistant Coq: theorems tied to labels, forbidden words, certificates as lemmas.

The files stand in ``proofs_notes/coq`` and ship with the notes. A comment ``(* @proves LABEL THEOREM COVERAGE *)`` ties
a theorem to a label of the ledger, ``(* @refutes LABEL THEOREM COVERAGE *)`` one that says that the printed form is
false; coverage says of which form of the statement the theorem speaks. The definitions that give
theorems their meaning are sealed (`sealed`). Nothing here runs Coq: `dpspectra.ledger.coq_check` does, and
`dpspectra.ledger.coq_stamps` keeps what it found.
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
MASS = ("Normal.cdf_at_minus_infinity", "Normal.cdf_at_infinity")
"""Lemmas that make the distribution function the meaning of ``normal_cdf``."""
COVERAGE = (
    *("finite outcomes", "finite rounds", "real", "finite dimension"),
    *("any integral", "decompositions given", "reals for floats", "binary64"),
)
"""Words for the coverage and assumptions of a theorem (see ``README.md``); ``only: `` and a text may follow."""

KINDS = ("proves", "refutes")
"""Relations of a tied theorem to its label."""

_STRING = r'"(?:[^"]|"")*"'
_TOKEN = re.compile(rf"{_STRING}|\(\*|\*\)")
_SENTENCE = re.compile(rf"(?:{_STRING}|[^\".]|\.(?!\s|$))+\.(?=\s|$)")
_TIE = re.compile(rf"\(\*\s*@({'|'.join(KINDS)})\b\s*(.*?)\s*\*\)", re.DOTALL)
_PROVED = r"(?:Theorem|Lemma|Corollary|Proposition|Fact|Remark)"
_NAMED = re.compile(
    r"(?:#\[.*?\] ?)?(?:Local |Global )?(Definition|Fixpoint|Record|Class|Inductive|Structure|Instance|Let) (\w+)"
)
_LIBRARY = ("ClassicalDedekindReals", "FunctionalExtensionality", "Classical_Prop", "PrimInt63", "Uint63")
"""Modules of the standard library whose axioms are allowed: no file of ours may have such a name."""
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
    """A theorem that proves a statement of the ledger, or a part of it, or refutes the statement as it was printed."""

    label: str
    theorem: str
    coverage: str
    file: str
    """Without its suffix."""
    kind: str = "proves"
    """``proves`` or ``refutes``."""


@functools.cache
def sources() -> dict[str, str]:
    """Text of every file, by its name without the suffix; empty where the notes did not ship."""
    folder = notes.folder().joinpath("coq")
    found = sorted(folder.iterdir(), key=lambda path: path.name) if folder.is_dir() else []
    return {path.name[:-2]: path.read_text(encoding="utf-8") for path in found if path.name.endswith(".v")}


def lexed(text: str) -> tuple[str, list[str]]:
    """Return a source without its comments, and its outermost comments in order.

    Comments nest, and Coq reads strings in them: a string may hold the signs that open and close a comment.

    >>> lexed('Lemma a (* (* one *) "*)" *): True.')
    ('Lemma a : True.', ['(* (* one *) "*)" *)'])
    """
    depth, last, body, comments = 0, 0, list[str](), list[str]()
    for token in _TOKEN.finditer(text):
        if token[0] == "(*":
            if not depth:
                body.append(text[last : token.start()])
                last = token.start()
            depth += 1
        elif token[0] == "*)" and depth:
            depth -= 1
            if not depth:
                comments.append(text[last : token.end()])
                last = token.end()
    return "".join(body if depth else [*body, text[last:]]), comments


def ties(file: str, text: str) -> list[Tie]:
    """Return the ties of a file in order. Raises ``ValueError`` for a comment that is not one.

    >>> ties("Counting", "(* @proves MWKTV-COUNT counting finite outcomes *)")
    [Tie(label='MWKTV-COUNT', theorem='counting', coverage='finite outcomes', file='Counting', kind='proves')]
    """
    found = []
    for written in filter(None, map(_TIE.fullmatch, lexed(text)[1])):
        label, theorem, coverage, *_ = (*" ".join(written[2].split()).split(" ", 2), "", "", "")
        terms, only, words = f", {coverage}".partition(", only: ")
        if not coverage or {*terms.split(", ")[1:]} - {*COVERAGE} or (only and not words):
            known = f"terms among {', '.join(COVERAGE)}, and at last 'only: ' and words"
            raise ValueError(f"{file}.v: @{written[1]} {label} {theorem}: coverage must be {known}, got {coverage!r}")
        found.append(Tie(label, theorem, coverage, file, written[1]))
    return found


def faults(file: str, text: str) -> list[str]:
    """List the faults of a file: assumptions without proof, and ties to theorems that it does not have.

    >>> faults("A", "Lemma a : False. Admitted.")
    ['A.v contains Admitted']
    """
    found, opened = [], set[str]()
    body = re.sub(_STRING, '""', lexed(text)[0])
    if file in _LIBRARY:
        found.append(f"{file}.v has the name of a file of Coq's library")
    for word in _ASSUMED.finditer(body):
        if word["step"]:
            (opened.add if word["step"] == "Section" else opened.discard)(word["name"])
        elif word["never"] or not opened:
            found.append(f"{file}.v contains {' '.join(word[0].split())}" + ("" if word["never"] else " in no section"))
    proved = set(re.findall(rf"\b{_PROVED}\s+(\w+)", body))
    return found + [
        f"{file}.v has no theorem {tie.theorem} ({tie.label})" for tie in ties(file, text) if tie.theorem not in proved
    ]


def needed(file: str, texts: Mapping[str, str]) -> list[str]:
    """Return the files that a file needs, in an order in which Coq can read them, itself last."""
    order: list[str] = []

    def visit(name: str) -> None:
        sentences = re.findall(r"\bRequire\b(.*?)\.(?:\s|$)", lexed(texts[name])[0], re.DOTALL)
        for other in sorted({word for sentence in sentences for word in sentence.split()} & texts.keys() - {name}):
            if other not in order:
                visit(other)
        order.append(name)

    visit(file)
    return order


def sealed(file: str, text: str) -> dict[str, str]:
    """Return the sentences that give the theorems of a file their meaning, by name: what a seal protects.

    These are all sentences but proofs, tactics and lemmas that are tied to no label: definitions, whose proofs count
    too if they end in ``Defined``, sections with their variables and hypotheses, notations and imports, and the
    statements of tied theorems and of `MASS`. A name in a section is that of the section and its own.

    >>> sealed("A", "Definition a := 1. Lemma b : a = 1. Proof. now unfold a. Qed.")
    {'a': 'Definition a := 1.'}
    """
    stated = {tie.theorem for tie in ties(file, text)} | {name.partition(".")[2] for name in MASS}
    found: dict[str, list[str]] = {}
    opened: list[str] = []
    key, script = "", list[str]()
    for sentence in _SENTENCE.findall(lexed(text)[0]):
        said = " ".join(sentence.split())
        if script or said.startswith("Proof"):
            script.append(said)
            if re.search(r"\b(?:Qed|Defined|Abort)\.$", said):
                if said.endswith("Defined."):
                    found.setdefault(key, []).extend(script)
                script = []
            continue
        lemma, named = re.match(rf"(?:Local )?{_PROVED} (\w+)", said), _NAMED.match(said)
        if said.startswith("End ") and opened:
            opened.pop()
        key = lemma[1] if lemma else named[2] if named else ".".join([*opened, re.split(r" ?:", said)[0].rstrip(".")])
        if said.startswith("Section "):
            opened.append(said[len("Section ") : -1])
        if not (lemma and key not in stated) and not said.startswith(("Ltac ", "End ", "Section ")):
            found.setdefault(key, []).append(said)
    return {name: " ".join(sentences) for name, sentences in found.items()}


def seals(texts: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Return the first 16 digits of the hash of each sealed text, by file and name."""
    return {
        file: {name: digest(said)[:16] for name, said in sealed(file, text).items()} for file, text in texts.items()
    }


def broken(now: Mapping[str, Mapping[str, str]], before: Mapping[str, Mapping[str, str]]) -> list[str]:
    """List what says something else than `before`, is new or is gone, as file and name.

    >>> broken({"A": {"a": "1", "b": "2"}}, {"A": {"a": "1", "b": "3"}})
    ['A: b']
    """
    pairs = {file: (now.get(file, {}), before.get(file, {})) for file in sorted(now.keys() | before.keys())}
    return [
        f"{file}: {name}"
        for file, (new, old) in pairs.items()
        for name in sorted(new.keys() | old.keys())
        if new.get(name) != old.get(name)
    ]


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
