"""Principal components about a private centre."""

import math

import numpy as np
import pytest
from scipy import sparse

import dpspectra as dps
from tests.support.rows import spiked


def entropy(i=0):
    return dps.Entropy(bytes([i]) * 32)


def kept(rows, frame):
    covariance = np.cov(rows.T)
    return np.trace(frame.T @ covariance @ frame) / np.sum(np.linalg.eigvalsh(covariance)[-frame.shape[1] :])


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize(("center", "labels"), [("mean", "DPS-UNITROWS"), ("pairs", "DPS-PAIRS")])
@pytest.mark.parametrize(("mechanism", "delta"), [("auto", 0.0), ("gaussian_covariance", 1e-6)])
@pytest.mark.parametrize("rng", [None, 7])
def test_components_about_a_centre_keep_what_others_lose(center, labels, mechanism, delta, rng, form):
    rows = spiked(4000)
    release = dps.private_pca(form(rows), 2, 6.0, delta, mechanism=mechanism, center=center, rng=rng)
    assert kept(rows, release.value) > 0.98
    assert labels in release.claim.labels
    assert release.claim.delta == delta
    assert release.claim.arithmetic == ("ideal" if rng else "certified")
    assert kept(rows, dps.private_pca(rows, 2, 1e6).value) < 0.95
    assert ("mean" in release.details) == (center == "mean")


@pytest.mark.parametrize("mechanism", ["symmetric_wishart_covariance", "laplace_covariance", "gaussian_covariance"])
def test_budgets_of_the_two_stages_add_up(mechanism):
    """The noise of either stage against what the same mechanism takes with the whole epsilon."""
    rows, delta = spiked(), 1e-6 if mechanism == "gaussian_covariance" else 0.0
    release = dps.private_pca(rows, 2, 2.0, delta, mechanism=mechanism, center="mean")
    whole = dps.private_pca(rows, 2, 2.0, delta, mechanism=mechanism)
    mean = dps.private_mean(rows, 2.0, delta)
    shares = [mean.details["scale"] / release.details["mean_scale"], whole.details["scale"] / release.details["scale"]]
    power = 2 if delta else 1
    assert math.isclose(sum(share**power for share in shares), 1, rel_tol=1e-9)
    assert math.isclose(shares[0] ** power, 0.25, rel_tol=1e-9)
    assert release.claim.gdp_mu == whole.claim.gdp_mu
    pairs = dps.private_pca(rows, 2, 2.0, delta, mechanism=mechanism, center="pairs")
    assert math.isclose(pairs.details["scale"], 2 * whole.details["scale"], rel_tol=1e-9)


def test_seeds_give_the_same_components():
    rows = spiked(50)
    for center in ("mean", "pairs"):
        for make in (lambda: np.random.default_rng(3), lambda: entropy(7)):
            one, other = (dps.private_pca(rows, 2, 1.0, center=center, rng=make()).value for _ in range(2))
            assert (one == other).all()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"center": "median"}, "center must be one of none, mean, pairs, got 'median'"),
        ({"center": "pairs", "norm_bound": 2.0}, "norm_bound must be 1.0 for center='pairs', got 2.0"),
        (
            {"center": "mean", "relation": "add_remove"},
            "relation must be 'replace' for center='mean', got 'add_remove'",
        ),
        ({"center": "mean", "field": "real"}, "field must be None for center='mean', got 'real'"),
        ({"center": "pairs", "spectrum": [1, 1]}, "spectrum must be None for center='pairs', got 'a guess'"),
        ({"center": "pairs", "mechanism": "orbit"}, "mechanism must be a noisy covariance or 'auto'"),
        ({"center": "pairs", "X": iter([np.eye(2)])}, "X must be an array or a scipy sparse matrix"),
        ({"center": "mean", "X": 2 * np.eye(2)}, "X must have rows of norm at most 1, but row 0 is longer"),
        (
            {"center": "pairs", "X": sparse.csr_array([[1.0, 0], [0, math.nan]])},
            r"X must be finite, but entry \(1, 1\) is not",
        ),
        ({"center": "pairs", "k": 3}, "k must be"),
    ],
)
def test_bad_calls(given, message):
    call = {"X": np.eye(2), "k": 1, "epsilon": 1.0, "rng": np.random.default_rng(0)} | given
    with pytest.raises(ValueError, match=message):
        dps.private_pca(**call)
    assert call["rng"].random() == np.random.default_rng(0).random()
