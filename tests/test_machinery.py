"""The judge is judged: faults planted in an entry must be found."""

import dataclasses
import functools
import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mpmath import mp

from dpspectra.ball import enclose as ball
from dpspectra.ledger import AtMost, Equal, Frequency, Statement, Verdict, check, examine, get, inequality, verify
from dpspectra.ledger.certificate import enclose
from dpspectra.ledger.papers import Label
from dpspectra.ledger.registry import index
from dpspectra.ledger.runner import weakest
from dpspectra.ledger.views import to_json


def altered(label, **faces):
    """A copy of an entry with some faces replaced, and its first tight instance as the only case."""
    entry = get(label)
    return dataclasses.replace(entry, faces={**entry.faces, **faces}, cases=lambda: st.just(entry.faces["tight"]()[0]))


def test_a_right_side_scaled_by_a_hundredth_is_noticed_at_a_tight_instance():
    entry = get("MWKTV-E20")

    def short(face):
        return lambda *case: entry.faces[face](*case).scaled(0.99)

    report = examine(altered("MWKTV-E20", fast=short("fast"), oracle=short("oracle")))
    assert not report.ok
    assert "fast contradicts" in report.faults[0]
    assert "oracle contradicts" in report.faults[0]


def test_an_arithmetic_that_drifts_is_noticed():
    entry = get("MWKTV-E20")
    report = examine(altered("MWKTV-E20", fast=lambda *case: entry.faces["fast"](*case).scaled(1 + 1e-6)))
    assert not report.ok
    assert "arithmetics differ" in report.faults[0]


def test_an_altered_counterexample_is_noticed():
    harmless = altered("MWKTV-L8.2", counterexample=lambda: (np.diag([1.0, 0.5]), np.diag([1.0, 0.5]), 1))
    assert "holds at the counterexample" in examine(harmless).faults[0]
    other = altered("MWKTV-L8.2", counterexample=lambda: (np.diag([1.0, 0.25]), np.diag([0.0, 0.25]), 1))
    assert examine(other).ok, "the scale of the second value does not matter"
    further = altered("MWKTV-L8.2", counterexample=lambda: (np.diag([1.0, 0.5]), np.diag([0.25, 0.75]), 1))
    assert any("not the counterexample's" in fault for fault in examine(further).faults)


def test_an_altered_certificate_is_noticed():
    weak = altered("MWKTV-L8.2", certificate=lambda: inequality("MWKTV-L8.2", "nothing", "1", "1"))
    report = examine(weak)
    assert report.certificate == "rejected"
    assert any("proves nothing" in fault for fault in report.faults)


def test_a_flipped_verdict_is_noticed():
    flipped = dataclasses.replace(get("MWKTV-L6.1"), verdict=Verdict.REFUTED)
    assert [fault for fault in examine(flipped).faults if fault.startswith("no face")]
    listed = Label("MWKTV-L6.1", "MWKTV", "lemma", "", "", Verdict.NEW, "printed", "sensitivity", "", 1)
    (report,) = verify([listed], examples=1)
    assert report.ok is False
    assert "the list expects new" in report.faults[-1]


def test_a_part_that_both_faces_lose_is_noticed():
    whole = get("MWKTV-L8.2").faces
    kept = {face: functools.partial(lambda face, *case: face(*case)[:1], whole[face]) for face in ("fast", "oracle")}
    assert examine(altered("MWKTV-L8.2", **kept), 20).faults == ["1 parts were evaluated, but the list expects 2"]


def test_a_statement_that_never_applies_is_noticed():
    empty = altered("MWKTV-L7.2", fast=lambda *case: (), oracle=lambda *case: ())
    assert "every case was vacuous" in examine(empty).faults


def test_a_challenge_that_changes_nothing_is_noticed():
    axis = np.array([1.0, 0.0])  # replaced by its opposite: nothing moves, and the bound is 2
    slack = altered("MWKTV-E20", tight=lambda: [((np.eye(2), np.eye(2), axis, -axis),)])
    assert any("does not notice" in fault for fault in examine(slack, challenged=True).faults)


def test_a_face_that_raises_is_a_fault_not_a_crash():
    def wrong(*case):
        raise ZeroDivisionError("here")

    assert "raised ZeroDivisionError: here" in examine(altered("MWKTV-E20", oracle=wrong)).faults
    assert "raised ZeroDivisionError: here" in examine(altered("MWKTV-L8.2", as_printed=wrong)).faults


def test_a_label_belongs_to_one_entry():
    first, second = get("MWKTV-L6.1"), dataclasses.replace(get("MWKTV-L6.1"))
    found = {}
    index(first, found)
    with pytest.raises(ValueError, match="declared in"):
        index(second, found)


def test_a_face_is_attached_once():
    entry = Statement(("X",), "", Verdict.NEW, "p#a")
    entry.fast(lambda: None)
    with pytest.raises(ValueError, match="two faces"):
        entry.fast(lambda: None)


def test_missing_labels_are_reported_as_missing_and_json_is_strict():
    missing = Label("MWKTV-NONE", "MWKTV", "lemma", "", "", Verdict.NEW, "ours", "orbit", "", 1)
    reports = verify([missing])
    assert json.loads(to_json(reports))[0] | {"verdict": "missing", "ok": None} == json.loads(to_json(reports))[0]


def test_the_weakest_support_is_found():
    assert weakest("MWKTV-E20") == ("MWKTV-E20", Verdict.VERIFIED)


def test_outcomes_are_decided_three_ways():
    assert AtMost(1, 2).decide(0) is True
    assert AtMost(1 + 1e-12, 1).decide(1e-9) is None
    assert AtMost(1.1, 1).decide(1e-9) is False
    assert AtMost(float("nan"), 1).decide(1e-9) is False
    assert Equal(1, 1 + 1e-12).decide(1e-9) is True
    assert Equal(1, 1.1).decide(1e-9) is False
    assert Equal(float("nan"), 1).decide(1e-9) is False


def test_frequencies_are_judged_by_the_exact_binomial_tail():
    assert Frequency(0, 100, 0.0).decide(0) is True
    assert Frequency(1, 100, 0.0).decide(0) is False
    assert Frequency(600, 1000, 0.5).decide(0) is False
    assert Frequency(560, 1000, 0.5).decide(0) is True
    assert Frequency(500, 1000, 0.9).compatible(0.5)
    assert not Frequency(400, 1000, 0.9).compatible(0.5)
    assert Frequency(0, 10, 1.0).compatible(mp.mpf(0))
    assert not Frequency(0, 100, 1.0).compatible(1)


RATIONALS = st.fractions(Fraction(-6), Fraction(6), max_denominator=50).map(str)


@settings(deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(RATIONALS)
def test_the_rational_checker_agrees_with_ball_arithmetic(x):
    trees = [["exp", x], ["normal_cdf", x], ["log", ["add", "7", x]], ["sqrt", ["mul", x, x]], ["div", x, ["pi"]]]
    for tree in trees:
        mine, theirs = enclose(tree), ball(tree)
        assert mine.low <= mine.high
        assert float(mine.high - mine.low) < 1e-80
        assert theirs.overlaps(_arb(mine.low).union(_arb(mine.high)))


def _arb(value):
    import flint

    with flint.ctx.workprec(500):
        return flint.arb(flint.fmpq(value.numerator, value.denominator))


def test_a_false_certificate_is_rejected_and_nonsense_is_an_error():
    assert not check(inequality("X", "why", "1", ["exp", "0"])).accepted
    assert not check(inequality("X", "why", "0", "1")).accepted
    assert check(inequality("X", "why", ["exp", "1/100000"], "1")).accepted
    with pytest.raises(ValueError, match=r"greater must be a rational in a string or \[operation"):
        inequality("X", "why", ["gamma", "1"], "1")
    with pytest.raises(ValueError, match="certificate greater must be a rational in a string"):
        check({"kind": "inequality", "greater": ["gamma", "1"], "lesser": "1"})
    with pytest.raises(ValueError, match="kind"):
        check({"kind": "other"})
    with pytest.raises(ValueError, match="contains zero"):
        enclose(["div", "1", ["sub", "1", "1"]])
