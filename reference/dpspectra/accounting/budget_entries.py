"""Entries of a budget: what a mechanism is taken to claim before it runs, and what it did claim."""

from __future__ import annotations

import hashlib
import hmac
import inspect
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from dpspectra.accounting.budget_file import NO_TRAIL, Entry, File, Memory, Trail
from dpspectra.accounting.disjoint_claims import of_part
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
    """The claims in an account, which a filter lets in; those of a part, with a trail."""

    filter: Filter
    account: File | Memory
    part: str | None = None
    trail: Trail = NO_TRAIL

    def promised(self, given: dict[str, Any]) -> Claim:
        """Return the claim that somebody else's function is taken to make.

        It is for neighbours of the budget unless the function names another relation or norm bound.
        """
        relation = among(given.get("relation", self.filter.terms.relation), RELATIONS)
        norm_bound = given.get("norm_bound") if relation.of_rows or relation.of_sums else None
        with self.account.open() as entries:
            unit = self.filter.unit_in(entries)
        if unit is not None and relation == unit.relation:
            said = {name: getattr(unit, name) for name in UNIT}
        else:
            said = {"relation": relation}
        return Claim(
            epsilon=checks.positive(given["epsilon"], "epsilon"),
            delta=checks.probability(given.get("delta", 0.0), "delta", zero=True),
            **(said if norm_bound is None else said | {"norm_bound": norm_bound}),
        )

    def enter(self, claim: Claim, mechanism: str | None = None) -> str:
        """Enter a claim that fits, and return the name of the entry."""
        name = uuid.uuid4().hex
        self.raised(name, lambda _: claim, mechanism)
        return name

    def raised(self, name: str, claim_of: Callable[[Claim | None], Claim], mechanism: str | None) -> Claim | None:
        """Enter the claim that an entry, or none, becomes, if it fits in its place; return the claim as it was."""
        with self.account.open() as entries:
            before = entries[name].claim if name in entries else None
            entry = self._entry(claim_of(before), mechanism)
            self.filter.require_unit(entries, entry.claim)
            self.filter.require_room(entries, entry.claim, self.part, instead=name)
            entries[name] = entry
        return before

    def add(self, claim: Claim, mechanism: str | None = None) -> None:
        """Enter a claim that was made, whether it fits or not: the budget is closed where it does not."""
        with self.account.open() as entries:
            entries[uuid.uuid4().hex] = self._entry(claim, mechanism, own=False)

    def replace(self, name: str, claim: Claim | None) -> None:
        """Put another claim in the place of an entry, or strike it out."""
        with self.account.open() as entries:
            if claim is None:
                del entries[name]
            else:
                entries[name] = entries[name]._replace(claim=self._own(claim))

    def _entry(self, claim: Claim, mechanism: str | None, own: bool = True) -> Entry:
        when = datetime.now(UTC).isoformat(timespec="seconds")
        trail = self.trail._replace(when=when, mechanism=mechanism)
        return Entry(self._own(claim) if own else claim, self.part, trail)

    def _own(self, claim: Claim) -> Claim:
        """Return the claim as one about the part."""
        return claim if self.part is None else of_part(claim)


def keyed(name: str, path: Path) -> str:
    """Return the digest of a data file, keyed by the name of a budget."""
    with path.open("rb") as file:
        return hmac.new(name.encode(), hashlib.file_digest(file, "sha256").digest(), "sha256").hexdigest()
