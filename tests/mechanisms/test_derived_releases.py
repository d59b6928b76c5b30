"""What is derived from a released covariance: by definition, with the same claim, and where it is refused."""

import numpy as np
import pytest

import dpspectra as dps
from dpspectra.mechanisms.derived_releases import counted
from tests.support.rows import spiked

ROWS = spiked(4000, 5)
COVARIANCE = dps.private_covariance(ROWS, 1e3, rng=1)
NOISY = dps.private_covariance(ROWS[:20], 0.2, rng=2)
"""A covariance with negative eigenvalues."""
ALL = dps.precision, dps.whitening, dps.correlation, dps.explained_ratio, lambda release: dps.components(release, 2)


@pytest.mark.parametrize("function", ALL)
def test_the_claim_stays_and_guarantees_of_something_else_go(function):
    for release in (COVARIANCE, NOISY, dps.private_moments(ROWS, 1.0, 1e-6, rng=3)):
        found = function(release)
        assert found.claim == release.claim
        assert found.details["scale"] == release.details["scale"]
        assert found.details["postprocessing"] is not None
        first = release.details.get("computed")
        assert found.details.get("computed") == (first and f"the {found.details['postprocessing']} of {first}")
        assert "mean_guarantee" not in found.details
        assert np.isfinite(found.value).all()
        assert dps.Release.from_json(found.to_json()).claim == release.claim


def test_they_are_what_their_definitions_say():
    values, floor = np.linalg.eigvalsh(COVARIANCE.value)[::-1], 1e-6
    assert np.allclose(dps.precision(COVARIANCE, floor).value @ COVARIANCE.value, np.eye(5), atol=1e-6)
    w = dps.whitening(COVARIANCE, floor).value
    assert np.allclose(w @ COVARIANCE.value @ w.T, np.eye(5))
    sizes = np.sqrt(np.diagonal(COVARIANCE.value))
    assert np.allclose(dps.correlation(COVARIANCE, floor).value, COVARIANCE.value / np.outer(sizes, sizes))
    assert np.allclose(dps.explained_ratio(COVARIANCE).value, values / np.sum(values))
    found = dps.components(COVARIANCE, 2)
    assert np.allclose(found.value.T @ COVARIANCE.value @ found.value, np.diag(values[:2]))
    assert np.allclose(found.details["eigenvalues"], values[:2])


def test_what_does_not_show_is_raised_to_the_floor():
    least = NOISY.details["visible_from"] * (1 + np.linalg.norm(NOISY.details["mean"]) / NOISY.details["constant"])
    values = np.linalg.eigvalsh(NOISY.value)
    assert values[0] < 0
    for function in (dps.precision, dps.whitening):
        found = function(NOISY)
        assert found.details["floor"] == pytest.approx(least)
        assert found.details["floored"] == np.sum(values < least)
    assert np.linalg.eigvalsh(dps.precision(NOISY).value)[-1] == pytest.approx(1 / least)
    assert dps.precision(NOISY, 0.5).details["floor"] == 0.5
    correlations = dps.correlation(NOISY).value
    assert np.array_equal(np.diagonal(correlations), np.ones(5))
    assert np.abs(correlations).max() <= 1
    shares = dps.explained_ratio(NOISY).value
    assert shares.min() >= 0
    assert np.sum(shares) in (0.0, pytest.approx(1.0))


@pytest.mark.parametrize("epsilon", [1e-4, 0.1, 10.0])
@pytest.mark.parametrize("function", [dps.private_covariance, dps.private_moments])
def test_correlations_are_positive_definite_with_a_unit_diagonal_whatever_the_noise(function, epsilon):
    rng, indefinite = np.random.default_rng(6), 0
    for d in (2, 5, 12):
        for _ in range(20):
            release = function(spiked(300, d), epsilon, rng=rng)
            matrix = release.value[-1] if isinstance(release.value, tuple) else release.value
            indefinite += np.linalg.eigvalsh(matrix)[0] < 0
            found = dps.correlation(release).value
            np.linalg.cholesky(found)
            assert np.array_equal(found, found.T)
            assert np.array_equal(np.diagonal(found), np.ones(d))
            assert np.abs(found).max() <= 1
    assert indefinite > 20 or epsilon > 1


@pytest.mark.parametrize(("part", "raised"), [(1 - 1e-9, 0), (1 + 1e-9, 1)])
def test_a_variance_is_raised_below_the_floor_alone(part, raised):
    """On both sides of a given floor, and of three standard deviations of the noise, that of the mean counted."""
    value, mean = np.diag([4.0, 2.0]), np.array([0.0, 3.0])
    known = {"mean": mean, "visible_from": 1.0, "constant": 2.0}
    own = 3 / np.sqrt(2) * np.sqrt(2 + (2 * mean / 2) ** 2)
    assert own[0] < 4
    for given, floor in ((np.diag([4.0, 2.0]), 2 * part), (np.diag([4.0, own[1] / part]), None)):
        release = dps.Release(given, COVARIANCE.claim, known)
        found = dps.correlation(release, floor)
        assert found.details["floored"] == raised
        assert len(found.remarks) == raised
    assert np.array_equal(dps.correlation(dps.Release(value, COVARIANCE.claim, known), 3.0).value, np.eye(2))
    both = dps.Release(np.array([[4.0, 2.0], [2.0, 2.0]]), COVARIANCE.claim, known)
    assert dps.correlation(both, 8.0).value[0, 1] == pytest.approx(2 / 8)


def test_components_of_a_share_explain_it_and_no_fewer_do():
    shares = dps.explained_ratio(COVARIANCE).value
    for share in (0.3, 0.9, 0.999):
        found = dps.components(COVARIANCE, share)
        k = found.value.shape[1]
        assert np.sum(shares[:k]) >= share > np.sum(shares[: k - 1])
    assert counted(0.5, np.zeros(4), "k") == 4
    assert counted(4, np.zeros(4), "k") == 4


def test_the_guarantee_of_components_is_that_of_the_errors():
    """At most ``sqrt(2 min(k, d - k))`` times that on the Frobenius norm; 30 releases all keep it."""
    truth = np.cov(ROWS.T, bias=True)
    best = np.linalg.eigvalsh(truth)[::-1]
    rng = np.random.default_rng(5)
    for _ in range(30):
        release = dps.private_covariance(ROWS, 1.0, rng=rng)
        found = dps.components(release, 2)
        lost = np.sum(best[:2]) - np.trace(found.value.T @ truth @ found.value)
        assert found.details["guarantee"].bound <= 2 * release.details["guarantee"].bound
        assert 0 <= lost <= found.details["guarantee"].bound
    assert "guarantee" not in dps.components(dps.private_covariance(ROWS, 1.0, denoise="shrink", rng=1), 2).details


def test_other_releases_are_refused():
    mean, pca = dps.private_mean(ROWS, 1.0, rng=1), dps.private_pca(ROWS, 2, 1.0, rng=1)
    for function in ALL:
        for release in (mean, pca):
            with pytest.raises(ValueError, match="release must be one of a covariance or of second moments"):
                function(release)
        with pytest.raises(ValueError, match="release must be of type Release, got"):
            function(np.eye(2))
    with pytest.raises(ValueError, match=r"floor must be given for a release without details\['visible_from'\]"):
        dps.precision(dps.Release(np.eye(2), mean.claim))


def test_directions_say_their_shares():
    release = dps.private_pca(ROWS, 2, 1.0, center="none", rng=1)
    assert release.details["explained_ratio"].shape == (2,)
    assert release.details["trace"] == pytest.approx(np.sum(ROWS**2) / 4000, abs=0.01)
    assert np.allclose(release.details["explained_ratio"], release.details["eigenvalues"] / release.details["trace"],
                       atol=0.01)  # fmt: skip
