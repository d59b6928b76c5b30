"""Estimators in the manner of scikit-learn: its own checks, what is released, pipelines and data frames."""

import pickle
import warnings

import numpy as np
import pytest
from scipy import sparse

import dpspectra as dps

pytest.importorskip("sklearn", minversion="1.6")
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.exceptions import NotFittedError, SkipTestWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from dpspectra.estimators import PrivateCovariance, PrivatePCA, PrivateTruncatedSVD

DELTA = {"epsilon": 1.0, "delta": 1e-6}
FITTED = {
    "PrivatePCA": PrivatePCA(1, epsilon=1.0, rows="clip"),
    "unit rows": PrivatePCA(1, epsilon=1.0, rows="unit"),
    "about a mean": PrivatePCA(1, **DELTA, center="mean", rows="clip"),
    "PrivateTruncatedSVD": PrivateTruncatedSVD(1, **DELTA, rows="clip"),
    "PrivateCovariance": PrivateCovariance(epsilon=1.0, rows="clip"),
}


def rows(n=60, d=5, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d)) / 10 * np.linspace(2, 0.5, d)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.parametrize("name", FITTED)
def test_checks_of_scikit_learn_pass(name):
    found = check_estimator(FITTED[name], on_skip=None)
    assert {each["check_name"] for each in found if each["status"] != "passed"} <= {"check_array_api_input"}
    assert len(found) > 35


def test_without_a_choice_rows_over_the_bound_are_refused_and_all_other_checks_pass():
    """Most data of the checks have long rows: where the estimator fails there, it says so."""
    warnings.simplefilter("ignore", SkipTestWarning)
    found = check_estimator(PrivatePCA(1, epsilon=1.0), on_fail=None, on_skip=None)
    failed = {each["check_name"]: each["exception"] for each in found if each["status"] == "failed"}
    for name, exception in failed.items():
        chain = [exception]
        while (chain[-1].__cause__ or chain[-1].__context__) is not None:
            chain.append(chain[-1].__cause__ or chain[-1].__context__)
        assert any("X must have rows of norm at most 1, which row" in str(each) for each in chain), name
    assert {"check_get_params_invariance", "check_set_params", "check_estimators_unfitted"}.isdisjoint(failed)


# ---------------------------------------------------------------- what is released


@pytest.mark.parametrize("center", ["none", "mean", "pairs"])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_components_are_those_of_private_pca(center, form):
    x = rows()
    model = PrivatePCA(2, **DELTA, center=center, random_state=3).fit(form(x))
    again = PrivatePCA(2, **DELTA, center=center, random_state=3).fit(form(x))
    assert (model.components_ == again.components_).all()
    assert (model.components_ == model.release_.value.T).all()
    assert model.claim_ == dps.private_pca(x, 2, **DELTA, center=center, rng=np.random.default_rng(0)).claim
    assert model.guarantee_.probability == 0.95
    assert model.explained_variance_.shape == (2,)
    assert (model.mean_ != 0).any() == (center == "mean")
    written = model.transform(x)
    assert np.allclose(written, (x - model.mean_) @ model.components_.T)
    near = model.inverse_transform(written)
    assert np.allclose(near, model.mean_ + (x - model.mean_) @ model.components_.T @ model.components_)
    assert model.claim_.arithmetic == "ideal"
    assert PrivatePCA(2, **DELTA, center=center).fit(form(x)).claim_.arithmetic == "certified"


def test_variances_are_eigenvalues_of_the_same_noisy_matrix():
    x, rng = rows(2000), np.random.default_rng
    model = PrivatePCA(2, epsilon=2.0, mechanism="laplace_covariance", random_state=rng(1)).fit(x)
    noisy = dps.laplace_covariance(x, 2.0, rng=rng(1)).value
    assert np.allclose(model.explained_variance_, np.linalg.eigvalsh(noisy)[::-1][:2])
    orbit = PrivatePCA(1, epsilon=2.0, mechanism="orbit").fit(x)
    assert not hasattr(orbit, "explained_variance_")
    low = PrivatePCA(4, epsilon=0.01, random_state=0).fit(x)
    assert low.explained_variance_.min() >= 0


def test_a_fitted_estimator_holds_nothing_else_of_the_data():
    x = rows(5000)
    for model in FITTED.values():
        fitted = clone(model).fit(x)
        assert len(pickle.dumps(fitted)) < 6000
        copy = pickle.loads(pickle.dumps(fitted))
        assert copy.claim_ == fitted.claim_
        public = {name for name in vars(fitted) if name.endswith("_")}
        assert public <= {
            "components_",
            "covariance_",
            "explained_variance_",
            "location_",
            "mean_",
            "n_features_in_",
            "release_",
        }


def test_rows_over_the_bound():
    x = 3 * rows()
    with pytest.raises(ValueError, match="X must have rows of norm at most 1, which row"):
        PrivatePCA(1, epsilon=1.0).fit(x)
    with pytest.raises(ValueError, match="X must have rows of norm at most 1, which row"):
        PrivateTruncatedSVD(1, epsilon=1.0).fit(sparse.csr_array(x))
    given = {"epsilon": 1.0, "random_state": 0}
    clipped = PrivatePCA(1, rows="clip", **given).fit(x)
    assert (clipped.components_ == PrivatePCA(1, **given).fit(dps.clipped_rows(x, 1.0)).components_).all()
    unit = PrivatePCA(1, rows="unit", **given).fit(x)
    assert (unit.components_ == PrivatePCA(1, **given).fit(dps.unit_rows(x)).components_).all()
    with pytest.raises(ValueError, match="rows must be one of refuse, clip, unit, got 'drop'"):
        PrivatePCA(1, rows="drop", **given).fit(x)


def test_chunks():
    x = rows()
    model = PrivatePCA(2, epsilon=1.0, random_state=1).fit(iter([x[:20], sparse.csr_array(x[20:])]))
    assert np.allclose(model.components_, PrivatePCA(2, epsilon=1.0, random_state=1).fit(x).components_)
    assert model.n_features_in_ == 5
    with pytest.raises(ValueError, match="rows must be 'refuse' for chunks"):
        PrivatePCA(2, epsilon=1.0, rows="clip").fit(iter([x]))


def test_truncated_svd_finds_the_direction_of_many_features_and_claims_it_for_rows():
    x = rows(3000, 300) / 8
    x[:, 0] += 0.8
    model = PrivateTruncatedSVD(1, epsilon=2.0, delta=1e-6, rows="clip", random_state=2).fit(sparse.csr_array(x))
    assert abs(model.components_[0, 0]) > 0.9
    assert (model.claim_.relation, model.claim_.epsilon, model.claim_.delta) == ("replace", 2.0, 1e-6)
    other = PrivateTruncatedSVD(1, epsilon=2.0, delta=1e-6, norm_bound=0.5, rows="clip", random_state=2).fit(x / 2)
    assert np.allclose(other.components_, model.components_)


def test_covariance():
    x = rows()
    model = PrivateCovariance(epsilon=1.0, mechanism="laplace_covariance", random_state=4).fit(x)
    assert np.array_equal(model.covariance_, model.covariance_.T)
    assert model.guarantee_.quantity == "Frobenius error"
    assert not PrivateCovariance(epsilon=1.0, denoise="shrink").fit(x).guarantee_
    assert PrivateCovariance(**DELTA, mechanism="gaussian_covariance").fit(x).claim_.delta == 1e-6
    with pytest.raises(ValueError, match="mechanism must be one of"):
        PrivateCovariance(epsilon=1.0, mechanism="wishart").fit(x)


def test_nothing_before_a_fit():
    for model in (PrivatePCA(1, epsilon=1.0), PrivateCovariance(epsilon=1.0)):
        for name in ("claim_", "guarantee_"):
            with pytest.raises(NotFittedError):
                getattr(model, name)
    with pytest.raises(NotFittedError):
        PrivatePCA(1, epsilon=1.0).inverse_transform([[1.0]])


# ---------------------------------------------------------------- pipelines and data frames


def test_a_pipeline_on_the_digits():
    x, y = load_digits(return_X_y=True)
    private = PrivatePCA(12, epsilon=20.0, center="mean", norm_bound=80.0, random_state=0)
    scores = cross_val_score(make_pipeline(private, StandardScaler(), LogisticRegression()), x, y, cv=3)
    assert scores.mean() > 0.8


def test_data_frames_in_and_out():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(rows(), columns=list("abcde"))
    model = PrivatePCA(2, epsilon=1.0, random_state=0).set_output(transform="pandas").fit(frame)
    out = model.transform(frame)
    assert list(out.columns) == ["privatepca0", "privatepca1"] == list(model.get_feature_names_out())
    assert list(model.feature_names_in_) == list("abcde")
    assert (out.index == frame.index).all()
    with pytest.raises(ValueError, match="feature names"):
        model.transform(frame.rename(columns={"a": "z"}))


def test_float32_stays():
    x = rows().astype(np.float32)
    model = PrivatePCA(2, epsilon=1.0, random_state=0).fit(x)
    assert model.transform(x).dtype == np.float32
    assert model.inverse_transform(model.transform(x)).dtype == np.float32
