"""Which claims a budget takes: those for its neighbours, while there is room."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from dpspectra.accounting.budget_file import Entries
from dpspectra.accounting.composition import added_up, compose
from dpspectra.accounting.limits import Privacy
from dpspectra.accounting.terms import Terms
from dpspectra.ground import checks
from dpspectra.mechanisms.claims import Claim
from dpspectra.mechanisms.privacy_unit import IN_PARTS, Unit

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
    if name == "delta" and limit == 0:
        way_out = "ask for delta 0, or make a budget with a delta"
    return BudgetError(f"the budget of {name} {limit:g} must not be exceeded, got {given}: {way_out}")


@dataclass(frozen=True, slots=True)
class Filter:
    """The rules of a budget of some terms, for the claims that it holds."""

    terms: Terms

    def unit_in(self, entries: Entries) -> Unit | None:
        """Return the neighbours for whom all claims must hold, once there are some."""
        claims = (entry.claim for entry in entries.values())
        first = next((claim for claim in claims if claim.relation == self.terms.relation), None)
        return None if first is None else self.unit_of(first)

    def unit_of(self, claim: Claim) -> Unit:
        """Return the unit of a budget of which this is the first claim; with parts a replaced row stays in its part."""
        fixed = self.terms.norm_bound
        unit = claim.unit if isinstance(fixed, str) else replace(claim.unit, norm_bound=fixed)
        stays = self.terms.parts and self.terms.relation.counted and unit.people is None
        return replace(unit, people=IN_PARTS) if stays else unit

    def fitting(self, entries: Entries) -> Entries:
        """Entries that hold for all neighbours of the budget: others were made by functions that said otherwise."""
        unit = self.unit_in(entries)
        return {name: entry for name, entry in entries.items() if unit is not None and entry.claim.unit.covers(unit)}

    def groups(self, entries: Entries, part: str | None) -> list[dict[str, Claim]]:
        """Return the claims about one person, for a part or for each: those of all data, and those of the part."""
        parts = (part,) if part is not None else self.terms.parts or (None,)
        return [{n: entry.claim for n, entry in entries.items() if entry.part in (None, one)} for one in parts]

    def require_unit(self, entries: Entries, claim: Claim) -> None:
        """Refuse a claim that does not hold for all neighbours of the budget, or refuses rows at another bound."""
        if claim.relation != self.terms.relation:
            raise ValueError(f"relation must be that of the budget, {self.terms.relation}, got {claim.relation}")
        unit = self.unit_in(entries) or self.unit_of(claim)
        one_bound = not claim.relation.of_rows or claim.norm_bound in (None, unit.norm_bound)
        if not (one_bound and claim.unit.covers(unit)):
            way_out = "take norm_bound, rows, bounds, person and per_person of the first release"
            if claim.people == IN_PARTS != unit.people:
                way_out = "open a budget whose first release is one of a chunk, or one with parts"
            raise BudgetError(
                f"the budget is for neighbours {unit.sentence[:-1]!r}, got a claim for {claim.neighbours[:-1]!r}: "
                f"{way_out}"
            )

    def require_room(self, entries: Entries, claim: Claim, part: str | None, instead: str | None = None) -> None:
        """Refuse a claim with which more would be spent than there is, and any claim once nothing is left.

        It comes to those in the budget, or takes the place of the one that has this name.
        """
        if len(self.fitting(entries)) < len(entries):
            raise BudgetError(
                "the budget is closed, as it must hold claims for its neighbours only, got one for others"
            )
        for group in self.groups(entries, part):
            before, after = [*group.values()], [*(each for name, each in group.items() if name != instead), claim]
            if self.terms.limits:
                self._require_limits(before, after)
            else:
                self._require_epsilon(before, after)

    def _require_limits(self, before: list[Claim], after: list[Claim]) -> None:
        for limit in self.terms.limits:
            try:
                total = limit.spent(after)
            except ValueError as error:
                raise BudgetError(str(error)) from None
            if total > limit.whole:
                spent = limit.amount - limit.left(limit.known_spent(before))
                raise exceeded(limit.name, limit.amount, spent, f"{limit.amount_of(total):g} with this release")

    def _require_epsilon(self, before: list[Claim], after: list[Claim]) -> None:
        whole, total = self.terms.whole, self.together(after)
        if not (total.epsilon > whole.epsilon or total.delta > whole.delta):
            return
        spent = self.together(before)
        for name in ("epsilon", "delta"):
            limit, sum_, known = (getattr(each, name) for each in (whole, total, spent))
            used_up = name == "epsilon" and known >= limit and sum_ > known
            if sum_ > limit * SLACK or used_up:
                raise exceeded(name, limit, known, f"{sum_:g} with this release")

    def together(self, claims: list[Claim]) -> Privacy:
        """Add up the claims as a filter does; where squares add up, a stopped run counts only what it used."""
        used = [replace(c, gdp_mu=c.used_mu, used_mu=None) if c.used_mu else c for c in claims]
        try:
            return self._added_up(used if self.terms.method == "gaussian" else claims)
        except ValueError as error:
            raise BudgetError(f"the budget of delta {self.terms.delta:g} must not be exceeded: {error}") from None

    def composed(self, claims: Iterable[Claim]) -> Claim:
        """Compose the claims by the method of the budget."""
        return compose(claims, delta=self._delta, method=self.terms.method)

    def _added_up(self, claims: list[Claim]) -> Privacy:
        if not claims:
            return Privacy(0.0, 0.0)
        way, delta = added_up(claims, self._delta, self.terms.method)
        return Privacy(way.epsilon, delta)

    @property
    def _delta(self) -> float | None:
        """The delta at which claims add up, or ``None`` where theirs do."""
        return None if self.terms.method == "basic" else self.terms.delta

    def spent(self, entries: Entries, part: str | None, left: bool = False) -> Privacy:
        """Return the most that was spent on one person, or the smallest amount that is left."""
        groups = [[*group.values()] for group in self.groups(self.fitting(entries), part)]
        if self.terms.limits:
            return self.terms.amount(
                {x: max(x.known_spent(group) for group in groups) for x in self.terms.limits}, left
            )
        sums = [self._added_up(group) for group in groups]
        epsilon, delta = (max((getattr(each, name) for each in sums), default=0.0) for name in ("epsilon", "delta"))
        if left:
            return Privacy(max(0.0, self.terms.whole.epsilon - epsilon), max(0.0, self.terms.delta - delta))
        return Privacy(epsilon, delta)


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
        rho=None,
    )
