"""The rules of CONTRIBUTING.md on words, as far as a pattern can tell."""

import ast
import functools
import itertools
import re
from typing import Any

import pytest

from tests.support.helpers import ROOT

ROOMS = [ROOT / room for room in ("reference", "tests", "bench", "examples", "proofs_notes")]
OF_EPSILON = re.compile(
    r"(?:certified|fast|lemmas|mechanisms|oracle|sampling)/.*|(?:advice|bounds|calibrate|profile)\.py"
)
"""Modules of the package that take an epsilon, and know no `dpspectra.Budget`."""


def strings(program):
    """Strings that stand alone: the docstrings of a program, those of its constants and fields among them."""
    for node in ast.walk(ast.parse(program)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.value.value


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


def described():
    """Docstrings of the package, statements excepted, which speak as their papers do."""
    package = ROOT / "reference" / "dpspectra"
    found = docstrings().items()
    return {path: texts for path, texts in found if package in path.parents and package / "lemmas" not in path.parents}


RULES: dict[str, Any] = {
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
        described,
        r", of which\b",
        "Rows, of which the first is long.",
        "Rows; the first is long. The share of which it speaks.",
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
