"""What is pinned of each entry: labels, chapter, names of parts; and the faults of a run that finds other parts."""

import dataclasses
from importlib import resources

import pytest
from hypothesis import strategies as st

from dpspectra.ledger import all_statements, examine, get, labels, pins
from dpspectra.ledger.judgement import outcomes
from dpspectra.ledger.registry import built

SOME = ("MWKTV-L6.1", "MWKTV-L8.2", "MWKTV-T2.4", "JXZ-D5", "HR-L6.1", "DPS-KNORM")


def test_every_entry_is_pinned_with_its_labels_and_chapter():
    found = {label: (pin.labels, pin.chapter) for label, pin in pins.pins().items()}
    assert found == {label: (entry.labels, entry.chapter) for label, entry in built().items()}, "run `make notes`"


@pytest.mark.parametrize("label", SOME)
def test_the_parts_that_are_written_are_those_of_the_tight_instances(label):
    assert pins.parts(get(label)) == pins.pins()[label].parts


def test_a_refuted_statement_without_a_standing_form_has_no_parts():
    bare = [entry for entry in all_statements() if "tight" not in entry.faces]
    assert bare
    assert all(pins.pins()[entry.id].parts == () for entry in bare)


def test_no_name_of_a_part_holds_the_separator():
    assert all(pins.SEPARATOR not in part for pin in pins.pins().values() for part in pin.parts)


def test_the_file_is_written_as_it_is_read(tmp_path, monkeypatch):
    chosen = [get(label) for label in SOME]
    monkeypatch.setattr("dpspectra.ledger.registry.all_statements", lambda: chosen)
    (tmp_path / "reference" / "dpspectra" / "ledger").mkdir(parents=True)
    pins.write(tmp_path)
    written = (tmp_path / "reference" / "dpspectra" / "ledger" / pins.FILE).read_text(encoding="utf-8")
    kept = resources.files("dpspectra.ledger").joinpath(pins.FILE).read_text(encoding="utf-8")
    head, *rows = written.splitlines()
    assert len(rows) == len(SOME)
    assert head == kept.splitlines()[0]
    assert set(rows) <= set(kept.splitlines())


def run_of(entry, **faces):
    """A run of the entry with other faces on its first tight instance."""
    case = entry.faces["tight"]()[0]
    faces = {face: function for face, function in {**entry.faces, **faces}.items() if face != "beyond"}
    return examine(dataclasses.replace(entry, faces=faces, cases=lambda: st.just(case)), 1)


def test_a_renamed_part_is_at_fault():
    entry = get("MWKTV-L6.1")

    def renamed(face):
        return lambda *case: tuple(dataclasses.replace(o, part="utility") for o in outcomes(entry, face, case))

    report = run_of(entry, fast=renamed("fast"), oracle=renamed("oracle"))
    assert report.faults == [
        "its parts are not those of pins.csv: it lost change of the utility; it gained utility; "
        "run `make notes` if that is meant"
    ]


def test_a_listed_statement_without_pins_is_told_what_to_run(monkeypatch):
    bare = tuple(dataclasses.replace(label, entry="", chapter="", parts=()) for label in labels())
    monkeypatch.setattr("dpspectra.ledger.runner.labels", lambda: bare)
    assert run_of(get("MWKTV-L6.1")).faults == ["its parts are not pinned yet: run `make notes`"]
