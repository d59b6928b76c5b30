"""Claims by the numbers in which they are given, in Python, pytest, commands and records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, cast

from dpspectra.audit.claims import GDP, ZCDP, ApproxDP, Closeness, CurveClaim, Profile, PureDP, Renyi
from dpspectra.ground import checks, records

NUMBER = records.number()
FIELDS: dict[str, records.Kind] = {
    **dict.fromkeys(("epsilon", "delta", "mu", "alpha", "rho", "excess", "distance"), NUMBER),
    "curve": records.listed(records.tupled(NUMBER, NUMBER)),
}
"""Fields of claims in records."""
KINDS: dict[str, type[CurveClaim]] = {k.__name__: k for k in (PureDP, ApproxDP, GDP, Renyi, ZCDP, Profile, Closeness)}


def claim_of(epsilon: float | CurveClaim, delta: float) -> CurveClaim:
    """Read the two arguments in which claims are usually given; a claim given as such must come alone."""
    if isinstance(epsilon, CurveClaim):
        if delta != 0:
            raise ValueError(f"delta must be part of the claim, got {epsilon} and delta = {delta}: leave delta out")
        return epsilon
    checks.non_negative(epsilon, "epsilon")
    checks.probability(delta, "delta", zero=True)
    return ApproxDP(float(epsilon), float(delta)) if delta > 0 else PureDP(float(epsilon))


def claim_by(
    epsilon: float | CurveClaim | None = None,
    delta: float = 0.0,
    *,
    mu: float | None = None,
    renyi: tuple[float, float] | None = None,
    rho: float | None = None,
    profile: Profile | None = None,
) -> CurveClaim:
    """Read a claim from the one of these numbers by which it is given; ``delta`` goes with ``epsilon``."""
    given = {"epsilon": epsilon, "mu": mu, "renyi": renyi, "rho": rho, "profile": profile}
    names = [name for name, value in given.items() if value is not None]
    if len(names) != 1:
        raise ValueError(f"the claim must be one of {', '.join(given)}, got {len(names)} of them")
    if delta and epsilon is None:
        raise ValueError(f"delta must come with epsilon, got {names[0]}")
    if epsilon is not None:
        return claim_of(epsilon, delta)
    if renyi is not None:
        return Renyi(*renyi)
    return profile or (GDP(cast(float, mu)) if rho is None else ZCDP(rho))


def claim_from(data: Mapping[str, Any]) -> CurveClaim:
    """Read `CurveClaim.to_dict` back."""
    try:
        kind = KINDS[records.text(data["kind"])]
        known = {each.name: FIELDS[each.name] for each in fields(cast(Any, kind))}
        found = records.record({"kind": records.text, **known})(data)
        return kind(**{name: found[name] for name in known})
    except (LookupError, TypeError, records.Misfit):
        found = checks.shown(data)
        raise ValueError(f"claim must name a kind among {sorted(KINDS)} and its fields, got {found}") from None
