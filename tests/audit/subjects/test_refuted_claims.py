"""Every broken mechanism falls within a stated number of draws, every sound one stands at its exact claim.

Seeds are fixed. With fresh ones an audit of a sound mechanism would raise a false alarm with probability at most 0.001,
by the guarantee of the auditor; there are fewer than 50, so at most 5 percent for all of them together.
"""

import dataclasses
import functools
import inspect
import math
from typing import Any

import numpy as np
import pytest

import dpspectra as dps
from dpspectra.audit import GDP, ZCDP, ApproxDP, PureDP, audit, check_certificate, specimens
from dpspectra.audit.subjects import refuted_claims
from dpspectra.fast import gaussian_profile
from dpspectra.ledger.papers import labels
from dpspectra.lemmas.privacy.gaussian_mechanism import standard_deviation
from dpspectra.mechanisms.catalogue import MECHANISMS
from tests.support.helpers import laplace, normal

REFUTED = refuted_claims.REFUTED
DRAWS = {
    "one-sided Wishart noise": 1024,
    "Wishart noise, deviation for variance": 1024,
    "classical Gaussian noise at epsilon = 8": 2**20,
    "noise for one entry on every entry": 2048,
    "private temperature of Algorithm 2": 8192,
    "missing clip": 256,
    "clipped, then used unclipped": 256,
    "pruning level from the data": 256,
    "power method at epsilon = 4": 2**16,
}
"""Draws on each data set within which outputs alone must be enough."""
UNIT, OTHER = np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]])
NUMBERS = (0.0, 1.0)


# ---------------------------------------------------------------- refuted claims


@pytest.mark.parametrize("name", REFUTED)
def test_every_specimen_is_refuted_by_its_outputs_alone(name):
    claim = REFUTED[name].claim
    for seed in range(1 if DRAWS[name] > 4096 else 3):
        result = REFUTED[name].audit(draws=DRAWS[name], support=None, rng=seed)
        assert result.violated
        assert result.failures == 0
        assert isinstance(claim, PureDP | ApproxDP)
        assert result.epsilon_lower > claim.epsilon


@pytest.mark.parametrize("name", [name for name in REFUTED if REFUTED[name].support])
def test_a_declared_support_decides_at_once(name):
    result = REFUTED[name].audit()
    assert result.draws <= 64
    assert result.epsilon_lower == math.inf
    assert check_certificate(result.certificate)


@pytest.mark.parametrize("name", ["one-sided Wishart noise", "missing clip", "noise for one entry on every entry"])
def test_an_estimate_goes_on_after_the_refutation(name):
    specimen = REFUTED[name]
    result = audit(specimen.mechanism, specimen.pair, specimen.claim, draws=8192, estimate=True)
    assert result.violated
    assert (result.draws, result.stopped) == (8192, "draws")


def test_specimens_say_what_they_are():
    functions = [f for n, f in inspect.getmembers(specimens, inspect.isfunction) if f.__module__ == specimens.__name__]
    assert all(f.__doc__ for f in functions if not f.__name__.startswith("_"))
    known = {row.label for row in labels()}
    for name, specimen in REFUTED.items():
        assert set(specimen.labels) <= known, name
        assert name in DRAWS
        assert isinstance(specimen.mechanism, functools.partial), name
        assert "Claimed" in specimen.mechanism.func.__doc__, name


@pytest.mark.parametrize("name", REFUTED)
def test_specimens_draw_once_or_often(name):
    mechanism, data = REFUTED[name].mechanism, REFUTED[name].pair[1]
    one, many = mechanism(data, rng=0), mechanism(data, size=3, rng=0)
    for single, stack in zip(*((v if isinstance(v, tuple) else (v,)) for v in (one, many)), strict=True):
        assert np.shape(stack) == (3, *np.shape(single))


def test_the_classical_noise_is_private_in_its_range():
    """At epsilon = 1 the same formula stands."""
    sound = functools.partial(specimens.classical_gaussian, epsilon=1.0, delta=0.1)
    assert not audit(sound, NUMBERS, 1.0, 0.1, draws=2**16).violated
    sigma = standard_deviation(1.0, 8.0, 0.1)
    assert gaussian_profile.profile(8.0, 1 / sigma) > 0.2


def test_noise_for_one_entry_loses_twice_as_much_on_two_entries():
    result = audit(REFUTED["noise for one entry on every entry"].mechanism, (UNIT, OTHER), 2.0, draws=2**14)
    assert not result.violated
    assert result.epsilon_lower > 1.2


def test_the_released_temperature_repairs_algorithm_2():

    def sound(m, rng):
        return dps.private_low_rank(dps.Matrix(m), 1, 0.25, rng=rng)

    assert not audit(sound, REFUTED["private temperature of Algorithm 2"].pair, 0.25, draws=2048).violated


def test_rows_within_the_bound_are_covered():
    for name, mechanism in {
        "missing clip": specimens.covariance_without_clipping,
        "clipped, then used unclipped": specimens.moments_clipped_once,
    }.items():
        sound = functools.partial(mechanism, epsilon=1.0, delta=0.01)
        assert not audit(sound, (UNIT, OTHER), REFUTED[name].claim, draws=4096).violated


def test_a_public_pruning_level_is_private():
    """Far from the level, both data sets are pruned alike and only the noise counts."""
    specimen = REFUTED["pruning level from the data"]
    assert not audit(specimen.mechanism, tuple(x + 1 for x in specimen.pair), specimen.claim, draws=8192).violated


def test_the_power_method_is_private_in_its_range():
    sound = functools.partial(specimens.power_method, epsilon=2.0, delta=0.5, start=np.full((2, 1), math.sqrt(0.5)))
    assert not audit(sound, REFUTED["power method at epsilon = 4"].pair, 2.0, 0.5, draws=2**14).violated
    mu = 4 / math.sqrt(2 * math.log(2))
    assert gaussian_profile.profile(4.0, mu) > 0.5


# ---------------------------------------------------------------- mutants of sound mechanisms


def repeated(count, epsilon):
    """``count`` answers, each with the noise of ``epsilon / (count - 1)``: composition is off by one."""
    return lambda x, *, size, rng: rng.laplace(x, (count - 1) / epsilon, (size, count))


def silent(x, *, size, rng):
    """Sound noise, but one data set makes it fail now and then."""
    return np.where((rng.random(size) < 0.02) & (x > 0), np.nan, rng.laplace(x, 1.0, size))


def reused(x, *, rng):
    """One noise at every call."""
    return x + np.random.default_rng(1).laplace()


def flipped(x, *, size, rng):
    """Randomised response that lies with the probability of the truth, made for bits and given numbers."""
    return np.where(rng.random(size) < 1 / (1 + math.e), 1 - x, x) + rng.laplace(x, 1.0, size)


MUTANTS = {
    # mechanism, claim, draws on each data set that must be enough
    "half the scale": (laplace(0.5), PureDP(1.0), 1024),
    "scale short of sqrt 2": (laplace(math.sqrt(0.5)), PureDP(1.0), 2048),
    "scale short of a tenth": (laplace(1 / 1.1), PureDP(1.0), 32768),
    "half the deviation": (normal(0.5 / gaussian_profile.mu_for(1.0, 0.01)), ApproxDP(1.0, 0.01), 4096),
    "deviation short of sqrt 2": (normal(math.sqrt(0.5)), GDP(1.0), 4096),
    "one answer too many": (repeated(3, 1.0), PureDP(1.0), 8192),
    "failures on one side": (silent, PureDP(1.0), 4096),
    "seed used again": (reused, PureDP(1.0), 256),
    "released twice": (flipped, PureDP(1.0), 4096),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_mutants_are_refuted(name):
    mechanism, claim, draws = MUTANTS[name]
    for seed in range(3):
        result = audit(mechanism, NUMBERS, claim, draws=draws, rng=seed)
        assert result.violated
        assert result.bound > claim.value


# ---------------------------------------------------------------- sound mechanisms at their claims

ORBIT_LOW_RANK = functools.update_wrapper(
    functools.partial(dps.private_low_rank, mechanism="orbit"), dps.private_low_rank
)
GAUSSIAN_PCA, ORBIT_PCA = (
    functools.update_wrapper(functools.partial(dps.private_pca, mechanism=name), dps.private_pca)
    for name in ("gaussian_covariance", "orbit")
)
MEAN_PCA, PAIRS_PCA = (
    functools.update_wrapper(functools.partial(dps.private_pca, center=name), dps.private_pca)
    for name in ("mean", "pairs")
)


TWO = np.array([[1.0, 0.0], [0.0, 1.0]])
SWAPPED = np.array([[1.0, 0.0], [1.0, 0.0]])
TURNED = np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 0.0]]), np.array([[0.0, 1.0], [0.0, 0.0], [0.0, 0.0]])
MATRICES = np.diag([2.0, 1.0, 0.0]), np.diag([1.0, 2.0, 0.0])
ADDED = np.diag([2.0, 1.0, 0.0]), np.diag([3.0, 1.0, 0.0])
LONGER = np.array([[1.0, 0.0], [0.0, 0.0]]), np.array([[2.0, 0.0], [0.0, 0.0]])
SOUND: dict[str, tuple[Any, dict[str, Any], list[Any]]] = {
    "laplace": (dps.laplace_covariance, {"epsilon": 1.0}, [(UNIT, OTHER), (TWO, SWAPPED)]),
    "gaussian": (dps.gaussian_covariance, {"epsilon": 1.0, "delta": 0.1}, [(UNIT, OTHER), (TWO, SWAPPED)]),
    "symmetric wishart": (dps.symmetric_wishart_covariance, {"epsilon": 1.0}, [(UNIT, OTHER), (TWO, SWAPPED)]),
    "K-norm": (dps.knorm_covariance, {"epsilon": 1.0}, [(TWO, SWAPPED)]),
    "symmetric wishart, zero_out": (
        dps.symmetric_wishart_covariance,
        {"epsilon": 1.0, "relation": "zero_out"},
        [(UNIT, 0 * UNIT)],
    ),
    "wishart": (dps.wishart_covariance, {"epsilon": 1.0, "delta": 0.1}, [(UNIT, OTHER), (UNIT, 0 * UNIT)]),
    "wishart, zero_out": (
        dps.wishart_covariance,
        {"epsilon": 1.0, "delta": 0.1, "relation": "zero_out"},
        [(UNIT, 0 * UNIT)],
    ),
    "moments": (dps.private_moments, {"epsilon": 1.0}, [(UNIT, OTHER), (TWO, SWAPPED)]),
    "covariance": (dps.private_covariance, {"epsilon": 1.0}, [(UNIT, OTHER), (TWO, SWAPPED)]),
    "covariance by pairs": (dps.private_covariance, {"epsilon": 1.0, "center": "pairs"}, [(TWO, SWAPPED), TURNED]),
    "scaler": (dps.private_scaler, {"epsilon": 1.0}, [(UNIT, OTHER), (TWO, SWAPPED)]),
    "norm bound": (dps.private_norm_bound, {"epsilon": 1.0, "lower": 0.25, "upper": 2.0}, [(UNIT, 0 * UNIT)]),
    "score histogram": (
        dps.private_score_histogram,
        {"epsilon": 1.0, "directions": np.eye(2), "frame": (-1, 1, -1, 1), "bins": 2},
        [(UNIT, 0 * UNIT)],
    ),
    "orbit": (dps.private_orbit, {"eigenvalues": [1.0, 0.0, 0.0], "epsilon": 1.0}, [MATRICES]),
    "orbit of a plane": (dps.private_orbit, {"eigenvalues": [1.0, 1.0, 0.0], "epsilon": 1.0}, [MATRICES]),
    "orbit, add_remove": (
        dps.private_orbit,
        {"eigenvalues": [1.0, 0.0, 0.0], "epsilon": 1.0, "relation": "add_remove"},
        [ADDED],
    ),
    "low rank, orbit": (ORBIT_LOW_RANK, {"k": 1, "epsilon": 1.0}, [MATRICES]),
    "low rank": (dps.private_low_rank, {"k": 1, "epsilon": 1.0}, [MATRICES]),
    "low rank, add_remove": (dps.private_low_rank, {"k": 1, "epsilon": 1.0, "relation": "add_remove"}, [ADDED]),
    "pca": (dps.private_pca, {"k": 1, "epsilon": 1.0, "center": "none"}, [(UNIT, OTHER), (TWO, SWAPPED)]),
    "pca, Gaussian": (GAUSSIAN_PCA, {"k": 1, "epsilon": 1.0, "delta": 0.1, "center": "none"}, [(TWO, SWAPPED)]),
    "pca, orbit": (ORBIT_PCA, {"k": 1, "epsilon": 1.0}, [(UNIT, OTHER), (TWO, SWAPPED)]),
    "pca about a mean": (MEAN_PCA, {"k": 1, "epsilon": 1.0}, [(TWO, SWAPPED)]),
    "pca of pairs": (PAIRS_PCA, {"k": 1, "epsilon": 1.0}, [TURNED]),
    "mean": (dps.private_mean, {"epsilon": 1.0}, [(UNIT, -UNIT), (TWO, TWO * [[1], [-1]])]),
    "mean, Gaussian": (dps.private_mean, {"epsilon": 1.0, "delta": 0.1}, [(UNIT, -UNIT)]),
    "pca, add_remove": (dps.private_pca, {"k": 1, "epsilon": 1.0, "relation": "add_remove"}, [(TWO, UNIT)]),
    "row counting": (
        dps.row_counting_direction,
        {"epsilon": 1.0, "aligned": 2},
        [(TWO, SWAPPED), (UNIT, OTHER)],
    ),
    "row counting, add_remove": (
        dps.row_counting_direction,
        {"epsilon": 1.0, "aligned": 2, "relation": "add_remove"},
        [(TWO, np.vstack([TWO, UNIT]))],
    ),
    "spectrum": (dps.private_spectrum, {"k": 2, "epsilon": 1.0}, [ADDED, MATRICES]),
    "spectrum, add_remove": (dps.private_spectrum, {"k": 2, "epsilon": 1.0, "relation": "add_remove"}, [ADDED]),
    "power method": (
        dps.private_power_method,
        {"k": 1, "epsilon": 1.0, "delta": 0.1, "iterations": 2},
        [(np.zeros((2, 2)), np.array([[0.0, 1.0], [1.0, 0.0]]))],
    ),
    "range finder": (dps.private_range_finder, {"k": 1, "epsilon": 1.0, "delta": 0.1, "oversampling": 0}, [LONGER]),
    "projection": (
        dps.private_projection,
        {"basis": np.eye(2)[:, :1], "epsilon": 1.0, "delta": 0.1},
        [LONGER],
    ),
    "find, project, prune": (
        dps.project_find_prune,
        {"k": 1, "epsilon": 1.0, "delta": 0.1, "share": 0.5},
        [(np.ones((4, 3)), np.ones((4, 3)) + np.eye(4, 3))],
    ),
    "randomised response": (dps.randomized_response_low_rank, {"k": 1, "epsilon": 1.0, "delta": 0.1}, [LONGER]),
}
SLOW = ("power method", "range finder", "find, project, prune")
"""Several milliseconds a draw."""


def given(mechanism, data):
    """Data as a mechanism takes them; the pairs of those of sums are matrices."""
    return dps.Matrix(data) if MECHANISMS[mechanism.__name__].sums else data


def dense(mechanism, **options):
    """The mechanism, as one that returns arrays."""

    def call(x, *, rng):
        value = mechanism(given(mechanism, x), rng=rng, **options).value
        return value.toarray() if hasattr(value, "toarray") else value

    return call


@pytest.mark.parametrize("name", SOUND)
def test_sound_mechanisms_stand_at_their_claims(name):
    mechanism, options, pairs = SOUND[name]
    for pair in pairs:
        claim = mechanism(given(mechanism, pair[0]), rng=0, **options).claim
        assert (claim.epsilon, claim.delta) == (1.0, options.get("delta", 0.0))
        draws = 192 if name in SLOW else 512
        result = audit(dense(mechanism, **options), pair, claim.epsilon, claim.delta, draws=draws)
        assert not result.violated
        assert result.failures == 0


def test_the_table_of_sound_mechanisms_is_complete():
    covered = {mechanism.__name__ for mechanism, _, _ in SOUND.values()}
    assert covered == {name for name, record in MECHANISMS.items() if record.private}


@pytest.mark.parametrize("name", ["laplace", "symmetric wishart", "pca", "spectrum"])
def test_sound_mechanisms_fall_at_an_eighth_of_their_claims(name):
    """The pairs above have power."""
    mechanism, options, pairs = SOUND[name]
    assert audit(dense(mechanism, **options | {"epsilon": 8.0}), pairs[0], 1.0, draws=4096).violated


def test_alarms_at_exactly_the_claim():
    """More than 10 alarms in 60 audits at 0.95 would have probability below 1e-3 if each had 0.05."""
    alarms = sum(audit(laplace(1.0), NUMBERS, 1.0, draws=1024, confidence=0.95, rng=s).violated for s in range(60))
    assert alarms <= 10


# ---------------------------------------------------------------- how much is lost


def test_a_bound_that_is_asked_for_holds():
    """At 0.9, of 100 bounds on the loss more than 20 above it would have probability below 1e-3."""
    found = [audit(laplace(0.5), NUMBERS, 1.0, draws=512, confidence=0.9, estimate=True, rng=s) for s in range(100)]
    assert sum(result.bound > 2 for result in found) <= 20
    assert {result.stopped for result in found} == {"draws"}


def test_an_estimate_comes_close_to_the_loss():
    """It goes on betting against what is sure by now: bets against the claim alone would end below."""
    stopped, asked = (audit(laplace(0.5), NUMBERS, 1.0, draws=20_000, estimate=more) for more in (False, True))
    assert stopped.stopped == "refuted"
    assert 1 < stopped.bound < 1.5
    assert 1.85 < asked.bound <= 2
    assert asked.draws == 20_000


@pytest.mark.parametrize(
    ("mechanism", "claim", "most"),
    [(normal(0.5), GDP(1.0), 2.0), (laplace(0.5), ApproxDP(1.0, 0.05), 2.0), (laplace(0.5), ZCDP(0.5), 2.0)],
    ids=["GDP", "ApproxDP", "ZCDP"],
)
def test_other_claims_are_estimated_too(mechanism, claim, most):
    result = audit(mechanism, NUMBERS, claim, draws=2**14, estimate=True)
    assert result.violated
    assert 1.4 * claim.value < result.bound <= most


def test_an_estimate_of_what_is_not_refuted_is_the_usual_audit():
    once, again = (audit(laplace(1.0), NUMBERS, 1.0, draws=2000, estimate=more) for more in (False, True))
    assert dataclasses.replace(once, seconds=0) == dataclasses.replace(again, seconds=0)


def test_an_estimate_may_go_on_from_a_refutation():
    first = audit(laplace(0.5), NUMBERS, 1.0)
    assert audit(laplace(0.5), NUMBERS, 1.0, draws=8192, resume=first, rng=1).draws == first.draws
    assert audit(laplace(0.5), NUMBERS, 1.0, draws=8192, resume=first, estimate=True, rng=1).bound > 1.7
