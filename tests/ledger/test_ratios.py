"""Ratios of left to right sides at the tight instances are those of the file; a right side that gets loose is named."""

import dataclasses

import pytest
from mpmath import mp

from dpspectra.ledger import all_statements, examine, get
from dpspectra.ledger.judgement import Judgement, Seen, outcomes
from dpspectra.ledger.pins import pins
from dpspectra.ledger.ratios import changed, ratios, steady


@pytest.mark.parametrize("label", ["MWKTV-ADJ", "MWKTV-L6.3X", "HP-C3.4", "DPS-ROOT", "MWKTV-D1.1"])
def test_the_file_holds_what_the_oracle_finds(label):
    found, listed = steady(get(label)), ratios().get(label, {})
    assert found.keys() == listed.keys()
    for part, row in found.items():
        assert row == pytest.approx([None if x is None else pytest.approx(x, rel=1e-4) for x in listed[part]])


def test_every_entry_with_tight_instances_is_listed_by_its_pinned_parts():
    for entry in all_statements():
        assert ratios().get(entry.id, {}).keys() <= set(pins()[entry.id].parts), entry.id
    standing = [entry for entry in all_statements() if {"tight", "oracle"} <= entry.faces.keys()]
    assert sum(entry.id in ratios() for entry in standing) > 0.8 * len(standing)


def judgements(*closest):
    return [Judgement({"a": Seen(ratios=[one])} if one is not None else {}) for one in closest]


@pytest.fixture
def two(monkeypatch):
    monkeypatch.setattr("dpspectra.ledger.ratios.ratios", lambda: {"X-1": {"a": (0.5, None, 0.0, 1.0)}})


def test_ratios_near_those_of_the_file_are_fine(two):
    assert changed("X-1", judgements(0.5004, 7.0, 1e-10, 0.9991)) == []
    assert changed("X-2", judgements(0.5)) == []


def test_a_part_that_is_looser_or_closer_or_gone_at_some_instance_is_named(two):
    assert changed("X-1", judgements(0.4994, None, 1e-8, None)) == [
        "the part 'a' comes to 0.4994 of its right side at instance 1 of the face tight, ratios.csv has 0.5",
        "the part 'a' comes to 1e-08 of its right side at instance 3 of the face tight, ratios.csv has 0.0",
        "the part 'a' comes to None of its right side at instance 4 of the face tight, ratios.csv has 1.0",
    ]


def test_an_instance_that_is_missing_is_noticed(two):
    assert changed("X-1", judgements(0.5, None, 0.0)) == ["the face tight has 3 instances, ratios.csv has 4"]


def altered(entry, *faces, change):
    """The entry with other outcomes in these faces."""

    def of(face):
        return lambda *case: tuple(change(outcome, case) for outcome in outcomes(entry, face, case))

    return dataclasses.replace(entry, faces={**entry.faces, **{face: of(face) for face in faces}})


def test_a_right_side_that_is_loose_only_where_others_are_tight_is_noticed():
    """At a right angle the difference of two frames may be left out: every face holds, and some instance is tight."""
    entry, part = get("MWKTV-L6.3X"), "Lipschitz constant in spectral norm"

    def loose(outcome, case):
        return dataclasses.replace(outcome, right=case[1][0]) if outcome.part == part else outcome

    faults = examine(altered(entry, "fast", "oracle", change=loose), 1, challenged=True).faults
    assert faults
    assert all(fault.startswith(f"the part '{part}' comes to") for fault in faults)
    assert examine(entry, 1, challenged=True).faults == []


def test_a_ratio_of_rounding_errors_is_not_listed():
    def rounded(outcome, case):
        last = mp.ldexp(mp.sqrt(2), mp.prec - 1) % 97  # of no meaning, and others with more digits
        return dataclasses.replace(outcome, left=last * mp.eps, right=97 * mp.eps)

    assert any(x not in (None, 0) for row in steady(get("MWKTV-L6.3X")).values() for x in row)
    assert steady(altered(get("MWKTV-L6.3X"), "oracle", change=rounded)) == {}
