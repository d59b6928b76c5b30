"""How a statement is checked is told from the ledger, never copied by hand into the notes."""

import pathlib

import pytest

from dpspectra.ledger import all_statements, get, notes, words
from dpspectra.ledger.show import describe
from dpspectra.ledger.terminal import render

ROOT = pathlib.Path(__file__).parents[2]


@pytest.mark.parametrize("entry", all_statements(), ids=str)
def test_a_section_does_not_repeat_the_check(entry):
    leads = [part.lead for part in notes.section(entry.note)]
    assert not {"Checked by", "Tight", "Beyond"} & set(leads)
    assert leads.count("About the check") <= 1


def test_the_check_is_told_from_the_ledger():
    assert words.checked(get("MWKTV-L6.1"), 2) == [
        "On 100 drawn cases, and at 2 chosen instances, in float64 and with 50 digits.",
        "By definition, in arbitrary precision: The utility of a row ranges over the ball between its extreme "
        "stationary values: 0, and all eigenvalues.",
    ]
    first, *said = words.checked(get("DPS-KNORM"), 1)
    assert first == "On 15 drawn cases, and at 1 chosen instance, in float64 and with 50 digits."
    assert [line.partition(":")[0] for line in said] == ["Chosen instances", "Beyond its hypotheses"]


def test_without_cases_the_certificate_decides():
    refuted = next(entry for entry in all_statements() if "oracle" not in entry.faces)
    assert words.checked(refuted, 0)[0] == "There are no cases: the certificate decides."


def test_a_terminal_shows_the_check():
    text = " ".join(render(describe("DPS-KNORM")).split())
    assert " Checked Given " in text
    assert " On 15 drawn cases, and at 4 chosen instances, in float64 and with 50 digits." in text
    assert "Beyond its hypotheses: A row of norm 2 appears: the norm of the change is 4." in text
