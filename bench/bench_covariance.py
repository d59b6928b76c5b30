"""Releasing a covariance against computing it, at once and from chunks of rows."""

import numpy as np
import pytest

import dpspectra as dps
from dpspectra.certified.gram import exact_moments
from dpspectra.matrices.float_moments import second_moments

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


MOMENTS = {
    "second_moments (rival)": lambda: second_moments(X, 1.0),
    "exact_moments": lambda: exact_moments(X, 1.0),
}


@pytest.mark.parametrize("name", MOMENTS)
@pytest.mark.benchmark(group="second moments of 20,000 x 200")
def test_moments(benchmark, name):
    benchmark(MOMENTS[name])


def chunks():
    """A million rows, without holding them."""
    return (X for _ in range(50))


def bare():
    total = np.zeros((200, 200))
    for chunk in chunks():
        total += chunk.T @ chunk
    return total


CHUNKED = {
    "bare chunked product (rival)": bare,
    "symmetric_wishart_covariance": lambda: dps.symmetric_wishart_covariance(chunks(), 1.0, rng=0),
}


@pytest.mark.parametrize("name", CHUNKED)
@pytest.mark.benchmark(group="covariance of 1,000,000 x 200 in chunks")
def test_chunks(benchmark, name):
    benchmark.pedantic(CHUNKED[name], rounds=3)


WIDE = np.full((10, 1000), 0.01)
RELEASES = {
    "product of two 1000 x 1000 matrices (rival)": lambda: np.eye(1000) @ np.ones((1000, 1000)),
    "symmetric_wishart_covariance": lambda: dps.symmetric_wishart_covariance(WIDE, 1.0, rng=0),
    "wishart_covariance": lambda: dps.wishart_covariance(WIDE, 1.0, 1e-6, rng=0),
}


@pytest.mark.parametrize("name", RELEASES)
@pytest.mark.benchmark(group="release at d = 1000")
def test_wide(benchmark, name):
    benchmark.pedantic(RELEASES[name], rounds=5)
