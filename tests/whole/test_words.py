"""The rules of CONTRIBUTING.md on words, as far as a pattern can tell."""

import ast
import functools
import itertools
import re
from typing import Any

import pytest

from tests.support.helpers import ROOT

ROOMS = [ROOT / room for room in ("reference", "tests", "bench", "examples", "proofs_notes", "tools")]
OF_EPSILON = re.compile(
    r"(?:certified|fast|lemmas|mechanisms|oracle|sampling)/.*|(?:advice|bounds|calibrate|profile)\.py"
)
"""Modules of the package that take an epsilon, and know no `dpspectra.Budget`."""


def strings(program):
    """Strings that stand alone: the docstrings of a program, those of its constants and fields among them."""
    for node in ast.walk(ast.parse(program)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.value.value


def messages(program):
    """Texts that a program prints, raises or offers as help: strings in its calls, with a mark for each value."""
    calls = [node for node in ast.walk(ast.parse(program)) if isinstance(node, ast.Call)]
    given = [value for call in calls for value in [*call.args, *(word.value for word in call.keywords)]]
    parts = [value.values if isinstance(value, ast.JoinedStr) else [value] for value in given]
    texts = [[p.value if isinstance(p, ast.Constant) else "`" for p in some] for some in parts]
    return [prose("".join(some)) for some in texts if all(isinstance(part, str) for part in some)]


def prose(text):
    """The text on one line, with a mark in place of code, and without addresses."""
    words = re.sub(r"```.*?```|``.*?``|`[^`]*`", "`", text, flags=re.DOTALL)
    return " ".join(re.sub(r"\]\([^)]*\)", "]", words).split())


@functools.cache
def programs():
    return {path: path.read_text(encoding="utf-8") for room in ROOMS for path in room.rglob("*.py")}


@functools.cache
def pages():
    found = itertools.chain(ROOT.glob("*.md"), *(room.rglob("*.md") for room in ROOMS))
    return {path: path.read_text(encoding="utf-8") for path in found}


@functools.cache
def docstrings():
    return {path: [prose(text) for text in strings(program)] for path, program in programs().items()}


@functools.cache
def all_prose():
    return docstrings() | {path: [prose(page)] for path, page in pages().items()}


@functools.cache
def whole():
    texts = programs() | pages()
    return {path: [" ".join(text.split())] for path, text in texts.items() if path.name != "test_words.py"}


def private():
    package = f"{ROOT}/reference/dpspectra/"
    return {path: texts for path, texts in whole().items() if OF_EPSILON.fullmatch(str(path).removeprefix(package))}


@functools.cache
def read():
    """Pages, docstrings and messages for readers; statements and the changelog excepted, which speak as they did."""
    package = ROOT / "reference" / "dpspectra"
    inner = [path for path in programs() if package in path.parents and package / "lemmas" not in path.parents]
    outer = [path for path in programs() if path.parent.name in ("bench", "examples")]
    told = {path: docstrings()[path] + messages(programs()[path]) for path in [*inner, *outer]}
    return told | {path: [prose(page)] for path, page in pages().items() if path.name != "CHANGELOG.md"}


def shipped():
    """Docstrings that readers meet: of the package, statements excepted, and of programs that they run."""
    return {path: docstrings()[path] for path in read() if path.suffix == ".py"}


RULES: dict[str, Any] = {
    "a docstring starts with a noun or a verb": (
        shipped,
        r"^What\b",
        "What was spent, claim by claim.",
        "Claims that were spent.",
    ),
    "no docstring starts with Of or The same": (
        docstrings,
        r"^(?:Of|The same)\b",
        "Of a node, in pixels.",
        "Size of a node.",
    ),
    "nothing is but for": (whole, r'(?<!")\bbut for\b', "zero but for rounding", 'not "but for x"; but forward'),
    "a refusal is named": (
        whole,
        r"(?i)(?<!\")\bwhat is refused\b",
        "What is refused exits with 2.",
        "If the input is refused, the command exits with 2.",
    ),
    "a second thought is a second sentence": (
        read,
        r"(?<!\"), of which\b(?!\")",
        "Rows, of which the first is long.",
        "Rows; the first is long. The share of which it speaks.",
    ),
    "a subject is a noun, no clause": (
        read,
        r"(?<=[.:;] )What (?:[^\s.:;?]+ ){1,9}?(?:is|are|was|were|has|have|goes|fails|holds|stays|says) [\w`]",
        "It ends. What is left is a number.",
        "It ends. What is left? It says what is left.",
    ),
    "the same what": (
        read,
        r"(?i)\bthe same (?:holds|is true|goes)\b|\b(?:says?|shows?|does|means?) the same(?=[.,;:)]| (?:for|in|on)\b)",
        "The same holds for rows.",
        "This also holds for rows, and both show the same sign.",
    ),
    "nothing is as said": (
        read,
        r"(?i)\bas (?:was |is |has been )?(?:said|mentioned)\b(?! (?:in|by)\b)",
        "As said, rows are clipped.",
        "Rows are clipped, as said in its docstring.",
    ),
    "two denials are a claim": (
        read,
        r"(?i)\b(?:never|not|cannot|nobody|nothing) (?:(?!or\b|and\b)[\w`]+ ){0,2}(?:never|silent|nothing|nobody)\b",
        "What is not followed is never silent.",
        "The report names all noise that is not followed.",
    ),
    "smallest, not least": (
        all_prose,
        r"(?i)(?<!at )\bleast\b(?! (?:likely|mean square|noise|set bit|squares|to the most|utility))(?!\")",
        "the least eigenvalue",
        "at least one; the least noise",
    ),
    "standard deviation, not deviation": (
        all_prose,
        r"(?i)(?<!standard[ -])\bdeviations?\b(?!\")",
        "of deviation 2",
        "Standard deviations of the noise",
    ),
    "epsilon is not called a budget": (
        whole,
        r"(?i)\b(?:epsilon|privacy)[ -]budgets?\b",
        "the privacy budget",
        "a budget",
    ),
    "epsilon is not called a budget in code": (
        private,
        r"(?i)\bbudgets?\b",
        "budget = epsilon, delta",
        "privacy = epsilon",
    ),
}


@pytest.mark.parametrize("rule", RULES)
def test_words_are_those_of_contributing(rule):
    texts, pattern, wrong, right = RULES[rule]
    assert re.search(pattern, wrong)
    assert not re.search(pattern, right)
    found = [
        f"{path.relative_to(ROOT)}: ...{text[max(hit.start() - 40, 0) : hit.end() + 40]}..."
        for path, several in texts().items()
        for text in several
        for hit in re.finditer(pattern, text)
    ]
    assert found == []
