"""Each letter of a claim has a meaning, and each meaning a letter."""

import importlib
import sys
from dataclasses import replace
from types import ModuleType, SimpleNamespace

import pytest

from dpspectra.ledger import symbols
from dpspectra.ledger.registry import all_statements, get

ENTRIES = all_statements()
SHARED = {
    package: getattr(importlib.import_module(package), symbols.SHARED, {})
    for package in ("dpspectra.lemmas", *sorted({entry.module.rpartition(".")[0] for entry in ENTRIES}))
}
"""Tables of all chapters and of each chapter, by package."""


@pytest.mark.parametrize("entry", ENTRIES, ids=str)
def test_every_letter_of_a_claim_has_a_meaning_and_every_meaning_a_letter(entry):
    assert symbols.unexplained(entry) == []
    assert symbols.unused(entry) == []
    assert len(symbols.explained(entry)) >= 1


def test_every_letter_that_statements_share_is_of_use():
    for package, table in SHARED.items():
        told = {pair for entry in ENTRIES if entry.module.startswith(package) for pair in symbols.explained(entry)}
        for key, meaning in table.items():
            assert (meaning if isinstance(meaning, tuple) else (key, meaning)) in told, (package, key)


def test_meanings_are_plain_words():
    for scope, table in (SHARED | {entry.id: entry.where for entry in ENTRIES}).items():
        for key, told in table.items():
            meaning = told[1] if isinstance(told, tuple) else told
            assert meaning == meaning.strip(), (scope, key)
            assert meaning.endswith("...") or not meaning.endswith("."), (scope, key)
            assert meaning.count("$`") == meaning.count("`$"), (scope, key)


@pytest.mark.parametrize(
    ("claim", "signs"),
    [
        (r"\lVert x\rVert_F\le\|\hat y'\|_{2}", ["x", r"\|_F", r"\le", r"\hat y'", r"\|_2"]),
        (r"\mathcal O_{\Lambda}\text{ and no more}", [r"\mathcal O", "_", r"\Lambda"]),
        (r"\operatorname{rank}A\ \quad", [r"\mathrm rank", "A", r"\ ", r"\quad"]),
        (r"|\!|\!|P|\!|\!|", ["P", symbols.TRIPLE]),
        (r"\tfrac{ab}c", [r"\tfrac", "{", "a", "b", "}", "c"]),
    ],
)
def test_a_formula_is_cut_into_letters_words_and_norms(claim, signs):
    assert symbols.signs_of(claim) == signs


def test_the_narrower_and_the_longer_meaning_wins(monkeypatch):
    for package, table in {"a": {"x": "common", "y": "y", "n": "n"}, "a.b": {"x": "chapter", "x_i": "entries"}}.items():
        module = ModuleType(package)
        vars(module)["WHERE"] = table
        monkeypatch.setitem(sys.modules, package, module)
    own = {"y": "own", "z, w": "both", "x_0": "first"}

    def told(claim, where=own):
        statement = SimpleNamespace(module="a.b.c", where=where, formula=claim)
        return dict(symbols.explained(statement)), symbols.unexplained(statement)

    assert told(r"x+x_i+x_0+x_{n-j}") == ({"x": "chapter", "x_i": "entries", "x_0": "first", "n": "n"}, [])
    assert told(r"y\ z\ w\ q\ j") == ({"y": "own", "z, w": "both"}, ["q", "j"])
    assert told(r"y\ w\ z", own | {"w": ("v", "shown")}) == ({"y": "own", "v": "shown", "z, w": "both"}, [])


def test_letters_without_a_meaning_and_meanings_without_a_letter_are_seen():
    entry = get("HP-T1.3")
    assert r"\eta" in symbols.unexplained(replace(entry, where={}))
    assert symbols.unused(replace(entry, where={**entry.where, r"\aleph": "nothing"})) == [r"\aleph"]
