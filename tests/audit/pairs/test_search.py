"""The search for the worst pair finds what is known to be worst, and its draws have no part in the verdict.

Seeds are fixed. With fresh ones each search on a sound mechanism would end in a false alarm with probability at most
0.001, however many pairs it tried.
"""

import functools
import math
from typing import Any

import numpy as np
import pytest

import dpspectra as dps
from dpspectra.audit import GDP, Neighbours, audit, specimens, structured_pairs, worst_pair
from dpspectra.audit.pairs import search as pairs
from dpspectra.formulas.covariance_l1 import upper_triangle_l1
from tests.support.audits import laplace_of_the_mean

BALL = {"relation": "replace", "domain": "ball"}

wishart = functools.partial(specimens.wishart_one_sided, epsilon=1.0)


def only_near(direction):
    """Loses a lot only if the row that changes lies along ``direction``."""

    def mechanism(X, *, size, rng):
        return np.sum((X @ direction) ** 8) * 6 + rng.laplace(size=size)

    return mechanism


# ---------------------------------------------------------------- what it finds


def test_the_opposite_is_the_worst_change_for_sums_of_rows():
    found = worst_pair(laplace_of_the_mean, 1.5, dimension=2, **BALL, draws=2**14)
    assert found.result.violated
    first, second = found.pair
    assert abs(first[:, 0].sum() - second[:, 0].sum()) == pytest.approx(2, abs=0.3)
    assert np.linalg.norm(first, axis=1).max() <= 1
    assert "certified epsilon >=" in str(found)


def test_a_loss_that_is_spread_over_many_numbers_is_found(monkeypatch):
    """Each of 40 numbers tells a little of the product of two columns, the first also something of the first column.

    Opposite rows along the first axis are apart by 0.6 standard deviations, in one number; rows along the diagonals by
    ``0.25 sqrt(40) = 1.6``, of which no number shows more than 0.25, and their sum nothing.
    """

    def thin(X, *, size, rng):
        out = rng.normal(size=(size, 40)) + 0.25 * np.resize([1, -1], 40) * float(np.sum(X[:, 0] * X[:, 1]))
        out[:, 0] += 0.3 * float(np.sum(X[:, 0]))
        return out

    rounds = pairs.ROUNDS
    monkeypatch.setattr(pairs, "ROUNDS", (rounds[0]._replace(kept=1), *rounds[1:]))  # there are few pairs in the plane
    found = worst_pair(thin, GDP(0.8), dimension=2, **BALL, draws=2**13, seconds=600)
    assert found.result.violated
    assert abs(np.diff([np.sum(x[:, 0] * x[:, 1]) for x in found.pair])[0]) > 0.6
    monkeypatch.setattr(pairs, "SPREAD", 0)
    assert not worst_pair(thin, GDP(0.8), dimension=2, **BALL, draws=2**12, seconds=600).result.violated


def test_a_long_pair_is_shortened():
    """Wishart noise needs no other rows, and a whole number shows as much as 0.93."""
    long = Neighbours("many", "odd", np.eye(2).repeat(4, axis=0), np.array([0.93, 0.21]), np.zeros(2))
    found = worst_pair(wishart, 1.0, dimension=2, **BALL, candidates=[long], draws=2**14)
    assert found.result.violated
    assert found.name == "shortened: many: odd"
    assert len(found.neighbours.rows) <= 2
    assert np.array_equal(found.neighbours.before, [1.0, 0.0])
    assert found.log[-1].stage == "shrink"


def test_a_support_is_used_in_the_search():
    found = worst_pair(wishart, 1.0, dimension=2, **BALL, draws=2**10, support=specimens.wishart_support)
    assert found.result.epsilon_lower == math.inf
    assert found.result.certificate is not None


@pytest.mark.parametrize("seed", range(2))
def test_a_pair_that_shows_nothing_is_not_preferred(seed):
    """No draw tells a row from its opposite: it costs no wealth, while pairs at their exact loss of 2 cost some."""
    noise = functools.partial(specimens.entry_by_entry_laplace, epsilon=1.0)
    candidates = [pair for pair in structured_pairs(4, "replace", "ball") if pair.base == "no other rows"]
    found = worst_pair(noise, 2.0, dimension=4, **BALL, candidates=candidates, draws=2**12, rng=seed)
    assert "opposite" not in found.name
    assert found.result.bound > 1


def test_the_climb_leaves_the_grid():
    """A direction that no structured pair is near: moving the row raises the bound."""
    direction = np.array([0.8, 0.36, 0.48])
    start = [pair for pair in structured_pairs(3, "replace", "ball") if pair.name == "no other rows: e1 to zero"]
    alone = audit(only_near(direction), start[0].pair("rows"), 5.0, draws=2**14)
    found = worst_pair(only_near(direction), 5.0, dimension=3, **BALL, candidates=start, draws=2**14)
    assert "near" in found.name
    assert found.result.epsilon_lower > alone.epsilon_lower
    before = found.neighbours.before
    assert abs(before @ direction) > 0.83 > 0.8


def test_a_matrix_mechanism_is_searched_in_matrices():

    def specimen(m, rng):
        return dps.private_orbit(dps.Matrix(m), [1.0, 0.0], 8.0, rng=rng)

    found = worst_pair(specimen, 1.0, dimension=2, **BALL, form="matrix", draws=2**10, seconds=600)
    assert found.result.violated
    for m in found.pair:
        assert m.shape == (2, 2)
        assert np.array_equal(m, m.T)


def test_other_claims_are_reduced_in_their_own_parameter():
    def normal(X, *, size, rng):
        return X[:, 0].sum() + rng.normal(size=size)

    found = worst_pair(normal, GDP(1.5), dimension=1, **BALL, draws=2**12)
    assert found.result.violated
    assert {trial.claim for trial in found.log} == {GDP(0.75), GDP(1.125), GDP(1.3125), GDP(1.5)}


# ---------------------------------------------------------------- what it does not claim


@pytest.mark.parametrize("relation", ["replace", "add_remove"])
def test_a_sound_mechanism_stands(relation):
    def sound(X, *, size, rng):
        return (X.T @ X)[np.triu_indices(2)] + rng.laplace(scale=upper_triangle_l1(2), size=(size, 3))

    found = worst_pair(sound, 1.0, dimension=2, domain="ball", relation=relation, draws=2**12, seconds=600)
    assert not found.result.violated


def laplace_of_the_sum(scale):
    """Laplace noise on the sum of the rows."""

    def mechanism(X, *, size, rng):
        return X.sum(axis=0) + rng.laplace(scale=scale, size=(size, X.shape[1]))

    return mechanism


def careful(X, *, size, rng):
    """Rows of norm at most 1/2, of which one number is added up: it moves by 1 at most."""
    if np.max(np.linalg.norm(X, axis=1), initial=0) > 0.5:
        raise ValueError("rows are too long")
    return X[:, 0].sum() + rng.laplace(size=size)


SOUND: dict[str, tuple[Any, dict[str, Any]]] = {
    "a number in [0, 1]": (laplace_of_the_sum(1.0), {"relation": "replace", "domain": "box", "dimension": 1}),
    "a number in [-1, 1], zeroed": (
        laplace_of_the_sum(1.0),
        {"relation": "zero_out", "domain": "cube", "dimension": 1},
    ),
    "counts of 5 answers": (laplace_of_the_sum(2.0), {"relation": "replace", "domain": "one-hot", "dimension": 5}),
    "rows of norm 1/2": (careful, {"relation": "replace", "domain": "ball", "dimension": 2, "norm_bound": 0.5}),
}
"""Mechanisms of loss 1 between the pairs of their domain; between those of a larger one each has more."""
LARGER = {"box": "cube", "cube": "cube", "one-hot": "cube", "ball": "ball"}
"""A larger domain, or the same one under another relation or bound."""


@pytest.mark.parametrize("name", SOUND)
def test_pairs_are_of_the_domain_that_was_declared(name):
    """False alarms: four audits at confidence .999. The domain around each has pairs that refute the claim."""
    mechanism, declared = SOUND[name]
    found = worst_pair(mechanism, 1.0, **declared, draws=2**11, seconds=600, rng=1)
    assert not found.result.violated
    assert found.result.failures == 0
    other = {"relation": "replace", "domain": LARGER[declared["domain"]], "norm_bound": 1.0}
    assert worst_pair(mechanism, 1.0, **(declared | other), draws=2**11, seconds=600, rng=1).result.violated


def test_the_verdict_is_one_audit_on_fresh_draws():
    """A mechanism that is broken while it is searched and sound afterwards is not called violated."""
    calls = []

    def mechanism(X, *, size, rng):
        calls.append(size)
        scale = 0.2 if sum(calls) <= searched else 1.0
        return X[:, 0].sum() / 2 + rng.laplace(scale=scale, size=size)

    searched = math.inf
    broken = worst_pair(mechanism, 1.0, dimension=1, **BALL, draws=2**10)
    assert broken.result.violated
    searched, calls[:] = sum(calls) - 2 * broken.result.draws, []
    assert not worst_pair(mechanism, 1.0, dimension=1, **BALL, draws=2**10).result.violated


def test_the_same_seed_gives_the_same_search():
    few = structured_pairs(2, "replace", "ball")[::9]  # every stage of the search runs
    first, again, other = (
        worst_pair(wishart, 1.0, dimension=2, **BALL, candidates=few, draws=2**9, rng=seed) for seed in (1, 1, 2)
    )
    assert first.log == again.log
    assert first.result == again.result
    assert first.log != other.log


def test_time_runs_out(clock):
    """The search ends halfway, give or take a draw; then one audit has the other half.

    The first call on each data set takes as long as all others, and does not count.
    """
    begun, known = [], set()

    def slow(x):
        begun.append(clock.now)
        clock.now += 0.01 if len(known) == 2 or x.tobytes() in known else 0.4
        known.update([x.tobytes()][: 2 - len(known)])
        return 0.0

    found = worst_pair(slow, 1.0, dimension=2, **BALL, seconds=1.0)
    assert not found.result.violated
    assert found.result.stopped == "time"
    assert found.result.draws > 0
    assert sum(start < 0.5 + 0.8 for start in begun) - 2 == pytest.approx(50, abs=1)
    assert 0.98 < begun[-1] - 0.8 < 1.0 + 0.02


# ---------------------------------------------------------------- pairs


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"dimension": 0}, "dimension must be at least 1, got 0"),
        ({"relation": "near"}, "relation must be one of replace, add_remove, zero_out, got 'near'"),
        ({"form": "list"}, "form must be one of rows, matrix, sum, got 'list'"),
        ({"domain": None}, "domain must say which rows are allowed, got None"),
        ({"domain": "disc"}, "domain must be one of ball, box, cube, signs, one-hot, got 'disc'"),
        ({"domain": "box", "norm_bound": 2}, "norm_bound must come with the domain ball, got 2 with box"),
        ({"domain": "one-hot", "dimension": 1}, "dimension must be at least 2 for rows of the domain one-hot"),
        ({"norm_bound": 0}, "norm_bound must be positive and finite, got 0"),
        ({"seconds": 0}, "seconds must be positive and finite, got 0"),
        ({"candidates": []}, "candidates must hold a pair, got none"),
        ({"draws": 100}, "draws must be at least 512, got 100"),
        ({"confidence": 2.0}, r"confidence must lie in \(0, 1\), got 2.0"),
        ({"epsilon": -1.0}, "epsilon must be non-negative and finite, got -1.0"),
        ({"mechanism": None}, "mechanism must be callable, got None"),
        ({"rng": "x"}, "rng must be a numpy Generator"),
    ],
)
def test_bad_input_is_refused_before_any_draw(change, message):
    def mechanism(x):
        pytest.fail("a draw was made")

    with pytest.raises(ValueError, match=message):
        worst_pair(**{"mechanism": mechanism, "epsilon": 1.0, "dimension": 2} | BALL | change)
