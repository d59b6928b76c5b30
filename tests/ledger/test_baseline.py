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


def test_every_claim_is_the_one_that_is_recorded():
    assert {entry.id: of(entry.id).claim for entry in all_statements()} == {
        entry.id: baseline.digest(entry.claim) for entry in all_statements()
    }


@pytest.mark.parametrize("label", ["DPS-PAIRS", "MWKTV-L6.1"])
def test_a_claim_that_is_edited_alone_is_noticed(label):
    entry = get(label)
    assert not examine(entry, 1).faults
    edited = examine(dataclasses.replace(entry, claim=entry.claim.replace("2", "3", 1) + " "), 1).faults
    assert edited == [
        "its claim is not the one of baseline.csv: read it beside its parts, formula by formula, and run "
        f'`make notes AGAIN="{label}"`'
    ]


def test_a_refuted_statement_without_a_standing_form_has_no_parts():
    bare = [entry for entry in all_statements() if "tight" not in entry.faces]
    assert bare
    assert all(of(entry.id).rows == {"": Row()} for entry in bare)


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
    rows = {"": Row(), "a": Row(0, (None, 0.5, None), {"n": "", "k.m": "why; how: so", "axis 0 of x": ""})}
    text = baseline.text([Baseline(("X-1", "X-2"), "c", rows, "12ab")])
    assert text.splitlines()[1:] == ["X-1 X-2,c,12ab,,,,", "X-1 X-2,c,,a,0,; 0.5; ,n; axis 0 of x: | k.m: why; how: so"]
    monkeypatch.setattr("dpspectra.ledger.tables.rows", lambda file: list(csv.DictReader(text.splitlines())))
    assert recorded.__wrapped__() == dict.fromkeys(("X-1", "X-2"), Baseline(("X-1", "X-2"), "c", rows, "12ab"))
