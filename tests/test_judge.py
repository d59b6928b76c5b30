"""The judge, judged: one planted fault for every branch and direction of what it compares."""

import dataclasses
from fractions import Fraction
from math import comb

import pytest
from hypothesis import strategies as st
from mpmath import mp

from dpspectra.ledger import AtMost, Equal, Frequency, Slack, Statement, Verdict, examine, inequality
from dpspectra.ledger.certificate import Interval
from dpspectra.ledger.judgement import challenge, judge, judge_tight, refute, told_apart
from dpspectra.ledger.outcomes import FALSE_ALARM, disagreement

HALF = mp.mpf(1) / 2


def statement(fast, oracle, tight=((),), **fields):
    """An entry whose faces return these outcomes at every case."""
    faces = {"fast": lambda *case: fast, "oracle": lambda *case: oracle, "tight": lambda: list(tight)}
    return Statement(("X",), "", Verdict.NEW, "p#a", cases=lambda: st.just(()), faces=faces, **fields)


def broken(printed, greater="2", lesser="1"):
    """An entry whose printed form, at its counterexample, is ``printed``."""
    faces = {
        "as_printed": lambda: printed,
        "counterexample": lambda: (),
        "certificate": lambda: inequality("X", "a reason", greater, lesser),
    }
    return Statement(("X",), "", Verdict.REFUTED, "p#a", faces=faces)


def challenged(entry, parts=()):
    """What the challenge says of an entry."""
    return challenge(entry, judge_tight(entry), parts)


@pytest.mark.parametrize(
    ("fast", "exact", "word"),
    [
        (Equal(1.0, 1.0), Equal(2, 1), "left"),
        (Equal(2.0, 1.0), Equal(1, 1), "left"),
        (Equal(1.0, 1.0), Equal(1, 2), "right"),
        (Equal(1.0, 2.0), Equal(1, 1), "right"),
        (AtMost(0.0, 1.0), AtMost(0.5, 1), "left"),
        (AtMost(0.5, 1.0), AtMost(0, 1), "left"),
        (AtMost(0.5, 2.0), AtMost(0.5, 1), "right"),
        (AtMost(0.5, 1.0), AtMost(0.5, 2), "right"),
        (AtMost(1e-12, 1e-3), AtMost(2e-12, 2e-3), "right"),
        (AtMost(1.0, 1.0), Equal(1, 1), "AtMost, oracle Equal"),
        (Equal(1.0, 1.0), AtMost(1, 1), "Equal, oracle AtMost"),
        (Frequency(1, 2, 0.5), Equal(HALF, HALF), "judged by an exact probability"),
        (AtMost(0.5, 0.5), Frequency(1, 2, 0.5), "judged by an exact probability"),
        (Frequency(500, 1000, 0.5), AtMost(mp.mpf(1) / 4, HALF), "exact probability"),
        (Frequency(500, 1000, 0.5), AtMost(mp.mpf(3) / 4, HALF), "exact probability"),
        (Frequency(5, 1000, 0.50001), AtMost(mp.mpf(5) / 1000, HALF), "bound"),
        (Frequency(5, 1000, 0.49999), AtMost(mp.mpf(5) / 1000, HALF), "bound"),
        (Frequency(0, 10, 2e-30), AtMost(mp.mpf(0), mp.mpf("1e-30")), "bound"),
    ],
)
def test_arithmetics_that_differ_are_told_apart(fast, exact, word):
    assert word in disagreement(fast, exact, 1e-9)


def test_arithmetics_that_agree_are_left_alone():
    assert disagreement(Equal(1 + 1e-10, 1.0), Equal(1, 1), 1e-9) is None
    assert disagreement(AtMost(1e-10, 0.0, scale=1), AtMost(0, 0, scale=1), 1e-9) is None
    assert disagreement(Frequency(480, 1000, 0.5), AtMost(HALF, HALF), 1e-9) is None


@pytest.mark.parametrize("left", [1.0 + 1e-3, 1.0 - 1e-3])
def test_an_equation_is_broken_from_either_side(left):
    assert Equal(left, 1.0).decide(1e-9) is False
    assert Equal(-left, -1.0).decide(1e-9) is False


def test_slack_is_relative_to_the_size_of_the_sides():
    assert AtMost(1.5e-12, 1e-12).decide(1e-9) is False
    assert AtMost(1 + 1e-10, 1).decide(1e-9) is None
    assert AtMost(1.5e-12, 1e-12, scale=1).decide(1e-9) is None
    assert Equal(1.5e-12, 1e-12).decide(1e-9) is False


@pytest.mark.parametrize("trials", [10, 1000])
@pytest.mark.parametrize("p", [0.01, 0.5])
def test_a_frequency_is_contradicted_exactly_where_its_tail_falls_below_the_false_alarm(trials, p):
    """The tail ``P(count or more)`` in exact integers, at the last count that passes and at the next."""
    part, whole = p.as_integer_ratio()
    tail, count = 0, trials + 1
    while tail < Fraction(FALSE_ALARM) * whole**trials:
        count -= 1
        tail += comb(trials, count) * part**count * (whole - part) ** (trials - count)
    assert Frequency(count, trials, p).decide(0) is True
    assert count == trials or Frequency(count + 1, trials, p).decide(0) is False


@pytest.mark.parametrize("p", [0.3, 0.7])
def test_counts_are_compatible_up_to_half_the_false_alarm_on_either_side(p):
    trials, exact = 60, Fraction(p)
    law = [comb(trials, count) * exact**count * (1 - exact) ** (trials - count) for count in range(trials + 1)]
    for count in range(trials + 1):
        expected = min(sum(law[: count + 1]), sum(law[count:])) >= Fraction(FALSE_ALARM) / 2
        assert Frequency(count, trials, 1.0).compatible(p) == expected, count


@pytest.mark.parametrize(
    ("outcome", "ratio"),
    [
        (AtMost(1, 2), 0.5),
        (AtMost(-1, 2), -0.5),
        (AtMost(-4, -1), 0.25),
        (AtMost(-1, 0), 0.0),
        (AtMost(0, 0), None),
        (Equal(1, 1), None),
    ],
)
def test_closeness_is_one_at_equality_for_either_sign(outcome, ratio):
    assert outcome.closeness == ratio


@pytest.mark.parametrize(
    "outcome", [AtMost(1, 1), AtMost(-1, -1), AtMost(0, 0, scale=1), Equal(1, 1), Equal(-1, -1), Equal(0, 0, scale=1)]
)
def test_a_tightened_side_contradicts_what_is_at_equality(outcome):
    assert outcome.decide(1e-9) is True
    assert outcome.scaled(0.99).decide(1e-9) is False


@pytest.mark.parametrize("infinite", [float("inf"), mp.inf])
def test_an_infinite_side_equals_no_number(infinite):
    assert AtMost(infinite, 1.0).decide(1e-9) is AtMost(1.0, -infinite).decide(1e-9) is False
    assert AtMost(1.0, infinite).decide(0) is AtMost(infinite, infinite).decide(0) is True
    assert Equal(infinite, infinite).decide(1e-9)
    assert not Equal(infinite, 1.0).decide(1e-9)
    assert not Equal(1.0, infinite).decide(1e-9)
    assert not Equal(1.0, 2.0, scale=infinite).decide(1e-9)
    for one, other in [(1.0, infinite), (infinite, 1.0)]:
        assert disagreement(AtMost(0.0, one), AtMost(0.0, other), 1e-9)
        assert disagreement(Equal(one, 1.0), Equal(other, 1.0), 1e-9)
    assert disagreement(AtMost(0.0, infinite), AtMost(0.0, infinite), 1e-9) is None


@pytest.mark.parametrize("face", ["fast", "oracle"])
@pytest.mark.parametrize("wrong", [AtMost(1.1, 1.0, part="b"), Equal(1.1, 1.0, part="b"), Equal(0.9, 1.0, part="b")])
def test_a_contradiction_in_either_face_names_the_face_and_the_part(face, wrong):
    right = (AtMost(1.0, 1.0, part="a"), AtMost(1.0, 1.0, part="b"))
    sides = {"fast": right, "oracle": right, face: (right[0], wrong)}
    assert any(f"{face} contradicts the part 'b'" in fault for fault in judge(statement(**sides), ()).faults)


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


def test_every_tight_instance_must_be_tight_for_some_part():
    """A loose instance cannot hide behind one at which the part is tight; slack parts show what they declare."""

    def face(left, right):
        return (AtMost(left, right, part="a"), AtMost(left, right, part="b"))

    def entry(*tight, **fields):
        faces = {"fast": face, "oracle": face}
        return dataclasses.replace(
            statement((), (), tight=tight, **fields), faces=statement((), (), tight).faces | faces
        )

    assert challenged(entry((1.0, 1.0), (2.0, 2.0))) == []
    loose = ["challenge: instance 2 of the face tight is tight for no part"]
    assert challenged(entry((1.0, 1.0), (0.991, 1.0))) == []
    assert challenged(entry((1.0, 1.0), (0.989, 1.0))) == loose
    declared = {part: Slack(0.5, "for a reason") for part in "ab"}
    assert challenged(entry((0.5, 1.0), (1.0, 2.0), slack=declared)) == []
    assert challenged(entry((0.5, 1.0), (0.4, 1.0), slack=declared)) == loose


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


@pytest.mark.parametrize(
    ("greater", "lesser", "side"),
    [("3", "1", "greater"), ("3/2", "1", "greater"), ("2", "1/2", "lesser"), ("2", "3/2", "lesser")],
)
def test_a_certificate_about_other_numbers_is_noticed_on_either_side_and_in_either_direction(greater, lesser, side):
    (fault,) = refute(broken(AtMost(mp.mpf(2), mp.mpf(1)), greater, lesser))
    assert f"certificate's {side} side" in fault


def test_an_instance_beyond_a_hypothesis_must_break_the_conclusion():
    entry = statement((AtMost(1.0, 1.0, part="a"),), (AtMost(1.0, 1.0, part="a"),))
    entry.beyond(lambda: {"a gap": AtMost(mp.mpf(2), mp.mpf(1)), "rank one": AtMost(mp.mpf(1), mp.mpf(1))})
    (fault,) = examine(entry, 1).faults
    assert "holds beyond the hypothesis 'rank one'" in fault


def test_as_many_cases_are_tried_as_are_asked_for():
    entry = statement((AtMost(0.5, 1.0, part="a"),), (AtMost(0.5, 1.0, part="a"),), tight=())
    several = dataclasses.replace(entry, cases=lambda: st.integers(0, 10**6).map(lambda i: ()), examples=7)
    assert examine(several).cases == 7
    assert examine(several, 3).cases == 3


def test_cases_are_the_same_without_a_seed_and_others_with_one():
    drawn: list[object] = []

    def remember(number):
        drawn.append(number)
        return ()

    entry = statement((AtMost(0.5, 1.0, part="a"),), (AtMost(0.5, 1.0, part="a"),), tight=())
    several = dataclasses.replace(entry, cases=lambda: st.integers(0, 10**9).map(remember), examples=20)
    for seed in (None, None, 1, 1, 2):
        drawn.append("|")
        assert examine(several, seed=seed).cases == 20
    _, first, again, one, same, two = " ".join(map(str, drawn)).split("|")
    assert first == again != one == same != two


def test_a_number_compared_with_itself_is_no_part():
    def entry(face, fast=lambda x: Equal(x, x, part="a"), **fields):
        faces = {"fast": fast, "oracle": face}
        return Statement(
            ("X",), "", Verdict.NEW, "p#a", cases=lambda: st.tuples(st.integers(1, 99)), faces=faces, **fields
        )

    def counts(x):
        return Frequency(500, 1000, 0.5, part="a")

    copy = entry(lambda x: Equal(mp.mpf(x), mp.mpf(x), part="a"))
    assert "the part 'a' compares a number with itself in all" in examine(copy).faults[0]
    assert examine(dataclasses.replace(copy, exact=("a",))).faults == []
    root = entry(lambda x: Equal(mp.sqrt(x), mp.sqrt(x), part="a"), lambda x: Equal(x**0.5, x**0.5, part="a"))
    assert "compares a number with itself" in examine(root).faults[0]
    assert examine(copy, copy.examples - 1).faults == []
    assert examine(entry(lambda x: Equal(mp.sqrt(x) ** 2, mp.mpf(x), part="a"))).faults == []
    assert examine(entry(lambda x: AtMost(HALF, HALF, part="a"), counts)).faults == []


def test_two_routes_that_happen_to_round_alike_are_told_apart_by_other_digits():
    def face(x):
        root = mp.sqrt(2)
        return Equal(root if mp.dps == 50 else root**3 / 2, root, part="a")

    statement = Statement(
        ("X",),
        "",
        Verdict.NEW,
        "p#a",
        cases=lambda: st.tuples(st.integers(1, 99)),
        faces={"fast": lambda x: Equal(1.0, 1.0, part="a"), "oracle": face},
        rounding=1.0,
    )
    assert not told_apart(statement, "a", [(1,)], [0])
    assert told_apart(statement, "a", [(1,)], [0, -4])
    assert examine(statement).faults == []


def test_parts_are_counted_one_by_one():
    """Part a is evaluated always, part b in one case of the two, and is undecided there."""

    def face(b):
        a, undecided = AtMost(0.5, 1.0, part="a"), AtMost(1 + 1e-12, 1.0, part="b")
        return (a, undecided) if b else (a,)

    entry = statement((), (), tight=((0,), (1,)))
    faces = entry.faces | {"fast": face, "oracle": face}
    report = examine(dataclasses.replace(entry, faces=faces, cases=lambda: st.just((0,)), digits=21), 1)
    first, second = report.parts
    assert (first.name, first.evaluated, first.vacuous, first.undecided, first.closest) == ("a", 3, 0, 0, 0.5)
    assert (second.name, second.evaluated, second.vacuous, second.undecided) == ("b", 1, 2, 1)


def test_rounding_to_the_grid_is_outward():
    third = Fraction(1, 3)
    for value in (third, -third):
        box = Interval(value, value).rounded()
        assert box.low < value < box.high


def test_what_is_refuted_is_examined_like_the_rest_if_it_also_stands_repaired():
    entry = broken(AtMost(mp.mpf(2), mp.mpf(1)))
    entry.faces |= statement(AtMost(1.0, 1.0), AtMost(HALF, mp.mpf(1))).faces
    report = examine(dataclasses.replace(entry, cases=lambda: st.just(())), challenged=True)
    assert report.cases > 0
    assert "the arithmetics differ" in report.faults[0]
