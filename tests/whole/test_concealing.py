"""The standing adversary: what was not followed, compared or read never makes the auditor say yes, or no."""

import os

import pytest

from dpspectra.audit.from_inside import inside
from tests.support.concealing import CASES, MEMORY, composed

SEED = int(os.environ.get("DPSPECTRA_CONCEALING", "55"))


@pytest.mark.parametrize("case", CASES, ids=str)
def test_no_wrong_verdict_on_what_is_concealed(case):
    result = inside(case.mechanism, case.pair, case.epsilon, runs=8)
    assert result.verdict in case.allowed, str(result)
    assert case.mechanism.__name__ != "remembered" or not MEMORY


@pytest.mark.parametrize("case", composed(SEED, 24), ids=str)
def test_no_wrong_verdict_on_composed_programs(case):
    assert inside(case.mechanism, case.pair, case.epsilon, runs=8).verdict in case.allowed


@pytest.mark.parametrize("name", ["seed_once", "seed_of_a_state", "overwritten_on_a_rare_path"])
def test_what_is_followed_now_is_explained(name):
    (found,) = [c for c in CASES if str(c) == name]
    assert inside(found.mechanism, found.pair, found.epsilon).verdict == "explained"


def test_undecided_says_what_to_do_next():
    (found,) = [c for c in CASES if str(c) == "children_of_a_sequence"]
    result = inside(found.mechanism, found.pair, found.epsilon)
    assert result.to_dict()["next"] == result.next
    assert f"  next: {result.next}" in str(result)
    assert "--then-outside" in result.next
