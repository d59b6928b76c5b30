"""Norm bounds at both ends of what is allowed: a budget is charged for releases only, and no bound is infinite or 0."""

import math

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
