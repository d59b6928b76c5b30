import math

import pytest

from dpspectra.symbolic.verdict import EXCEEDED, EXPLAINED, REFUTED, UNDECIDED, Call, Found, Side


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
