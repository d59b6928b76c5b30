"""Floors under the shares of drawn cases that evaluate each part."""

import pytest

from dpspectra.ledger import examine, get
from dpspectra.ledger.floors import KEPT, below, floors, shares
from dpspectra.ledger.pins import Pin, pins


@pytest.mark.parametrize("label", ["MWKTV-D1.1", "DPS-ROOT", "HP-F1", "HP-F2"])
def test_the_usual_cases_reach_the_floors_in_the_file(label):
    assert shares(get(label)) == dict.fromkeys(pins()[label].parts, KEPT) | floors().get(label, {})


def test_every_floor_in_the_file_is_of_a_part_that_not_every_case_evaluates():
    for label, parts in floors().items():
        assert get(label).id == label
        assert all(0 <= least < KEPT for least in parts.values())
        assert parts.keys() <= set(pins()[label].parts), label


def test_a_part_that_too_few_cases_evaluate_is_named(monkeypatch):
    monkeypatch.setattr("dpspectra.ledger.floors.pins", lambda: {"X-1": Pin(("X-1",), "", ("a", "b"))})
    monkeypatch.setattr("dpspectra.ledger.floors.floors", lambda: {"X-1": {"a": 40}})
    assert below("X-1", {"a": 4, "b": 8}, 10) == []
    assert below("X-1", {"a": 3}, 10) == [
        "the part 'a' is evaluated in 3 of 10 drawn cases, its floor is 40 %",
        "the part 'b' is evaluated in 0 of 10 drawn cases, its floor is 80 %",
    ]
    assert below("X-2", {}, 10) == []


def test_a_run_of_the_usual_cases_is_compared_with_them(monkeypatch):
    """Other seeds and other numbers of cases are not: their shares vary."""
    monkeypatch.setattr("dpspectra.ledger.floors.floors", lambda: {"MWKTV-D1.1": {"privacy loss": 100, "absent": 1}})
    entry = get("MWKTV-D1.1")
    assert examine(entry).faults == [
        "the part 'absent' is evaluated in 0 of 100 drawn cases, its floor is 1 %",
    ]
    assert examine(entry, 10).faults == examine(entry, seed=3).faults == []
