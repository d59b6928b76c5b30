"""Means and variances of columns: their noise, the floor, columns of any units."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

import dpspectra as dps
from dpspectra.certified.gram import exact_moments
from dpspectra.lemmas.sensitivity.scaler import squared_change
from dpspectra.matrices.reading_rule import Reading
from dpspectra.mechanisms.gaussian_mu import whole_mu
from dpspectra.mechanisms.scaler import CHANGE, _noises, _sums
from tests.support.rows import integers, spiked

RARE = 1e-6
"""False alarms of each test of a law."""


def test_noise_is_for_the_change_that_the_ledger_knows():
    assert squared_change(Fraction(1)) == CHANGE
    mu = Fraction(whole_mu((0.7, 1e-5)))
    for noise, unit in zip(_noises((0.7, 1e-5), Reading(3.0)), (3, 9), strict=True):
        needed = CHANGE * unit**2
        assert needed <= (Fraction(noise.scale) * mu) ** 2 <= needed * (1 + Fraction(1, 2**40))
    mean, squares = _noises((0.7, 0.0), Reading(3.0))
    assert (mean.name, squares.name) == ("l2_gamma", "laplace")
    assert mean.scale == pytest.approx(6 / 0.35)
    assert squares.scale == pytest.approx(18 / 0.35)


def test_sums_are_exact():
    rows = spiked(50, 3)
    whole = [integers(row, 1.0) for row in rows]
    first, squares = _sums(exact_moments(rows, 1.0), dps.Entropy(bytes(32)))
    assert (first.exponent, squares.exponent) == (20, 40)
    assert np.asarray(first.vector).tolist() == [sum(row[j] for row in whole) for j in range(3)]
    assert np.asarray(squares.vector).tolist() == [sum(row[j] ** 2 for row in whole) for j in range(3)]
    one, _ = _sums(exact_moments(rows[:, :1], 1.0), dps.Entropy(bytes(32)))
    assert np.asarray(one.vector).tolist() == [sum(integers(row, 1.0)[0] for row in rows[:, :1])]


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_mean_and_variances_are_near(delta):
    rows = spiked(4000, 3)
    mean, variances = dps.private_scaler(rows, 5.0, delta, rng=2).value
    assert np.allclose(mean, rows.mean(axis=0), atol=0.01)
    assert np.allclose(variances, rows.var(axis=0), atol=0.01)


def test_variances_are_not_below_their_noise():
    release = dps.private_scaler(np.full((20, 3), 0.1), 0.5, 1e-6, rng=3)
    _, variances = release.value
    assert release.details["floored"] > 0
    assert np.all(variances >= release.details["squares_scale"])


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_the_guarantee_is_a_quantile(delta):
    """Errors of 400 releases beyond it: 20 in the mean, at `RARE`."""
    rng, beyond = np.random.default_rng(1), 0
    for _ in range(400):
        release = dps.private_scaler(np.zeros((50, 4)), 1.0, delta, rng=rng)
        beyond += np.linalg.norm(release.value[0]) > release.details["guarantee"].bound
    assert stats.binomtest(beyond, 400, 0.05).pvalue > RARE


def test_narrower_bounds_from_wide_ones():
    """Where the half width is 250 standard deviations, a scaler makes it a few."""
    units = np.array([1e-3, 1.0, 1e5])
    rows = np.random.default_rng(4).normal(size=(200_000, 3)) * units + 20 * units
    wide = dps.ColumnBounds(-250 * units, 250 * units)
    mean, variances = dps.private_scaler(rows, 1.0, 1e-6, bounds=wide, rng=5).value
    assert np.allclose(wide.mean(mean) / units, 20, atol=0.5)
    deviations = np.sqrt(variances) * wide.units
    assert np.all(deviations / units < 20)
