import pytest

from dpspectra.symbolic.verdict import EXCEEDED, EXPLAINED, REFUTED, UNDECIDED, Found, Side


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
