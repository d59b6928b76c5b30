"""A statement and its faces: attached once, called as they are written."""

import dataclasses

import pytest
from mpmath import mp

from dpspectra.ledger import AtMost, Parts, Real, Statement, Verdict, examine
from dpspectra.ledger.report import Report
from dpspectra.strategies import st


def test_a_face_is_attached_once():
    entry = Statement(("X",), "", Verdict.NEW, "p#a")
    entry.fast(lambda: None)
    with pytest.raises(ValueError, match="two faces"):
        entry.fast(lambda: None)


THIRD = AtMost(1, 3, part="third")


def entry(cases=lambda: st.just((2.0,))):
    return Statement(("X",), "", Verdict.NEW, "p#a", cases)


def halves(x: float) -> Parts:
    """Two parts, the second of positive numbers."""
    yield AtMost(x / 2, abs(x), part="half")
    if x <= 0:
        return
    yield AtMost(x / 4, x, part="quarter")


def test_a_face_that_yields_returns_its_parts_when_called():
    face = entry().fast(halves)
    assert [part.part for part in face(2.0)] == ["half", "quarter"]
    assert face(-2.0) == (AtMost(-1.0, 2.0, part="half"),)
    assert (face.__name__, face.__doc__) == (halves.__name__, halves.__doc__)


def test_a_face_that_returns_is_left_as_it_is():
    def face(x: float) -> AtMost:
        return THIRD

    assert entry().fast(face) is face
    assert entry().oracle(face) is face


def test_parts_are_computed_in_the_precision_of_the_caller():
    def thirds(x: Real) -> Parts:
        yield AtMost(x / 3, x, part="third")
        yield AtMost(x / 3, x, part="third again")

    face = entry().oracle(thirds)
    with mp.workdps(50):
        parts = face(1.0)
        third = mp.mpf(1) / 3
    assert [part.left for part in parts] == [third, third]
    assert parts[0].left != mp.mpf(1) / 3


def test_a_fault_names_the_numbers_of_the_case():
    planted = entry()
    planted.fast(halves)
    planted.oracle(lambda x: (AtMost(x, x / 2, part="half"), AtMost(x / 4, x, part="quarter")))
    planted.tight(lambda: [(2.0,)])
    report = examine(planted, 1)
    assert report.faults[0].endswith("left: fast 1.0, oracle 2.0 at x=2.0")


def test_data_are_given_as_an_expression():
    given = entry()
    given.fast(halves)
    given.oracle(halves)
    given.tight(lambda: [(2.0,)])
    given.beyond(lambda: {"more": AtMost(2, 1)})
    assert given.module == __name__
    assert given.faces["tight"]() == [(2.0,)]
    again = dataclasses.replace(given, faces=dict(given.faces))
    assert again.named("fast", (2.0,)) == {"x": 2.0}
    with pytest.raises(ValueError, match="X has two faces named tight"):
        given.tight(lambda: [])


def test_what_an_entry_is_checked_with_unless_it_says_otherwise():
    defaults = {field.name: field.default for field in dataclasses.fields(Statement)}
    assert (defaults["rounding"], defaults["digits"], defaults["examples"]) == (1e-9, 50, 100)
    empty = Report("DPS-X", "new", None)
    assert (empty.cases, empty.vacuous, empty.undecided, empty.closest, empty.seconds) == (0, 0, 0, None, 0.0)
