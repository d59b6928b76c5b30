"""Mean and second moments by one noise: the grid, refusals with the user's bound, guarantees."""

import itertools
from fractions import Fraction

import dask.array as da
import numpy as np
import pytest
from scipy import sparse, stats

import dpspectra as dps
from dpspectra.mechanisms.mean_and_moments import entry_of
from dpspectra.mechanisms.noises import symmetric_wishart
from tests.support.helpers import entropy
from tests.support.rows import largest_exponent, spiked

RARE = 1e-6
"""False alarms of each test of a law."""
ROWS = spiked(300, 4)


@pytest.mark.parametrize("norm_bound", [1.0, 0.7, 3e-5, 2.0**40 / 3])
@pytest.mark.parametrize("constant", [1.0, 0.5, 0.3, 2.0**-10])
def test_the_constant_lies_on_the_grid_and_is_no_larger(constant, norm_bound):
    whole, digits = entry_of(constant, norm_bound)
    entry = Fraction(whole) / Fraction(2) ** digits
    assert digits == largest_exponent(norm_bound)
    assert 0 < entry <= Fraction(constant) * Fraction(norm_bound) < entry * Fraction(101, 100)


def test_second_moments_have_the_noise_of_longer_rows():
    """As much as `symmetric_wishart_covariance` has for rows of norm ``sqrt(1.25)``, in one dimension more."""
    details = dps.private_moments(ROWS, 0.5, mechanism="symmetric_wishart_covariance", rng=1).details
    noise = symmetric_wishart.sized(5, (0.5, 0.0), Fraction(5, 4))
    assert details["scale"] == pytest.approx(noise.scale / 300)
    assert details["constant"] == 0.5


@pytest.mark.parametrize("forms", [lambda x: x, lambda x: iter([x[:2], x[2:]]), sparse.csr_array,
                                   lambda x: da.from_array(x, chunks=(2, 2))])  # fmt: skip
def test_rows_are_refused_by_the_bound_of_the_user(forms):
    """A row between the bound and that of rows with the constant is too long, too."""
    rows = np.full((5, 2), 0.1)
    rows[3] = 0.75, 0.75
    for options in ({}, {"rng": 0}):
        with pytest.raises(ValueError, match="X must have rows of norm at most 1, but row 3 is longer"):
            dps.private_moments(forms(rows), 1.0, **options)
    assert dps.private_moments(forms(rows), 1.0, rows="clip").claim.norm_bound is None


def test_a_covariance_is_that_of_the_mean_and_the_moments():
    mean, moments = dps.private_moments(ROWS, 1.0, 1e-6, rng=entropy(3)).value
    release = dps.private_covariance(ROWS, 1.0, 1e-6, rng=entropy(3))
    assert np.array_equal(release.value, moments - np.outer(mean, mean))
    assert np.array_equal(release.details["mean"], mean)
    near = dps.private_covariance(ROWS, 1e7, rng=entropy(4))
    assert np.allclose(near.value, np.cov(ROWS.T, bias=True), atol=1e-5)
    assert np.allclose(near.details["mean"], ROWS.mean(axis=0), atol=1e-5)


@pytest.mark.parametrize("denoise", ["psd", "shrink"])
def test_a_denoised_covariance_is_positive_semidefinite(denoise):
    plain = dps.private_covariance(ROWS, 0.5, rng=7)
    release = dps.private_covariance(ROWS, 0.5, rng=7, denoise=denoise)
    truth = np.cov(ROWS.T, bias=True)
    assert np.linalg.eigvalsh(release.value)[0] > -1e-12
    assert np.linalg.norm(release.value - truth) < np.linalg.norm(plain.value - truth)
    assert ("guarantee" in release.details) == (denoise == "psd")
    assert release.claim == plain.claim


def test_both_guarantees_hold_together():
    """Errors of 300 releases beyond one of them: 15 in the mean at most, at `RARE`."""
    rng, beyond = np.random.default_rng(1), 0
    rows = np.full((30, 2), 0.5)
    for _ in range(300):
        release = dps.private_covariance(rows, 1.0, rng=rng)
        mean = np.linalg.norm(release.details["mean"] - 0.5) <= release.details["mean_guarantee"].bound
        beyond += not (mean and np.linalg.norm(release.value) <= release.details["guarantee"].bound)
    assert stats.binomtest(beyond, 300, 0.05, alternative="greater").pvalue > RARE


def test_columns_of_any_units_go_back():
    units = np.array([1e-3, 1e3])
    rows = np.random.default_rng(2).normal(size=(400, 2)) * units + 3 * units
    bounds = dps.ColumnBounds(-units, 7 * units)
    release = dps.private_covariance(rows, 1e7, bounds=bounds, rng=1)
    assert np.allclose(
        bounds.moments(release.value) / np.outer(units, units), np.cov(rows.T / units[:, None], bias=True)
    )
    assert np.allclose(bounds.mean(release.details["mean"]) / units, rows.mean(axis=0) / units)


def test_moments_that_merge_give_the_same_release():
    parts = [dps.Moments.of(rows, rows="clip") for rows in (ROWS[:100], ROWS[100:])]
    for rng, function in itertools.product((entropy, lambda: 1), (dps.private_covariance, dps.private_scaler)):
        one, two = function(sum(parts[1:], parts[0]), 1.0, rng=rng()), function(ROWS, 1.0, rows="clip", rng=rng())
        assert all(map(np.array_equal, parts_of(one.value), parts_of(two.value)))
        assert one.claim.norm_bound is None
        with pytest.raises(ValueError, match="bounds must be left out or be that of the Moments"):
            function(parts[0], 1.0, bounds=dps.ColumnBounds(np.zeros(4), np.ones(4)))


def parts_of(value):
    return value if isinstance(value, tuple) else (value,)


def test_moments_of_columns_with_bounds_are_those_of_mapped_rows():
    box = dps.ColumnBounds(np.full(4, -1.0), np.ones(4))
    merged = sum([dps.Moments.of(ROWS[100:], bounds=box)], dps.Moments.of(ROWS[:100], bounds=box))
    one, two = (dps.private_covariance(data, 1.0, bounds=box, rng=entropy()) for data in (merged, ROWS))
    assert np.array_equal(one.value, two.value)
    assert one.claim.public == two.claim.public


def test_people_with_several_rows_have_more_noise():
    people = dps.Moments.of(ROWS, person=np.repeat(np.arange(100), 3), per_person=3)
    many, few = (dps.private_moments(data, 1.0, rng=1) for data in (people, ROWS))
    assert many.details["scale"] * 100 == pytest.approx(3.0 * few.details["scale"] * 300)
    assert "all rows of one person" in many.claim.neighbours
    with pytest.raises(ValueError, match="must be of people with one row each for a scaler of rows, got Moments"):
        dps.private_scaler(people, 1.0)


@pytest.mark.parametrize("denoise", [None, "psd"])
def test_a_covariance_of_people_with_several_rows_is_one(denoise):
    """Sums over the rows of a person less the product of their means had negative eigenvalues, called noise."""
    deviations = np.array([0.1, 0.02])
    rows = np.repeat(np.random.default_rng(0).normal([0.5, 0.3], deviations, size=(2000, 2)), 3, axis=0)
    people = dps.Moments.of(rows, person=np.repeat(np.arange(2000), 3), per_person=3)
    release = dps.private_covariance(people, 1000.0, denoise=denoise)
    away = np.linalg.norm(release.value - 3 * np.cov(rows.T, bias=True))
    assert away <= release.details["guarantee"].bound < 0.01
    assert abs(dps.components(release, 1).value[0, 0]) > 0.99
    assert "of a person 3 rows are added up, and divisions are by the number of people" in release.summary()


def test_a_correlation_of_people_with_several_rows_is_that_of_their_rows():
    generator = np.random.default_rng(0)
    rows = np.repeat(generator.multivariate_normal([0.4, 0.2], 0.005 * np.array([[1, 0.6], [0.6, 1]]), 2000), 3, axis=0)
    people = dps.Moments.of(rows, person=np.repeat(np.arange(2000), 3), per_person=3)
    for release in (dps.private_moments(people, 1e4), dps.private_covariance(people, 1e4)):
        assert release.details["rows_per_person"] == 3
        assert dps.correlation(release).value[0, 1] == pytest.approx(np.asarray(np.corrcoef(rows.T))[0, 1], abs=0.02)
