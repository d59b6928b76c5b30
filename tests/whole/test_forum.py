"""Forty mechanisms in the manner of forums: no right one is refuted, and no wrong one is explained."""

import pytest

from dpspectra.audit import audit, inside
from tests.support.forum import FORUM
from tests.support.threads import textbook_deviation


@pytest.mark.parametrize("entry", FORUM, ids=str)
def test_no_verdict_from_inside_is_wrong(entry):
    found = inside(entry.mechanism, entry.pair, entry.claim, seconds=10).verdict
    assert found != ("refuted" if entry.right else "explained"), f"{found}, but {entry.proof}"


@pytest.mark.parametrize("entry", FORUM, ids=str)
def test_no_verdict_from_outside_is_wrong(entry):
    draws, seconds = (5_000, 5) if entry.right else (20_000, 10)
    found = audit(entry.mechanism, entry.pair, entry.claim, draws=draws, seconds=seconds, rng=0).verdict
    assert found in ("not refuted", "undecided", *(() if entry.right else ("refuted",))), f"{found}, but {entry.proof}"


def test_half_are_right():
    assert FORUM[-1].mechanism is textbook_deviation
    assert sum(entry.right for entry in FORUM) * 2 == len(FORUM) == 40
