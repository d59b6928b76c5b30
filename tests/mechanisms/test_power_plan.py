"""States of interrupted runs in certified arithmetic."""

import itertools
import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse

import dpspectra as dps
from dpspectra.certified import calibrate
from dpspectra.mechanisms import power_rounds
from dpspectra.mechanisms.power_plan import PowerPlan, multiplied
from dpspectra.relations import Relation
from tests.support.helpers import entropy
from tests.support.rounds import PRIVACY, D, release


@pytest.mark.parametrize("law", PRIVACY)
@pytest.mark.parametrize("started", [False, True])
def test_a_run_resumed_with_its_key_is_the_run(law, started):
    states, plan = [], {"delta": PRIVACY[law], "iterations": 4}
    start = {"start": np.eye(D)[:, :3]} if started else {}
    whole = release(checkpoint=states.append, rng=entropy(), **plan, **start)
    assert [state.rounds for state in states] == [1, 2, 3, 4]
    for state in states:
        with pytest.warns(UserWarning, match="a state that was copied cannot tell"):
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
    for state, times in itertools.product(states, (0, 1, 2, 5)):  # who stops pays for the whole run
        found = state.continued(times)
        share = max(Fraction(1), Fraction(state.rounds + times * (4 - state.rounds), 4))
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


PLAN = {
    "epsilon": 0.75,
    "delta": 0.01,
    "mu": 0.5,
    "rounds": 3,
    "entry_bound": None,
    "dtype": "float64",
    "assumptions": (),
    "labels": (),
    "arithmetic": "ideal",
}


BLOCK = np.linalg.qr(np.random.default_rng(3).standard_normal((7, 2)))[0]


@pytest.mark.parametrize("mu", [None, 0.5])
@pytest.mark.parametrize("relation", [Relation.PAIR, Relation.SPECTRAL, Relation.RANK_ONE])
def test_noise_of_a_round_is_in_proportion_to_the_block(mu, relation):
    plan = PowerPlan(relation, relation, **PLAN | {"mu": mu}, scale="row")
    assert plan.noise(2 * BLOCK, 1.0) == pytest.approx(2 * plan.noise(BLOCK, 1.0))


@pytest.mark.parametrize("mu", [None, 0.5])
@pytest.mark.parametrize(("scale", "bound"), [("max", None), ("doubling", None), ("fixed", 0.875)])
def test_noise_by_the_largest_entry_is_that_of_a_block_of_such_entries(mu, scale, bound):
    """Two rows of ``p`` entries of that size change a pair: their l1 norms, or the root of the sum of squares."""
    plan = PowerPlan(Relation.PAIR, Relation.PAIR, **PLAN | {"mu": mu, "entry_bound": bound}, scale=scale)
    entry = {"max": float(np.max(np.abs(BLOCK))), "doubling": 2.0, "fixed": 0.875}[scale]
    expected = 2 * 2 * entry * 3 / 0.75 if mu is None else math.sqrt(2 * 2) * entry * math.sqrt(3) / 0.5
    assert plan.noise(BLOCK, 1.5) == pytest.approx(expected)
    assert plan.noise(BLOCK, 0.4) == pytest.approx(expected / 2 if scale == "doubling" else expected)


def test_what_the_first_rounds_of_a_power_method_have_spent():
    """Pure epsilon is spent by the share of the rounds; of mu only what was used is, as stopping may be a choice."""
    pure, normal = (PowerPlan(Relation.PAIR, Relation.PAIR, **PLAN | {"mu": mu}, scale="row") for mu in (None, 0.5))
    for done in (1, 2, 3):
        assert pure.claim(done).epsilon == pytest.approx(0.75 * done / 3)
        claim = normal.claim(done)
        assert claim.epsilon == 0.75
        assert (claim.gdp_mu, claim.delta) == (0.5, 0.01)
        assert claim.used_mu == (None if done == 3 else pytest.approx(0.5 * math.sqrt(done / 3)))


@pytest.mark.parametrize("square", [False, True])
def test_relations_on_a_matrix_are_those_on_what_is_multiplied(square):
    allowed = {"pair": "pair", "spectral": "spectral", "rank_one": "rank_one"} if square else {}
    allowed = allowed or {"entry": "pair", "spectral": "spectral"}
    for relation in (Relation.ENTRY, Relation.PAIR, Relation.SPECTRAL, Relation.RANK_ONE):
        if relation in allowed:
            assert multiplied(relation, square) == allowed[relation]
        else:
            with pytest.raises(ValueError, match="for a square" if square else "for a rectangular"):
                multiplied(relation, square)
