"""What so many draws would have refuted, in words."""

from __future__ import annotations

import math

from dpspectra.audit.betting import power
from dpspectra.audit.claims import CurveClaim

NOTHING = "none: so few draws refute nothing"


def too_few(draws: int, claim: CurveClaim, confidence: float) -> dict[str, str]:
    """That no test whatever could have refuted the claim, where so few draws were made."""
    fewest = power.fewest_draws(claim, confidence=confidence)
    if draws >= fewest:
        return {}
    number = "any number of" if math.isinf(fewest) else f"{fewest:.0f}"
    return {"no test refutes it with fewer than": f"{number} draws on each data set (with probability 0.9)"}


def loss(draws: int, claim: CurveClaim, confidence: float) -> str:
    """The smallest loss on half of the outputs that is refuted most likely."""
    shown = power.refutable(draws, claim, confidence=confidence)
    if math.isinf(shown):
        return NOTHING
    if len(claim.points(claim.value)) == 1:
        return f"{shown:.4g} nats on half of the outputs (with probability 0.9)"
    delta = power.refutable_delta(draws, claim, confidence=confidence)
    rare = (0.5 - delta) * math.exp(-shown)
    event = f"an event of probability 0.5 on one side and {rare:.3g} on the other"
    return f"{shown:.4g} nats with delta {delta:.3g}: {event} (with probability 0.9)"


def event(draws: int, claim: CurveClaim, confidence: float) -> str:
    """The smallest probability of an event, impossible on the other side, that is refuted most likely."""
    smallest = power.smallest_event(draws, claim, confidence=confidence)
    if math.isinf(smallest):
        return NOTHING
    return f"probability {smallest:.3g}, if impossible on the other side (with probability 0.9)"
