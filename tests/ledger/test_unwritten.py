"""What is still to be written of a statement is found in its claim, its module and its note; of the book, nothing."""

import dataclasses
import sys
import types

import pytest

from dpspectra.ledger import all_statements, examine, get, measure, notes
from dpspectra.ledger.show import describe
from dpspectra.ledger.unwritten import MARK, unclear, unwritten

OPEN = '''"""X: a statement.

{mark}: why it is true.
"""


def sides(x):
    raise NotImplementedError("the face fast")


def other(x):
    if x:
        raise NotImplementedError
    raise ValueError("not a task")
'''


@pytest.fixture
def opened(tmp_path, monkeypatch):
    """A copy of an entry whose module, claim and note are still open."""
    (tmp_path / "open_module.py").write_text(OPEN.format(mark=MARK), encoding="utf-8")
    module = types.ModuleType("open_module", OPEN.format(mark=MARK).partition("\n\n\n")[0])
    module.__file__ = str(tmp_path / "open_module.py")
    monkeypatch.setitem(sys.modules, "open_module", module)
    paragraphs = (notes.Paragraph("Statement", f"{MARK}."), notes.Paragraph("Proof", "Done."))
    monkeypatch.setattr(notes, "section", lambda note: paragraphs)
    entry = get("MWKTV-L6.1")

    def fast(*case):
        return entry.faces["fast"](*case)

    fast.__module__ = "open_module"
    return dataclasses.replace(
        entry,
        claim=f"{MARK}",
        printed=MARK,
        where={"x": MARK},
        faces=entry.faces | {"fast": fast},
        module="open_module",
    )


@pytest.mark.parametrize("entry", all_statements(), ids=str)
def test_every_statement_of_the_book_is_written(entry):
    assert unwritten(entry) == []


def test_every_open_place_is_named(opened):
    assert unwritten(opened) == [
        "the claim, in LaTeX",
        "the wording of MWKTV-L6.1, as printed",
        "the letters of the claim, where the chapter does not have them",
        "the docstring of its module",
        "the face fast",
        "the paragraph 'Statement' of proofs_notes/sensitivity.md#linear-utility",
    ]


def test_a_run_names_what_is_open_and_evaluates_nothing(opened):
    report = examine(opened)
    assert report.ok is False
    assert report.cases == 0
    assert report.faults == [f"not written yet: {task}" for task in unwritten(opened)]


def test_what_is_open_has_no_parts_and_is_not_shown(opened, monkeypatch):
    assert measure.parts(opened) == ()
    monkeypatch.setattr("dpspectra.ledger.show.get", lambda label: opened)
    with pytest.raises(
        ValueError, match=r"MWKTV-L6\.1 must be written before it can be shown: `dpspectra verify MWKTV"
    ):
        describe("MWKTV-L6.1")


def test_a_statement_made_in_a_notebook_has_no_open_places():
    entry = dataclasses.replace(get("MWKTV-L6.1"), faces={})
    assert unwritten(entry) == []


def test_every_statement_of_the_book_is_clear():
    assert [entry.id for entry in all_statements() if unclear(entry)] == []


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        (r"Let $`\|x\|`$ be.", True),
        ("So\n\n```math\na=b\n\\|x\\|\n```", True),
        (r"Let $`\lVert x\rVert`$ be.", False),
        ("| \\|a\\| | b |\n\n```math\n|x|\n```\n\na \\| b", False),
    ],
)
def test_bars_in_formulas_of_a_note_are_named(monkeypatch, text, seen):
    monkeypatch.setattr(notes, "section", lambda note: (notes.Paragraph("Proof", text),))
    found = unclear(get("HP-T1.3"))
    assert [r"has \| in a formula: write \lVert or \rVert" in fault for fault in found] == [True] * seen


def test_a_run_names_letters_without_a_meaning_and_meanings_without_a_letter_first():
    entry = get("HP-T1.3")
    report = examine(dataclasses.replace(entry, where={r"\aleph": "nothing"}), 1)
    assert report.ok is False
    assert report.cases == 0
    assert any(r"the letter \eta of the claim has no meaning" in fault for fault in report.faults)
    assert any(r"the letter \aleph of where is not in the claim" in fault for fault in report.faults)
