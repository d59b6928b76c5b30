"""Estimators in the manner of scikit-learn: its own checks, what is released, pipelines and data frames."""

import pickle

import numpy as np
import pytest
from scipy import sparse

import dpspectra as dps

pytest.importorskip("sklearn", minversion="1.6")
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from dpspectra.estimators import PrivateCovariance, PrivatePCA, PrivateStandardScaler, PrivateTruncatedSVD, claim_of

pytestmark = pytest.mark.filterwarnings("ignore::dpspectra.estimators.RepeatedFitWarning")
DELTA = {"epsilon": 1.0, "delta": 1e-6}
FITTED = {
    "PrivatePCA": PrivatePCA(1, epsilon=1.0),
    "unit rows": PrivatePCA(1, epsilon=1.0, rows="unit"),
    "about a mean": PrivatePCA(1, **DELTA, center="mean"),
    "orbit": PrivatePCA(1, epsilon=1.0, mechanism="orbit"),
    "PrivateTruncatedSVD": PrivateTruncatedSVD(1, **DELTA),
    "PrivateCovariance": PrivateCovariance(epsilon=1.0),
    "covariance about a mean": PrivateCovariance(epsilon=1.0, center="mean"),
    "whitened": PrivatePCA(epsilon=1.0, whiten=True),
    "PrivateStandardScaler": PrivateStandardScaler(epsilon=1.0),
}
EXPECTED = {"check_estimators_nan_inf": "what is no finite number is refused by its place, in other words"}
"""Checks that fail, with the reason."""


def rows(n=60, d=5, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d)) / 10 * np.linspace(2, 0.5, d)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.parametrize("name", FITTED)
def test_checks_of_scikit_learn_pass(name):
    found = check_estimator(FITTED[name], expected_failed_checks=EXPECTED, on_skip=None)
    others = {each["check_name"]: each["status"] for each in found if each["status"] != "passed"}
    assert others.pop("check_array_api_input", "skipped") == "skipped"
    assert others == dict.fromkeys(EXPECTED, "xfail")
    assert len(found) > 35


# ---------------------------------------------------------------- what is released


@pytest.mark.parametrize("center", ["auto", "none", "mean", "pairs"])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_components_are_those_of_private_pca(center, form):
    """By default rows are not clipped: what is released are directions about the mean, by pairs."""
    x = rows()
    model = PrivatePCA(2, **DELTA, center=center, random_state=3).fit(form(x))
    again = PrivatePCA(2, **DELTA, center=center, random_state=3).fit(form(x))
    assert (model.components_ == again.components_).all()
    assert (model.components_ == model.release_.value.T).all()
    how = {} if center in ("auto", "pairs") else {"rows": "clip"}
    assert model.claim_ == dps.private_pca(x, 2, **DELTA, center=center, **how, rng=np.random.default_rng(0)).claim
    assert model.claim_.norm_bound is None
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
    model = PrivatePCA(2, epsilon=2.0, mechanism="laplace_covariance", center="none", random_state=1).fit(x)
    noisy = dps.laplace_covariance(x, 2.0, rng=rng(1)).value
    assert np.allclose(model.explained_variance_, np.linalg.eigvalsh(noisy)[::-1][:2])
    low = PrivatePCA(4, epsilon=0.01, random_state=0).fit(x)
    assert low.explained_variance_.min() >= 0
    all_of_them = PrivatePCA(5, epsilon=100.0, center="none", random_state=2).fit(x)
    assert np.allclose(all_of_them.explained_variance_, np.linalg.eigvalsh(x.T @ x / 2000)[::-1], atol=1e-3)
    unknown = PrivatePCA(2, epsilon=2.0, relation="add_remove").fit(x)
    assert not hasattr(unknown, "explained_variance_")


def test_directions_of_the_orbit_are_put_in_order_with_a_share_of_epsilon():
    x = rows(4000)
    given = {"epsilon": 20.0, "mechanism": "orbit"}
    model = PrivatePCA(3, **given, random_state=2).fit(x)
    assert model.release_.details["epsilon_variances"] == 5.0
    assert model.claim_.epsilon == 20.0
    assert {"MWKTV-A1", "DPS-KNORM", "DPS-COMPOSE"} <= set(model.claim_.labels)
    moments = x.T @ x / len(x)
    along = np.diag(model.components_ @ moments @ model.components_.T)
    assert np.allclose(model.explained_variance_, along, rtol=0.05)
    assert (np.diff(along) < 0).all()
    assert np.allclose(model.components_ @ model.components_.T, np.eye(3))
    assert np.allclose(along, np.linalg.eigvalsh(moments)[::-1][:3], rtol=0.1)
    assert PrivatePCA(2, **given).fit(x).claim_.arithmetic == "certified"
    assert PrivatePCA(2, **given, relation="add_remove").fit(x).release_.claim.epsilon == 20.0
    with pytest.raises(ValueError, match="mechanism must be a noisy covariance or 'auto' for chunks, got 'orbit'"):
        PrivatePCA(2, **given).fit(iter([x]))


def test_chunks_one_by_one_add_up_with_noise_for_each():
    x = rows(900)
    x[0] *= 100
    model = PrivatePCA(2, epsilon=200.0, center="none", random_state=1)
    for part in (x[:100], x[100:300], x[300:]):
        model.partial_fit(part)
    clipped = dps.clipped_rows(x, 1.0)
    details = model.release_.details
    assert (details["chunks"], details["rows"], model.guarantee_) == (3, 900, None)
    values, vectors = np.linalg.eigh(clipped.T @ clipped / 900)
    assert np.allclose(model.explained_variance_, values[::-1][:2], atol=1e-3)
    assert np.allclose(np.abs(np.diag(model.components_ @ vectors[:, :-3:-1])), 1, atol=0.05)
    assert model.claim_.epsilon == 200.0
    assert "share no people" in model.claim_.people
    copy = pickle.loads(pickle.dumps(model)).partial_fit(x)
    assert copy.release_.details["rows"] == 1800
    with pytest.raises(ValueError, match="5 features"):
        model.partial_fit(x[:, :4])
    assert "chunks" not in model.fit(x[:, :4]).release_.details
    assert model.partial_fit(x).release_.details["rows"] == 900
    for wrong in ({"center": "mean"}, {"center": "auto"}, {"relation": "add_remove"}, {"mechanism": "orbit"}):
        with pytest.raises(AttributeError, match="partial_fit") as refused:
            PrivatePCA(2, **DELTA, **{"center": "none"} | wrong).partial_fit(x)
        assert f"{next(iter(wrong))} must be" in str(refused.value.__cause__)


def test_noise_of_chunks_is_independent():
    """Mean squares of the noise of one chunk and of four: their ratio is near 4 where noise is fresh, 16 if it is one.

    A ratio of variances from 600 numbers each is within 1.6 of 4, except with probability 1e-4 (entries of one matrix
    are nearly uncorrelated).
    """
    zero = np.zeros((50, 8))

    def square(chunks):
        found = []
        for seed in range(17):
            model = PrivatePCA(1, epsilon=1.0, mechanism="laplace_covariance", center="none", random_state=seed)
            for _ in range(chunks):
                model.partial_fit(zero)
            sums = model.release_.details["moments"] * model.release_.details["rows"]
            found.append(np.mean(sums[np.triu_indices(8)] ** 2))
        return np.mean(found)

    assert 2.5 < square(4) / square(1) < 6


@pytest.mark.filterwarnings("error::dpspectra.ReusedSeedWarning")
def test_noise_that_comes_again_is_warned_of():
    x = rows()
    for state in (np.random.default_rng(12345), np.random.RandomState(12345), 987654321):
        model = PrivatePCA(1, epsilon=1.0, random_state=state)
        first, copy = clone(model).fit(x), clone(model)
        with pytest.raises(dps.ReusedSeedWarning):
            copy.fit(x[1:])
        assert first.claim_.arithmetic == "ideal"
    state = np.random.default_rng(54321)
    model = PrivatePCA(1, epsilon=1.0, random_state=state)
    assert (model.fit(x).components_ != model.fit(x).components_).any()
    for wrong in (-1, 1.5, True, "seed"):
        with pytest.raises(ValueError, match="random_state must be None, a non-negative integer"):
            PrivatePCA(1, epsilon=1.0, random_state=wrong).fit(x)


def test_a_fitted_estimator_holds_nothing_else_of_the_data():
    x = rows(5000)
    for model in FITTED.values():
        fitted = clone(model).fit(x)
        assert len(pickle.dumps(fitted)) < 6000
        copy = pickle.loads(pickle.dumps(fitted))
        assert copy.claim_ == fitted.claim_
        public = {name for name in vars(fitted) if name.endswith("_")}
        assert public <= {
            "bounds_",
            "components_",
            "covariance_",
            "location_",
            "mean_",
            "n_features_in_",
            "release_",
            "var_",
        }


def test_rows_over_the_bound():
    x = 3 * rows()
    with pytest.raises(ValueError, match="X must have rows of norm at most 1, but row"):
        PrivatePCA(1, epsilon=1.0, rows="refuse", center="none").fit(x)
    with pytest.raises(ValueError, match="X must have rows of norm at most 1, but row"):
        PrivateTruncatedSVD(1, epsilon=1.0, rows="refuse").fit(sparse.csr_array(x))
    given = {"epsilon": 1.0, "random_state": 0}
    clipped = PrivatePCA(1, center="none", **given).fit(x)
    assert (
        clipped.components_ == PrivatePCA(1, center="none", **given).fit(dps.clipped_rows(x, 1.0)).components_
    ).all()
    unit, ready = (
        PrivatePCA(1, rows="unit", center="none", **given),
        PrivatePCA(1, rows="refuse", center="none", **given),
    )
    assert (unit.fit(x).components_ == ready.fit(dps.unit_rows(x)).components_).all()
    with pytest.raises(ValueError, match="rows must be one of refuse, clip, unit, got 'drop'"):
        PrivatePCA(1, rows="drop", **given).fit(x)


def test_an_iterator_over_chunks_is_one_release():
    x = 3 * rows()
    model = PrivatePCA(2, epsilon=1.0, center="none", random_state=1).fit(iter([x[:20], sparse.csr_array(x[20:])]))
    assert np.allclose(model.components_, PrivatePCA(2, epsilon=1.0, center="none", random_state=1).fit(x).components_)
    assert model.n_features_in_ == 5
    with pytest.raises(ValueError, match=r"but row 2\d is longer"):
        PrivatePCA(2, epsilon=1.0, rows="refuse", center="none").fit(iter([x[:20] / 9, x[20:]]))
    with pytest.raises(ValueError, match="5 features"):
        PrivatePCA(2, epsilon=1.0).fit(iter([x, x[:, :4]]))
    with pytest.raises(ValueError, match="X must not be empty, got no chunks"):
        PrivatePCA(2, epsilon=1.0).fit(iter([]))


def test_truncated_svd_finds_the_direction_of_many_features_and_claims_it_for_rows():
    x = rows(3000, 300) / 8
    x[:, 0] += 0.8
    model = PrivateTruncatedSVD(1, epsilon=2.0, delta=1e-6, random_state=2).fit(sparse.csr_array(x))
    assert abs(model.components_[0, 0]) > 0.9
    assert (model.claim_.relation, model.claim_.epsilon, model.claim_.delta) == ("replace", 2.0, 1e-6)
    other = PrivateTruncatedSVD(1, epsilon=2.0, delta=1e-6, norm_bound=0.5, random_state=2).fit(x / 2)
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


BAD: list[tuple[dict[str, object], str]] = [
    ({"n_components": 0}, "n_components must be between 1 and 5, got 0"),
    ({"n_components": 6}, "n_components must be between 1 and 5, got 6"),
    ({"n_components": 1.5}, r"n_components must (be an integer|lie in \(0, 1\)), got 1.5"),
    ({"n_components": True}, "n_components must be an integer, got True"),
    ({"epsilon": 0}, "epsilon must be positive and finite, got 0"),
    ({"epsilon": "1"}, "epsilon must be a real number, got '1'"),
    ({"delta": 2.0}, r"delta must lie in \[0, 1\), got 2.0"),
    ({"norm_bound": -1.0}, "norm_bound must be positive and finite, got -1.0"),
    ({"mechanism": "gaussian"}, "mechanism must be one of .*, got 'gaussian'; near: gaussian_covariance"),
    ({"rows": None}, "rows must be one of refuse, clip, unit, got None"),
    ({"random_state": "seed"}, "random_state must be None, .*, got 'seed'"),
    ({"center": "median"}, "center must be one of (auto, )?none, mean(, pairs)?, got 'median'; near: mean"),
    ({"relation": "zero_out"}, "relation must be one of replace, add_remove, got 'zero_out'"),
    ({"denoise": "all"}, "denoise must be one of psd, shrink, got 'all'"),
    ({"iterations": 0}, "iterations must be at least 1, got 0"),
]


PLAIN = [PrivatePCA(1, epsilon=1.0), PrivateTruncatedSVD(1, epsilon=1.0), PrivateCovariance(epsilon=1.0)]
REFUSED = [
    (model, given, words) for model in PLAIN for given, words in BAD if given.keys() <= model.get_params().keys()
]


@pytest.mark.parametrize(("model", "given", "words"), REFUSED)
def test_bad_parameters_are_refused_by_fit(model, given, words):
    with pytest.raises(ValueError, match=f"^{words}$"):
        clone(model).set_params(**given).fit(rows())


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


def test_pairs_are_of_rows_of_any_length():
    """Clipped to their norm bound, rows far from zero would be all alike."""
    x = 50 + rows(2000) * 100
    for form in (np.asarray, sparse.csr_array):
        model, other = (
            PrivatePCA(1, epsilon=4.0, center="pairs", rows=how, random_state=5).fit(form(x))
            for how in ("clip", "refuse")
        )
        assert abs(model.components_[0, 0]) > 0.95
        assert (model.components_ == other.components_).all()


# ---------------------------------------------------------------- columns with bounds


def test_estimators_take_columns_of_any_units():
    units = np.array([1e-3, 1.0, 1e4])
    data = np.random.default_rng(4).normal(size=(500, 3)) * units + 5 * units
    bounds = dps.ColumnBounds(units, 9 * units)
    mapped = bounds.rows(data)
    pca = PrivatePCA(3, epsilon=1e6, bounds=bounds, random_state=1).fit(data)
    assert np.allclose(pca.inverse_transform(pca.transform(data)), np.clip(data, units, 9 * units))
    assert np.allclose(pca.transform(data), mapped @ pca.components_.T)
    assert pca.transform(data.astype(np.float32)).dtype == np.float32
    whole = PrivateCovariance(epsilon=1e6, bounds=bounds, random_state=1).fit(data)
    about = np.clip(data, units, 9 * units) - whole.location_
    assert np.allclose(whole.location_, 5 * units)
    assert np.allclose(
        whole.covariance_ / np.outer(units, units), about.T @ about / 500 / np.outer(units, units), atol=1e-3
    )
    svd = PrivateTruncatedSVD(1, epsilon=1e6, delta=1e-6, bounds=bounds, random_state=1).fit(data)
    for model in (pca, whole, svd):
        assert model.claim_.norm_bound is None
        assert [text for text in model.claim_.public if text.startswith("column bounds: sha256")]
        assert clone(model).bounds == bounds
    orbit = PrivatePCA(1, epsilon=1e6, mechanism="orbit", bounds=bounds, random_state=1).fit(data)
    assert np.allclose(orbit.explained_variance_, np.linalg.eigvalsh(mapped.T @ mapped / 500)[-1], rtol=1e-2)
    for model in (pca, whole, svd):
        with pytest.raises(ValueError, match="X must have as many columns as bounds, 3, got 2"):
            clone(model).set_params(**({"n_components": 1} if model is not whole else {})).fit(data[:, :2])


def test_a_private_scaler_makes_rows_of_norm_1_for_the_next_step():
    units = np.array([1e-3, 1.0, 1e4])
    data = np.random.default_rng(4).normal(size=(20_000, 3)) * units + 5 * units
    data[0] = [1e9, -1e9, 0.0]
    wide = dps.ColumnBounds(-20 * units, 20 * units)
    scaler = PrivateStandardScaler(epsilon=0.5, delta=1e-6, bounds=wide, random_state=1)
    pipeline = make_pipeline(scaler, PrivatePCA(1, epsilon=0.5, delta=1e-6, random_state=2)).fit(data)
    fitted = pipeline[0]
    assert np.linalg.norm(fitted.transform(data), axis=1).max() <= 1
    assert np.allclose(fitted.mean_ / units, 5, atol=0.2)
    assert np.all(fitted.scale_ / units < 3)
    inside = data[1:][np.all(abs(data[1:] - fitted.mean_) < 3 * fitted.scale_, axis=1)]
    assert np.allclose(fitted.inverse_transform(fitted.transform(inside)) / units, inside / units)
    assert fitted.transform(data.astype(np.float32)).dtype == np.float32
    assert (claim_of(pipeline).epsilon, claim_of(pipeline).delta) == (1.0, 1e-6)  # the second noise is pure
    with pytest.raises(ValueError, match="X must have as many columns as bounds, 3, got 2"):
        fitted.inverse_transform(data[:, :2])


# ---------------------------------------------------------------- what users of scikit-learn expect


SPIKED = np.random.default_rng(6).normal(size=(20_000, 6)) * [0.15, 0.1, 0.05, 0.005, 0.005, 0.005]


def test_all_components_or_a_share_may_be_asked_for():
    everything = PrivatePCA(epsilon=1e4, center="none", random_state=1).fit(SPIKED)
    assert everything.components_.shape == (6, 6)
    shares = everything.explained_variance_ratio_
    truth = np.linalg.eigvalsh(SPIKED.T @ SPIKED)[::-1]
    assert np.allclose(shares, truth / np.sum(truth), atol=1e-3)
    part = PrivatePCA(0.9, epsilon=1e4, center="none", random_state=1).fit(SPIKED)
    assert np.sum(part.explained_variance_ratio_) >= 0.9 > np.sum(part.explained_variance_ratio_[:-1])
    assert len(part.components_) == len(part.explained_variance_) == 2
    assert (part.guarantee_, part.release_.details["shown"]) == (None, 2)
    assert np.allclose(part.get_covariance(), SPIKED.T @ SPIKED / 20_000, atol=0.02)
    assert np.allclose(everything.get_covariance(), SPIKED.T @ SPIKED / 20_000, atol=1e-4)
    chunked = (
        PrivatePCA(0.9, epsilon=1e4, center="none", random_state=1)
        .partial_fit(SPIKED[:9000])
        .partial_fit(SPIKED[9000:])
    )
    assert len(chunked.components_) == 2
    assert chunked.explained_variance_ratio_.shape == (2,)
    for bad in (0.0, 1.0, 7, "all", True):
        with pytest.raises(ValueError, match="n_components must"):
            PrivatePCA(bad, epsilon=1.0).fit(SPIKED)
    for options in ({"mechanism": "orbit"}, {"relation": "add_remove"}):
        with pytest.raises(ValueError, match=r"n_components must be an integer without a noisy covariance, got 0\.5"):
            PrivatePCA(0.5, epsilon=1.0, **options).fit(SPIKED[:50])
    orbit = PrivatePCA(1, epsilon=1.0, mechanism="orbit", random_state=1).fit(SPIKED[:50])
    with pytest.raises(AttributeError, match="no explained ratio, as no noisy matrix was released"):
        orbit.explained_variance_ratio_  # noqa: B018


def test_a_whitened_transform_has_unit_moments_and_goes_back():
    model = PrivatePCA(3, epsilon=1e4, whiten=True, center="none", random_state=1).fit(SPIKED)
    coordinates = model.transform(SPIKED)
    assert np.allclose(coordinates.T @ coordinates / 20_000, np.eye(3), atol=0.01)
    plain = PrivatePCA(3, epsilon=1e4, center="none", random_state=1).fit(SPIKED)
    assert np.allclose(model.inverse_transform(coordinates), plain.inverse_transform(plain.transform(SPIKED)))
    assert model.transform(SPIKED.astype(np.float32)).dtype == np.float32
    weak = PrivatePCA(6, epsilon=0.1, whiten=True, random_state=1).fit(SPIKED[:100])
    assert np.isfinite(weak.transform(SPIKED)).all()
    with pytest.raises(ValueError, match="whiten must be False without released variances"):
        PrivatePCA(1, epsilon=1.0, whiten=True, relation="add_remove").fit(SPIKED)


def test_the_score_is_the_likelihood_of_the_rows():
    model = PrivatePCA(2, epsilon=1e5, center="none", random_state=1).fit(SPIKED)
    c = model.get_covariance()
    squares = np.sum(np.linalg.inv(c) * (SPIKED.T @ SPIKED)) / 20_000
    want = -(6 * np.log(2 * np.pi) + np.linalg.slogdet(c)[1] + squares) / 2
    assert model.score(SPIKED) == pytest.approx(want, rel=1e-6)
    assert model.score(SPIKED) > PrivatePCA(1, epsilon=1e5, center="none", random_state=1).fit(SPIKED).score(SPIKED)
    assert not hasattr(PrivatePCA(1, epsilon=1.0, center="mean"), "score")


def test_a_covariance_about_the_mean_has_distances():
    units = np.array([1e-3, 1.0, 1e4])
    data = np.random.default_rng(4).normal(size=(5000, 3)) * units + 2 * units
    for bounds in (dps.ColumnBounds(-4 * units, 8 * units), None):
        rows = data if bounds else data / units / 20
        model = PrivateCovariance(epsilon=1e4, center="mean", bounds=bounds, random_state=1).fit(rows)
        truth = np.cov(rows.T, bias=True)
        assert np.allclose(model.location_, rows.mean(axis=0), rtol=1e-2)
        assert np.allclose(model.precision_ @ truth, np.eye(3), atol=0.1 if bounds is None else 1e9)
        about = rows - rows.mean(axis=0)
        want = np.einsum("ij,jk,ik->i", about, np.linalg.inv(truth), about)
        assert np.allclose(model.mahalanobis(rows), want, rtol=0.1, atol=0.1)
    with pytest.raises(ValueError, match="center must be one of none, mean, got 'pairs'"):
        PrivateCovariance(epsilon=1.0, center="pairs").fit(rows)


def test_of_people_with_several_rows_all_is_of_the_rows_that_count():
    rows = np.repeat(np.random.default_rng(0).normal([0.4, 0.2], [0.07, 0.03], size=(2000, 2)), 3, axis=0)
    people = dps.Moments.of(rows, person=np.repeat(np.arange(2000), 3), per_person=3)
    found = PrivateCovariance(epsilon=1e5, center="mean").fit(people)
    assert np.allclose(found.location_, rows.mean(axis=0), atol=1e-3)
    assert np.allclose(found.covariance_, np.cov(rows.T, bias=True), atol=1e-4)
    assert np.allclose(found.precision_ @ found.covariance_, np.eye(2), atol=1e-6)
