"""Several pairs share one risk: any of them refutes, all of them must stand, and what was found goes on."""

import json

import pytest

from dpspectra.audit import AuditedPairs, audit_pairs, number_pairs
from tests.support.helpers import laplace

PAIRS = {"near": (0.0, 1.0), "far": (0.0, 4.0), "last": (1.0, 2.0)}


@pytest.fixture(scope="module")
def refuted():
    return audit_pairs(laplace(1.0), PAIRS, 1.5, confidence=0.97, draws=500, rng=1)


def test_the_first_refutation_ends_it(refuted):
    assert refuted.violated
    assert list(refuted.results) == ["near", "far"]
    assert (refuted.verdict, refuted.decisive) == ("refuted", "far")
    assert refuted.reason == "on far: a mechanism that meets the claim shows as much with probability at most 0.01"
    assert all(result.confidence == pytest.approx(0.99) for result in refuted.results.values())
    assert refuted.summary().splitlines()[0] == f"refuted: {refuted.reason}"
    assert "last: not audited" in refuted.summary()


def test_results_are_saved_and_read(refuted):
    assert AuditedPairs.from_json(refuted.to_json()) == refuted
    saved = json.loads(refuted.to_json())
    assert (saved["verdict"], saved["reason"]) == (refuted.verdict, refuted.reason)
    assert saved["audits"]["far"]["verdict"] == "refuted"
    for text in ("[]", "{}", "no", refuted.results["far"].to_json()):
        with pytest.raises(ValueError, match="text must be the JSON of audited pairs"):
            AuditedPairs.from_json(text)


def test_a_claim_stands_if_it_stands_on_all_pairs():
    """The power that is stated is that at the share of the risk."""
    found = audit_pairs(laplace(1.0), {"up": (0.0, 1.0), "down": (1.0, 0.5)}, 1.0, draws=500)
    assert (found.verdict, found.reason) == (
        "not refuted",
        "the outputs on 2 pairs do not contradict the claim",
    )
    assert found.decisive == "up"
    both = [result.power for result in found.results.values()]
    assert both[0] == both[1] > 1.8
    assert audit_pairs(laplace(1.0), {"up": (0.0, 1.0)}, 1.0, draws=500).results["up"].power < both[0]


def test_one_audit_that_saw_nothing_leaves_all_undecided():
    found = audit_pairs(laplace(1.0), number_pairs(0.0, 1.0), 1.0, draws=20)
    assert (found.verdict, found.reason) == ("undecided", "on smallest to largest: so few draws refute nothing")


def test_what_was_found_goes_on():
    few = audit_pairs(laplace(1.0), PAIRS, 3.0, draws=100, rng=1)
    assert few.verdict == "undecided"
    more = audit_pairs(laplace(1.0), PAIRS, 3.0, draws=5000, rng=2, resume=AuditedPairs.from_json(few.to_json()))
    assert (more.verdict, more.decisive) == ("refuted", "far")
    assert [result.runs for result in more.results.values()] == [2, 2, 1]
    assert more.results["far"].history[: len(few.results["far"].history)] == few.results["far"].history
    with pytest.raises(ValueError, match="resume must be on the pairs near, far, got near, far, last"):
        audit_pairs(laplace(1.0), {name: PAIRS[name] for name in ("near", "far")}, 3.0, resume=few)


def test_draws_on_a_pair_do_not_depend_on_other_pairs():
    first, second = (
        audit_pairs(laplace(1.0), {"a": (0.0, end), "b": (0.0, 1.0)}, 1.0, draws=300, rng=3) for end in (0.5, 1.0)
    )
    assert first.results["b"] == second.results["b"]
    assert first.results["a"] != second.results["a"]


def test_an_interruption_leaves_it_undecided():
    calls, seen = [], []

    def mechanism(x, *, rng):
        calls.append(x)
        if len(calls) == 1580:
            raise KeyboardInterrupt
        return x + rng.laplace()

    found = audit_pairs(mechanism, number_pairs(0.0, 1.0), 1.0, confidence=0.9, draws=400, watch=seen.append)
    assert list(found.results) == ["smallest to largest", "smallest to middle"]
    assert (found.verdict, found.reason) == ("undecided", "no audit was made on middle to largest")
    assert seen[-1] == found
    assert [list(one.results) for one in seen[:2]] == [["smallest to largest"]] * 2


def test_first_calls_on_the_first_pair_take_no_time_from_any(clock):
    def compiled(slow):
        def mechanism(x, rng):
            clock.now += 0.9 if x in slow else 1e-3
            slow.discard(x)
            return rng.laplace(x, 1.0)

        return audit_pairs(mechanism, PAIRS, 5.0, seconds=1.0, draws=10_000)

    late, ready = compiled({0.0, 1.0}), compiled(set())
    assert late.results == ready.results
    draws = [result.draws for result in late.results.values()]
    assert min(draws) > 100
    assert clock.now == pytest.approx(2 * (1.0 + 2e-3) + 1.8 - 2e-3, abs=0.05)
    third = compiled({2.0})  # of the last pair, after a third of the time has been left for it
    assert third.results["last"].draws < min(draws)
