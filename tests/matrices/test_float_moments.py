"""Second moments of rows in every form, and the covariance mechanisms on top of them."""

import tracemalloc

import numpy as np
import pytest
from scipy import sparse

import dpspectra as dps
from dpspectra.fast.linalg import to_trace
from dpspectra.matrices.float_moments import second_moments
from tests.support.forms import PLACED
from tests.support.forms import ROWS as FORMS

X = np.random.default_rng(0).uniform(-0.3, 0.3, (1000, 7))
X[np.random.default_rng(1).random(X.shape) < 0.5] = 0
EPSILON = (1.0,)
MECHANISMS = {
    "laplace_covariance": EPSILON,
    "gaussian_covariance": (1.0, 1e-6),
    "symmetric_wishart_covariance": EPSILON,
    "wishart_covariance": (1.0, 1e-6),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same_moments(form):
    found = second_moments(FORMS[form](X), 1.0)
    assert found.count == len(X)
    np.testing.assert_allclose(found.gram, X.T @ X, rtol=1e-13, atol=1e-13)


NOT_FINITE = r"must be finite, but entry (\(777, 0\)|777) is not"
BAD = np.where(np.arange(1000)[:, None] == 777, 0.5, X)


@pytest.mark.parametrize("form", PLACED)
def test_rows_over_the_bound_are_named_wherever_they_are(form):
    for data, message in (
        (BAD, "norm at most 1, but row 777 is longer"),
        (np.where(BAD == 0.5, np.nan, BAD), NOT_FINITE),
        (np.where(BAD == 0.5, np.inf, BAD), NOT_FINITE),
    ):
        with pytest.raises(ValueError, match=message):
            second_moments(FORMS[form](data), 1.0)


def test_a_row_on_the_bound_is_allowed():
    x = np.array([[0.6, 0.8], [1.0, 0.0], [np.sqrt(0.5), np.sqrt(0.5)]])
    assert second_moments(iter([x, x]), 1.0).count == 6
    assert second_moments(sparse.csr_array(x), 1.0).count == 3


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (iter([]), "must not be empty, got no chunks"),
        (iter([X, X[:, :3]]), "one width, got 7 and 3 columns"),
        (iter([X[:0], X[:0]]), "must not be empty, got no rows"),
        (sparse.csr_array(X * 1j), "must be real, got complex"),
        (sparse.csr_array((0, 3)), "must not be empty"),
        (X * 1j, "must be real, got complex"),
        (X[0], r"must have shape \(n, d\)"),
        (np.array([["a"]]), "must hold numbers"),
    ],
)
def test_what_is_not_rows_is_refused(rows, message):
    with pytest.raises(ValueError, match=message):
        second_moments(rows, 1.0)


def test_memory_is_that_of_a_chunk():
    chunk = np.full((20_000, 20), 0.01)
    tracemalloc.start()
    second_moments((chunk for _ in range(20)), 1.0)
    second_moments(chunk, 1.0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2 * chunk.nbytes


@pytest.mark.parametrize("name", MECHANISMS)
def test_the_nearest_psd_matrix_is_nearer(name):
    mechanism, budget = getattr(dps, name), MECHANISMS[name]
    raw, projected = (mechanism(X[:40], *budget, denoise=denoise, rng=5) for denoise in (None, "psd"))
    truth = X[:40].T @ X[:40] / 40
    assert np.array_equal(projected.value, projected.value.T)
    assert np.linalg.eigvalsh(raw.value)[0] < -1e-3
    assert np.linalg.eigvalsh(projected.value)[0] > -1e-12
    assert np.linalg.norm(projected.value - truth) < np.linalg.norm(raw.value - truth)
    assert raw.details["postprocessing"] is None
    assert projected.details["postprocessing"].startswith("nearest positive semidefinite matrix")
    values = to_trace(
        np.linalg.eigvalsh(raw.value)[::-1], min(1.0, np.sum(np.maximum(np.linalg.eigvalsh(raw.value), 0)))
    )
    np.testing.assert_allclose(np.linalg.eigvalsh(projected.value)[::-1], values, atol=1e-12)
