"""The covariance by pairs: what it is of, what its bound does, and what follows from it; by the mean with the noise."""

from fractions import Fraction

import dask.array as da
import numpy as np
import pytest
from scipy import sparse, stats

import dpspectra as dps
from dpspectra.matrices import centring
from dpspectra.mechanisms.noise_intervals import OF_PAIRS
from dpspectra.mechanisms.noises import symmetric_wishart
from tests.support.forms import ROWS as FORMS
from tests.support.helpers import entropy
from tests.support.rows import spiked

RARE = 1e-6
"""False alarms of each test of a law."""
PAIRS = {"center": "pairs"}
WISHART = {"mechanism": "symmetric_wishart_covariance"}


@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("rng", [None, 3])
def test_it_is_about_the_mean_wherever_that_lies(delta, rng):
    """The mean over orders is ``np.cov``; an order of 20,000 rows is within .02 of it, by ten standard deviations."""
    rows = np.random.default_rng(1).normal(size=(20_000, 3)) * [0.4, 0.3, 0.2] + 1000
    release = dps.private_covariance(rows, 1e3, delta, **PAIRS, difference_bound=8.0, rng=rng)
    assert np.allclose(release.value, np.cov(rows.T), atol=0.02)
    assert (release.claim.norm_bound, release.claim.delta) == (None, release.claim.delta and delta)
    assert "DPS-SHORTPAIRS" in release.claim.labels
    assert release.details["paired_rows"] == 20_000
    assert not release.remarks


def test_the_noise_is_that_of_rows_as_long_as_differences_may_be():
    """In the dimension of the rows; with the defaults there is less of it than about a private mean."""
    rows = spiked(300, 4)
    for bound in (None, 1.0, 0.25, 3.0):
        details = dps.private_covariance(rows, 0.5, **PAIRS, **WISHART, difference_bound=bound, rng=1).details
        noise = symmetric_wishart.sized(4, (0.5, 0.0), Fraction(bound or 1.0) ** 2)
        assert details["scale"] == pytest.approx(noise.scale / 300, rel=1e-12)
        assert details["difference_bound"] == (bound or 1.0)
    mean = dps.private_covariance(rows, 0.5, **WISHART, rng=1).details
    pairs = dps.private_covariance(rows, 0.5, **PAIRS, **WISHART, rng=1).details
    assert pairs["scale"] == pytest.approx(mean["scale"] / 1.25)
    assert pairs["noise_edge"] < mean["noise_edge"]
    clipped = {"rows": "clip", "norm_bound": 0.5}
    assert dps.private_covariance(rows, 0.5, **PAIRS, **clipped, rng=1).details["difference_bound"] == 0.5


def test_longer_differences_are_shortened_and_those_at_the_bound_are_not():
    """Two rows 1 apart: the ring has both differences, of which half the mean of squares is a half."""
    rows = np.array([[5.0], [6.0]])
    for bound, wanted in ((1.0, 0.5), (1 + 2.0**-20, 0.5), (1 - 2.0**-20, 0.5 * (1 - 2.0**-20) ** 2), (0.5, 0.125)):
        units = np.vstack(list(centring.differences(rows, np.arange(2), bound)))
        assert float(np.sum(units**2)) / 4 == pytest.approx(wanted, rel=1e-12)
        release = dps.private_covariance(rows, 1e9, **PAIRS, difference_bound=bound, rng=1)
        assert release.value[0, 0] == pytest.approx(wanted, rel=1e-6)
    assert np.vstack(list(centring.differences(rows, np.arange(2), 1 + 2.0**-20))).tolist() == [[-1.0], [1.0]]


@pytest.mark.parametrize("place", range(5))
def test_a_row_moves_half_the_sum_by_the_square_of_the_bound_at_most(place):
    """In the program, rows moved onto the grid included: the norm of the change, and its Frobenius norm."""
    rng = np.random.default_rng(place)
    for far in (0.1, 1.0, 1e6):
        rows = rng.normal(size=(5, 3)) * far
        other = rows.copy()
        other[place] = rng.normal(size=3) * far
        order = rng.permutation(5)
        sums = [sum(block.T @ block for block in centring.differences(x, order, 0.7)) / 2 for x in (rows, other)]
        values = np.linalg.eigvalsh(sums[0] - sums[1])
        assert max(values[values > 0].sum(), -values[values < 0].sum()) <= 0.49 * (1 + 1e-12)
        assert np.linalg.norm(values) <= 0.49 * np.sqrt(2) * (1 + 1e-12)


@pytest.mark.parametrize("form", FORMS)
def test_rows_of_every_form_have_it(form):
    rows = spiked(4000, 3) + 5
    release = dps.private_covariance(FORMS[form](rows), 1e4, **PAIRS, difference_bound=4.0, rng=entropy(5))
    assert np.allclose(release.value, np.cov(rows.T), atol=0.1 * np.trace(np.cov(rows.T)))
    told = "the place and the chunk of a row do not depend on what rows hold" in release.claim.assumptions
    assert told == (form == "batches" or "chunks" in form or "dask" in form)


def test_chunks_that_are_read_again_give_the_same():
    rows = spiked(1000, 3)
    forms = iter(np.split(rows, [800])), da.from_array(rows, chunks=(800, 2))
    one, two = (dps.private_covariance(x, 1.0, **PAIRS, rng=entropy(9)).value for x in forms)
    assert np.array_equal(one, two)
    some = sparse.csr_array(rows), rows
    one, two = (dps.private_covariance(x, 1.0, **PAIRS, rng=entropy(9)).value for x in some)
    assert np.array_equal(one, two)


def test_its_guarantee_is_on_the_differences():
    """Errors of 300 releases beyond it: 15 at most, up to `RARE`; two equal rows have differences of zero."""
    rng, beyond = np.random.default_rng(1), 0
    for _ in range(300):
        release = dps.private_covariance(np.full((30, 2), 7.0), 1.0, **PAIRS, rng=rng)
        beyond += np.linalg.norm(release.value) > release.details["guarantee"].bound
    assert stats.binomtest(beyond, 300, 0.05, alternative="greater").pvalue > RARE
    assert release.details["guarantee"].quantity == OF_PAIRS
    assert "shortened" in release.summary()


@pytest.mark.parametrize("denoise", ["psd", "shrink"])
def test_denoised_it_is_nearer_and_of_a_trace_that_pairs_have(denoise):
    rows = spiked(300, 4)
    plain, better = (dps.private_covariance(rows, 0.1, **PAIRS, rng=7, denoise=how) for how in (None, denoise))
    order = np.random.default_rng(7).integers(0, 2**63, 2)
    ring = centring.differences(rows, np.random.default_rng(order).permutation(300), 1.0)
    truth = sum(block.T @ block for block in ring) / 600
    assert np.linalg.norm(better.value - truth) < np.linalg.norm(plain.value - truth)
    assert np.linalg.eigvalsh(better.value)[0] > -1e-12
    assert plain.details["largest_possible"] == 0.5 >= np.trace(better.value) - 1e-12
    assert (better.details["guarantee"].quantity == OF_PAIRS) if denoise == "psd" else "guarantee" not in better.details


def test_what_follows_from_a_covariance_follows_from_it():
    rows = np.random.default_rng(1).multivariate_normal([9.0, 9.0], [[0.1, 0.08], [0.08, 0.1]], 20_000)
    release = dps.private_covariance(rows, 5.0, **PAIRS, difference_bound=3.0, rng=2)
    assert np.allclose(dps.correlation(release).value[0, 1], 0.8, atol=0.05)
    assert np.allclose(dps.precision(release).value @ np.cov(rows.T), np.eye(2), atol=0.2)
    found = dps.components(release, 1)
    assert found.details["guarantee"].quantity.startswith("variance lost against the best directions")
    assert abs(found.value[:, 0] @ [1, 1]) > 1.4
    assert not found.remarks
    intervals = dps.eigenvalue_intervals(release).eigenvalues
    assert intervals[0][0] < 0.18 < intervals[0][1] + 0.01


def test_too_few_rows_have_variances_that_do_not_show():
    release = dps.private_covariance(spiked(60, 4), 0.1, **PAIRS, rng=2)
    assert any("no eigenvalue stands out from noise" in line for line in release.remarks)
    assert dps.correlation(release).details["floored"] == 4


def test_a_budget_plans_with_the_dimension_of_the_rows():
    """For three columns pure noise is the smallest at this delta, with a constant beside them normal noise."""
    for center, delta in (("pairs", 0.0), ("mean", 1e-3)):
        budget = dps.Budget(epsilon=1.0, delta=delta)
        release = budget.release(dps.private_covariance, spiked(30, 3) / 9, epsilon=1.0, delta=1e-3, center=center)
        assert release.claim.delta == budget.spent.delta == delta


def test_sums_hold_no_rows_to_be_paired_and_cost_nothing():
    budget, moments = dps.Budget(epsilon=1.0), dps.Moments.of(spiked(30, 3), rows="clip")
    with pytest.raises(ValueError, match="center must be 'mean' for Moments, which hold no rows to be paired"):
        budget.release(dps.private_covariance, moments, epsilon=1.0, center="pairs")
    assert budget.spent.epsilon == 0
    budget.release(dps.private_covariance, moments, epsilon=1.0)
    assert budget.spent.epsilon == 1
