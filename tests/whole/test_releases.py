"""Every mechanism: a release carries a claim, and the same seed gives the same value."""

import json

import numpy as np
import pytest

import dpspectra as dps
from dpspectra import Matrix
from dpspectra.audit import structured_pairs
from dpspectra.sampling import bingham, haar

X = np.random.default_rng(0).uniform(-0.4, 0.4, size=(50, 3))
M = np.diag([9.0, 4.0, 1.0])


def every_release(rng):
    return {
        "laplace_covariance": dps.laplace_covariance(X, 1.0, rng=rng),
        "gaussian_covariance": dps.gaussian_covariance(X, 1.0, 1e-6, rng=rng),
        "private_spectrum": dps.private_spectrum(Matrix(M), 2, 1.0, rng=rng),
        "private_orbit": dps.private_orbit(Matrix(M), [2.0, 0, 0], 1.0, rng=rng),
        "private_orbit complex": dps.private_orbit(Matrix(M), [2.0, 0, 0], 1.0, field="complex", rng=rng),
        "private_low_rank": dps.private_low_rank(Matrix(M), 1, 1.0, mechanism="orbit", rng=rng),
        "private_pca": dps.private_pca(X, 1, 1.0, rng=rng),
    }


@pytest.mark.parametrize("name", every_release(1))
def test_release_carries_a_claim_and_the_same_seed_gives_the_same_value(name):
    first, second = every_release(1)[name], every_release(1)[name]
    assert np.array_equal(first.value, second.value)
    assert not np.array_equal(first.value, every_release(2)[name].value)
    claim = first.claim.asdict()
    assert json.loads(json.dumps(claim)) == claim
    assert claim["epsilon"] == 1.0
    assert claim["relation"] in ("replace", "matrix_replace")
    assert claim["assumptions"]
    assert set(claim["labels"]) <= {label.label for label in dps.ledger.labels()}
    for label in claim["labels"]:
        assert dps.ledger.get(label).verdict not in (dps.ledger.Verdict.REFUTED, dps.ledger.Verdict.CONJECTURE)


def test_default_randomness_is_fresh():
    assert not np.array_equal(dps.laplace_covariance(X, 1.0).value, dps.laplace_covariance(X, 1.0).value)


def test_one_dimension_is_admitted():
    assert abs(haar(1, rng=0)) == pytest.approx(np.ones((1, 1)))
    assert abs(bingham(np.zeros((1, 1)), rng=0)) == pytest.approx(np.ones(1))
    assert {len(pair.before) for pair in structured_pairs(1, "replace", "ball")} == {1}
    rows = np.ones((3, 1))
    for release in (
        dps.private_pca(rows, 1, 1.0, rng=0),
        dps.laplace_covariance(rows, 1.0, rng=0),
        dps.private_spectrum(Matrix(np.ones((1, 1))), 1, 1.0, rng=0),
        dps.private_power_method(np.ones((1, 1)), 1, 1.0, 0.1, iterations=1, rng=0),
    ):
        assert np.all(np.isfinite(np.asarray(release.value, dtype=complex)))
