"""Budgets in measures: what each claim costs, exactly, and that nothing beyond the limit is admitted."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import dpspectra as dps
from dpspectra.accounting import limits
from dpspectra.accounting.limits import Limit
from dpspectra.fast.gaussian_profile import profile

X = np.full((50, 2), 0.5)


def stated(epsilon, delta=0.0, mu=None, **others):
    return dps.Claim("replace", epsilon, delta, mu, **others)


def gaussian(mu, epsilon=1.0):
    return stated(epsilon, float(profile(epsilon, mu)), mu)


def test_costs_are_those_of_the_claim():
    rho, mu, renyi = Limit("rho", None, 1.0), Limit("mu", None, 1.0), Limit("renyi", 8.0, 1.0)
    assert rho.cost(stated(0.5)) == Fraction(1, 8)
    assert rho.cost(gaussian(0.5)) == mu.cost(gaussian(0.5)) / 2 == Fraction(1, 8)
    assert renyi.cost(gaussian(0.5)) == 1
    assert mu.cost(stated(0.5)) == Fraction(dps.convert("mu", epsilon=0.5)) ** 2
    assert renyi.cost(stated(0.5)) == Fraction(dps.convert("renyi", epsilon=0.5, order=8))
    for limit in (rho, mu, renyi):
        assert limit.cost(stated(0.0)) == 0
        assert limit.cost(stated(0.1, 0.0, 5.0)) == limit.cost(stated(0.1))  # the smaller of what is known
        assert limit.cost(replace(gaussian(0.5), used_mu=0.25)) == limit.cost(gaussian(0.25))
        for claim in (stated(0.5, 1e-9), stated(2.0**21 if limit is not rho else 0.5, 1e-300)):
            with pytest.raises(ValueError, match="a claim must be pure or of Gaussian noise for"):
                limit.cost(claim)


def test_a_claim_made_elsewhere_may_be_of_rho(tmp_path):
    """It has an epsilon at a delta, too; it implies no mu, and groups lose it."""
    other = stated(dps.convert("epsilon", rho=0.25, delta=1e-6), 1e-6, rho=0.25)
    for terms in ({"rho": 0.5}, {"renyi": {8: 4.0}}):
        budget = dps.Budget(**terms, file=tmp_path / next(iter(terms)))
        budget.spend(other)
        budget.spend(other)
        assert budget.claims == (other, other)
        with pytest.raises(dps.BudgetError, match="must not be exceeded"):
            budget.spend(stated(0.01))
    assert dps.Budget.open(tmp_path / "rho").claim_at(1e-6).rho == 0.5
    with pytest.raises(dps.BudgetError, match="a claim must be pure or of Gaussian noise for mu, got delta"):
        dps.Budget(mu=9.0).spend(other)
    assert dps.Claim("row", 1.0, rho=0.25).grouped(2).rho is None
    parts = dps.Budget(rho=0.25, parts=["a", "b"])
    for name, claim in (("a", other), ("b", stated(0.1))):
        parts.part(name).spend(claim)
    assert parts.left.rho == 0.0


@pytest.mark.parametrize("terms", [{"rho": 0.5}, {"mu": 1.0}, {"renyi": {8: 4.0}}])
def test_exactly_the_limit_fits_and_the_next_float_does_not(terms):
    """Four times mu = 1/2, whose costs are floats, are the whole."""
    for last, fits in [(0.5, True), (math.nextafter(0.5, 1), False)]:
        budget = dps.Budget(**terms)
        for _ in range(3):
            budget.spend(gaussian(0.5))
        if fits:
            budget.spend(gaussian(last))
            assert str(budget.left) in ("rho 0", "mu 0", "0 at order 8")
            last = 1e-9
        with pytest.raises(dps.BudgetError, match="must not be exceeded, got"):
            budget.spend(gaussian(last))


def test_a_charge_asks_nothing_anew_of_claims_that_were_paid(tmp_path):
    """A thousand charges would take a million looks at claims else."""
    for terms in ({"mu": 9.0}, {"mu": 9.0, "file": tmp_path / "budget"}):
        budget, looks = dps.Budget(**terms), limits._cost.cache_info().misses
        for number in range(20):
            budget.spend(stated(0.01 + number / 1000 + 1e-6 * len(terms)))
        assert limits._cost.cache_info().misses - looks == 20


def test_amounts_are_told_in_the_measure():
    budget = dps.Budget(rho=0.5)
    assert (budget.spent.rho, budget.spent, budget.left.rho) == (0.0, (0.0, 0.0), 0.5)
    budget.spend(stated(0.5))
    assert (budget.rho, budget.mu, budget.renyi, budget.epsilon, budget.delta) == (0.5, None, None, math.inf, 0.0)
    assert (budget.spent.rho, budget.left.rho, budget.spent.epsilon) == (0.125, 0.375, math.inf)
    assert repr(budget) == "Budget(rho=0.5, relation=replace): 1 claim, rho 0.125 spent, rho 0.375 left"
    assert repr(budget.left) == "Privacy(rho 0.375)"
    assert budget.left != budget.spent  # though both are (inf, 0) at delta 0
    assert not budget.left == budget.spent  # noqa: SIM201
    assert len({budget.left, dps.Budget(rho=0.375).left}) == 1
    with pytest.raises(
        dps.BudgetError, match=r"the budget of rho 0\.5 .* got 0\.625 with this release: 0\.375 is left"
    ):
        budget.spend(stated(1.0))
    normal = dps.Budget(mu=1.0)
    normal.spend(gaussian(0.6))
    assert normal.left.mu == pytest.approx(0.8, rel=1e-12)
    assert Fraction(normal.left.mu) ** 2 + Fraction(0.6) ** 2 <= 1
    for amount in np.linspace(0.01, 0.7, 23):  # what is left is rounded downward, in each measure
        for other in (dps.Budget(rho=0.7), dps.Budget(mu=1.1), dps.Budget(renyi={3: 2.0})):
            other.spend(stated(float(amount)))
            left = other.left.renyi[3.0] if other.measure == "renyi" else getattr(other.left, other.measure)
            (limit,) = other._terms.limits
            assert (
                limit.cost_of(left)
                <= limit.whole - limit.cost(stated(float(amount)))
                < limit.cost_of(left * (1 + 1e-12))
            )
    curve = dps.Budget(renyi={2: 0.5, 8: 1.0})
    curve.spend(gaussian(0.5))
    assert (curve.spent.renyi, curve.left.renyi) == ({2.0: 0.25, 8.0: 1.0}, {2.0: 0.25, 8.0: 0.0})
    with pytest.raises(dps.BudgetError, match="the budget of divergence of order 8 1 must not be exceeded"):
        curve.spend(gaussian(0.01))


@pytest.mark.parametrize("terms", [{"rho": 0.1}, {"mu": 0.5}, {"renyi": {4: 0.3}}])
def test_what_convert_says_may_be_asked_for_fits(terms):
    """All of a budget by one release, pure or Gaussian; and by none that has a delta without a mu."""
    asked = dps.convert("epsilon", **terms, largest=True)
    dps.Budget(**terms).release(dps.laplace_covariance, X, asked)
    for mechanism in (dps.gaussian_covariance, dps.private_mean):
        budget = dps.Budget(**terms)
        asked = dps.convert("epsilon", **terms, delta=1e-6, largest=True)
        budget.release(mechanism, X, asked, 1e-6)
        with pytest.raises(dps.BudgetError, match="must not be exceeded"):
            budget.release(mechanism, X, asked / 100, 1e-6)
    with pytest.raises(dps.BudgetError, match="a claim must be pure or of Gaussian noise"):
        budget.release(lambda x, epsilon, delta: pytest.fail("called"), X, 1e-3, 1e-9)


def test_the_claim_of_a_whole_budget_is_at_a_delta():
    budget = dps.Budget(mu=1.0)
    assert budget.claim_at(1e-6) is None
    budget.spend(gaussian(0.5))
    budget.spend(stated(0.1))
    claim = budget.claim_at(1e-6)
    assert (claim.epsilon, claim.delta, claim.gdp_mu) == (dps.convert("epsilon", mu=1.0, delta=1e-6), 1e-6, 1.0)
    assert "DPS-MEASURES" in claim.labels
    with pytest.raises(
        ValueError, match=r"the claim of a budget of mu must have a delta, got none: call claim_at\(1e-6"
    ):
        budget.claim  # noqa: B018
    with pytest.raises(ValueError, match="delta must be above 0"):
        budget.claim_at(0.0)
    with pytest.raises(ValueError, match="claim_at must be asked of a budget of rho, mu or renyi"):
        dps.Budget(1.0).claim_at(1e-6)
    curve = dps.Budget(renyi={2: 0.5, 8: 1.0})
    curve.spend(stated(0.1))
    assert curve.claim_at(1e-6).epsilon == dps.convert("epsilon", renyi={2: 0.5, 8: 1.0}, delta=1e-6)


def test_a_claim_without_a_bound_closes_the_budget():
    """Somebody's function claims a delta that nobody asked for: it is withheld, and all counts as spent."""
    budget = dps.Budget(rho=0.5)
    with pytest.raises(dps.BudgetError, match="the mechanism must claim what was asked for at most"):
        budget.release(lambda x, epsilon: dps.Release(x, stated(epsilon, 1e-9)), X, 0.1)
    assert (budget.spent.rho, budget.left.rho) == (0.5, 0.0)
    with pytest.raises(dps.BudgetError, match="a claim must be pure or of Gaussian noise"):
        budget.spend(stated(0.01))


@pytest.mark.parametrize(
    ("terms", "message"),
    [
        ({}, "a budget must have one of epsilon, rho, mu, renyi, got none"),
        ({"epsilon": 1.0, "rho": 1.0}, "got epsilon and rho"),
        ({"rho": 0}, "rho must be positive"),
        ({"mu": math.inf}, "mu must be"),
        ({"renyi": {}}, "renyi must hold divergences by their orders"),
        ({"renyi": {1: 2.0}}, "order must be above 1, got 1"),
        ({"rho": 1.0, "delta": 1e-6}, "delta and method must be left out with rho, in which costs add up"),
        ({"mu": 1.0, "method": "gaussian"}, "delta and method must be left out with mu"),
    ],
)
def test_bad_terms(terms, message):
    with pytest.raises(ValueError, match=message):
        dps.Budget(**terms)
