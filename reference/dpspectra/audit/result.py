"""What an audit found, as data."""

from __future__ import annotations

import json
import math
import platform
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
import scipy

from dpspectra.audit import power
from dpspectra.audit.claims import CurveClaim, claim_from
from dpspectra.audit.events import Event, event_from
from dpspectra.audit.facts import facts
from dpspectra.audit.wealth import Evidence, evidence_from
from dpspectra.mechanisms.published import table

DERIVED = ("epsilon_lower", "smallest_probability")
"""Properties of results that are saved with them."""
POWER = ("power", "refutable_probability")
"""Those that are costly."""


class BrokenMechanismWarning(UserWarning):
    """A mechanism kept for study whose privacy claim is refuted has been imported."""


@dataclass(frozen=True, slots=True)
class AuditResult:
    """Outcome of `audit` and `conforms`. ``violated`` is a certified no; its absence is not a yes.

    No test of one pair of data sets can establish privacy, so there is no verdict "verified".
    """

    claim: CurveClaim
    violated: bool
    """Whether the claim is refuted at the confidence: exactly when ``bound`` exceeds the claimed value."""
    bound: float
    """Certified lower bound on the parameter of the claim (epsilon in nats, mu, ...), at whatever time it is read.

    ``inf`` if outputs that occur on one data set are impossible on the other.
    """
    confidence: float
    """A sound mechanism is called violated with probability at most ``1 - confidence``."""
    witness: str
    """The event that gave most evidence, in words, and the data set under which it is too likely."""
    event: Event | None
    """The same as data; ``None`` if the witness is another one, or there is none."""
    counts: tuple[int, int, int] | None
    """Occurrences of the witness under the first and the second data set while it was bet on, and draws of each."""
    log_e_value: float
    """Log of the wealth against the claim: the claim is refuted at ``-log(1 - confidence)`` or more."""
    draws: int
    """Draws from each data set."""
    stopped: str
    """``"refuted"``; ``"draws"`` or ``"time"`` if no more were allowed; ``"failed"`` if all draws failed alike;
    ``"interrupted"`` from the keyboard; ``"running"`` if the audit was not over."""
    seeded: bool
    """Whether the mechanism accepts randomness, so that the audit can be repeated exactly."""
    failures: int
    """Draws on either side that returned no value that can be read."""
    lost: int
    """Pairs of calls for many draws, one of which raised or could not be read; they count against the auditor."""
    rows: str
    """How rows of one call were used: ``"one a call"``, ``"averaged within calls"`` or ``"independent"``."""
    floating_point: bool
    """Whether statistics saw all bits of outputs, or outputs rounded to a grid."""
    seed: int
    """Integer from which all randomness is derived."""
    runs: int
    """Number of times that the audit was begun or resumed."""
    history: tuple[tuple[int, float], ...]
    """Draws from each data set so far, and ``log_e_value``, after each look."""
    evidence: Evidence
    """All bets and their counts, from which the rest can be recomputed, for any claim of the same kind."""
    certificate: dict[str, Any] | None = None
    """Proof in exact arithmetic that an output is impossible under the other data set, if ``support`` supplied one."""
    seconds: float = field(default=0.0, compare=False)
    """Wall-clock time; left out of comparisons, as results with one seed are otherwise equal."""
    required_power: float | None = None
    """Loss in nats that the audit was required to be able to refute: if `power` is larger, it is undecided."""

    def __repr__(self) -> str:
        found = f"{self.claim.parameter} at least {self.bound:.6g}"
        return f"<AuditResult: {self.claim} {self.verdict}, {found}, {self.draws} draws on each side>"

    def summary(self) -> str:
        """What was found, in plain lines. Of `conforms`, the first data set means the candidate."""
        return "\n".join(f"{key}: {value}" for key, value in facts(self).items())

    def _repr_html_(self) -> str:
        """`summary` as a table, for notebooks."""
        return table(facts(self))

    @property
    def undecided(self) -> str:
        """Why the audit has not seen enough to judge from; empty if it has, or if the claim is refuted."""
        if self.violated:
            return ""
        if self.stopped == "failed" or self.failures == 2 * self.draws:
            return "every draw failed"
        if len(self.history) <= self.runs:  # each run notes where it begins, and then every block of draws
            return "no draws were made after those that choose the events"
        if self.required_power is not None and self.power > self.required_power:
            needed, shows = f"{self.required_power:.6g}", f"{self.power:.4g}"
            return f"a loss of {needed} nats was to be refutable, so few draws refute only {shows} or more"
        return ""

    @property
    def verdict(self) -> str:
        """``"refuted"``, ``"not refuted"`` or ``"undecided"``."""
        return "refuted" if self.violated else "undecided" if self.undecided else "not refuted"

    @property
    def epsilon_lower(self) -> float:
        """``bound``, where the parameter of the claim is epsilon (nats); NaN for other claims."""
        return self.bound if self.claim.parameter == "epsilon" else math.nan

    @property
    def smallest_probability(self) -> float:
        """Approximate probability of the rarest impossible output that as many draws would have shown.

        What a declared support can find; without one see `refutable_probability`.
        """
        return min(1.0, -math.log(1 - self.confidence) / max(self.draws, 1))

    @property
    def power(self) -> float:
        """Smallest loss, in nats, that these draws refute with probability 0.9 if half of the outputs carry it.

        Of a claim with several points, the smallest over its points, each at its own ``delta``. Depends on the claim,
        the confidence and the number of draws alone (see `dpspectra.audit.power`); ``inf`` if nothing is refutable.
        """
        return power.refutable(self.draws, self.claim, confidence=self.confidence)

    @property
    def refutable_probability(self) -> float:
        """Smallest probability of an event, impossible on the other side, that these draws refute with probability 0.9.

        ``inf`` if not even a certain event is refutable.
        """
        return power.smallest_event(self.draws, self.claim, confidence=self.confidence)

    def to_json(self) -> str:
        """Strict JSON of all fields and what derives from them; a number that is not finite is written as a string.

        Power takes a second to compute, and is left out while the audit is running.
        """
        derived = {name: getattr(self, name) for name in (DERIVED if self.stopped == "running" else DERIVED + POWER)}
        plain = {f.name: getattr(self, f.name) for f in fields(self)}
        event = None if self.event is None else self.event.to_dict()
        plain |= {"claim": self.claim.to_dict(), "evidence": self.evidence.to_dict(), "event": event}
        return json.dumps(_strict(plain | derived | {"versions": versions()}), allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> AuditResult:
        """Read `to_json` back. Raises ``ValueError`` for anything else."""
        try:
            data = json.loads(text)
            data = {
                "event": None,
                "lost": 0,
                "rows": "",
                "required_power": None,
            } | data  # version 0.1 had none of these
            known = {f.name: data[f.name] for f in fields(cls)}
            known |= {
                "claim": claim_from(known["claim"]),
                "bound": float(known["bound"]),
                "log_e_value": float(known["log_e_value"]),
                "stopped": "draws" if known["stopped"] == "budget" else known["stopped"],  # the name up to 0.1
                "counts": None if known["counts"] is None else tuple(known["counts"]),
                "history": tuple((int(n), float(value)) for n, value in known["history"]),
                "event": None if known["event"] is None else event_from(known["event"]),
                "evidence": evidence_from(known["evidence"]),
            }
            return cls(**known)
        except (KeyError, TypeError, AttributeError, json.JSONDecodeError) as problem:
            raise ValueError(f"text must be the JSON of an audit's result, got {problem!r}") from None


def versions() -> dict[str, str]:
    """What computed a result: this package, what it rests on, and the machine."""
    from dpspectra import __version__

    packages = {"dpspectra": __version__, "numpy": np.__version__, "scipy": scipy.__version__}
    return packages | {"python": platform.python_version(), "platform": platform.platform()}


def _strict(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _strict(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_strict(item) for item in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value
