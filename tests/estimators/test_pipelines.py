"""What a pipeline claims: every step that could undo a claim is refused with its reason; each case was an attack."""

import numpy as np
import pytest

import dpspectra as dps

pytest.importorskip("sklearn", minversion="1.6")
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import (
    Binarizer,
    FunctionTransformer,
    KBinsDiscretizer,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    StandardScaler,
)

from dpspectra.estimators import PrivateCovariance, PrivatePCA, PrivateStandardScaler, claim_of, remarks_of

X = np.random.default_rng(0).normal(size=(60, 3))
Y = np.arange(60) % 2


def pca(k=1, **given):
    return PrivatePCA(k, epsilon=0.5, **given)


SOUND = {
    "itself": lambda: pca(),
    "alone": lambda: make_pipeline(pca()),
    "rows of norm 1": lambda: make_pipeline(Normalizer(), pca()),
    "a threshold": lambda: make_pipeline(Binarizer(), pca()),
    "products": lambda: make_pipeline(PolynomialFeatures(2), pca()),
    "nothing": lambda: make_pipeline("passthrough", FunctionTransformer(), pca()),
    "each number": lambda: make_pipeline(FunctionTransformer(np.arctan), pca()),
    "unit rows": lambda: make_pipeline(FunctionTransformer(dps.unit_rows), pca()),
    "public later": lambda: make_pipeline(pca(2), Normalizer()),
}


@pytest.mark.parametrize("name", SOUND)
def test_rows_that_are_moved_one_by_one_keep_the_claim(name):
    model = SOUND[name]().fit(X)
    claim = claim_of(model)
    assert (claim.epsilon, claim.norm_bound) == (0.5, None)


def test_private_steps_add_up():
    model = make_pipeline(pca(3), pca(2, rows="unit"), PrivateCovariance(epsilon=0.25)).fit(X)
    assert claim_of(model).epsilon == 1.25


def test_steps_that_are_not_released_are_named_in_the_claim():
    model = make_pipeline(pca(2), StandardScaler(), LogisticRegression()).fit(X, Y)
    claim = claim_of(model, unreleased=("standardscaler", "logisticregression"))
    assert "nothing of the steps standardscaler, logisticregression is published" in claim.assumptions[-1]
    with pytest.raises(ValueError, match=r"step 'logisticregression' \(LogisticRegression\) must be private too, or"):
        claim_of(model, unreleased=("standardscaler",))
    with pytest.raises(ValueError, match="unreleased must name steps after the last private one, got 'privatepca'"):
        claim_of(model, unreleased=("privatepca",))


def centred(x):
    return x - x.mean(0)


class Odd(Normalizer):
    """A transformer that looks like one that maps each row by itself, and does not."""

    def transform(self, X, copy=None):
        return centred(X)


BEFORE = {
    "a scaler": StandardScaler(),
    "a range": MinMaxScaler(),
    "an imputer": SimpleImputer(),
    "a function": FunctionTransformer(centred),
    "arguments": FunctionTransformer(np.exp, kw_args={"where": True}),
    "a subclass": Odd(),
    "columns": ColumnTransformer([("a", StandardScaler(), [0])], remainder="passthrough"),
    "a union": FeatureUnion([("a", Normalizer())]),
}


@pytest.mark.parametrize("name", BEFORE)
def test_what_moves_other_rows_before_a_private_step_is_refused(name):
    """`requires_fit` does not tell: that of a ``FunctionTransformer`` is false whatever its function does."""
    model = make_pipeline(BEFORE[name], pca()).fit(X)
    with pytest.raises(ValueError, match="must map each row by itself and by public numbers"):
        claim_of(model)


def test_what_learns_from_labels_after_a_private_step_is_refused():
    """One label moves the coefficients, without noise."""
    flipped = np.r_[1 - Y[:1], Y[1:]]
    first = make_pipeline(pca(2, random_state=1), LogisticRegression()).fit(X, Y)
    other = make_pipeline(pca(2, random_state=1), LogisticRegression())
    with pytest.warns(dps.ReusedSeedWarning):
        other.fit(X, flipped)
    assert (first[0].components_ == other[0].components_).all()
    assert (first[1].coef_ != other[1].coef_).any()
    with pytest.raises(ValueError, match="what it learns from rows or labels has no noise"):
        claim_of(first)


@pytest.mark.parametrize("search", [GridSearchCV, RandomizedSearchCV])
def test_a_search_has_no_claim(search):
    with pytest.raises(ValueError, match="a search over parameters has no claim: cv_results_, best_params_ and what"):
        claim_of(search(pca(), {"rows": ["clip"]}))


def test_a_bound_on_rows_that_were_moved_is_no_bound_on_rows():
    for model in (
        make_pipeline(Normalizer(), pca(rows="refuse", center="none")),
        make_pipeline(pca(2), pca(rows="refuse", center="none", norm_bound=9)),
    ):
        with pytest.raises(ValueError, match="must have rows='clip' or 'unit' where another step comes before it"):
            claim_of(model.fit(X))


@pytest.mark.parametrize("model", [make_pipeline(Normalizer()), LogisticRegression(), 3, None])
def test_what_holds_nothing_private_claims_nothing(model):
    with pytest.raises(ValueError, match=r"must have a private step|must be an estimator of dpspectra or a Pipeline"):
        claim_of(model)


def categorical(**given):
    return OneHotEncoder(categories=[[0, 1], [0, 1, 2]], sparse_output=False, **given)


CODES = np.c_[np.arange(60) % 2, np.arange(60) % 3, X[:, 0]]
KEPT = {
    "one-hot": lambda: categorical(),
    "one-hot, unknown ones ignored": lambda: categorical(handle_unknown="ignore"),
    "one-hot, the first dropped": lambda: categorical(drop="first"),
    "one-hot, given ones dropped": lambda: categorical(drop=[1, 2]),
    "one-hot, of two": lambda: categorical(drop="if_binary"),
    "sparse": lambda: OneHotEncoder(categories=[[0, 1], [0, 1, 2]]),
    "ordinal": lambda: OrdinalEncoder(categories=[[0, 1], np.arange(3)]),
    "unknown": lambda: OrdinalEncoder(
        categories=[[0, 1], [0, 1, 2]], handle_unknown="use_encoded_value", unknown_value=-1
    ),
    "inverse": lambda: FunctionTransformer(np.log1p, np.expm1),
    "inside": lambda: make_pipeline(Binarizer(), FunctionTransformer(np.square)),
    "two columns": lambda: ColumnTransformer([("a", Normalizer(), [0, 1])], remainder=Binarizer()),
}


@pytest.mark.parametrize("name", KEPT)
def test_public_encoders_and_parts_keep_the_claim(name):
    claim = claim_of(make_pipeline(KEPT[name](), pca()).fit(CODES[:, :2]))
    assert (claim.epsilon, claim.norm_bound) == (0.5, None)
    assert any("nobody learns" in words for words in claim.assumptions)


def test_a_transformer_of_columns_takes_public_parts():
    parts = [("code", categorical(), [0, 1]), ("number", make_pipeline(Normalizer(), Binarizer()), slice(2, 3))]
    for model in (ColumnTransformer(parts), ColumnTransformer(parts[:1], remainder="passthrough")):
        assert claim_of(make_pipeline(model, pca()).fit(CODES)).epsilon == 0.5
    frame = pytest.importorskip("pandas").DataFrame(CODES, columns=["a", "b", "c"])
    named = ColumnTransformer([("code", categorical(), ["a", "b"]), ("rest", "drop", "c")])
    assert claim_of(make_pipeline(named, pca()).fit(frame)).epsilon == 0.5


def with_attribute(step, **attributes):
    for name, value in attributes.items():
        setattr(step, name, value)
    return step


def columns(part, where=(0, 1), **given):
    return ColumnTransformer([("a", part, where if callable(where) else list(where))], **given)


MOVING = {
    "a ufunc of somebody": lambda: FunctionTransformer(np.frompyfunc(lambda x: x, 1, 1)),
    "real if close": lambda: FunctionTransformer(np.real_if_close),
    "categories of the rows": lambda: OneHotEncoder(sparse_output=False),
    "frequent ones": lambda: categorical(min_frequency=2),
    "so many": lambda: categorical(max_categories=2),
    "ordinal by the rows": lambda: OrdinalEncoder(),
    "bins": lambda: KBinsDiscretizer(2, encode="ordinal", quantile_method="linear"),
    "a method": lambda: with_attribute(Normalizer(), transform=lambda x: x - x.mean(0)),
    "columns by a function": lambda: columns(Normalizer(), lambda x: [0, 1]),
    "a part": lambda: columns(StandardScaler()),
    "the rest": lambda: ColumnTransformer([("a", Normalizer(), [0])], remainder=StandardScaler()),
    "weights": lambda: columns(Normalizer(), transformer_weights={"a": 2.0}),
    "density": lambda: columns(OneHotEncoder(categories=[[0, 1], [0, 1, 2]])),
    "inside": lambda: make_pipeline(Normalizer(), make_pipeline(StandardScaler())),
    "a part inside": lambda: columns(make_pipeline(Normalizer(), MinMaxScaler())),
}


@pytest.mark.parametrize("name", MOVING)
def test_what_is_not_on_the_list_is_refused_with_the_list(name):
    model = make_pipeline(MOVING[name](), pca()).fit(CODES[:, :2])
    with pytest.raises(ValueError, match=r"it is not on the list of such steps: Normalizer, Binarizer, Poly"):
        claim_of(model)


AFTERWARDS = {
    "categories": (categorical, {"categories_": [np.array([0, 1]), np.array([0, 2, 1])]}),
    "fewer": (categorical, {"categories_": [np.array([0, 1])]}),
    "infrequent": (categorical, {"_infrequent_enabled": True}),
    "dropped": (categorical, {"_drop_idx_after_grouping": np.array([0, 0], dtype=object)}),
    "missing": (lambda: OrdinalEncoder(categories=[[0, 1], [0, 1, 2]]), {"_missing_indices": {0: 1}}),
    "parts": (lambda: columns(Normalizer()), {"transformers_": [("a", StandardScaler(), [0, 1])]}),
    "a ufunc of two": (lambda: FunctionTransformer(np.exp), {"func": np.add}),
    "a reduction": (lambda: FunctionTransformer(np.exp), {"func": np.cumsum}),
    "a method of a ufunc": (lambda: FunctionTransformer(np.exp), {"func": np.add.accumulate}),
    "an inverse of somebody": (lambda: FunctionTransformer(np.exp), {"inverse_func": centred}),
    "a private method": (categorical, {"_transform": centred}),
    "a threshold of rows": (Binarizer, {"threshold": np.zeros((60, 1))}),
    "arguments": (lambda: FunctionTransformer(np.exp), {"kw_args": {"where": False}}),
    "degree": (PolynomialFeatures, {"_max_degree": np.array([2])}),
    "transform": (Normalizer, {"transform": centred}),
}


@pytest.mark.parametrize("name", AFTERWARDS)
def test_what_a_step_goes_by_counts_and_not_what_it_was_given(name):
    make, changed = AFTERWARDS[name]
    model = make_pipeline(make(), pca()).fit(CODES[:, :2])
    assert claim_of(model).epsilon == 0.5
    with_attribute(model[0], **changed)
    with pytest.raises(ValueError, match="must map each row by itself and by public numbers"):
        claim_of(model)


def test_a_form_that_may_depend_on_all_rows_is_assumed_away():
    """A transformer of columns makes sparse rows dense if they are dense enough, all together."""
    assumed = [
        claim_of(make_pipeline(columns(Normalizer(), **given), pca()).fit(X)).assumptions
        for given in ({}, {"sparse_threshold": 0})
    ]
    assert ["rows that come to a ColumnTransformer are dense" in words for words in assumed] == [True, False]


def test_a_kind_of_pipeline_has_no_claim():
    class Other(Pipeline):
        """Somebody else's pipeline, which may do anything."""

    with pytest.raises(ValueError, match="model must be an estimator of dpspectra or a Pipeline, got one of type Oth"):
        claim_of(Other([("a", pca())]).fit(X))


def test_remarks_of_a_pipeline_compare_with_the_noise_of_all_its_private_steps():
    """Rows alike in all directions: the component about zero is the error of the scaler's means, and stands out."""
    rows = np.random.default_rng(0).normal(size=(4000, 6)) * 0.02 + 0.5
    scaler, other = (
        PrivateStandardScaler(epsilon=0.05, bounds=dps.ColumnBounds([0] * 6, [1] * 6), random_state=seed)
        for seed in (1, 3)
    )
    model = make_pipeline(scaler, PrivatePCA(1, epsilon=20.0, center="none", random_state=2)).fit(rows)
    middle = model[0].transform(rows).mean(axis=0)
    assert abs(model[1].components_[0] @ middle) > 0.99 * np.linalg.norm(middle)
    assert model[1].remarks_ == ()
    said, besides = remarks_of(model)
    assert said == f"privatestandardscaler: {scaler.remarks_[0]}"
    assert "scaled rows show this as a direction" in said
    assert besides == "privatepca: component 1 may be noise of privatestandardscaler, by which rows are scaled"
    assert remarks_of(scaler) == scaler.remarks_
    both = make_pipeline(other, Normalizer(), PrivatePCA(1, epsilon=1e-4, random_state=4)).fit(rows)
    assert [line.split(":")[0] for line in remarks_of(both)] == ["privatestandardscaler", "privatepca", "privatepca"]


def test_a_scaler_without_much_noise_hides_nothing_and_one_with_variances_of_noise_does():
    """Three columns that move together, and a fourth: their component is the first one, unless scales are noise."""
    causes = np.random.default_rng(0).normal(size=(20_000, 2)) @ [[1, 1, 1, 0], [0, 0, 0, 1]]
    rows = 0.5 + 0.1 * causes + 0.02 * np.random.default_rng(1).normal(size=(20_000, 4))
    for bounds, said in ((1.0, 0), (40.0, 1)):
        scaler = PrivateStandardScaler(epsilon=20.0, bounds=dps.ColumnBounds([0] * 4, [bounds] * 4), random_state=6)
        model = make_pipeline(scaler, PrivatePCA(1, epsilon=20.0, random_state=7)).fit(rows)
        assert sum("component 1 may be noise" in line for line in remarks_of(model)) == said
        assert model[1].remarks_ == ()


def test_of_another_private_step_before_it_is_said_that_its_noise_is_not_known():
    model = make_pipeline(PrivatePCA(2, epsilon=50.0, random_state=8), PrivatePCA(1, epsilon=50.0, random_state=9))
    assert remarks_of(model.fit(X))[-1] == "privatepca-2: how much of it is noise of privatepca-1 is not known"


@pytest.mark.parametrize("model", [LogisticRegression(), GridSearchCV(pca(), {}), None])
def test_what_is_no_pipeline_has_no_remarks(model):
    with pytest.raises(ValueError, match="model must be an estimator of dpspectra or a Pipeline, got one of type"):
        remarks_of(model)
