"""The private mean: its noise and its guarantee."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

import dpspectra as dps
from dpspectra.mechanisms.centred_pca import FOR_THE_MEAN
from dpspectra.mechanisms.gaussian_mu import whole_mu
from dpspectra.mechanisms.mean import mean_noise
from tests.support.rows import spiked

RARE = 1e-6
"""False alarms of each test of a law."""


# ---------------------------------------------------------------- noise


@pytest.mark.parametrize("share", [Fraction(1), FOR_THE_MEAN])
def test_scales_are_for_a_sum_that_moves_by_twice_the_bound(share):
    law = mean_noise((0.7, 0.0), 3.0, share)
    assert Fraction(law.scale) >= 6 / (share * Fraction(0.7)) > Fraction(law.scale) * (1 - Fraction(1, 2**50))
    law, mu = mean_noise((0.7, 1e-5), 3.0, share), whole_mu((0.7, 1e-5))
    square = (6 / Fraction(law.scale)) ** 2
    assert square <= share * Fraction(mu) ** 2 <= square * (1 + Fraction(1, 2**40))
    assert 0.99999e-5 <= dps.profile.gaussian(0.7, mu, 1.0) <= 1e-5


# ---------------------------------------------------------------- the mean


@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("rng", [None, 5])
def test_mean_is_near_within_its_guarantee_and_on_its_grid(delta, rng):
    rows = spiked()
    release = dps.private_mean(rows, 1.0, delta, rng=rng)
    error = np.linalg.norm(release.value - rows.mean(axis=0))
    assert error < 3 * release.details["guarantee"].bound < 0.5
    assert release.claim.delta == delta
    assert release.claim.arithmetic == ("ideal" if rng else "certified")
    if rng is None:
        steps = release.value * len(rows) / release.details["step"]
        assert np.max(np.abs(steps - np.rint(steps))) < 1e-6


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_mean_guarantee_is_a_quantile(delta):
    """Errors of 400 releases beyond it: 20 in the mean, at `RARE`."""
    rows, rng, beyond = np.zeros((50, 4)), np.random.default_rng(1), 0
    for _ in range(400):
        release = dps.private_mean(rows, 1.0, delta, rng=rng)
        beyond += np.linalg.norm(release.value) > release.details["guarantee"].bound
    assert stats.binomtest(beyond, 400, 0.05).pvalue > RARE
