"""The judge, judged: one planted fault for every branch and direction of what it compares."""

import dataclasses
import functools
from fractions import Fraction

import pytest
from mpmath import mp

from dpspectra.ledger import AtMost, Equal, Frequency, Slack, Statement, Verdict
from dpspectra.ledger.judgement import challenge, judge, judge_tight, largest, outside, refute
from tests.support.entries import broken, statement

HALF = mp.mpf(1) / 2


def challenged(entry, parts=()):
    """What the challenge says of an entry."""
    return challenge(entry, judge_tight(entry), parts)


@pytest.mark.parametrize("face", ["fast", "oracle"])
@pytest.mark.parametrize("wrong", [AtMost(1.1, 1.0, part="b"), Equal(1.1, 1.0, part="b"), Equal(0.9, 1.0, part="b")])
def test_a_contradiction_in_either_face_names_the_face_and_the_part(face, wrong):
    right = (AtMost(1.0, 1.0, part="a"), AtMost(1.0, 1.0, part="b"))
    sides = {"fast": right, "oracle": right, face: (right[0], wrong)}
    assert any(f"{face} contradicts the part 'b'" in fault for fault in judge(statement(**sides), ()).faults)


def test_what_a_face_raises_at_a_case_of_another_kind_says_where_cases_come_from():
    entry = statement((), ())
    entry.faces["oracle"] = lambda matrix: matrix[0]
    with pytest.raises(IndexError) as caught:
        judge(entry, ([],))
    assert caught.value.__notes__ == ["oracle of X must be given a case as those of its cases().example()"]


def test_the_oracle_has_no_more_slack_than_its_digits():
    with mp.workdps(50):
        rounded = (AtMost(1 + mp.mpf(10) ** -20, mp.mpf(1), part="a"),)
    assert judge(statement((AtMost(1.0, 1.0, part="a"),), rounded), ()).faults


def test_parts_must_be_the_same_in_both_faces_and_in_the_same_order():
    a, b = AtMost(0.5, 1.0, part="a"), AtMost(0.5, 1.0, part="b")
    for fast, oracle in [((a, b), (b, a)), ((a, b), (a,)), ((a,), (a, b)), ((a,), ()), ((), (a,))]:
        assert "states the parts" in judge(statement(fast, oracle), ()).faults[0]


def test_a_part_that_is_never_close_cannot_hide_behind_one_that_is():
    tight, loose = AtMost(1.0, 1.0, part="a"), AtMost(0.5, 1.0, part="b")
    (fault,) = challenged(statement((tight, loose), (tight, loose)))
    assert "does not notice the part 'b'" in fault
    assert challenged(statement((tight,), (tight,))) == []


def test_declared_slack_is_checked_both_ways():
    tight, loose = AtMost(1.0, 1.0, part="a"), AtMost(0.5, 1.0, part="b")
    for ratio, fine in [(0.5, True), (0.5004, True), (0.499, False), (0.501, False), (1.0, False)]:
        entry = statement((tight, loose), (tight, loose), slack={"b": Slack(ratio, "for a reason")})
        assert (challenged(entry) == []) is fine, ratio
    absent = statement((tight,), (tight,), slack={"b": Slack(0.5, "for a reason")})
    assert "which no tight instance evaluates" in challenged(absent)[0]


def test_a_part_near_equality_must_come_within_a_millionth():
    near = (AtMost(1 - 1e-4, 1.0, part="a"),)
    assert "comes to" in challenged(statement(near, near))[0]


@pytest.mark.parametrize("face", ["fast", "oracle"])
def test_both_faces_must_notice_the_challenge(face):
    tight = (AtMost(1.0, 1.0, part="a"),)
    vague = (AtMost(1.0, 1.0, scale=1e12, part="a"),)
    sides = {"fast": tight, "oracle": tight, face: vague}
    entry = dataclasses.replace(statement(**sides), digits=20)
    assert any(face in fault and "does not notice" in fault for fault in challenged(entry))


def test_a_part_that_no_tight_instance_evaluates_is_no_part_of_the_challenge():
    entry = statement(AtMost(1.0, 1.0, part="a"), AtMost(mp.mpf(1), mp.mpf(1), part="a"))
    assert challenged(entry, ["a"]) == []
    assert challenged(entry, ["a", "b"]) == ["challenge: no tight instance evaluates the part 'b'"]


def test_a_bound_on_a_frequency_is_challenged_at_the_exact_probability():
    fast = (Frequency(500, 1000, 0.5, part="a"),)
    assert challenged(statement(fast, (AtMost(HALF, HALF, part="a"),))) == []
    loose = statement((Frequency(250, 1000, 0.5, part="a"),), (AtMost(mp.mpf(1) / 4, HALF, part="a"),))
    assert "does not notice" in challenged(loose)[0]


def test_a_refutation_needs_a_false_printed_form_not_an_undecided_one():
    assert refute(broken(AtMost(mp.mpf(2), mp.mpf(1)))) == []
    with mp.workdps(50):
        undecided = AtMost(1 + mp.mpf(10) ** -48, mp.mpf(1))
        assert undecided.decide(mp.mpf(10) ** -40) is None
    assert "holds at the counterexample" in refute(broken(undecided))[0]
    assert "holds at the counterexample" in refute(broken(AtMost(mp.mpf(1), mp.mpf(2))))[0]


def test_a_counterexample_outside_of_a_printed_hypothesis_is_none():
    entry = broken(AtMost(mp.mpf(2), mp.mpf(1)))
    entry.faces["hypotheses"] = lambda: {"small": AtMost(mp.mpf(1), mp.mpf(1)), "even": AtMost(mp.mpf(2), mp.mpf(1))}
    (fault,) = refute(entry)
    assert fault.startswith("the counterexample is outside the printed hypothesis 'even'")


@pytest.mark.parametrize(
    ("greater", "lesser", "side"),
    [("3", "1", "greater"), ("3/2", "1", "greater"), ("2", "1/2", "lesser"), ("2", "3/2", "lesser")],
)
def test_a_certificate_about_other_numbers_is_noticed_on_either_side_and_in_either_direction(greater, lesser, side):
    (fault,) = refute(broken(AtMost(mp.mpf(2), mp.mpf(1)), greater, lesser))
    assert f"certificate's {side} side" in fault


def test_the_largest_ratio_is_that_of_numbers_only():
    assert largest([None, 0.25, 0.5, None]) == 0.5
    assert largest([None]) is None
    assert largest([]) is None


def test_a_judgement_is_the_worst_of_its_outcomes():
    """One undecided outcome of a part makes the part undecided, and the largest of its ratios is kept."""
    outcomes = (AtMost(1 + 1e-12, 1.0, part="a"), AtMost(0.5, 1.0, part="a"), AtMost(0.25, 1.0, part="b"))
    for order in (outcomes, outcomes[::-1]):
        judgement = judge(statement(order, order), ())
        assert judgement.undecided
        assert judgement.parts["a"].undecided
        assert judgement.parts["a"].closest == pytest.approx(1.0)
        assert not judgement.parts["b"].undecided
        assert judgement.parts["b"].closest == 0.25
        assert judgement.closest == pytest.approx(1.0)
        assert not judgement.vacuous
    empty = judge(statement((), ()), ())
    assert empty.vacuous
    assert not empty.undecided
    assert empty.closest is None


@pytest.mark.parametrize(("off", "faulty"), [("5e-41", False), ("2e-40", True), ("9e-40", True)])
def test_the_oracle_may_be_off_by_ten_digits_fewer_than_it_has(off, faulty):
    """40 of 50 digits must be right: in cases, at tight instances, beyond hypotheses, in a certificate."""
    with mp.workdps(60):
        equal, above = Equal(mp.mpf(1), 1 + mp.mpf(off)), AtMost(1 + mp.mpf(off), mp.mpf(1))
        half = AtMost(mp.mpf("0.5") + mp.mpf(off), mp.mpf("0.25"))
    assert bool(judge(statement(Equal(1.0, 1.0), equal), ()).faults) == faulty
    judged = judge(statement(AtMost(1.0, 1.0), above), ())
    assert (bool(judged.faults), judged.undecided) == (faulty, not faulty)
    entry = Statement(("X",), "", Verdict.NEW, "p#a", faces={"beyond": lambda: {"a": above}})
    assert (outside(entry) == []) == faulty
    assert (refute(broken(half, "1/2", "1/4")) != []) == faulty


@pytest.mark.parametrize(("off", "seen"), [("5e-41", False), ("2e-40", True)])
def test_a_tight_instance_notices_what_its_digits_show(off, seen):
    with mp.workdps(60):
        value = AtMost(1 - mp.mpf(1 - 0.99) + mp.mpf(off), mp.mpf(1))
    entry = statement(AtMost(1.0, 1.0), value)
    assert judge(entry, ()).parts[""].noticed == ({"fast", "oracle"} if seen else {"fast"})


def test_a_part_is_noticed_where_the_challenge_would_contradict_it():
    for left, seen in (("0.995", {"fast", "oracle"}), ("0.985", set())):
        entry = statement(AtMost(float(left), 1.0), AtMost(mp.mpf(left), 1))
        assert judge(entry, ()).faults == []
        assert judge(entry, ()).parts[""].noticed == seen


def test_a_challenge_takes_the_best_tight_instance():
    """Equality at one of several is enough, for the ratio and for what both faces notice; in any order."""
    for tight in ([(0.5,), (1.0,)], [(1.0,), (0.5,)]):
        faces = {
            "fast": lambda x: (AtMost(x, 1.0, part="a"), AtMost(1.5 - x, 1.0, part="b")),
            "oracle": lambda x: (AtMost(mp.mpf(x), 1, part="a"), AtMost(mp.mpf(1.5 - x), 1, part="b")),
            "tight": functools.partial(list, tight),
        }
        entry = Statement(("X",), "", Verdict.NEW, "p#a", faces=faces)
        assert challenge(entry, judge_tight(entry)) == []


def test_a_certificate_for_large_numbers_may_be_off_by_their_rounding():
    """A third over a billion billions has fewer digits behind the point than the arithmetic has."""
    large = 10**40 + Fraction(1, 3)
    with mp.workdps(50):
        value = mp.mpf(large.numerator) / large.denominator
    assert refute(broken(AtMost(value, mp.mpf(1)), f"{large.numerator}/{large.denominator}")) == []


def test_a_certificate_whose_sides_overlap_proves_nothing():
    with mp.workdps(50):
        printed = AtMost(mp.mpf(2), mp.mpf(1))
    assert any("proves nothing" in fault for fault in refute(broken(printed, "1", "2")))
