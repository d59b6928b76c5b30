"""Moments and spectra of K-norm noise, against draws of it and against integrals over its eigenvalues."""

import math

import numpy as np
import pytest
from mpmath import mp

from dpspectra.fast import spectral_noise
from dpspectra.fast.knorm_moments import MEAN_SQUARES, TRACE_VARIANCES, moments, off_diagonal_variance
from dpspectra.oracle.knorm_moments import knorm_moments

DEVIATIONS = 5.0
"""Standard errors that a mean of many draws may be off; by chance once in a million."""


def draws(rng, number, d):
    """Rejection: of two Wishart matrices whose difference is ``M`` those with ``W >= M_+``, tilted by the trace."""
    kept = []
    while sum(map(len, kept)) < number:
        first, second = (np.einsum("nij,nik->njk", g, g) for g in rng.normal(size=(2, number, d + 1, d)))
        values, vectors = np.linalg.eigh(first - second)
        positive = (vectors * np.maximum(values, 0)[:, None, :]) @ np.swapaxes(vectors, 1, 2)
        fits = np.linalg.eigvalsh(first - positive)[:, 0] > 0
        tilt = rng.random(number) < np.exp(-np.abs(values.sum(axis=1)) / 2)
        kept.append((first - second)[fits & tilt])
    return np.concatenate(kept)[:number]


@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_moments_are_those_of_draws(d):
    """At most three means of 20,000 draws; each fails once in a million although the code is right."""
    rng = np.random.default_rng(1)
    noise, (square, trace) = draws(rng, 20_000, d), moments(d)
    pairs = [(np.sum(noise**2, axis=(1, 2)), square), (np.trace(noise, axis1=1, axis2=2) ** 2, trace)]
    if d > 1:
        basis = np.linalg.qr(rng.normal(size=(len(noise), d, d)))[0]
        entry = np.einsum("ni,nij,nj->n", basis[:, :, 0], noise, basis[:, :, 1])
        pairs.append((entry**2, off_diagonal_variance(d)))
    for values, mean in pairs:
        assert abs(values.mean() - mean) < DEVIATIONS * values.std() / math.sqrt(len(values))


@pytest.mark.parametrize("d", range(1, 9))
def test_tables_are_integrals_over_the_eigenvalues(d):
    with mp.workdps(60):
        square, trace = knorm_moments(d)
    assert MEAN_SQUARES[d - 1] == pytest.approx(float(square), rel=1e-12)
    assert TRACE_VARIANCES[d - 1] == pytest.approx(float(trace), rel=1e-12)


@pytest.mark.parametrize(("d", "square"), [(12, 3278.82856647), (16, 7555.57810204)])
def test_beyond_the_tables_the_formula_is_good(d, square):
    """The exact values took the oracle a minute each."""
    assert moments(d)[0] == pytest.approx(square, rel=0.01)


def test_edge_and_threshold_are_the_least_value_and_its_place():
    noise = spectral_noise.knorm(7, 2.0, 1.0)
    g = np.linspace(0.3, 1.7, 20_001) / noise.threshold
    image = noise.r_transform(g) + 1 / g
    assert np.min(image) == pytest.approx(noise.edge, rel=1e-8)
    assert 1 / g[np.argmin(image)] == pytest.approx(noise.threshold, rel=1e-3)
    assert float(noise.r_transform(1e-7)) == pytest.approx(14e-7)
    z = np.array([1.5, 3j, 4 + 0.1j]) * noise.edge
    g = np.arcsin(noise.edge / z) / noise.edge
    np.testing.assert_allclose(noise.r_transform(g) + 1 / g, z)
