"""Entries of a budget: what a mechanism is taken to claim before it runs, and what it did claim."""

from __future__ import annotations

import inspect
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from dpspectra.accounting.budget_file import Claims, File, Memory
from dpspectra.accounting.privacy_filter import Filter
from dpspectra.ground import checks
from dpspectra.mechanisms.claims import UNIT, Claim
from dpspectra.mechanisms.privacy_unit import RELATIONS
from dpspectra.relations import among


def bound_to(mechanism: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> inspect.BoundArguments:
    """Return the arguments of a mechanism that takes epsilon by its name, defaults among them."""
    try:
        bound = inspect.signature(mechanism).bind(*args, **kwargs)
    except TypeError as error:
        raise ValueError(f"the arguments must be those of the mechanism, got others: {error}") from None
    bound.apply_defaults()
    if "epsilon" not in bound.arguments:
        raise ValueError(f"mechanism must take epsilon by this name, got {checks.shown(mechanism)}")
    return bound


@dataclass(frozen=True, slots=True)
class Book:
    """The claims in an account, which a filter lets in."""

    filter: Filter
    account: File | Memory

    def promised(self, given: dict[str, Any]) -> Claim:
        """Return the claim that somebody else's function is taken to make.

        It is for neighbours of the budget unless the function names another relation or norm bound.
        """
        relation = among(given.get("relation", self.filter.terms.relation), RELATIONS)
        norm_bound = given.get("norm_bound") if relation.of_rows or relation.of_sums else None
        with self.account.open() as claims:
            unit = self.filter.unit_in(claims)
        if unit is not None and relation == unit.relation:
            said = {name: getattr(unit, name) for name in UNIT}
        else:
            said = {"relation": relation}
        return Claim(
            epsilon=checks.positive(given["epsilon"], "epsilon"),
            delta=checks.probability(given.get("delta", 0.0), "delta", zero=True),
            **(said if norm_bound is None else said | {"norm_bound": norm_bound}),
        )

    def enter(self, claim: Claim) -> str:
        """Enter a claim that fits, and return the name of the entry."""
        with self.account.open() as claims:
            self.filter.require_unit(claims, claim)
            self.filter.require_room(claims, claim)
            return _named(claims, claim)

    def raised(self, name: str, claim_of: Callable[[Claim | None], Claim]) -> Claim | None:
        """Enter the claim that an entry, or none, becomes, if it fits in its place; return the entry as it was."""
        with self.account.open() as claims:
            before = claims.get(name)
            claim = claim_of(before)
            self.filter.require_unit(claims, claim)
            self.filter.require_room(claims, claim, instead=name)
            claims[name] = claim
        return before

    def add(self, claim: Claim) -> None:
        """Enter a claim that was made, whether it fits or not: the budget is closed where it does not."""
        with self.account.open() as claims:
            _named(claims, claim)

    def replace(self, name: str, claim: Claim | None) -> None:
        """Put another claim in the place of an entry, or strike it out."""
        with self.account.open() as claims:
            if claim is None:
                del claims[name]
            else:
                claims[name] = claim


def _named(claims: Claims, claim: Claim) -> str:
    name = uuid.uuid4().hex
    claims[name] = claim
    return name
