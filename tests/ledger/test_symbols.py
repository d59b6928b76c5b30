"""Each letter of a claim has a meaning, and each meaning a letter."""

from types import SimpleNamespace

import pytest

from dpspectra.ledger import symbols
from dpspectra.ledger.registry import all_statements, get

CHAPTER = "chapter "


@pytest.mark.parametrize("entry", all_statements(), ids=str)
def test_every_letter_of_a_claim_has_a_meaning_and_every_meaning_a_letter(entry):
    assert symbols.unexplained(entry) == []
    assert symbols.unused(entry) == []
    assert len(symbols.explained(entry)) >= 1


def test_every_table_is_that_of_a_statement_or_a_chapter_and_every_key_is_of_use():
    entries = {entry.id: entry for entry in all_statements()}
    chapters = {f"{CHAPTER}{entry.chapter}" for entry in entries.values()}
    assert set(symbols.tables()) <= {symbols.COMMON, *chapters, *entries}
    told = {pair for entry in entries.values() for pair in symbols.explained(entry)}
    for scope in {symbols.COMMON, *chapters} & symbols.tables().keys():
        for key, meaning in symbols.tables()[scope].items():
            assert (tuple(meaning) if isinstance(meaning, list) else (key, meaning)) in told, (scope, key)


def test_meanings_are_plain_words():
    for scope, table in symbols.tables().items():
        for key, told in table.items():
            if key != symbols.LIKE:
                meaning = told[1] if isinstance(told, list) else told
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
    tables = {
        symbols.COMMON: {"x": "common", "y": "y", "n": "n"},
        "chapter c": {"x": "chapter", "x_i": "entries"},
        "A": {"y": "own", "z, w": "both", "x_0": "first"},
        "B": {symbols.LIKE: ["A"], "w": ["v", "shown"]},
    }
    monkeypatch.setattr(symbols, "tables", lambda: tables)
    symbols._keys.cache_clear()

    def told(name, claim):
        statement = SimpleNamespace(id=name, chapter="c", claim=claim)
        return dict(symbols.explained(statement)), symbols.unexplained(statement)

    assert told("A", r"x+x_i+x_0+x_{n-j}") == ({"x": "chapter", "x_i": "entries", "x_0": "first", "n": "n"}, [])
    assert told("A", r"y\ z\ w\ q\ j") == ({"y": "own", "z, w": "both"}, ["q", "j"])
    assert told("B", r"y\ w\ z") == ({"y": "own", "v": "shown", "z, w": "both"}, [])
    symbols._keys.cache_clear()


def test_a_letter_without_a_meaning_is_seen(monkeypatch):
    without = {scope: table for scope, table in symbols.tables().items() if scope != "HP-T1.3"}
    monkeypatch.setattr(symbols, "tables", lambda: without)
    symbols._keys.cache_clear()
    assert r"\rho" in symbols.unexplained(get("HP-T1.3"))
    symbols._keys.cache_clear()
