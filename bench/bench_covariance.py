"""Releasing a covariance against computing it."""

import numpy as np
import pytest

import dpspectra as dps

X = np.random.default_rng(0).uniform(-0.05, 0.05, size=(20_000, 200))

MECHANISMS = {
    "product alone": lambda: X.T @ X,
    "laplace_covariance": lambda: dps.laplace_covariance(X, 1.0, rng=0),
    "gaussian_covariance": lambda: dps.gaussian_covariance(X, 1.0, 1e-6, rng=0),
}


@pytest.mark.parametrize("name", MECHANISMS)
@pytest.mark.benchmark(group="covariance of 20,000 x 200")
def test_covariance(benchmark, name):
    benchmark(MECHANISMS[name])
