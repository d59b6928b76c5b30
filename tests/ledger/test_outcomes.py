"""Outcomes of a face: decided, compared and brought near equality; each row of a table is a branch or its edge."""

import sys
from fractions import Fraction
from math import comb, inf, nan

import pytest
from mpmath import mp

from dpspectra.ledger import AtMost, Equal, Frequency
from dpspectra.ledger.outcomes import FALSE_ALARM, disagreement

HALF, LEAST, TINY = mp.mpf(1) / 2, mp.mpf(sys.float_info.min), mp.mpf(10) ** -340


@pytest.mark.parametrize(
    ("outcome", "slack", "decision"),
    [
        (AtMost(1, 2), 0, True),
        (AtMost(1.1, 1), 1e-9, False),
        (AtMost(1 + 1e-12, 1), 1e-9, None),
        (AtMost(1.5e-12, 1e-12), 1e-9, False),  # the slack is relative to the sides, or to what cancelled
        (AtMost(1.5e-12, 1e-12, scale=1), 1e-9, None),
        (AtMost(1e-6, 0.0, scale=1e6), 1e-9, None),
        (AtMost(-1.0, -1.0 - 1e-10), 1e-9, None),
        (AtMost(1e-10 - 5.0, -5.0), 1e-9, None),
        (AtMost(nan, 1), 1e-9, False),
        (AtMost(1.0, inf), 0, True),
        (AtMost(inf, inf), 0, True),
        (AtMost(inf, 1.0), 1e-9, False),
        (AtMost(mp.inf, 1.0), 1e-9, False),
        (AtMost(1.0, -inf), 1e-9, False),
        (Equal(1, 1 + 1e-12), 1e-9, True),
        (Equal(1 + 1e-3, 1.0), 1e-9, False),
        (Equal(1 - 1e-3, 1.0), 1e-9, False),
        (Equal(-1 - 1e-3, -1.0), 1e-9, False),
        (Equal(1.5e-12, 1e-12), 1e-9, False),
        (Equal(1e-6, 0.0, scale=1e6), 1e-9, True),
        (Equal(1e-6, 0.0, scale=1.0), 1e-9, False),
        (Equal(nan, 1), 1e-9, False),
        (Equal(inf, inf), 1e-9, True),
        (Equal(mp.inf, 1.0), 1e-9, False),
        (Equal(1.0, 2.0, scale=inf), 1e-9, False),
        (Frequency(0, 100, 0.0), 0, True),
        (Frequency(1, 100, 0.0), 0, False),
        (Frequency(10, 10, 1.0), 0, True),
        (Frequency(1, 1, FALSE_ALARM), 0, True),
        (Frequency(1, 1, FALSE_ALARM / 2), 0, False),
    ],
    ids=repr,
)
def test_decisions(outcome, slack, decision):
    assert outcome.decide(slack) is decision


@pytest.mark.parametrize(
    ("fast", "exact", "rounding", "word"),
    [
        (Equal(1.0, 1.0), Equal(2, 1), 1e-9, "left"),
        (Equal(2.0, 1.0), Equal(1, 1), 1e-9, "left"),
        (Equal(1.0, 1.0), Equal(1, 2), 1e-9, "right"),
        (AtMost(0.5, 1.0), AtMost(0, 1), 1e-9, "left"),
        (AtMost(0.0, 1.0), AtMost(0.0, 2), 1e-9, "right"),
        (AtMost(1e-12, 1e-3), AtMost(2e-12, 2e-3), 1e-9, "right"),
        (AtMost(1.0, 1.0), Equal(1, 1), 1e-9, "AtMost, oracle Equal"),
        (Frequency(1, 2, 0.5), Equal(HALF, HALF), 1e-9, "judged by an exact probability"),
        (AtMost(0.5, 0.5), Frequency(1, 2, 0.5), 1e-9, "judged by an exact probability"),
        (Frequency(500, 1000, 0.5), AtMost(HALF / 2, HALF), 1e-9, "exact probability"),
        (Frequency(500, 1000, 0.5), AtMost(HALF * 3 / 2, HALF), 1e-9, "exact probability"),
        (Frequency(5, 1000, 0.50001), AtMost(mp.mpf(5) / 1000, HALF), 1e-9, "bound"),
        (Frequency(5, 1000, 0.49999), AtMost(mp.mpf(5) / 1000, HALF), 1e-9, "bound"),
        (Frequency(0, 10, 2e-30), AtMost(mp.mpf(0), mp.mpf("1e-30")), 1e-9, "bound"),
        (AtMost(0.0, 1.0), AtMost(0.0, inf), 1e-9, "right"),
        (AtMost(0.0, inf), AtMost(0.0, 1.0), 1e-9, "right"),
        (AtMost(inf, 1.0), AtMost(mp.mpf(5), 1), 1e-9, "left"),
        (Equal(0.0, 0.0), Equal(mp.mpf(0), 2 * LEAST), 1e-9, "right"),
        (Equal(1 + 1e-10, 1.0), Equal(1, 1), 1e-9, None),
        (AtMost(1e-10, 0.0, scale=1), AtMost(0, 0, scale=1), 1e-9, None),
        (AtMost(1e-4, 1.0), AtMost(2e-4, 1, scale=10**6), 1e-9, None),
        (AtMost(1e-4, 1.0, scale=1e6), AtMost(2e-4, 1), 1e-9, None),
        (Equal(1e-4, 1.0, scale=-1e6), Equal(2e-4, 1), 1e-9, None),
        (AtMost(0.5, 1.0), AtMost(0, 1), 0.5, None),
        (AtMost(inf, 1.0), AtMost(mp.inf, 1), 1e-9, None),
        (AtMost(0.0, 0.0), AtMost(TINY, 3 * TINY), 1e-9, None),
        (Frequency(480, 1000, 0.5), AtMost(HALF, HALF), 1e-9, None),
        (Frequency(0, 10, 2e-10), AtMost(mp.mpf(0), mp.mpf("1e-10"), scale=1), 1e-9, None),
        (Frequency(0, 9, 0.5), AtMost(mp.mpf(0), mp.mpf(0.25)), 1.0, None),
        (Frequency(0, 9, 0.0), AtMost(mp.mpf(0), mp.mpf(0)), 1e-9, None),
    ],
)
def test_disagreements(fast, exact, rounding, word):
    found = disagreement(fast, exact, rounding)
    assert found is None if word is None else word in found


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


@pytest.mark.parametrize(
    ("trials", "p"),
    [*((60, p) for p in (0, FALSE_ALARM / 4, FALSE_ALARM, 0.3, 0.7, 1)), (1, FALSE_ALARM / 2), (1, 0.45 * FALSE_ALARM)],
)
def test_counts_are_compatible_up_to_half_the_false_alarm_on_either_side(trials, p):
    exact = Fraction(p)
    law = [comb(trials, count) * exact**count * (1 - exact) ** (trials - count) for count in range(trials + 1)]
    for count in range(trials + 1):
        expected = min(sum(law[: count + 1]), sum(law[count:])) >= Fraction(FALSE_ALARM) / 2
        assert Frequency(count, trials, 1.0).compatible(p) == expected, count


@pytest.mark.parametrize(
    ("outcome", "ratio"),
    [
        *((AtMost(1, 2), 0.5), (AtMost(-1, 2), -0.5), (AtMost(-4, -1), 0.25), (AtMost(-1, 0), 0.0)),
        *((AtMost(0, 0), 1.0), (AtMost(-1, 0, scale=4), 0.75), (AtMost(0, 0, scale=4), 1.0), (AtMost(1, -1), None)),
        *((Equal(1, 1), None), (Frequency(3, 4, 0.0), None), (Frequency(3, 4, 0.5), 1.5)),
    ],
)
def test_closeness_is_one_at_equality_for_either_sign(outcome, ratio):
    assert outcome.closeness == ratio


@pytest.mark.parametrize(
    ("outcome", "right"),
    [
        *((AtMost(0, 8), 6), (AtMost(0, -8), -10), (AtMost(-16, 0), -4)),  # where it is 0, by a share of the size
        *((Equal(4, 8), 6), (Equal(-16, 8), 4), (Equal(0, 0, scale=4), -1), (AtMost(-1, 2, scale=4), 1.5)),
    ],
)
def test_a_right_side_is_tightened_by_a_share_of_its_modulus(outcome, right):
    assert outcome.scaled(0.75).right == right
    assert (outcome.scaled(0.75).scale, outcome.scaled(0.75).left) == (outcome.scale, outcome.left)
    assert Frequency(1, 10, 0.5).scaled(0.5) == Frequency(1, 10, 0.25)
    if outcome.closeness in (None, 1.0) and outcome.left == outcome.right:
        assert outcome.scaled(0.99).decide(1e-9) is False


def test_the_size_is_the_largest_modulus():
    for kind in (AtMost, Equal):
        assert [kind(*x, scale=s).size for x, s in (((-3, 2), 1), ((-1, 2), 1), ((-1, 2), 4))] == [3, 2, 4]
