"""Claims about people in parts, or chunks, that share none: each, and the largest of several (DPS-PARTS)."""

from __future__ import annotations

from dataclasses import replace

from dpspectra.accounting.privacy_filter import BudgetError
from dpspectra.mechanisms.claims import CERTIFIED, UNIT, Claim
from dpspectra.mechanisms.privacy_unit import IN_PARTS

PARTS = (
    "parts hold rows of different people, in which part a row belongs follows from this row alone, and a person's is "
    "the same in all releases"
)
LABEL = "DPS-PARTS"


def worst(one: Claim, two: Claim) -> Claim:
    """Return the larger loss of two parts: it holds for a person who is in either one, if nobody may say in which."""
    unit = one.unit.meet(two.unit)
    return replace(
        two,
        epsilon=max(one.epsilon, two.epsilon),
        delta=max(one.delta, two.delta),
        gdp_mu=_larger(one.gdp_mu, two.gdp_mu),
        rho=_larger(one.rho, two.rho),
        assumptions=tuple(dict.fromkeys((*one.assumptions, *two.assumptions))),
        labels=tuple(dict.fromkeys((*one.labels, *two.labels))),
        arithmetic=two.arithmetic if one.arithmetic == CERTIFIED else one.arithmetic,
        public=tuple(dict.fromkeys((*one.public, *two.public))),
        **{name: getattr(unit, name) for name in UNIT},
    )


def _larger(one: float | None, two: float | None) -> float | None:
    """Return the larger amount, if both are known."""
    return None if one is None or two is None else max(one, two)


def of_part(claim: Claim) -> Claim:
    """Return the claim about people of one part, which assumes that parts share none.

    Where the number of rows is public, a row that is replaced must stay in its part. Raises ``BudgetError`` for data
    that were in parts before, as people who share one of those may be in two of these.
    """
    if claim.people not in (None, IN_PARTS):
        raise BudgetError(
            f"a claim in a part must be of data that were in no parts, got {claim.people!r}: pay from the whole budget"
        )
    labels = tuple(dict.fromkeys((*claim.labels, LABEL)))
    if claim.relation.counted:
        return replace(claim, people=IN_PARTS, labels=labels)
    return replace(claim, assumptions=tuple(dict.fromkeys((*claim.assumptions, PARTS))), labels=labels)


def of_chunk(claim: Claim, before: Claim | None) -> Claim:
    """Return the claim of a chunk with those before it, which assumes that chunks share no people."""
    apart = replace(claim, people=IN_PARTS)
    return apart if before is None else worst(before, apart)
