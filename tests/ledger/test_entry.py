"""A statement and its faces: attached once, called as they are written."""

import dataclasses

import pytest
from mpmath import mp

from dpspectra.ledger import AtMost, Parts, Real, Statement, Verdict, examine, statement
from dpspectra.ledger.report import Report
from dpspectra.strategies import st

THIRD = AtMost(1, 3, part="third")


def halves(x: float) -> Parts:
    """Two parts, the second of positive numbers."""
    yield AtMost(x / 2, abs(x), part="half")
    if x <= 0:
        return
    yield AtMost(x / 4, x, part="quarter")


def written(**own):
    """A class that is entered as a statement, with the fields that it must have."""
    return statement(type("X", (), {"labels": ("X",), "claim": "", "verdict": Verdict.NEW, "note": "p#a"} | own))


def of_halves(self, x: float) -> Parts:
    """Two parts, as a face of a class."""
    yield from halves(x)


def test_a_face_that_yields_returns_its_parts_when_called():
    made = written(fast=of_halves)
    for face in (made.entry.faces["fast"], made().fast):
        assert [part.part for part in face(2.0)] == ["half", "quarter"]
        assert face(-2.0) == (AtMost(-1.0, 2.0, part="half"),)
        assert (face.__name__, face.__doc__) == (of_halves.__name__, of_halves.__doc__)


def test_a_face_that_returns_is_left_as_it_is():
    def face(self, x: float) -> AtMost:
        return THIRD

    made = written(fast=face, oracle=face)
    assert made.fast is face
    assert made.oracle is face


def test_parts_are_computed_in_the_precision_of_the_caller():
    def thirds(self, x: Real) -> Parts:
        yield AtMost(x / 3, x, part="third")
        yield AtMost(x / 3, x, part="third again")

    face = written(oracle=thirds).entry.faces["oracle"]
    with mp.workdps(50):
        parts = face(1.0)
        third = mp.mpf(1) / 3
    assert [part.left for part in parts] == [third, third]
    assert parts[0].left != mp.mpf(1) / 3


def test_a_fault_names_the_numbers_of_the_case():
    class Planted:
        labels, claim, verdict, note, fast = ("X",), "", Verdict.NEW, "p#a", of_halves

        def cases(self):
            return st.just((2.0,))

        def oracle(self, x):
            return AtMost(x, x / 2, part="half"), AtMost(x / 4, x, part="quarter")

        def tight(self):
            return [(2.0,)]

    report = examine(vars(statement(Planted))["entry"], 1)
    assert report.faults[0].endswith("left: fast 1.0, oracle 2.0 at x=2.0")


def test_the_record_of_a_class():
    given = written(fast=of_halves, tight=lambda self: [(2.0,)], uses=("Y",), digits=7).entry
    assert (given.module, given.uses, given.digits, given.cases) == (__name__, ("Y",), 7, None)
    assert given.faces["tight"]() == [(2.0,)]
    assert given.named("fast", (2.0,)) == {"x": 2.0}


def test_a_certificate_may_be_a_reason_and_two_sides():
    assert written(certificate=("two is more", "2", "1")).entry.faces["certificate"]() == {
        "kind": "inequality",
        "label": "X",
        "reason": "two is more",
        "greater": "2",
        "lesser": "1",
    }


@pytest.mark.parametrize("own", [{"beyound": list}, {"faces": {}}, {"module": "x"}, {"parts": list}])
def test_a_name_that_no_statement_has_is_refused(own):
    with pytest.raises(ValueError, match="X lacks none and has "):
        written(**own)


def test_a_field_that_is_missing_is_named():
    with pytest.raises(ValueError, match="X lacks verdict, note and has no other"):
        statement(type("X", (), {"labels": ("X",), "claim": ""}))


def test_what_an_entry_is_checked_with_unless_it_says_otherwise():
    defaults = {field.name: field.default for field in dataclasses.fields(Statement)}
    assert (defaults["rounding"], defaults["digits"], defaults["examples"]) == (1e-9, 50, 100)
    empty = Report("DPS-X", "new", None)
    assert (empty.cases, empty.vacuous, empty.undecided, empty.closest, empty.seconds) == (0, 0, 0, None, 0.0)
