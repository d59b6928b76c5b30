"""Stamps of what Coq has checked: those of the present sources, and lost as soon as a source is edited."""

import json
import re

import pytest

from dpspectra.ledger import coq_check, coq_sources, coq_stamps, notes, views
from dpspectra.ledger.registry import all_statements, built, get
from dpspectra.ledger.report import Report
from dpspectra.ledger.runner import examine
from dpspectra.ledger.show import describe
from dpspectra.ledger.terminal import render

TEXTS = coq_sources.sources()
TIES = [tie for file, text in TEXTS.items() for tie in coq_sources.ties(file, text)]
RAN = "the sources for Coq changed since it last ran: make prove"


def test_the_stamps_are_those_of_the_sources():
    assert [tie for tie in TIES if not coq_stamps.theorem_checked(tie)] == [], RAN
    assert coq_stamps.stamps()["sources"].keys() == TEXTS.keys(), RAN
    assert len(coq_stamps.stamps()["statements"]) == len(TIES), RAN


def test_no_seal_is_broken():
    """Definitions, hypotheses and statements are as Coq saw them; one that was weakened is named here."""
    assert coq_stamps.broken() == [], RAN


def test_every_certificate_is_checked():
    certified = [entry for entry in all_statements() if "certificate" in entry.faces]
    assert [entry.id for entry in certified if not coq_stamps.certificate_checked(entry)] == [], RAN
    assert {entry.id for entry in certified} == coq_stamps.stamps()["certificates"]["lemmas"].keys(), RAN


def test_the_stamps_rest_on_allowed_axioms():
    found = coq_stamps.stamps()
    named = {axiom for stamp in found["statements"] for axiom in stamp["axioms"]} | {*found["certificates"]["axioms"]}
    assert [axiom for axiom in named if not coq_check.ALLOWED.fullmatch(axiom.replace("*", "x"))] == []


@pytest.fixture
def edited(monkeypatch):
    """Sources other than the last run saw, one character added to a file."""

    def edit(file):
        monkeypatch.setattr(coq_sources, "sources", lambda: TEXTS | {file: TEXTS[file] + "\n"})

    return edit


def test_an_edited_theorem_is_shown_as_not_checked(edited):
    tie = TIES[0]
    assert f"Statement machine-checked ({tie.coverage}): theorem {tie.theorem}" in said(tie.label)
    edited(tie.file)
    assert f"Statement machine-checked, but not as it is now ({tie.coverage})" in said(tie.label)
    assert all("statement" not in phrase for phrase in coq_stamps.in_words(built()[tie.label]))


def test_a_weakened_definition_is_named(monkeypatch):
    weaker = TEXTS["Packings"].replace("(m <= n)%nat", "(m <= n.+1)%nat", 1)
    monkeypatch.setattr(coq_sources, "sources", lambda: TEXTS | {"Packings": weaker})
    assert coq_stamps.broken() == ["Packings: packing_number"]


@pytest.mark.parametrize("label", ["MWKTV-D1.1", "MWKTV-E9", "MWKTV-L8.2"])
def test_no_line_on_a_theorem_is_shown_twice(label):
    theorems = re.findall(r"theorem (\w+) of", said(label))
    assert theorems
    assert len(theorems) == len(set(theorems))


def test_a_certificate_is_not_checked_once_its_meaning_is_edited(edited):
    assert coq_stamps.certificate_checked(get("HP-LA.4"))
    edited("Normal")
    assert not coq_stamps.certificate_checked(get("HP-LA.4"))


def test_a_changed_digit_is_not_checked(monkeypatch):
    entry = get("HP-LA.4")
    data = entry.faces["certificate"]()
    assert "one inequality checked, by Coq" in said(entry.id)
    monkeypatch.setitem(entry.faces, "certificate", lambda: data | {"lesser": "2"})
    assert not coq_stamps.certificate_checked(entry)
    assert "one inequality checked" not in said(entry.id)


def said(label):
    return " ".join(render(describe(label)).split())


def test_reports_and_their_table_tell_it():
    report = examine(get("MWKTV-COUNT"), 1)
    assert report.asdict()["coq"] == ["statement machine-checked (finite outcomes)"]
    assert f"  s     {report.module.removeprefix('dpspectra.lemmas.').replace('.', '/')}" in views.table_row(report)
    told = ["one inequality checked", "statement machine-checked (real)", "refuted in the kernel (real)"]
    both = Report("X", "repaired", True, coq=told)
    assert "  i r s" in views.table_row(both)
    said = "checked by Coq: 1 inequalities (i), 1 refutations (r), 2 statements (s)"
    assert said in views.summary([report, both])


def test_the_stamps_are_as_they_are_written():
    kept = notes.folder().joinpath("coq", coq_stamps.FILE).read_text(encoding="utf-8")
    assert f"{coq_stamps.text(json.loads(kept))}\n" == kept


@pytest.mark.parametrize(
    "value", [{}, [], [{}], {"a": {}, "n": 5}, {"a": [{"b": [1, "é"]}, {"b": []}], "c": {"d": "e\n", "f": None}}]
)
def test_what_is_written_is_read_again(value):
    assert json.loads(coq_stamps.text(value)) == value


def test_the_two_outer_levels_have_lines_of_their_own():
    lines = coq_stamps.text({"a": [{"b": [1, 2]}, {"c": "é"}], "d": {"e": 1}}).splitlines()
    assert lines == ["{", '"a": [', '{"b": [1, 2]},', '{"c": "é"}', "],", '"d": {', '"e": 1', "}", "}"]
