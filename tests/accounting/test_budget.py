"""A budget refuses before anything is read or drawn, for every thread and copy as it says."""

import copy
import functools
import pickle
import sys
import threading
from dataclasses import replace

import numpy as np
import pytest

import dpspectra as dps
from dpspectra.fast.gaussian_profile import profile
from tests.support.releases import OPTIONS, PRIVATE, X, sample

LAPLACE = dps.laplace_covariance


class Untouchable:
    """Data that nobody may read."""

    def __array__(self, *args, **kwargs):
        pytest.fail("read")


def claiming(claim):
    """A mechanism that claims something, whatever it is asked for."""
    return lambda x, epsilon, delta=0.0: dps.Release(x, claim)


def stated(epsilon, delta=0.0):
    return dps.Claim("replace", epsilon, delta)


# ---------------------------------------------------------------- what is spent and refused


def test_a_release_beyond_the_budget_is_refused_before_data_are_read():
    budget = dps.Budget(1.0)
    assert budget.release(LAPLACE, X, epsilon=0.75).claim in budget.claims
    for call in (lambda: budget.release(LAPLACE, Untouchable(), 0.5), lambda: budget.spend(stated(0.5))):
        with pytest.raises(
            dps.BudgetError, match=r"epsilon 1 must not be exceeded, got 1\.25 with this release: 0\.25 is left"
        ):
            call()
    with pytest.raises(dps.BudgetError, match="the budget of delta 0 must not be exceeded"):
        budget.release(dps.gaussian_covariance, Untouchable(), 0.1, 1e-6)
    assert budget.spent == (0.75, 0.0)
    assert budget.left == (0.25, 0.0)
    assert budget.release(LAPLACE, X, epsilon=0.25)
    assert budget.left == (0.0, 0.0)


def test_rounding_alone_exceeds_nothing():
    budget = dps.Budget(1.0, 1e-5)
    for _ in range(10):
        budget.spend(stated(0.1, 1e-6))
    assert budget.left == (0.0, 0.0)
    with pytest.raises(dps.BudgetError):
        budget.spend(stated(1e-6))


def test_methods_account_as_compose_does():
    normal = dps.Claim("replace", 0.2, float(profile(0.2, 0.05)), 0.05)
    for method in ("basic", "optimal", "gaussian", "best"):
        budget = dps.Budget(2.0, 1e-4, method=method)
        for _ in range(10):
            budget.spend(normal)
        together = dps.compose([normal] * 10, delta=None if method == "basic" else 1e-4, method=method)
        adaptive = method in ("basic", "gaussian")  # for which the sum reached is no claim, as a delta was spent
        assert budget.claim == (replace(together, epsilon=2.0, delta=1e-4, gdp_mu=None) if adaptive else together)
        assert budget.spent == (together.epsilon, together.delta)
    assert f"10 claims, epsilon {together.epsilon:g} spent" in repr(budget)
    budget = dps.Budget(2.0, 1e-4, method="gaussian")
    for _ in range(5):
        assert budget.release(dps.gaussian_covariance, X, 0.8, 1e-5).claim.gdp_mu
    with pytest.raises(dps.BudgetError, match="claims must all have a gdp_mu"):
        budget.release(LAPLACE, X, 0.01)


@pytest.mark.parametrize("name", PRIVATE)
def test_no_mechanism_claims_more_than_was_set_aside(name):
    """Each is called through a budget of just what it asks for, which knows if it is Gaussian."""
    record, call = PRIVATE[name], sample(PRIVATE[name], rng=0, **OPTIONS.get(name, {}))
    given = call.keywords
    budget = dps.Budget(given["epsilon"], given.get("delta", 0.0), relation=record.relations[0])
    release = budget.release(call.func, *call.args, **given)
    assert budget.claims == (release.claim,)
    assert (release.claim.gdp_mu is not None) == (record.gaussian and "delta" in given)


def test_gaussian_noise_fits_a_gaussian_budget_whoever_adds_it():
    """Also where it is chosen by public numbers; nothing else does, and data are not read for it."""
    wide = np.zeros((3, 30))
    budget = dps.Budget(2.0, 0.1, method="gaussian")
    calls = [
        (dps.private_mean, wide, {}),
        (dps.private_pca, wide, {"k": 2}),
        (dps.private_pca, wide, {"k": 2, "center": "mean", "mechanism": "gaussian_covariance"}),
        (dps.private_low_rank, wide, {"k": 2}),
    ]
    for mechanism, data, given in calls:
        assert budget.release(mechanism, data, epsilon=0.1, delta=0.05, rng=0, **given).claim.gdp_mu
    with pytest.raises(dps.BudgetError, match="claims must all have a gdp_mu"):
        budget.release(dps.private_pca, wide, 2, 0.1, 0.05, mechanism="laplace_covariance")


@pytest.mark.parametrize("name", PRIVATE)
def test_a_function_that_only_bears_the_name_is_somebody_elses(name):
    """It is taken at its word: no mu, be it of the same name or made to look like ours by `functools.wraps`."""

    def other(x, epsilon, delta=0.0):
        return dps.Release(x, stated(epsilon, delta))

    wrapped = functools.wraps(PRIVATE[name].function())(other)
    del wrapped.__wrapped__
    for module in ("elsewhere", wrapped.__module__):
        wrapped.__module__ = module
        assert wrapped.__name__ == name
        budget = dps.Budget(1.0, 0.01, method="gaussian")
        with pytest.raises(dps.BudgetError, match="claims must all have a gdp_mu"):
            budget.release(wrapped, X, 0.5, 0.001)
        assert dps.Budget(1.0, 0.01).release(wrapped, X, 0.5, 0.001).claim == stated(0.5, 0.001)


# ---------------------------------------------------------------- what goes wrong on the way


def test_what_ends_before_the_data_are_opened_costs_nothing_and_any_other_end_does():
    budget = dps.Budget(1.5)
    for options in ({"denoise": "best"}, {"norm_bound": -1}, {"rng": "a"}, {"arithmetic": "certified", "rng": 0}):
        with pytest.raises(ValueError, match="must be"):
            budget.release(LAPLACE, 2 * np.eye(3), epsilon=0.5, **options)
    assert budget.claims == ()
    with pytest.raises(ValueError, match="X must have rows of norm at most 1"):
        budget.release(LAPLACE, 2 * np.eye(3), epsilon=0.5)
    assert budget.spent.epsilon == 0.5

    budget = dps.Budget(1.0)

    def interrupted(x, epsilon):
        assert budget.spent.epsilon == 0.5  # set aside while it runs
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        budget.release(interrupted, X, 0.5)
    assert budget.spent.epsilon == 0.5


@pytest.mark.parametrize("claim", [stated(0.6), stated(0.5, 1e-9)])
def test_a_claim_beyond_what_was_asked_for_is_withheld_and_paid(claim):
    budget = dps.Budget(1.0, 1e-6)
    with pytest.raises(dps.BudgetError, match=r"must claim what was asked for at most, .*; the budget was charged"):
        budget.release(claiming(claim), X, 0.5)
    assert budget.claims == (claim,)


def test_somebody_else_s_function_pays_the_larger_of_both():
    """Referee 9: asked for 0.1 it spends 5, and claims so or less; ten such calls are not paid by 1."""
    budget = dps.Budget(1.0)
    budget.release(claiming(stated(0.05)), X, 0.1)
    assert budget.spent.epsilon == 0.1
    with pytest.raises(dps.BudgetError, match="the mechanism must claim what was asked for at most"):
        budget.release(claiming(stated(5.0)), X, 0.1)
    assert budget.spent.epsilon == pytest.approx(5.1)
    with pytest.raises(dps.BudgetError, match=r"the budget of epsilon 1 must not be exceeded, got 5\.2"):
        budget.release(claiming(stated(0.1)), X, 0.1)


@pytest.mark.parametrize("claim", [dps.Claim("add_remove", 0.5), dps.Claim("replace", 0.5, norm_bound=1.0)])
def test_a_claim_for_others_is_kept_apart_and_closes_the_budget(claim):
    budget = dps.Budget(1.0, 1e-6)
    budget.spend(stated(0.25))
    with pytest.raises(dps.BudgetError, match="the mechanism must claim 'One row is replaced by any other; the number"):
        budget.release(claiming(claim), X, 0.5)
    assert (len(budget.claims), budget.claims[2], budget.spent) == (3, claim, (0.75, 0.0))
    with pytest.raises(dps.BudgetError, match="the budget is closed, as it must hold claims for its neighbours only"):
        budget.spend(stated(0.1))
    assert "3 claims" in repr(budget)


def test_a_function_that_returns_no_claim_pays():
    budget = dps.Budget(1.0)
    with pytest.raises(dps.BudgetError, match=r"release with a claim, got int; the budget was charged epsilon 0\.5"):
        budget.release(lambda x, epsilon: 3, X, 0.5)  # type: ignore[return-value]
    assert budget.spent.epsilon == 0.5


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, OSError])
def test_somebody_else_s_function_gets_nothing_back(error):
    """Also one that only looks like ours: `functools.wraps` copies a name and a module, no identity."""

    @functools.wraps(LAPLACE)
    def looks_like_ours(X, epsilon):
        raise error

    budget = dps.Budget(1.0)
    with pytest.raises(error):
        budget.release(looks_like_ours, X, 0.5)
    assert budget.spent.epsilon == 0.5


def test_rounding_is_forgiven_once():
    """After exactly 1.0 a thousand claims of 1e-15 were taken."""
    budget = dps.Budget(1.0)
    budget.spend(stated(1.0))
    with pytest.raises(
        dps.BudgetError, match=r"the budget of epsilon 1 must not be exceeded, got 1 with this release: nothing is left"
    ):
        budget.spend(stated(1e-15))
    budget.spend(stated(0.0))


# ---------------------------------------------------------------- whose neighbours


def rows_of(bound, **others):
    return dps.Claim("replace", 0.1, norm_bound=bound, **others)


def test_the_first_claim_fixes_the_bound_and_no_other_passes():
    """A claim for rows of norm at most 0.001 was entered beside one for 1, as if alike; refusals at other bounds."""
    budget = dps.Budget(1.0)
    budget.release(LAPLACE, X, 0.1)
    for claim in (rows_of(1e-3), rows_of(5.0)):
        with pytest.raises(dps.BudgetError, match="the budget is for neighbours 'One row of norm at most 1 is"):
            budget.spend(claim)
    with pytest.raises(dps.BudgetError, match=r"got a claim for 'One row of norm at most 0\.001"):
        budget.release(LAPLACE, Untouchable(), 0.1, norm_bound=1e-3)
    budget.release(LAPLACE, 9 * X, 0.1, norm_bound=2.0, rows="clip")
    budget.spend(rows_of(None))
    assert budget.claim.norm_bound == 1.0
    assert len(budget.claims) == 3


@pytest.mark.parametrize("bound", [None, 0.5])
def test_a_bound_may_be_fixed_before(bound):
    budget = dps.Budget(1.0, norm_bound=bound)
    with pytest.raises(dps.BudgetError, match="the budget is for neighbours"):
        budget.release(LAPLACE, Untouchable(), 0.1)
    budget.release(LAPLACE, X, 0.1, rows="clip", bad_rows="zero")
    assert budget.norm_bound == bound
    with pytest.raises(dps.BudgetError, match="the budget is for neighbours"):  # a refusal tells a bit
        budget.spend(rows_of(2.0))
    if bound is not None:
        budget.spend(rows_of(0.5))


def test_a_domain_is_no_detail():
    """Referee 7: a row with NaN tells a claim of clipped rows apart; an int64 claim is none for floats."""
    budget = dps.Budget(1.0)
    budget.release(LAPLACE, X, 0.1, rows="clip", bad_rows="zero")
    with pytest.raises(dps.BudgetError, match="all numbers are finite"):
        budget.release(LAPLACE, Untouchable(), 0.1, rows="clip")
    floats = dps.Budget(1.0, 1e-3, relation="row")
    floats.release(dps.private_range_finder, [[5, 1], [1, 3]], 1, 0.1, 1e-6)
    with pytest.raises(dps.BudgetError, match="entries are of type int64"):
        floats.release(dps.private_range_finder, np.array([[5, 1], [1, 3]]), 1, 0.1, 1e-6)


def test_squares_that_a_stopped_run_used_are_read_by_gaussian_budgets_alone():
    whole = dps.Claim("pair", 1.0, float(profile(1.0, 0.2)), 0.2)
    stopped = replace(whole, used_mu=0.02)
    for method, more in (("gaussian", 90), ("basic", 1)):
        budget = dps.Budget(1.05, whole.delta, relation="pair", method=method)
        budget.spend(stopped)
        for _ in range(more - 1):
            budget.spend(stopped)
        assert budget.claim.gdp_mu is None or method == "basic"
        assert budget.claim.epsilon == 1.05
    with pytest.raises(dps.BudgetError):
        budget.spend(stopped)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda budget: budget.release(dps.noisy_power_method, X, 1, iterations=1), "mechanism must take epsilon by"),
        (lambda budget: budget.release(LAPLACE, X), "the arguments must be those of the mechanism, got others"),
        (lambda budget: budget.release(LAPLACE, X, epsilon=0.0), "epsilon must be positive"),
        (lambda budget: budget.release(LAPLACE, X, 0.1, relation="add_remove"), "relation must be one of replace, got"),
        (lambda budget: budget.release(dps.private_pca, X, 1, 0.1, relation="add_remove"), "relation must be that of"),
        (lambda budget: budget.release(dps.private_range_finder, X, 1, 0.1, 1e-6), "of the budget, replace, got row"),
        (lambda budget: budget.release(3, X, 0.1), "mechanism must be a function, got 3"),
        (lambda budget: budget.spend(0.1), "claim must be a Claim or a Release, got 0.1"),
        (lambda budget: budget.spend(dps.Claim("row", 0.1)), "relation must be that of the budget, replace, got row"),
        (lambda budget: dps.Budget(0.0), "epsilon must be positive"),
        (lambda budget: dps.Budget(1.0, 1.0), "delta must lie in"),
        (lambda budget: dps.Budget(1.0, relation="rows"), "relation must be one of"),
        (lambda budget: dps.Budget(1.0, method="zcdp"), "method must be one of"),
        (lambda budget: dps.Budget(1.0, norm_bound=0), "norm_bound must be positive"),
        (lambda budget: dps.Budget(1.0, norm_bound="last"), "norm_bound must be a real number, got 'last'"),
        (lambda budget: dps.Budget(1.0, relation="row", norm_bound=1.0), "norm_bound must be 'first' for relation row"),
        (lambda budget: dps.Budget(1.0, method="gaussian"), r"delta must lie in \(0, 1\)"),
    ],
)
def test_bad_calls(call, message):
    budget = dps.Budget(1.0)
    with pytest.raises(ValueError, match=message):
        call(budget)
    assert budget.claims == ()


# ---------------------------------------------------------------- threads, copies, processes


@pytest.fixture
def quick_switches():
    """Threads take turns after every few instructions."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual)


@pytest.mark.parametrize("filed", [False, True])
def test_threads_cannot_spend_the_same_twice(tmp_path, filed, quick_switches):
    """Sixteen threads at once want an eighth each, and wait for each other inside the mechanism."""
    budget = dps.Budget(1.0, file=tmp_path / "budget" if filed else None)
    together, made, refused = threading.Barrier(16), [], []
    inside = threading.Barrier(8)

    def slow(x, epsilon):
        inside.wait(10)
        return dps.Release(x, stated(epsilon))

    def work():
        together.wait(10)
        try:
            made.append(budget.release(slow, X, 0.125))
        except dps.BudgetError as error:
            refused.append(error)

    threads = [threading.Thread(target=work) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(made), len(refused), len(budget.claims)) == (8, 8, 8)
    assert budget.spent.epsilon == 1.0


def test_a_copy_is_the_budget_itself_and_one_in_memory_is_not_pickled():
    budget = dps.Budget(1.0, 1e-6, method="best")
    for other in (copy.copy(budget), copy.deepcopy(budget), copy.deepcopy([budget])[0]):
        assert other is budget
    with pytest.raises(TypeError, match="a budget without a file must not be pickled"):
        pickle.dumps(budget)
