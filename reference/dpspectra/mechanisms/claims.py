"""Promises of mechanisms as data: the privacy claim of a release, and bounds on its error."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from typing import Any

from dpspectra.ground import checks, records
from dpspectra.mechanisms.privacy_unit import RELATIONS as RELATIONS
from dpspectra.mechanisms.privacy_unit import Unit, texts
from dpspectra.relations import Relation

IDEAL_REALS = "arithmetic is exact and noise is drawn from the ideal real-valued law (float64 is neither)"
IDEAL_RANDOMNESS = "the generator's bits are independent, uniform and secret"
VALUE_ONLY = "the value is released, not the time it took"
IDEAL_ASSUMPTIONS = (IDEAL_REALS, IDEAL_RANDOMNESS, VALUE_ONLY)
CERTIFIED, IDEAL = "certified", "ideal"

CONFIDENCE = 0.95
"""Probability at which guarantees are quoted."""


@dataclass(frozen=True, slots=True)
class Claim:
    """Hold a differential privacy claim as data.

    Every pair of data sets that are `neighbours` gives output laws within ``(epsilon, delta)``, provided the
    ``assumptions`` hold. Numbers become floats, and a relation may be given by its name.

    Raises
    ------
    ValueError
        For a number out of its range, or an unknown relation.

    Examples
    --------
    >>> Claim("replace", 1, norm_bound=0.5).neighbours.split(";")[0]
    'One row of norm at most 0.5 is replaced by another of norm at most 0.5'

    """

    relation: Relation
    """Neighbour relation; `dpspectra.relations.Relation` defines each in one sentence."""
    epsilon: float
    """Privacy parameter (nats), at least 0."""
    delta: float = 0.0
    """Addend of the bound, in ``[0, 1)``."""
    gdp_mu: float | None = None
    """``mu`` of Gaussian privacy, where it holds, too: the sensitivity over the standard deviation of the noise."""
    assumptions: tuple[str, ...] = IDEAL_ASSUMPTIONS
    """Conditions under which the claim is true, in words."""
    labels: tuple[str, ...] = ()
    """Statements of the ledger that the claim rests on."""
    arithmetic: str = IDEAL
    """``"certified"`` if the claim holds for the program as it runs, ``"ideal"`` if for ideal real numbers only."""
    norm_bound: float | None = None
    """Bound on the norms of all rows, or of the vectors that a matrix changes by; ``None`` for rows of any norm."""
    change: float | None = None
    """Largest change under relations such as ``"row"``, 1 by default; ``None`` for relations between rows."""
    domain: tuple[str, ...] = ()
    """Further conditions on both of two neighbours, in words."""
    people: str | None = None
    """Which people share a part of the data, in words, where the data came in several parts."""
    public: tuple[str, ...] = ()
    """Facts that were taken as known to everybody, in words."""
    used_mu: float | None = None
    """Part of ``gdp_mu`` that a run used which was stopped; only sums of squares that limit later ones may read it."""
    rho: float | None = None
    """Zero-concentrated privacy (zCDP): where it was asked for, or of a mechanism made elsewhere."""

    def __post_init__(self) -> None:
        unit = Unit(self.relation, self.norm_bound, self.change, self.domain, self.people)
        for name in UNIT:
            object.__setattr__(self, name, getattr(unit, name))
        object.__setattr__(self, "epsilon", checks.non_negative(self.epsilon, "epsilon"))
        object.__setattr__(self, "delta", checks.probability(self.delta, "delta", zero=True))
        for name in ("gdp_mu", "used_mu", "rho"):
            if (mu := getattr(self, name)) is not None:
                object.__setattr__(self, name, checks.positive(mu, name))
        for name in ("assumptions", "labels", "public"):
            object.__setattr__(self, name, texts(getattr(self, name), name))
        checks.choice(self.arithmetic, "arithmetic", (CERTIFIED, IDEAL))

    @classmethod
    def read(cls, plain: Mapping[str, Any]) -> Claim:
        """Return the claim that `asdict` wrote.

        Parameters
        ----------
        plain
            Each field by its name.

        Returns
        -------
        Claim
            The same claim.

        Raises
        ------
        ValueError
            Unless every field is there with its type, and no other.

        """
        try:
            found = CLAIM(plain)
        except records.Misfit:
            raise ValueError("a claim must have all its fields and no other, got something else") from None
        return cls(**found)

    @property
    def unit(self) -> Unit:
        """Which data sets are neighbours, to be compared."""
        return _unit(self.relation, self.norm_bound, self.change, self.domain, self.people)

    @property
    def neighbours(self) -> str:
        """Which data sets are neighbours, in one sentence."""
        return self.unit.sentence

    def grouped(self, times: int) -> Claim:
        """Return the claim about a change that is ``times`` as large, in as many steps.

        Parameters
        ----------
        times
            Number of steps, at least 1.

        Returns
        -------
        Claim
            Epsilon is ``times`` as large, and so is ``gdp_mu``, which gives the delta; it has no ``rho``.

        Raises
        ------
        ValueError
            For rows and sums of people, where steps keep neither number of rows nor norms; for a delta without a
            ``gdp_mu``; and for a type of integers, between which there may be no such steps.

        Examples
        --------
        >>> Claim("row", 0.5).grouped(2).neighbours
        'One row of a matrix changes by a vector of Euclidean norm at most 2.'

        """
        checks.integer(times, "times", 1)
        if self.change is None:
            raise ValueError(f"relation must be one with a change to be grouped, got {self.relation}")
        if self.delta and self.gdp_mu is None:
            raise ValueError(f"delta must be 0 or come with a gdp_mu to be grouped, got {self.delta:g}")
        if found := [word for word in self.domain if word.startswith(INTEGERS)]:
            raise ValueError(f"entries must be real numbers to be grouped, got a claim in which {found[0]}")
        epsilon, change = upward(times * Fraction(self.epsilon)), -upward(-times * Fraction(self.change))
        delta, mu = self.delta, None
        if self.gdp_mu is not None:
            from dpspectra.mechanisms.gaussian_mu import delta_of

            mu = upward(times * Fraction(self.gdp_mu))
            delta = delta_of(epsilon, mu) if self.delta else 0.0
        return replace(self, epsilon=epsilon, delta=delta, gdp_mu=mu, used_mu=None, rho=None, change=change)

    def asdict(self) -> dict[str, Any]:
        """Return the claim as JSON-ready data.

        Returns
        -------
        dict
            Each field by its name; ``rho`` only where there is one.

        """
        plain = {k: list(v) if isinstance(v, tuple) else v for k, v in asdict(self).items()}
        return {k: v for k, v in plain.items() if k != "rho" or v is not None}


_unit = functools.lru_cache(maxsize=256)(Unit)
"""Units by their fields, remembered, as accounts ask each claim for its own over and over."""
WORDS, AMOUNT = records.listed(records.text), records.optional(records.number(above=0))
CLAIM = records.record(
    {
        "relation": records.among(*RELATIONS),
        "epsilon": records.number(0),
        "delta": records.number(0, 1),
        "gdp_mu": AMOUNT,
        "assumptions": WORDS,
        "labels": WORDS,
        "arithmetic": records.among(CERTIFIED, IDEAL),
        "norm_bound": AMOUNT,
        "change": AMOUNT,
        "domain": WORDS,
        "people": records.optional(records.text),
        "public": WORDS,
        "used_mu": AMOUNT,
    },
    {"rho": AMOUNT},
)
"""Fields of a claim in files."""
GUARANTEE = records.record({"quantity": records.text, "bound": records.number(0), "probability": records.number(0, 1)})
"""Those of a guarantee."""
UNIT = ("relation", "norm_bound", "change", "domain", "people")
"""Fields that say which data sets are neighbours."""
INTEGERS = "entries are of type "
"""Begin of the words on a matrix of integers."""


def upward(number: Fraction) -> float:
    """Return the smallest float at or above a number."""
    try:
        rounded = float(number)
    except OverflowError:
        raise ValueError("the numbers of a claim must be below 1.8e308, got a larger one") from None
    return rounded if Fraction(rounded) >= number else math.nextafter(rounded, math.inf)


@dataclass(frozen=True, slots=True)
class Guarantee:
    """Say that with at least this ``probability`` over the noise, ``quantity`` is at most ``bound``, whatever the data.

    Parameters
    ----------
    quantity
        What is bounded, in words.
    bound
        Its bound, at least 0, in the unit of the released value.
    probability
        Probability over the noise alone, strictly between 0 and 1.

    Raises
    ------
    ValueError
        If the bound is negative, or the probability outside ``(0, 1)``.

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
        """Return the guarantee at `CONFIDENCE`, by the one-sided Chebyshev inequality for the square of a quantity.

        Parameters
        ----------
        quantity
            Its name, with its unit.
        mean, variance
            Those of its square.

        Returns
        -------
        Guarantee
            The bound on the quantity itself.

        """
        odds = CONFIDENCE / (1 - CONFIDENCE)
        return cls(quantity, math.sqrt(mean + math.sqrt(variance * odds)), CONFIDENCE)
