"""Norm bounds at both ends of what is allowed: a budget is charged for releases only, and no bound is infinite or 0."""

import math
from fractions import Fraction

import numpy as np
import pytest

import dpspectra as dps

ROWS = np.full((6, 3), 0.1)
CALLS = {
    "low rank, orbit": (dps.private_low_rank, {"k": 1, "mechanism": "orbit"}),
    "low rank": (dps.private_low_rank, {"k": 1}),
    "spectrum": (dps.private_spectrum, {"k": 2}),
    "orbit": (dps.private_orbit, {"eigenvalues": [1.0, 0.0, 0.0]}),
    "pca": (dps.private_pca, {"k": 1}),
    "pca, orbit": (dps.private_pca, {"k": 1, "mechanism": "orbit"}),
    "pca about a mean": (dps.private_pca, {"k": 1, "center": "mean"}),
    "mean": (dps.private_mean, {}),
    "scaler": (dps.private_scaler, {}),
    "covariance": (dps.laplace_covariance, {}),
    "difference": (dps.symmetric_wishart_covariance, {}),
    "moments": (dps.private_moments, {}),
    "about the mean": (dps.private_covariance, {}),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("bound", [1e80, 1e-80, 2.0**399, 2.0**-399])
@pytest.mark.parametrize("arithmetic", ["certified", "ideal"])
def test_what_is_refused_for_its_size_is_refused_before_data_are_opened(name, bound, arithmetic):
    mechanism, given = CALLS[name]
    budget = dps.Budget(5.0)
    rows = ROWS * min(bound, 1.0)
    try:
        release = budget.release(mechanism, rows, epsilon=1.0, norm_bound=bound, arithmetic=arithmetic, **given)
    except ValueError:
        assert budget.claims == ()
    else:
        guarantee = release.details.get("guarantee")
        assert guarantee is None or 0 < guarantee.bound < math.inf


def test_a_low_rank_approximation_of_large_rows_has_no_guarantee_beyond_floats():
    release = dps.private_low_rank(ROWS, 1, 1.0, norm_bound=1e80, mechanism="orbit")
    assert "guarantee" not in release.details
    assert np.isfinite(release.value).all()
    assert "guarantee" in dps.private_low_rank(ROWS, 1, 1.0, norm_bound=1e60, mechanism="orbit").details


@pytest.mark.parametrize("mechanism", [dps.private_spectrum, dps.private_low_rank])
@pytest.mark.parametrize(("bound", "epsilon"), [(1.0, 1e-80), (1.0, 1e120), (2.0**150, 1.0), (2.0**-150, 1.0)])
def test_noise_on_eigenvalues_is_refused_for_its_size_before_data_are_opened(mechanism, bound, epsilon):
    given = {"mechanism": "orbit"} if mechanism is dps.private_low_rank else {}
    summed = dps.Matrix(np.eye(2), norm_bound=bound)
    for X, relation in ((ROWS, "replace"), (summed, "matrix_replace")):
        budget = dps.Budget(1e130, relation=relation)
        if relation == "replace" and bound != 1:
            continue
        with pytest.raises(ValueError, match=r"the scale of the noise must lie between|epsilon must be between"):
            budget.release(mechanism, X, 1, epsilon=epsilon, **given)
        assert budget.claims == ()


def test_the_scale_on_eigenvalues_is_never_below_what_the_claim_needs():
    for epsilon in np.random.default_rng(5).uniform(0.01, 5, 100).tolist():
        for k in (1, 2):
            scale = Fraction(dps.private_spectrum(dps.Matrix(np.eye(2)), k, epsilon).details["scale"])
            assert scale * Fraction(epsilon) >= k > (scale - scale / 2**50) * Fraction(epsilon)
