"""Terms of a budget: what may be spent, in one measure, on which neighbours, and how claims add up."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

from dpspectra.accounting.budget_file import FIRST
from dpspectra.accounting.composition import METHODS
from dpspectra.accounting.limits import Limit, Privacy
from dpspectra.accounting.measures import curve_of
from dpspectra.ground import checks, records
from dpspectra.mechanisms.claims import Claim
from dpspectra.mechanisms.privacy_unit import RELATIONS, texts
from dpspectra.relations import Relation, among


@dataclass(frozen=True, slots=True)
class Terms:
    """Terms of a budget, set when it was made."""

    epsilon: float | None
    delta: float
    rho: float | None
    mu: float | None
    renyi: tuple[tuple[float, float], ...] | None
    relation: Relation
    method: str
    norm_bound: float | str | None
    parts: tuple[str, ...]

    @property
    def limits(self) -> tuple[Limit, ...]:
        """Limits in the measure of the budget, by its orders; none for a budget of epsilon."""
        if self.renyi is not None:
            return tuple(Limit("renyi", *point) for point in self.renyi)
        return tuple(Limit(name, None, found) for name in ("rho", "mu") if (found := getattr(self, name)) is not None)

    @property
    def whole(self) -> Privacy:
        """Amount that may be spent."""
        return (
            Privacy(self.epsilon, self.delta)
            if self.epsilon
            else self.amount({each: each.whole for each in self.limits})
        )

    def amount(self, costs: Mapping[Limit, Fraction], left: bool = False) -> Privacy:
        """Return what costs in the measure of the budget stand for, or what they leave."""
        told = {each.order: (each.left if left else each.amount_of)(cost) for each, cost in costs.items()}
        return Privacy.of(self.limits[0].measure, told)

    def told(self, part: str | None) -> list[str]:
        """Return the terms in words, for a part or for the whole budget."""
        named = {"rho": self.rho, "mu": self.mu, "renyi": dict(self.renyi or ())}
        amounts = [f"{name}={each if name == 'renyi' else format(each, 'g')}" for name, each in named.items() if each]
        if self.epsilon is not None:
            amounts = [f"epsilon={self.epsilon:g}", f"delta={self.delta:g}"]
        terms = [*amounts, f"relation={self.relation}", *([] if self.limits else [f"method={self.method}"])]
        named_parts = [f"parts={', '.join(self.parts)}"] * bool(self.parts)
        return [*terms, *map(records.printable, named_parts if part is None else [f"part={part}"])]

    def asdict(self) -> dict[str, Any]:
        """Return the terms by their names."""
        return asdict(self)


def terms_of(
    amounts: Mapping[str, Any],
    delta: float,
    relation: str,
    method: str,
    norm_bound: float | str | None,
    parts: Iterable[str],
) -> Terms:
    """Return the terms of a budget, checked; of the amounts, by their measures, one is not ``None``."""
    given = {name: amount for name, amount in amounts.items() if amount is not None}
    if len(given) != 1:
        raise ValueError(
            f"a budget must have one of {', '.join(amounts)}, got {' and '.join(given) or 'none'}: dpspectra.convert "
            "says what each is in another one"
        )
    ((measure, amount),) = given.items()
    limit = curve_of(amount) if measure == "renyi" else checks.positive(amount, measure)
    terms = Terms(
        **{name: limit if name == measure else None for name in amounts},  # type: ignore[arg-type]
        delta=checks.probability(delta, "delta", zero=True),
        relation=among(relation, RELATIONS),
        method=checks.choice(method, "method", METHODS),
        norm_bound=norm_bound
        if norm_bound is None or norm_bound == FIRST
        else checks.positive(norm_bound, "norm_bound"),
        parts=texts(parts, "parts"),
    )
    if terms.norm_bound != FIRST and not terms.relation.of_rows:
        raise ValueError(f"norm_bound must be {FIRST!r} for relation {relation}, got {checks.shown(norm_bound)}")
    if terms.limits and (delta or method != "basic"):
        raise ValueError(
            f"delta and method must be left out with {measure}, in which costs add up, got {delta:g} and {method}"
        )
    if method == "gaussian":
        checks.probability(delta, "delta")
    if len(set(terms.parts)) != len(terms.parts) or not all(terms.parts):
        raise ValueError(f"parts must have names that differ, got {checks.shown(terms.parts)}")
    if terms.parts and not terms.relation.of_rows:
        raise ValueError(
            f"parts must hold rows of people, got relation {relation}: take replace, add_remove or zero_out"
        )
    return terms


class HasTerms:
    """Terms of a budget, to be read by everybody."""

    _terms: Terms

    def cost(self, claim: Claim) -> Privacy:
        """Return what a claim costs in the measure of the budget.

        Parameters
        ----------
        claim
            A claim.

        Returns
        -------
        Privacy
            Its epsilon and delta, or what follows from it, rounded upward.

        Raises
        ------
        ValueError
            If nothing follows from it in this measure.

        """
        limits = self._terms.limits
        return self._terms.amount({x: x.cost(claim) for x in limits}) if limits else Privacy(claim.epsilon, claim.delta)

    @property
    def epsilon(self) -> float:
        """Largest epsilon that all claims together may spend, in nats; infinite in another measure, at delta 0."""
        return self._terms.whole.epsilon

    @property
    def delta(self) -> float:
        """Largest delta that all claims together may spend."""
        return self._terms.delta

    @property
    def measure(self) -> str:
        """The measure in which it spends: epsilon, rho, mu or renyi."""
        return self._terms.limits[0].measure if self._terms.limits else "epsilon"

    @property
    def relation(self) -> Relation:
        """The neighbours of all claims."""
        return self._terms.relation

    @property
    def method(self) -> str:
        """How claims add up."""
        return self._terms.method

    @property
    def norm_bound(self) -> float | str | None:
        """The bound on rows that claims must reach, as it was given."""
        return self._terms.norm_bound

    @property
    def rho(self) -> float | None:
        """Largest rho of zCDP, for a budget of this measure."""
        return self._terms.rho

    @property
    def mu(self) -> float | None:
        """Largest mu of Gaussian privacy, for a budget of this measure."""
        return self._terms.mu

    @property
    def renyi(self) -> dict[float, float] | None:
        """Largest Renyi divergences by their orders, for a budget of this measure."""
        return None if self._terms.renyi is None else dict(self._terms.renyi)

    @property
    def parts(self) -> tuple[str, ...]:
        """Names of parts that share no people."""
        return self._terms.parts
