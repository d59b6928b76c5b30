"""Parts of different people: each pays for its own part and for all data, whatever the method."""

from fractions import Fraction

import numpy as np
import pytest

import dpspectra as dps
from dpspectra.accounting.disjoint_claims import PARTS
from dpspectra.mechanisms.privacy_unit import IN_PARTS, ONE_PART

X = [[0.6, 0.8], [0.0, 0.5]]


def stated(epsilon, delta=0.0, relation="replace", **others):
    return dps.Claim(relation, epsilon, delta, **others)


@pytest.mark.parametrize("filed", [False, True])
def test_a_part_pays_for_itself_and_for_all_data(tmp_path, filed):
    file = tmp_path / "budget" if filed else None
    budget = dps.Budget(1.0, parts=["north", "south"], file=file)
    north, south = budget.part("north"), budget.part("south")
    north.release(dps.laplace_covariance, X, epsilon=0.5)
    south.spend(stated(0.25))
    budget.spend(stated(0.25))
    assert [each.spent.epsilon for each in (budget, north, south)] == [0.75, 0.75, 0.5]
    assert [each.left.epsilon for each in (budget, north, south)] == [0.25, 0.25, 0.5]
    south.spend(stated(0.5))
    for full in (budget, south):
        with pytest.raises(dps.BudgetError, match=r"got 1\.\d+ with this release"):
            full.spend(stated(0.125))
    north.spend(stated(0.25))
    assert (budget.left.epsilon, north.left.epsilon) == (0.0, 0.0)
    assert [entry.part for entry in budget.entries] == ["north", "south", None, "south", "north"]
    assert repr(north).startswith(
        "Budget(epsilon=1, delta=0, relation=replace, method=basic, part=north): 5 claims, ep"
    )
    assert budget.claim.epsilon == 1.0
    if filed:
        again = dps.Budget.open(file)
        assert again.entries == budget.entries
        assert again.parts == ("north", "south")


@pytest.mark.parametrize("terms", [{"rho": 0.5}, {"mu": 2.0}, {"renyi": {4: 2.0}}, {"epsilon": 1.0, "method": "best"}])
def test_parts_of_every_measure_and_method(terms):
    budget = dps.Budget(**terms, parts=["a", "b"])
    budget.part("a").spend(stated(0.9))
    budget.part("b").spend(stated(0.9))
    for each in (budget, budget.part("a")):
        with pytest.raises(dps.BudgetError, match="must not be exceeded"):
            each.spend(stated(1.5))
    assert budget.spent == budget.part("a").spent


def test_a_replaced_row_stays_in_its_part_and_one_that_is_added_need_not():
    budget = dps.Budget(1.0, parts=["a", "b"])
    budget.spend(stated(0.1))
    assert budget.claim.people == IN_PARTS  # whatever is released next
    budget.part("a").spend(stated(0.1))
    assert [claim.people for claim in budget.claims] == [None, IN_PARTS]
    assert "that share no people: each person's part is public, the same in all" in str(budget.claim)
    added = dps.Budget(1.0, relation="add_remove", parts=["a", "b"])
    added.part("a").spend(stated(0.1, relation="add_remove"))
    (claim,) = added.claims
    assert claim.people is None
    assert PARTS in claim.assumptions
    assert "DPS-PARTS" in claim.labels


def test_data_that_were_in_parts_before_are_refused():
    """Whoever shares one of those parts may be in two of these."""
    budget = dps.Budget(1.0, parts=["a", "b"])
    with pytest.raises(
        dps.BudgetError, match="a claim in a part must be of data that were in no parts, got 'each pers"
    ):
        budget.part("a").spend(stated(0.1, people=ONE_PART))
    assert budget.claims == ()


@pytest.mark.parametrize("seed", range(6))
def test_a_charge_is_admitted_if_and_only_if_every_person_stays_within_the_limit(seed):
    """Against sums person by person; the numbers are such that no cost is rounded."""
    rng, parts = np.random.default_rng(seed), ["a", "b", "c"]
    measure = ("rho", "mu", "renyi", "epsilon")[seed % 4]
    limit = {"rho": 0.25, "mu": 0.75, "renyi": {4: 1.0}, "epsilon": 2.0}[measure]
    budget = dps.Budget(**{measure: limit}, parts=parts)
    whole = {"rho": Fraction(1, 4), "mu": Fraction(9, 16), "renyi": Fraction(1), "epsilon": Fraction(2)}[measure]
    paid, refused = dict.fromkeys(parts, Fraction(0)), 0
    for _ in range(60):
        size, part = Fraction(int(rng.integers(1, 64)), 128), [None, *parts][rng.integers(4)]
        square = {"rho": size**2 / 2, "mu": size**2, "renyi": 2 * size**2, "epsilon": size}[measure]
        claim = stated(float(size)) if measure in ("rho", "epsilon") else stated(1.0, 0.5, gdp_mu=float(size))
        touched = parts if part is None else [part]
        fits = all(paid[each] + square <= whole for each in touched)
        payer = budget if part is None else budget.part(part)
        try:
            payer.spend(claim)
        except dps.BudgetError:
            assert not fits
            refused += 1
        else:
            assert fits
            paid |= {each: paid[each] + square for each in touched}
        assert budget.spent in [budget.part(each).spent for each in parts]
    assert refused > 5
    assert max(paid.values()) > whole * Fraction(9, 10)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: dps.Budget(1.0).part("a"),
            r"parts must be named when a budget is made, got none: Budget\(..., parts=",
        ),
        (lambda: dps.Budget(1.0, parts=["a", "b"]).part("c"), "part must be one of a, b, got 'c'"),
        (lambda: dps.Budget(1.0, parts=["a", "a"]), "parts must have names that differ"),
        (lambda: dps.Budget(1.0, parts=["a", ""]), "parts must have names that differ"),
        (lambda: dps.Budget(1.0, parts="ab"), "parts must be texts in a tuple, got 'ab'"),
        (lambda: dps.Budget(1.0, parts=["a", 3]), "parts must be texts in a tuple, got 3 among them"),  # type: ignore[list-item]
        (lambda: dps.Budget(1.0, parts=["a"], relation="row"), "parts must hold rows of people, got relation row"),
    ],
)
def test_bad_calls(call, message):
    with pytest.raises(ValueError, match=message):
        call()
