"""What all estimators share: a budget that clones share, a count of fits, and no private value in what they say."""

import copy
import pickle

import numpy as np
import pytest

import dpspectra as dps

pytest.importorskip("sklearn", minversion="1.6")
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from dpspectra.estimators import PrivateCovariance, PrivatePCA, PrivateTruncatedSVD, RepeatedFitWarning
from dpspectra.mechanisms.privacy_unit import IN_PARTS

X = np.random.default_rng(0).normal(size=(60, 3)) / 3
MODELS = {
    "PrivatePCA": lambda **given: PrivatePCA(1, epsilon=0.5, center="none", **given),
    "orbit": lambda **given: PrivatePCA(1, epsilon=0.5, mechanism="orbit", **given),
    "pairs": lambda **given: PrivatePCA(1, epsilon=0.5, center="pairs", **given),
    "PrivateCovariance": lambda **given: PrivateCovariance(epsilon=0.5, **given),
    "PrivateTruncatedSVD": lambda **given: PrivateTruncatedSVD(1, epsilon=0.5, **given),
}


@pytest.mark.parametrize("name", MODELS)
def test_each_fit_is_paid_from_the_budget_that_clones_share(name):
    budget = dps.Budget(1.2)
    model = MODELS[name](budget=budget)
    assert clone(model).budget is budget
    for fits in (1, 2):
        fitted = clone(model).fit(X)
        assert budget.spent.epsilon == pytest.approx(0.5 * fits)
        assert budget.claims[-1].unit.covers(fitted.claim_.unit)
        assert len(budget.claims) == fits
    with pytest.raises(dps.BudgetError):
        clone(model).fit(X)
    assert budget.spent.epsilon == pytest.approx(1.0)


def test_a_fit_of_two_releases_is_one_charge():
    """The directions of an orbit and the variances along them were two claims; the second could be refused alone."""
    for epsilon, delta in ((0.5, 0.0), (0.1, 1e-6), (0.1, 0.1)):
        budget = dps.Budget(epsilon, delta)
        model = PrivatePCA(2, epsilon=epsilon, delta=delta, mechanism="orbit", budget=budget).fit(X)
        (charged,) = budget.claims
        assert (charged.epsilon, charged.delta) == (model.claim_.epsilon, model.claim_.delta)
        assert charged.epsilon == epsilon
        assert charged.unit == model.claim_.unit
    small = dps.Budget(0.45)  # of which the directions alone would take .375
    with pytest.raises(dps.BudgetError):
        PrivatePCA(2, epsilon=0.5, mechanism="orbit", budget=small).fit(X)
    assert small.claims == ()
    with pytest.raises(ValueError, match="mechanism must be a noisy covariance"):
        PrivatePCA(2, epsilon=0.1, mechanism="orbit", center="mean", budget=small).fit(X)
    assert small.claims == ()


def test_a_search_stops_where_the_budget_ends():
    """55 fits of epsilon 1 in a budget of 10 end at the 11th."""
    budget = dps.Budget(10.0)
    model = PrivatePCA(1, epsilon=1.0, budget=budget)
    search = GridSearchCV(model, {"n_components": list(range(1, 4)) * 4}, cv=5, error_score="raise", scoring=score)
    with pytest.raises(dps.BudgetError, match="the budget of epsilon 10 must not be exceeded, got 11"):
        search.fit(X)
    assert len(budget.claims) == 10


def score(model, X, y=None):
    return float(model.components_[0, 0])


def test_chunks_of_different_people_take_what_the_largest_of_them_claims(tmp_path):
    """The budget says by what assumption, and every other release holds under it, too."""
    for budget in (dps.Budget(1.0), dps.Budget(1.0, file=tmp_path / "budget")):
        model = PrivatePCA(1, epsilon=0.5, budget=budget, center="none")
        for part in np.split(X, 4):
            model.partial_fit(part)
        assert (budget.spent.epsilon, model.claim_.epsilon, len(budget.claims)) == (0.5, 0.5, 1)
        assert budget.claims[0].people == model.claim_.people == IN_PARTS
        with pytest.raises(dps.BudgetError, match=r"must not be exceeded, got 1\.25"):
            model.set_params(epsilon=1.25).partial_fit(X)
        assert budget.spent.epsilon == 0.5
        budget.release(dps.private_mean, X, epsilon=0.25, rows="clip")
        assert budget.claim.people == IN_PARTS
        assert (budget.spent.epsilon, budget.claim.epsilon) == (0.75, 0.75)
        assert IN_PARTS in budget.claim.neighbours
        model.set_params(epsilon=0.75).partial_fit(X)
        assert budget.spent.epsilon == 1.0
        with pytest.raises(dps.BudgetError):
            budget.release(dps.private_mean, X, epsilon=0.25, rows="clip")


def test_a_budget_for_people_who_may_change_their_chunk_takes_no_chunks():
    budget = dps.Budget(2.0)
    budget.release(dps.private_mean, X, epsilon=0.25, rows="clip")
    with pytest.raises(dps.BudgetError, match="open a budget whose first release is one of a chunk"):
        PrivatePCA(1, epsilon=0.5, budget=budget, center="none").partial_fit(X)
    assert budget.spent.epsilon == 0.25


def test_two_series_of_chunks_in_one_budget_add_up():
    budget = dps.Budget(9.0)
    one, two = (PrivatePCA(1, epsilon=0.5, budget=budget, center="none") for _ in range(2))
    one.partial_fit(X[:30])
    budget.release(dps.private_mean, X, epsilon=0.25, rows="clip")
    two.partial_fit(X[:30])
    one.set_params(epsilon=2.0).partial_fit(X[30:])
    two.partial_fit(X[30:])
    assert [claim.epsilon for claim in budget.claims] == [2.0, 0.25, 0.5]
    assert budget.spent.epsilon == budget.claim.epsilon == 2.75


def test_copies_and_new_fits_pay_for_their_own_chunks():
    """Nobody could tell whether the chunks of a copy are those of the original."""
    budget = dps.Budget(9.0)
    model = PrivatePCA(1, epsilon=0.5, budget=budget, center="none").partial_fit(X[:30])
    copy.deepcopy(model).partial_fit(X[:30])
    assert budget.spent.epsilon == 1.0
    model.fit(X)
    model.partial_fit(X[:30])
    assert budget.spent.epsilon == 2.0
    clone(model).partial_fit(X[30:])
    assert budget.spent.epsilon == 2.5


def test_a_chunk_that_is_refused_is_paid_and_one_with_bad_arguments_is_not():
    budget = dps.Budget(9.0)
    model = PrivatePCA(1, epsilon=0.5, rows="refuse", budget=budget, center="none").partial_fit(X[:30] / 10)
    with pytest.raises(ValueError, match="rows of norm at most 1"):
        model.set_params(epsilon=1.0).partial_fit(9 * X)
    assert budget.spent.epsilon == 1.0
    with pytest.raises(ValueError, match="bad_rows must be"):
        model.set_params(epsilon=2.0, bad_rows="drop").partial_fit(X)
    assert (budget.spent.epsilon, len(budget.claims)) == (1.0, 1)
    with pytest.raises(ValueError, match="random_state must be"):
        PrivatePCA(1, epsilon=0.5, center="none", random_state="a", budget=budget).partial_fit(X)
    with pytest.raises(ValueError, match="bad_rows must be"):
        PrivatePCA(1, epsilon=0.5, bad_rows="drop", budget=budget, center="none").partial_fit(X)
    assert len(budget.claims) == 1


def test_rows_that_are_refused_are_paid_for_and_bad_parameters_are_not():
    """Refusals that depend on rows are answers about them."""
    for name, make in MODELS.items():
        if name == "pairs":
            continue
        budget = dps.Budget(1.0)
        with pytest.raises(ValueError, match="epsilon must be positive"):
            make(budget=budget).set_params(epsilon=-1.0).fit(X)
        with pytest.raises(ValueError, match="random_state must be"):
            make(budget=budget, random_state="a").fit(X)
        with pytest.raises(ValueError, match="must be"):
            make(budget=budget, rows="drop").fit(X)
        if name != "PrivateCovariance":
            with pytest.raises(ValueError, match="must be between 1 and 3"):
                make(budget=budget).set_params(n_components=4).fit(X)
        assert budget.claims == ()
        with pytest.raises(ValueError, match="X must have rows of norm at most 1"):
            make(budget=budget, rows="refuse").fit(9 * X)
        assert budget.claims != ()
    with pytest.raises(ValueError, match="budget must be of type Budget, got 3"):
        PrivatePCA(1, epsilon=0.5, budget=3).fit(X)


def test_fits_without_a_budget_are_counted():
    model = PrivatePCA(1, epsilon=0.5).fit(X)
    with pytest.warns(RepeatedFitWarning, match=r"2 fits, each spent epsilon 0\.5"):
        clone(model).fit(X)
    with pytest.warns(RepeatedFitWarning, match="3 fits, each spent"):
        model.fit(X)
    PrivatePCA(1, epsilon=0.5).fit(X)  # another estimator, and another count
    pickle.loads(pickle.dumps(model))


def test_the_claim_of_chunks_is_that_of_the_worst():
    """Not of the last one: epsilon 50 and then 0.01; an ideal one, and then a certified one."""
    model = PrivatePCA(1, epsilon=50.0, center="none", random_state=5).partial_fit(X)
    model.set_params(epsilon=0.01, random_state=None).partial_fit(X)
    assert (model.claim_.epsilon, model.claim_.arithmetic) == (50.0, "ideal")
    assert "arithmetic is exact" in " ".join(model.claim_.assumptions)
    assert "chunks, that share no people" in model.claim_.neighbours
    model.set_params(delta=1e-3, rows="refuse").partial_fit(X / 4)
    assert (model.claim_.epsilon, model.claim_.delta, model.claim_.norm_bound) == (50.0, 1e-3, 1.0)


def test_bad_rows_may_count_as_zero():
    x = np.where(np.arange(180).reshape(60, 3) == 4, np.nan, X)
    zeroed = np.where(np.isnan(x).any(1, keepdims=True), 0.0, x)
    for name in ("PrivatePCA", "PrivateCovariance", "PrivateTruncatedSVD"):
        for state, rows in ((1, x), (np.random.default_rng(1), zeroed)):
            model = MODELS[name](bad_rows="zero", random_state=1 if state == 1 else None).fit(rows)
            assert "finite" not in model.claim_.neighbours
        with pytest.raises(ValueError, match=r"X must be finite, but entry \(1, 1\) is not"):
            MODELS[name]().fit(x)


def test_sums_are_fitted_as_they_were_read():
    rows = np.random.default_rng(0).normal(size=(300, 3)) / 3
    moments = dps.Moments.of(rows, rows="unit", columns=["a", "b", "c"])
    for model in (
        PrivatePCA(1, epsilon=1.0, center="none", random_state=1),
        PrivateCovariance(epsilon=1.0, random_state=1),
    ):
        model.fit(moments)
        with pytest.warns((RepeatedFitWarning, dps.ReusedSeedWarning)):
            other = clone(model).set_params(rows="unit").fit(rows)
        assert model.n_features_in_ == 3
        assert model.feature_names_in_.tolist() == ["a", "b", "c"]
        np.testing.assert_allclose(model.release_.value, other.release_.value, atol=1e-5)
        assert model.claim_.norm_bound is None
    budget = dps.Budget(1.0)
    PrivatePCA(1, epsilon=1.0, budget=budget, center="none").fit(moments)
    assert budget.left.epsilon == 0
    for given, words in [
        ({"mechanism": "orbit"}, "mechanism must be a noisy covariance or 'auto' for chunks"),
        ({"rows": "refuse"}, "rows must be left out or be that of the Moments, unit"),
        ({"norm_bound": 2.0}, "norm_bound must be left out or be that of the Moments, 1.0, got 2.0"),
        *(({"center": center}, "center must be 'none' for Moments") for center in ("auto", "mean", "pairs")),
    ]:
        with pytest.raises(ValueError, match=words):
            PrivatePCA(1, epsilon=1.0, **given).fit(moments)
    with pytest.raises(ValueError, match="X must be rows for what looks at them more than once"):
        PrivateTruncatedSVD(1, epsilon=1.0).fit(moments)
    with pytest.raises(ValueError, match="X must be rows for what looks at them more than once"):
        PrivatePCA(1, epsilon=1.0, center="none").partial_fit(moments)
