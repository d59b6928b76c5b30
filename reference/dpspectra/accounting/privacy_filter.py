"""Which claims a budget takes: those for its neighbours, while there is room."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from dpspectra.accounting.budget_file import FIRST, Claims
from dpspectra.accounting.composition import METHODS, compose
from dpspectra.ground import checks
from dpspectra.mechanisms.claims import Claim
from dpspectra.mechanisms.privacy_unit import CHUNKS, RELATIONS, Unit
from dpspectra.relations import Relation, among

SLACK = 1 + checks.RELATIVE_ROUNDING
"""Ten times 0.1 is no more than 1: a sum may exceed a budget by rounding, once, and then nothing is left."""
ADAPTIVE = ("basic", "gaussian")
"""Methods that hold where amounts are chosen by earlier outputs."""


class BudgetError(ValueError):
    """A release was refused, or is withheld, as more would be spent with it than there is."""


def exceeded(name: str, limit: float, spent: float, given: str) -> BudgetError:
    """Return the refusal of a release that does not fit into a budget; ``given`` is its size in words."""
    left = limit - spent
    way_out = f"{left:g} is left, so ask for less" if left > limit * checks.RELATIVE_ROUNDING else "nothing is left"
    return BudgetError(f"the budget of {name} {limit:g} must not be exceeded, got {given}: {way_out}")


@dataclass(frozen=True, slots=True)
class Terms:
    """Terms of a budget, set when it was made."""

    epsilon: float
    delta: float
    relation: Relation
    method: str
    norm_bound: float | str | None


def terms_of(epsilon: float, delta: float, relation: str, method: str, norm_bound: float | str | None) -> Terms:
    """Return the terms of a budget, checked."""
    terms = Terms(
        checks.positive(epsilon, "epsilon"),
        checks.probability(delta, "delta", zero=True),
        among(relation, RELATIONS),
        checks.choice(method, "method", METHODS),
        norm_bound if norm_bound is None or norm_bound == FIRST else checks.positive(norm_bound, "norm_bound"),
    )
    if terms.norm_bound != FIRST and not terms.relation.of_rows:
        raise ValueError(f"norm_bound must be {FIRST!r} for relation {relation}, got {checks.shown(norm_bound)}")
    if method == "gaussian":
        checks.probability(delta, "delta")
    return terms


@dataclass(frozen=True, slots=True)
class Filter:
    """The rules of a budget of some terms, for the claims that it holds."""

    terms: Terms

    def unit_in(self, claims: Claims) -> Unit | None:
        """Return the neighbours for whom all claims must hold, once there are some."""
        first = next((claim for claim in claims.values() if claim.relation == self.terms.relation), None)
        return None if first is None else self.unit_of(first)

    def unit_of(self, claim: Claim) -> Unit:
        """Return the unit of a budget of which this is the first claim."""
        fixed = self.terms.norm_bound
        return claim.unit if isinstance(fixed, str) else replace(claim.unit, norm_bound=fixed)

    def fitting(self, claims: Claims) -> list[Claim]:
        """Claims that hold for all neighbours of the budget: others were made by functions that said otherwise."""
        unit = self.unit_in(claims)
        return [claim for claim in claims.values() if unit is not None and claim.unit.covers(unit)]

    def require_unit(self, claims: Claims, claim: Claim) -> None:
        """Refuse a claim that does not hold for all neighbours of the budget, or refuses rows at another bound."""
        if claim.relation != self.terms.relation:
            raise ValueError(f"relation must be that of the budget, {self.terms.relation}, got {claim.relation}")
        unit = self.unit_in(claims) or self.unit_of(claim)
        one_bound = not claim.relation.of_rows or claim.norm_bound in (None, unit.norm_bound)
        if not (one_bound and claim.unit.covers(unit)):
            way_out = "take norm_bound, rows and bounds of the first release"
            if claim.people == CHUNKS != unit.people:
                way_out = "open a budget whose first release is one of a chunk"
            raise BudgetError(
                f"the budget is for neighbours {unit.sentence[:-1]!r}, got a claim for {claim.neighbours[:-1]!r}: "
                f"{way_out}"
            )

    def require_room(self, claims: Claims, claim: Claim, instead: str | None = None) -> None:
        """Refuse a claim with which more would be spent than there is, and any claim once nothing is left.

        It comes to those in the budget, or takes the place of the one that has this name.
        """
        if len(self.fitting(claims)) < len(claims):
            raise BudgetError(
                "the budget is closed, as it must hold claims for its neighbours only, got one for others"
            )
        before = self.together([*claims.values()])
        after = self.together([*(each for name, each in claims.items() if name != instead), claim])
        for name in ("epsilon", "delta"):
            limit, total = getattr(self.terms, name), getattr(after, name)
            spent = getattr(before, name) if before is not None else 0.0
            used_up = name == "epsilon" and spent >= limit and total > spent
            if total > limit * SLACK or used_up:
                raise exceeded(name, limit, spent, f"{total:g} with this release")

    def together(self, claims: list[Claim]) -> Claim | None:
        """Add up the claims as a filter does; where squares add up, a stopped run counts only what it used."""
        used = [replace(c, gdp_mu=c.used_mu, used_mu=None) if c.used_mu else c for c in claims]
        try:
            return self.composed(used if self.terms.method == "gaussian" else claims) if claims else None
        except ValueError as error:
            raise BudgetError(f"the budget of delta {self.terms.delta:g} must not be exceeded: {error}") from None

    def composed(self, claims: Iterable[Claim]) -> Claim:
        """Compose the claims by the method of the budget."""
        method, delta = self.terms.method, self.terms.delta
        return compose(claims, delta=None if method == "basic" else delta, method=method)


def exceeds(claim: Claim, planned: Claim) -> bool:
    """Whether a claim is larger than planned in some number."""
    mus = planned.gdp_mu is not None and (claim.gdp_mu is None or claim.gdp_mu > planned.gdp_mu * SLACK)
    return claim.epsilon > planned.epsilon or claim.delta > planned.delta or mus


def larger(claim: Claim, planned: Claim) -> Claim:
    """Return the claim, with the larger of both numbers."""
    mus = (claim.gdp_mu, planned.gdp_mu)
    return replace(
        claim,
        epsilon=max(claim.epsilon, planned.epsilon),
        delta=max(claim.delta, planned.delta),
        gdp_mu=None if None in mus else max(mus, key=float),  # type: ignore[arg-type]
        used_mu=None,
    )
