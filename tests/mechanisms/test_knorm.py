"""The mechanism of K-norm noise: its claim, its limits. Fixed seeds; false alarm 1e-6 a test."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

import dpspectra as dps
from dpspectra.audit import audit
from dpspectra.fast import knorm
from dpspectra.mechanisms.choice import named_noise
from dpspectra.mechanisms.noises.knorm import KNORM, LARGEST_KNORM
from tests.support.helpers import ALARM, entropy

X = np.random.default_rng(0).uniform(-0.5, 0.5, size=(40, 3))


# ---------------------------------------------------------------- the law


def test_in_one_dimension_it_is_laplace_noise():
    rng = np.random.default_rng(3)
    drawn = [dps.knorm_covariance(np.full((4, 1), 0.5), 0.7, rng=rng).value[0, 0] - 0.25 for _ in range(4000)]
    assert stats.kstest(drawn, stats.laplace(scale=1 / 2.8).cdf).pvalue > ALARM


# ---------------------------------------------------------------- the claim


@pytest.mark.parametrize("rng", [entropy, lambda: 1], ids=["certified", "ideal"])
def test_a_release_says_what_it_is(rng):
    release = dps.knorm_covariance(X, 0.5, norm_bound=2.0, rng=rng())
    assert release.claim.relation == "replace"
    assert (release.claim.epsilon, release.claim.delta) == (0.5, 0.0)
    assert "DPS-KNORM" in release.claim.labels
    assert release.details["scale"] == pytest.approx(4 / (0.5 * 40))
    expected = math.sqrt(2) * stats.gamma(6).ppf(0.95) * release.details["scale"]
    assert release.details["guarantee"].bound == pytest.approx(expected)
    assert ("step" in release.details) == (release.claim.arithmetic == "certified")
    assert np.array_equal(release.value, release.value.T)


def test_audits_are_silent_at_the_claim_and_loud_at_a_smaller_one():
    """Two orthogonal rows; a false alarm has probability at most 1e-3."""
    pair = np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]])

    def noisy(x, size, rng):
        z, kept = knorm.propose(2, 2 * size + 50, rng)
        return x.T @ x + z[kept][:size]

    options = {"seconds": 600, "independent": True, "rng": 0}
    assert not audit(noisy, pair, 1.0, draws=8_000, **options).violated
    assert audit(noisy, pair, 1 / 1.3, draws=100_000, **options).violated


def test_it_has_the_least_mean_square_of_pure_noise():
    for d in range(2, LARGEST_KNORM + 1):
        ours, tilted = (
            named_noise(name, d, (1.0, 0.0), Fraction(1), "replace")[0].square[0]
            for name in ("knorm_covariance", "symmetric_wishart_covariance")
        )
        assert 0.8 < ours / tilted < 0.88
    both = (draw(2, 3.0, np.random.default_rng(1)) for draw in (KNORM.ideal, knorm.draw))
    assert np.array_equal(*both)
