"""What an audit found, as data."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass, field
from typing import Any


class BrokenMechanismWarning(UserWarning):
    """A mechanism kept for study whose privacy claim is refuted has been imported."""


@dataclass(frozen=True, slots=True)
class AuditResult:
    """Outcome of `dpspectra.audit.audit`. ``violated`` is a certified no; its absence is not a yes.

    No test of one pair of data sets can establish privacy, so there is no verdict "verified".
    """

    violated: bool
    """Whether the claim is refuted at the confidence: exactly when ``epsilon_lower > epsilon``."""
    epsilon: float
    """The claim, in nats."""
    delta: float
    confidence: float
    """A sound mechanism is called violated with probability at most ``1 - confidence``."""
    epsilon_lower: float
    """Certified lower bound on the loss at ``delta``, in nats; ``inf`` if outputs are impossible on one data set."""
    witness: str
    """The event behind ``epsilon_lower``, in words, and the data set under which it is too likely."""
    counts: tuple[int, int, int] | None
    """Occurrences of the witness under the first and the second data set, and fresh draws of each."""
    draws: int
    """Draws from each data set in completed stages."""
    stopped: str
    """``"refuted"``, ``"budget"`` or ``"time"``."""
    seeded: bool
    """Whether the mechanism accepts randomness, so that the audit can be repeated exactly."""
    failures: int
    """Draws on either side that raised, were not finite, or had another shape or type than the rest."""
    history: tuple[tuple[int, float], ...]
    """After each stage: draws from each data set so far, and ``epsilon_lower``."""
    certificate: dict[str, Any] | None = None
    """Proof in exact arithmetic that an output is impossible under the other data set, if ``support`` supplied one."""
    seconds: float = field(default=0.0, compare=False)
    """Wall-clock time; left out of comparisons, as results with one seed are otherwise equal."""

    def to_json(self) -> str:
        """Strict JSON of all fields; an infinite number is written as the string ``"inf"``."""
        return json.dumps(_strict(asdict(self)), allow_nan=False)


def _strict(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _strict(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_strict(item) for item in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value
