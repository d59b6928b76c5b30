"""What a mechanism returns: a value, the privacy claim it makes, and what may be said about its error."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Generic, TypeVar

import numpy as np

from dpspectra.certified.entropy import Entropy
from dpspectra.ground import checks
from dpspectra.mechanisms import published
from dpspectra.relations import Relation, among

IDEAL_REALS = "arithmetic is exact and noise is drawn from the ideal real-valued law (float64 is neither)"
IDEAL_RANDOMNESS = "the generator's bits are independent, uniform and secret"
CERTIFIED, IDEAL = "certified", "ideal"

Value = TypeVar("Value", covariant=True)

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


@dataclass(frozen=True, slots=True)
class Release(Generic[Value]):
    """The output of a mechanism.

    ``value`` is what the claim covers, and may be published with the ``claim`` and the ``details``: these are public,
    as functions of public numbers and of what was released. ``private`` is for whoever runs the mechanism, as what a
    sampler did may depend on the data; it is in no ``repr``, file, copy or pickle.
    """

    value: Value
    claim: Claim
    details: Mapping[str, Any] = field(default_factory=dict)
    private: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.value, self.claim, self.details)

    def asdict(self) -> dict[str, Any]:
        """Return what may be published: the value as it is, the claim and the details as plain data."""
        plain = {k: asdict(v) if isinstance(v, Guarantee) else v for k, v in self.details.items()}
        return {"value": self.value, "claim": self.claim.asdict(), "details": plain}

    def to_json(self) -> str:
        """Return what may be published as strict JSON; every number of the value is exactly as it is.

        Raises ``ValueError`` if the value or a detail is no number, text, array or product of two arrays.

        >>> release = Release(np.eye(2), Claim("replace", 1.0), {"scale": 0.5})
        >>> same = Release.from_json(release.to_json())
        >>> np.array_equal(same.value, release.value), same.claim == release.claim, dict(same.details)
        (True, True, {'scale': 0.5})
        """
        return published.written(self)

    @classmethod
    def from_json(cls, text: str) -> Release[Any]:
        """Read `to_json` back. Raises ``ValueError`` for anything else."""
        value, claim, details = published.read(text)
        try:
            return Release(value, Claim(**claim), details)
        except TypeError:
            raise ValueError(published.READ) from None

    def summary(self) -> str:
        """What is released and what is claimed, in plain lines; arrays by their shape. It may be published.

        >>> Release(np.eye(2), Claim("replace", 0.5, 1e-6)).summary().splitlines()[:2]
        ['value: ndarray of shape 2 x 2', 'claim: epsilon 0.5 nats, delta 1e-06']
        """
        return "\n".join(f"{key}: {value}" for key, value in published.facts(self).items())

    def _repr_html_(self) -> str:
        """`summary` as a table, for notebooks."""
        return published.table(published.facts(self))


class ReusedSeedWarning(UserWarning):
    """Two releases of one process got their noise from one seed or key: both together show differences of the data."""


_seeded: set[str] = set()
"""States in which seeds have put the generators of releases in this process."""
_keyed: dict[str, object] = {}
"""Whose key served a release in this process, by its fingerprint."""


def noise_source(rng: checks.Rng, depth: int = 1) -> np.random.Generator:
    """A numpy Generator for the noise of a release, from what `checks.generator` takes.

    Issues `ReusedSeedWarning` if ``rng`` is a seed that a release had before, in the name of who called the function
    ``depth`` calls above. A Generator goes on where it stands, and is not looked at.
    """
    generator = checks.generator(rng)
    if rng is None or isinstance(rng, (np.random.Generator, np.random.BitGenerator, np.random.RandomState)):
        return generator
    state = repr(generator.bit_generator.state)
    if state in _seeded:
        _warn("a seed that", depth + 1)
    _seeded.add(state)
    return generator


def note_key(entropy: Entropy, depth: int = 1) -> None:
    """Remember that a release takes its noise from this key; `ReusedSeedWarning` if another object of it served one.

    One object never gives the same bits twice. ``depth`` as in `noise_source`.
    """
    if _keyed.setdefault(entropy.fingerprint, entropy.identity) is not entropy.identity:
        _warn("an Entropy whose key", depth + 1)


def _warn(what: str, depth: int) -> None:
    reason = "equal noise reveals the difference of the data. Take another, or leave rng out"
    message = f"rng should be {what} no release had before: {reason}"
    warnings.warn(message, ReusedSeedWarning, stacklevel=depth + 2)
