"""A budget of privacy loss that releases are paid from, before they are made."""

from __future__ import annotations

import inspect
import os
import uuid
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple, ParamSpec, TypeVar

from dpspectra.accounting.budget_file import Claims, File, Memory
from dpspectra.accounting.composition import METHODS, compose
from dpspectra.ground import checks
from dpspectra.mechanisms import catalogue
from dpspectra.mechanisms.claims import RELATIONS, Claim
from dpspectra.mechanisms.release import Release
from dpspectra.relations import Relation, among

P = ParamSpec("P")
Value = TypeVar("Value")

SLACK = 1 + checks.RELATIVE_ROUNDING
"""Ten times 0.1 is no more than 1: sums exceed a budget if they do by more than rounding."""


class BudgetError(ValueError):
    """A release was refused: with it more would be spent than there is. Nothing was read or drawn for it."""


class Privacy(NamedTuple):
    """An amount of privacy loss."""

    epsilon: float
    delta: float


@dataclass(frozen=True, slots=True)
class _Terms:
    epsilon: float
    delta: float
    relation: Relation
    method: str


class Budget:
    """An ``epsilon`` (nats) and a ``delta`` that releases of one data set may spend together, and no more.

    `release` makes a release if the budget allows it; `spend` enters one that was made elsewhere. Both raise
    `BudgetError` otherwise. All are for neighbours under ``relation``. ``method`` is how claims add up, as in
    `dpspectra.compose`:

    * ``"basic"``, the default, holds whatever is released next: what, and how much of the budget it gets, may be chosen
      by earlier outputs; so does ``"gaussian"`` (DPS-COMPOSE).
    * ``"optimal"``, ``"best"`` and ``"pld"`` spend less for many releases, and hold if epsilons, deltas and the number
      of releases were fixed before the first.

    A budget may be used from several threads, and a copy of it is the budget itself. Without a ``file`` it belongs to
    the process that made it: a child of a fork gets ``OSError``, and it cannot be pickled. With one, on a local disk,
    all copies and processes spend from that file, also later. This constructor makes the file if it is not there;
    `Budget.open` never does. A file that is gone, empty, foreign, or older than what this object has seen of it is an
    ``OSError``, and nothing is released. ``receipt``, from `Budget.receipt`, extends this to what another process has
    seen: with it the file must be there. Undetected stays who brings back an older file and receipt together, or writes
    a whole new chain. Raises ``ValueError`` for bad input, also if the file is that of a budget with other terms.

    >>> from dpspectra import laplace_covariance
    >>> budget = Budget(1.0)
    >>> release = budget.release(laplace_covariance, [[0.6, 0.8]], epsilon=0.75)
    >>> budget
    Budget(epsilon=1, delta=0, relation=replace, method=basic): 1 claim, epsilon 0.75 spent, 0.25 left
    >>> budget.release(laplace_covariance, [[0.6, 0.8]], epsilon=0.5)
    Traceback (most recent call last):
    dpspectra.accounting.budget.BudgetError: the budget of epsilon 1 must not be exceeded, got 1.25 with this release
    """

    def __init__(
        self,
        epsilon: float,
        delta: float = 0.0,
        *,
        relation: str = "replace",
        method: str = "basic",
        file: str | os.PathLike[str] | None = None,
        receipt: str | None = None,
    ) -> None:
        self._terms = _Terms(
            checks.positive(epsilon, "epsilon"),
            checks.probability(delta, "delta", zero=True),
            among(relation, RELATIONS),
            checks.choice(method, "method", METHODS),
        )
        if method == "gaussian":
            checks.probability(delta, "delta")
        if file is None and receipt is not None:
            raise ValueError("receipt must come with the file that it is of, got no file")
        self._account = Memory() if file is None else File(Path(file), asdict(self._terms), receipt)

    @classmethod
    def open(cls, file: str | os.PathLike[str], *, receipt: str | None = None) -> Budget:
        """Return the budget in a file that exists, with the terms that it was made with.

        Raises ``OSError`` if there is none, and for what the constructor refuses; ``ValueError`` for a bad receipt.
        """
        account = File(Path(file), None, receipt)
        return cls(**account.terms, file=file, receipt=receipt or account.receipt)

    @property
    def receipt(self) -> str | None:
        """Number and digest of the last entry in the file, to be kept elsewhere; ``None`` without a file."""
        return self._account.receipt

    @property
    def epsilon(self) -> float:
        """What may be spent, in nats."""
        return self._terms.epsilon

    @property
    def delta(self) -> float:
        """What may be spent of delta."""
        return self._terms.delta

    @property
    def relation(self) -> Relation:
        """The neighbours of all claims."""
        return self._terms.relation

    @property
    def method(self) -> str:
        """How claims add up."""
        return self._terms.method

    @property
    def claims(self) -> tuple[Claim, ...]:
        """What was spent, claim by claim; for a release that is being made, at least what it will claim."""
        with self._account.open() as claims:
            return tuple(claims.values())

    @property
    def claim(self) -> Claim | None:
        """What all releases claim together, by `dpspectra.compose`; ``None`` if there are none."""
        claims = self.claims
        return self._composed(claims) if claims else None

    @property
    def spent(self) -> Privacy:
        """Epsilon and delta of all releases together: sums for ``"basic"``, else epsilon at the budget's delta."""
        claim = self.claim
        return Privacy(claim.epsilon, claim.delta) if claim else Privacy(0.0, 0.0)

    @property
    def left(self) -> Privacy:
        """The budget less what is spent; unless the method is basic, one more release may cost less than it claims."""
        spent = self.spent
        return Privacy(max(0.0, self.epsilon - spent.epsilon), max(0.0, self.delta - spent.delta))

    def release(self, mechanism: Callable[P, Release[Value]], /, *args: P.args, **kwargs: P.kwargs) -> Release[Value]:
        """Return ``mechanism(*args, **kwargs)`` and enter its claim, if the budget allows the epsilon and delta given.

        ``mechanism`` takes ``epsilon`` by this name, and ``delta`` and ``relation`` where it has them, as those of this
        package do. What it may claim is set aside before it is called. A ``ValueError`` from it, as for bad input,
        gives that back; after anything else that it raises it stays spent, as outputs may have been seen. Raises
        `BudgetError` if the budget does not allow it, or if the claim turns out to be larger than was asked for: it is
        entered, and the release withheld. Raises ``ValueError`` if the mechanism takes no epsilon, or another relation.
        """
        if not callable(mechanism):
            raise ValueError(f"mechanism must be a function, got {checks.shown(mechanism)}")
        planned = self._planned(mechanism, inspect.signature(mechanism), args, kwargs)
        name = self._enter(planned)
        try:
            release = mechanism(*args, **kwargs)
        except ValueError as error:
            if type(error) is ValueError:
                self._replace(name, None)
            raise
        claim = release.claim
        self._replace(name, claim)
        if _larger(claim, planned):
            raise BudgetError(f"the mechanism must claim what was asked for at most, got {checks.shown(claim)}")
        return release

    def spend(self, claim: Claim | Release[Any]) -> None:
        """Enter the claim of a release that is made elsewhere; raises `BudgetError` if the budget does not allow it."""
        self._enter(self._fitting(claim))

    def check(self, claim: Claim | Release[Any]) -> None:
        """Raise `BudgetError` if the budget would not allow this claim now; nothing is entered."""
        fitting = self._fitting(claim)
        with self._account.open() as claims:
            self._require_room(claims, fitting)

    def _fitting(self, claim: Claim | Release[Any]) -> Claim:
        found = claim.claim if isinstance(claim, Release) else claim
        if not isinstance(found, Claim):
            raise ValueError(f"claim must be a Claim or a Release, got {checks.shown(claim)}")
        self._require_relation(found.relation)
        return found

    def _planned(
        self, mechanism: Callable[..., Any], signature: inspect.Signature, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Claim:
        """The largest claim of a call, from the numbers that it is given."""
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError as error:
            raise ValueError(f"the arguments must be those of the mechanism, got others: {error}") from None
        bound.apply_defaults()
        given = bound.arguments
        if "epsilon" not in given:
            raise ValueError(f"mechanism must take epsilon by this name, got {checks.shown(mechanism)}")
        record = catalogue.of(mechanism)
        claim = record.planned(**given) if record else self._promised(given)
        self._require_relation(claim.relation)
        return claim

    def _promised(self, given: dict[str, Any]) -> Claim:
        """The claim that somebody else's function is taken to make."""
        return Claim(
            among(given.get("relation", self.relation), RELATIONS),
            checks.positive(given["epsilon"], "epsilon"),
            checks.probability(given.get("delta", 0.0), "delta", zero=True),
        )

    def _require_relation(self, relation: Relation) -> None:
        if relation != self.relation:
            raise ValueError(f"relation must be that of the budget, {self.relation}, got {relation}")

    def _enter(self, claim: Claim) -> str:
        with self._account.open() as claims:
            self._require_room(claims, claim)
            name = uuid.uuid4().hex
            claims[name] = claim
        return name

    def _replace(self, name: str, claim: Claim | None) -> None:
        with self._account.open() as claims:
            if claim is None:
                del claims[name]
            else:
                claims[name] = claim

    def _require_room(self, claims: Claims, claim: Claim) -> None:
        try:
            together = self._composed([*claims.values(), claim])
        except ValueError as error:
            raise BudgetError(f"the budget of delta {self.delta:g} must not be exceeded: {error}") from None
        for name in ("epsilon", "delta"):
            if getattr(together, name) > getattr(self, name) * SLACK:
                given = f"{getattr(together, name):g} with this release"
                raise BudgetError(f"the budget of {name} {getattr(self, name):g} must not be exceeded, got {given}")

    def _composed(self, claims: Any) -> Claim:
        return compose(claims, delta=None if self.method == "basic" else self.delta, method=self.method)

    def __copy__(self) -> Budget:
        return self

    def __deepcopy__(self, memo: object) -> Budget:
        return self

    def __repr__(self) -> str:
        number, spent, left = len(self.claims), self.spent, self.left
        terms = f"epsilon={self.epsilon:g}, delta={self.delta:g}, relation={self.relation}, method={self.method}"
        delta = f"; delta {spent.delta:g} spent, {left.delta:g} left" if self.delta else ""
        said = f"epsilon {spent.epsilon:g} spent, {left.epsilon:g} left{delta}"
        return f"Budget({terms}): {number} claim{'s' * (number != 1)}, {said}"


def _larger(claim: Claim, planned: Claim) -> bool:
    mus = planned.gdp_mu is not None and (claim.gdp_mu is None or claim.gdp_mu > planned.gdp_mu * SLACK)
    above = claim.epsilon > planned.epsilon or claim.delta > planned.delta
    return claim.relation != planned.relation or above or mus
