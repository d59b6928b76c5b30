"""States of interrupted runs in certified arithmetic."""

import itertools
import pickle
from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse

import dpspectra as dps
from dpspectra.certified import calibrate
from dpspectra.mechanisms import power_rounds
from tests.support.rounds import PRIVACY, D, release


def entropy(i=0):
    return dps.Entropy(i.to_bytes(32, "big"))


@pytest.mark.parametrize("law", PRIVACY)
@pytest.mark.parametrize("started", [False, True])
def test_a_run_resumed_with_its_key_is_the_run(law, started):
    states, plan = [], {"delta": PRIVACY[law], "iterations": 4}
    start = {"start": np.eye(D)[:, :3]} if started else {}
    whole = release(checkpoint=states.append, rng=entropy(), **plan, **start)
    assert [state.rounds for state in states] == [1, 2, 3, 4]
    for state in states:
        again = release(resume=pickle.loads(pickle.dumps(state)), rng=entropy(), **plan)
        for one, other in zip(again.value, whole.value, strict=True):
            assert np.array_equal(one, other)
        assert (again.claim, again.details) == (whole.claim, whole.details)
    other = release(resume=states[1], rng=entropy(1), **plan)
    assert not np.array_equal(other.value[0], whole.value[0])


def test_no_bits_are_used_twice(monkeypatch):
    """Neither by two rounds of a run, nor by a round and another one of its resumption, nor beyond one piece."""
    calls = []

    class Watched(dps.Entropy):
        def words(self, count):
            words = super().words(count)
            if count:
                calls.append(words.values[:2].tobytes())
            return words

    def key():
        return Watched(bytes(32))

    states = []
    d = 30_000
    a = sparse.diags_array(np.arange(d, dtype=float)).tocsr()
    release(a, checkpoint=states.append, rng=key(), iterations=2)
    assert len(calls) == len(set(calls)) == 4 * 2
    release(a, resume=states[0], rng=key(), iterations=2)
    assert calls[8:] == calls[4:8]


def test_two_continuations_of_one_state_are_two_releases():
    states = []
    options = {"iterations": 3, "relation": "spectral"}
    first = release(checkpoint=states.append, **options)
    one, other = (release(resume=states[1], **options) for _ in range(2))
    assert not np.array_equal(one.value[0], other.value[0])
    assert one.claim == other.claim == first.claim
    mu = first.claim.gdp_mu
    for state, times in itertools.product(states, (0, 1, 2, 5)):
        found = state.continued(times)
        share = Fraction(state.rounds + times * (4 - state.rounds), 4)
        assert (
            share * Fraction(mu) ** 2
            <= Fraction(found.gdp_mu) ** 2
            <= share * Fraction(mu) ** 2 * (1 + Fraction(1, 2**48))
        )
        assert calibrate.profile_at_most(1.0, found.gdp_mu, found.delta)
    assert states[0].continued(1) == first.claim
    assert states[1].continued(0) == states[1].claim
    assert states[1].continued(2).delta > first.claim.delta
    assert states[1].claim.arithmetic == "certified"
    with pytest.raises(ValueError, match="times must be"):
        states[0].continued(-1)


def test_pure_claims_of_parts_are_rounded_upward():
    states = []
    release(delta=0.0, epsilon=0.3, iterations=6, checkpoint=states.append)
    for state in states:
        exact = Fraction(0.3) * Fraction(state.rounds, 7)
        assert exact <= Fraction(state.claim.epsilon) <= exact * (1 + Fraction(1, 2**50))
        assert state.claim.delta == 0.0
    assert states[0].continued(1).epsilon == 0.3


def test_a_state_goes_on_in_its_own_arithmetic_only():
    keyed, fresh, ideal = [], [], []
    release(checkpoint=keyed.append, rng=entropy())
    release(checkpoint=fresh.append)
    release(checkpoint=ideal.append, rng=10**8 + 1)
    for states, options in (
        (keyed, {"rng": 10**8 + 1}),
        (keyed, {}),
        (fresh, {"rng": entropy()}),
        (fresh, {"arithmetic": "ideal"}),
        (ideal, {}),
    ):
        with pytest.raises(ValueError, match="resume must be a state of the same plan"):
            release(resume=states[0], **options)


def test_a_public_start_stays_a_premise():
    states = []
    release(start=np.eye(D)[:, :3], checkpoint=states.append)
    assert power_rounds.PUBLIC_START in release(resume=states[0]).claim.assumptions
