"""Each entry is recorded with its labels, its chapter and its parts; the file is written as it is read."""

import csv
import dataclasses
from importlib import resources

import pytest

from dpspectra.ledger import all_statements, baseline, examine, get
from dpspectra.ledger.baseline import Baseline, Row, of, recorded
from dpspectra.ledger.measure import KEPT
from dpspectra.ledger.registry import built


def test_every_entry_is_recorded_with_its_labels_and_chapter():
    found = {label: (one.labels, one.chapter) for label, one in recorded().items()}
    assert found == {label: (entry.labels, entry.chapter) for label, entry in built().items()}, "run `make notes`"


@pytest.mark.parametrize("entry", all_statements(), ids=str)
def test_every_part_has_its_formula_and_it_is_the_one_that_is_recorded(entry):
    one = of(entry.id)
    assert {part: row.formula for part, row in one.rows.items() if row.formula} == baseline.digests(entry)
    assert tuple(filter(None, entry.formulas)) == one.parts
    assert len(set(entry.formulas.values())) == len(entry.formulas)
    assert all(entry.formulas.values())


@pytest.mark.parametrize(
    ("label", "part", "old", "new"),
    [
        ("DPS-PAIRS", "Frobenius norm of the change", r"2\sqrt2", r"3\sqrt2"),
        ("MWKTV-L6.1", "change of the utility", r"\max", r"\min"),
    ],
)
def test_a_formula_that_is_edited_alone_is_noticed(label, part, old, new, monkeypatch):
    """Whatever its letters, which a run looks at before."""
    monkeypatch.setattr("dpspectra.ledger.runner.unclear", lambda entry: [])
    entry = get(label)
    assert not examine(entry, 1).faults
    formulas = {**entry.formulas, part: entry.formulas[part].replace(old, new)}
    assert formulas != entry.formulas
    assert examine(dataclasses.replace(entry, claim=formulas), 1).faults == [
        f"the formula of the part '{part}' is not the one of baseline.csv: read it beside both faces, and run "
        f'`make notes AGAIN="{label}"`'
    ]
    assert examine(dataclasses.replace(entry, given=r"x=1"), 1).faults[0].startswith("the formula of the part")


def test_a_part_without_a_formula_is_noticed(monkeypatch):
    monkeypatch.setattr("dpspectra.ledger.runner.unclear", lambda entry: [])
    entry = get("JXZ-L4")
    only = dict(list(entry.formulas.items())[:1])
    assert examine(dataclasses.replace(entry, claim=only), 1).faults == [
        "its claim has formulas of eigenvalue of a sum, its parts are eigenvalue of a sum, moves of singular values"
    ]


def test_a_refuted_statement_without_a_standing_form_has_no_parts():
    bare = [entry for entry in all_statements() if "tight" not in entry.faces]
    assert bare
    assert all(of(entry.id).rows == {"": Row(formula=of(entry.id).rows[""].formula)} for entry in bare)


def test_parts_have_a_coverage_and_ratios_of_one_length_and_reasons():
    for label, one in recorded().items():
        assert all((row.coverage is None) == (not part) for part, row in one.rows.items()), label
        assert all(0 <= one.rows[part].coverage <= KEPT for part in one.parts), label
        assert len({len(row.ratios) for row in one.rows.values() if row.ratios}) <= 1, label
        assert all(len(why) > 20 for row in one.rows.values() for why in row.insensitive.values()), label
    standing = [of(entry.id) for entry in all_statements() if {"tight", "oracle"} <= entry.faces.keys()]
    assert sum(any(row.ratios for row in one.rows.values()) for one in standing) > 0.8 * len(standing)


def test_the_file_is_written_as_it_is_read():
    read = resources.files("dpspectra.ledger").joinpath(baseline.FILE).read_text(encoding="utf-8")
    assert baseline.text(of(entry.id) for entry in all_statements()) == read


def test_a_field_holds_all_that_is_told_of_a_part(monkeypatch):
    rows = {"": Row(), "a": Row(0, (None, 0.5, None), {"n": "", "k.m": "why; how: so", "axis 0 of x": ""}, "12ab")}
    text = baseline.text([Baseline(("X-1", "X-2"), "c", rows)])
    assert text.splitlines()[1:] == ["X-1 X-2,c,,,,,", "X-1 X-2,c,12ab,a,0,; 0.5; ,n; axis 0 of x: | k.m: why; how: so"]
    monkeypatch.setattr("dpspectra.ledger.tables.rows", lambda file: list(csv.DictReader(text.splitlines())))
    assert recorded.__wrapped__() == dict.fromkeys(("X-1", "X-2"), Baseline(("X-1", "X-2"), "c", rows))
