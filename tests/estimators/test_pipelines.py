"""What a pipeline claims: every step that could undo a claim is refused with its reason; each case was an attack."""

import numpy as np
import pytest

import dpspectra as dps

pytest.importorskip("sklearn", minversion="1.6")
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import (
    Binarizer,
    FunctionTransformer,
    MinMaxScaler,
    Normalizer,
    PolynomialFeatures,
    StandardScaler,
)

from dpspectra.estimators import PrivateCovariance, PrivatePCA, claim_of

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
        make_pipeline(Normalizer(), pca(rows="refuse")),
        make_pipeline(pca(2), pca(rows="refuse", norm_bound=9)),
    ):
        with pytest.raises(ValueError, match="must have rows='clip' or 'unit' where another step comes before it"):
            claim_of(model.fit(X))


@pytest.mark.parametrize("model", [make_pipeline(Normalizer()), LogisticRegression(), 3, None])
def test_what_holds_nothing_private_claims_nothing(model):
    with pytest.raises(ValueError, match=r"must have a private step|must be an estimator of dpspectra or a Pipeline"):
        claim_of(model)
