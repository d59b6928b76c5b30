"""Outcomes of a face: decided, compared and brought near equality, one planted fault for every branch and direction."""

import sys
from fractions import Fraction
from math import comb

import pytest
from mpmath import mp

from dpspectra.ledger import AtMost, Equal, Frequency
from dpspectra.ledger.outcomes import FALSE_ALARM, disagreement

HALF = mp.mpf(1) / 2


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
        (Frequency(0, 10, 2e-8), AtMost(mp.mpf(0), mp.mpf("1e-8"), scale=1), "bound"),
    ],
)
def test_arithmetics_that_differ_are_told_apart(fast, exact, word):
    assert word in disagreement(fast, exact, 1e-9)


def test_arithmetics_that_agree_are_left_alone():
    assert disagreement(Equal(1 + 1e-10, 1.0), Equal(1, 1), 1e-9) is None
    assert disagreement(AtMost(1e-10, 0.0, scale=1), AtMost(0, 0, scale=1), 1e-9) is None
    assert disagreement(Frequency(480, 1000, 0.5), AtMost(HALF, HALF), 1e-9) is None
    assert disagreement(Frequency(0, 10, 2e-10), AtMost(mp.mpf(0), mp.mpf("1e-10"), scale=1), 1e-9) is None


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
        (AtMost(0, 0), 1.0),
        (AtMost(-1, 0, scale=4), 0.75),
        (AtMost(0, 0, scale=4), 1.0),
        (AtMost(1, -1), None),
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


def test_rounding_is_relative_to_what_cancelled():
    """To the largest of both sides and of the scale, in every comparison."""
    assert AtMost(1e-6, 0.0, scale=1e6).decide(1e-9) is None
    assert AtMost(1e-6, 0.0, scale=1.0).decide(1e-9) is False
    assert AtMost(-1.0, -1.0 - 1e-10).decide(1e-9) is None
    assert AtMost(1e-10 - 5.0, -5.0).decide(1e-9) is None
    assert Equal(1e-6, 0.0, scale=1e6).decide(1e-9)
    assert not Equal(1e-6, 0.0, scale=1.0).decide(1e-9)
    assert AtMost(-3, 2, scale=1).size == Equal(-3, 2, scale=1).size == 3
    assert AtMost(-1, 2, scale=1).size == Equal(-1, 2, scale=1).size == 2
    assert AtMost(-1, 2, scale=4).size == Equal(-1, 2, scale=4).size == 4
    for kind in (AtMost, Equal):
        assert disagreement(kind(1e-4, 1.0), kind(2e-4, 1, scale=10**6), 1e-9) is None
        assert disagreement(kind(1e-4, 1.0, scale=1e6), kind(2e-4, 1), 1e-9) is None
        assert disagreement(kind(1e-4, 1.0, scale=-1e6), kind(2e-4, 1), 1e-9) is None
        assert disagreement(kind(1e-4, 1.0), kind(2e-4, 1), 1e-9)


def test_a_right_side_is_tightened_by_a_share_of_its_modulus():
    assert AtMost(0, 8).scaled(0.75).right == 6
    assert AtMost(0, -8).scaled(0.75).right == -10
    assert AtMost(-16, 0).scaled(0.75).right == -4, "where it is 0, by a share of the size"
    assert Equal(4, 8).scaled(0.75).right == 6
    assert Equal(-16, 8).scaled(0.75).right == 4
    assert Frequency(1, 10, 0.5).scaled(0.5) == Frequency(1, 10, 0.25)
    assert AtMost(1, 2, scale=3, part="a").scaled(0.5) == AtMost(1, 1, scale=3, part="a")


def test_infinities_that_agree_are_no_disagreement():
    infinite = float("inf")
    assert disagreement(AtMost(infinite, 1.0), AtMost(mp.inf, 1), 1e-9) is None
    assert disagreement(AtMost(infinite, 1.0), AtMost(mp.mpf(5), 1), 1e-9)


def test_frequencies_at_the_ends():
    """Sure and impossible events, bounds of 0 and 1, and the alarm at exactly its level."""
    assert Frequency(10, 10, 1.0).decide(0)
    assert not Frequency(1, 10, 0.0).decide(0)
    assert Frequency(10, 10, 0.5).compatible(1)
    assert not Frequency(9, 10, 0.5).compatible(1)
    assert not Frequency(1, 10, 0.5).compatible(0)
    assert Frequency(1, 1, FALSE_ALARM).decide(0)
    assert not Frequency(1, 1, FALSE_ALARM / 2).decide(0)
    assert Frequency(1, 1, 0.5).compatible(FALSE_ALARM / 2)
    assert not Frequency(1, 1, 0.5).compatible(0.45 * FALSE_ALARM)
    assert Frequency(3, 4, 0.0).closeness is None
    assert Frequency(3, 4, 0.5).closeness == 1.5


def test_what_differs_by_exactly_the_rounding_agrees():
    assert disagreement(AtMost(0.5, 1.0), AtMost(0, 1), 0.5) is None
    assert disagreement(Frequency(0, 9, 0.5), AtMost(mp.mpf(0), mp.mpf(0.25)), 1.0) is None
    assert disagreement(Frequency(0, 9, 0.0), AtMost(mp.mpf(0), mp.mpf(0)), 1e-9) is None


def test_what_is_too_small_for_a_float_is_no_difference():
    tiny, least = mp.mpf(10) ** -340, sys.float_info.min
    assert disagreement(AtMost(0.0, 0.0), AtMost(tiny, 3 * tiny), 1e-9) is None
    assert disagreement(Equal(0.0, 0.0), Equal(tiny, tiny), 1e-9) is None
    assert "right" in disagreement(AtMost(0.0, 0.0), AtMost(mp.mpf(0), 2 * mp.mpf(least)), 1e-9)
