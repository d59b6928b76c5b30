"""What mechanisms promise, as data: the privacy claim of a release, and bounds on its error."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from dpspectra.ground import checks
from dpspectra.relations import Relation, among

IDEAL_REALS = "arithmetic is exact and noise is drawn from the ideal real-valued law (float64 is neither)"
IDEAL_RANDOMNESS = "the generator's bits are independent, uniform and secret"
CERTIFIED, IDEAL = "certified", "ideal"

CONFIDENCE = 0.95
"""Probability at which guarantees are quoted."""

RELATIONS = tuple(Relation.__members__.values())


def _texts(value: object, name: str) -> tuple[str, ...]:
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise ValueError(f"{name} must be texts in a tuple, got {checks.shown(value)}")
    texts = tuple(value)
    if bad := [text for text in texts if not isinstance(text, str)]:
        raise ValueError(f"{name} must be texts in a tuple, got {checks.shown(bad[0])} among them")
    return texts


@dataclass(frozen=True, slots=True)
class Claim:
    """A differential privacy claim as data.

    Every pair of data sets that are neighbours under ``relation`` gives output laws within ``(epsilon, delta)``,
    ``epsilon >= 0`` in nats and ``delta`` in ``[0, 1)``, provided the ``assumptions`` hold. Raises ``ValueError`` for
    anything else; numbers become floats, a relation may be given by its name.

    >>> Claim("replace", 1).relation
    <Relation.REPLACE: 'replace'>
    """

    relation: Relation
    """Neighbour relation; `dpspectra.relations.Relation` defines each in one sentence."""
    epsilon: float
    delta: float = 0.0
    gdp_mu: float | None = None
    """The mechanism is exactly ``mu``-Gaussian differentially private, where it is."""
    assumptions: tuple[str, ...] = (IDEAL_REALS, IDEAL_RANDOMNESS)
    labels: tuple[str, ...] = ()
    """Statements of the ledger that the claim rests on."""
    arithmetic: str = IDEAL
    """``"certified"`` if the claim holds for the program as it runs, ``"ideal"`` if for ideal real numbers only."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "relation", among(self.relation, RELATIONS))
        object.__setattr__(self, "epsilon", checks.non_negative(self.epsilon, "epsilon"))
        object.__setattr__(self, "delta", checks.probability(self.delta, "delta", zero=True))
        if self.gdp_mu is not None:
            object.__setattr__(self, "gdp_mu", checks.positive(self.gdp_mu, "gdp_mu"))
        for name in ("assumptions", "labels"):
            object.__setattr__(self, name, _texts(getattr(self, name), name))
        checks.choice(self.arithmetic, "arithmetic", (CERTIFIED, IDEAL))

    def asdict(self) -> dict[str, Any]:
        """Return the claim as JSON-ready data."""
        return {k: list(v) if isinstance(v, tuple) else v for k, v in asdict(self).items()}


@dataclass(frozen=True, slots=True)
class Guarantee:
    """With at least this ``probability`` over the noise, ``quantity`` is at most ``bound``, whatever the data.

    The bound is not negative, the probability lies in ``(0, 1)``; raises ``ValueError`` otherwise.
    """

    quantity: str
    bound: float
    probability: float

    def __post_init__(self) -> None:
        if not isinstance(self.quantity, str):
            raise ValueError(f"quantity must be text, got {checks.shown(self.quantity)}")
        object.__setattr__(self, "bound", checks.non_negative(self.bound, "bound"))
        object.__setattr__(self, "probability", checks.probability(self.probability, "probability"))

    @classmethod
    def of_square(cls, quantity: str, mean: float, variance: float) -> Guarantee:
        """At `CONFIDENCE`, from the mean and variance of the square of ``quantity``: one-sided Chebyshev inequality."""
        odds = CONFIDENCE / (1 - CONFIDENCE)
        return cls(quantity, math.sqrt(mean + math.sqrt(variance * odds)), CONFIDENCE)
