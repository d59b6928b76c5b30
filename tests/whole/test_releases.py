"""Releases by default: their randomness is fresh, and one dimension is enough."""

import numpy as np
import pytest

import dpspectra as dps
from dpspectra import Matrix
from dpspectra.audit import structured_pairs
from dpspectra.sampling import bingham, haar

X = np.random.default_rng(0).uniform(-0.4, 0.4, size=(50, 3))


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
