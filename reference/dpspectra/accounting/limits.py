"""Limits of budgets in measures in which costs add up: what a claim costs there, exactly or rounded upward."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Any, NamedTuple

from dpspectra.accounting.measures import follows
from dpspectra.certified import calibrate, composition
from dpspectra.mechanisms.claims import Claim, upward


class Pair(NamedTuple):
    """An epsilon (nats) and a delta."""

    epsilon: float
    delta: float


class Privacy(Pair):
    """An amount of privacy loss. In another measure than epsilon no epsilon below infinity follows at delta 0."""

    rho: float | None = None
    mu: float | None = None
    renyi: dict[float, float] | None = None

    def __eq__(self, other: object) -> bool:
        return self.asdict() == other.asdict() if isinstance(other, Privacy) else tuple(self) == other

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return f"Privacy({self})"

    def __str__(self) -> str:
        if self.renyi is not None:
            return ", ".join(f"{amount:g} at order {order:g}" for order, amount in self.renyi.items())
        other = [f"{name} {amount:g}" for name in ("rho", "mu") if (amount := getattr(self, name)) is not None]
        return other[0] if other else f"epsilon {self.epsilon:g}" + (f", delta {self.delta:g}" if self.delta else "")

    def asdict(self) -> dict[str, Any]:
        """Return the amount by its names."""
        other = {name: found for name in ("rho", "mu", "renyi") if (found := getattr(self, name)) is not None}
        return other or self._asdict()

    @classmethod
    def of(cls, measure: str, amounts: dict[float | None, float]) -> Privacy:
        """Return an amount in a measure other than epsilon, by its orders."""
        made = cls(math.inf if any(amounts.values()) else 0.0, 0.0)
        setattr(made, measure, amounts if measure == "renyi" else amounts[None])
        return made


class Limit(NamedTuple):
    """The most that claims may cost together in a measure, at an order if it has orders."""

    measure: str
    order: float | None
    amount: float

    @property
    def name(self) -> str:
        """The measure in words."""
        return self.measure if self.order is None else f"divergence of order {self.order:g}"

    @property
    def whole(self) -> Fraction:
        """Largest sum of costs: the amount, or the square of a ``mu``."""
        return self.cost_of(self.amount)

    def cost(self, claim: Claim) -> Fraction:
        """Return what a claim adds; a stopped run adds what it used. Raises ``ValueError`` if no bound is known."""
        return _cost(self, claim.epsilon, claim.delta, claim.used_mu or claim.gdp_mu, claim.rho)

    def spent(self, claims: Iterable[Claim]) -> Fraction:
        """Return what claims cost together."""
        return composition.exact_sum(map(self.cost, claims))

    def known_spent(self, claims: Iterable[Claim]) -> Fraction:
        """Return what claims cost together, or all there is if one of them has no bound in this measure."""
        try:
            return self.spent(claims)
        except ValueError:
            return self.whole

    def amount_of(self, cost: Fraction) -> float:
        """Return the amount that a cost stands for, rounded upward."""
        if self.measure == "mu" and cost > 0:
            return calibrate.at_least_root(cost, 1.0)
        return upward(cost)

    def left(self, cost: Fraction) -> float:
        """Return the amount that is left, rounded downward."""
        rest = max(Fraction(0), self.whole - cost)
        if self.measure == "mu" and rest > 0:
            return calibrate.largest(lambda mu: Fraction(mu) ** 2 <= rest, float(calibrate.root(rest)))
        return 0.0 - upward(-rest)

    def cost_of(self, amount: float) -> Fraction:
        """Return what an amount adds: its square where squares add up."""
        return Fraction(amount) ** (2 if self.measure == "mu" else 1)


@functools.lru_cache(maxsize=2**14)  # a budget asks of each of its claims again whenever one comes
def _cost(limit: Limit, epsilon: float, delta: float, mu: float | None, rho: float | None) -> Fraction:
    sources = [("epsilon", epsilon)] * (delta == 0) + ([] if mu is None else [("mu", mu)])
    if rho is not None and limit.measure != "mu":
        sources.append(("rho", rho))
    to = (limit.measure, limit.order)
    known = [follows((name, None), amount, to, 0.0) if amount else 0.0 for name, amount in sources]
    if not (finite := [amount for amount in known if math.isfinite(amount)]):
        found = f"delta {delta:g} and no mu" if delta else f"epsilon {epsilon:g}"
        raise ValueError(
            f"a claim must be pure or of Gaussian noise for {limit.name}, got {found}: ask for delta 0 or for Gaussian "
            "noise, or count in epsilon and delta"
        )
    return limit.cost_of(min(finite))
