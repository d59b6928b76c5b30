import math

import pytest

from dpspectra.symbolic.verdict import EXCEEDED, EXPLAINED, REFUTED, SLACK, UNDECIDED, Call, Found, Question, Side


def verdict(first, second, confirmed=None):
    return Found(sides=[Side(**first), Side(**second)], confirmed=confirmed).verdict


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ({}, {}, UNDECIDED),
        ({"explained": True}, {"explained": True}, EXPLAINED),
        ({"explained": True}, {}, UNDECIDED),
        ({"explained": True}, {"exceeded": True}, EXCEEDED),
        ({"exceeded": True}, {"refuted": "it is"}, REFUTED),
        ({"refuted": "it is"}, {"explained": True}, REFUTED),
    ],
)
def test_one_verdict_of_both_orders(first, second, expected):
    assert verdict(first, second) == verdict(second, first) == expected
    assert verdict(first, second, "confirmed") == REFUTED


@pytest.mark.parametrize("epsilon", [0.0, 1.0, 100.0])
def test_rounding_exceeds_no_pure_claim(epsilon):
    def never(_):
        return False

    def exceeded(loss, *points):
        return Question(points, never, never, never, never).is_exceeded_by(loss)

    fine = epsilon * (1 + SLACK / 2) + 5e-13
    beyond = epsilon * (1 + 2 * SLACK) + 2e-12
    assert not exceeded(fine, (epsilon, 0.0))
    assert exceeded(beyond, (epsilon, 0.0))
    assert exceeded(math.inf, (epsilon, 0.0))
    assert not exceeded(beyond, (epsilon, 1e-9))
    assert exceeded(beyond, (epsilon, 1e-9), (epsilon, 0.0))


def test_findings_are_told_once():
    found = Found()
    for text in ("a", "b", "a"):
        found.tell(text)
    assert found.findings == ["a", "b"]


def test_nothing_is_found_at_first():
    found = Found()
    assert (found.runs, found.plain_runs, found.findings, found.calls) == (0, 0, [], {})
    assert found.verdict == UNDECIDED
    assert [(s.loss, s.bound, s.mu, s.reasons) for s in found.sides] == [(0, math.inf, math.inf, [])] * 2
    call = Call("line", "laplace")
    assert (call.loss, call.bound, call.mu, call.move, call.scale) == (0, 0, 0, 0, math.inf)
    assert call.stretch == 1
