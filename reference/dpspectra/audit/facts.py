"""What there is to say about an audit's result, in words and numbers: one list for every form of report."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from dpspectra.audit import power
from dpspectra.audit.wealth import log_threshold

if TYPE_CHECKING:
    from dpspectra.audit.result import AuditResult

DATA_SETS = ("first data set", "second data set")
"""The two sides of an audit, as results call them."""
SAMPLERS = ("candidate", "reference")
"""The two sides of a comparison, which have one input."""
ACCUSED, SUSPECTED = ": too likely on the ", ": suspected to be too likely on the "
"""What events are said to be after a refutation, and without one."""


def witness(result: AuditResult, sides: tuple[str, str] = DATA_SETS) -> str:
    """The event that gave most evidence, in words; ``sides`` are the names of what was told apart."""
    text = result.witness
    if not result.violated:
        text = SUSPECTED.join(text.rsplit(ACCUSED, 1))
    if sides != DATA_SETS:
        for word, name in zip(DATA_SETS, sides, strict=True):
            text = text.replace(f"on the {word}", f"on the {name}").replace(word, "input")
    return text


def role(result: AuditResult) -> str:
    """What the event that gave most evidence is: a witness only if it has refuted something."""
    return "witness" if result.violated else "closest event"


def counted(result: AuditResult, sides: tuple[str, str] = DATA_SETS) -> str:
    """How often the witness occurred on each side, in brackets; empty if nobody counted."""
    if result.counts is None:
        return ""
    first, second, draws = result.counts
    one, other = (name.removesuffix(" data set") for name in sides)
    return f" ({first} times on the {one}, {second} times on the {other}, in {draws} draws of each)"


def facts(result: AuditResult, sides: tuple[str, str] = DATA_SETS) -> dict[str, str]:
    """What there is to say about a result, in words and numbers; ``sides`` as in `witness`."""
    threshold = log_threshold(result.claim, 1 - result.confidence)
    return {
        "claim": str(result.claim),
        "verdict": result.verdict + (f": {result.undecided}" if result.undecided else ""),
        f"{result.claim.parameter} at least": f"{result.bound:.6g}",
        "confidence": f"{result.confidence:.9g}",
        role(result): witness(result, sides) + counted(result, sides),
        "log e-value": f"{result.log_e_value:.6g} (refuted from {threshold:.6g})",
        "draws on each data set" if sides == DATA_SETS else "draws of each": str(result.draws),
        **_calls(result),
        "failed draws": str(result.failures),
        **_too_few(result),
        "smallest loss that shows": _loss(result),
        "smallest event that shows": _event(result),
        "stopped by": result.stopped,
        "repeatable": "yes, with the same seed" if result.seeded else "no, the mechanism takes no seed",
        "seconds": f"{result.seconds:.3g}",
    }


def _calls(result: AuditResult) -> dict[str, str]:
    """How rows of calls were used, where that is known, and how many calls were lost, if any."""
    used = {"rows of a call": result.rows} if result.rows else {}
    return used | ({"lost pairs of calls": str(result.lost)} if result.lost else {})


def _too_few(result: AuditResult) -> dict[str, str]:
    """That no test whatever could have refuted the claim, where so few draws were made."""
    fewest = power.fewest_draws(result.claim, confidence=result.confidence)
    if result.violated or result.draws >= fewest:
        return {}
    number = "any number of" if math.isinf(fewest) else f"{fewest:.0f}"
    return {"no test refutes it with fewer than": f"{number} draws on each data set (with probability 0.9)"}


def _loss(result: AuditResult) -> str:
    if math.isinf(result.power):
        return "none: so few draws refute nothing"
    if len(result.claim.points(result.claim.value)) == 1:
        return f"{result.power:.4g} nats on half of the outputs (with probability 0.9)"
    delta = power.refutable_delta(result.draws, result.claim, confidence=result.confidence)
    rare = (0.5 - delta) * math.exp(-result.power)
    event = f"an event of probability 0.5 on one side and {rare:.3g} on the other"
    return f"{result.power:.4g} nats with delta {delta:.3g}: {event} (with probability 0.9)"


def _event(result: AuditResult) -> str:
    if math.isinf(result.refutable_probability):
        return "none: so few draws refute nothing"
    return f"probability {result.refutable_probability:.3g}, if impossible on the other side (with probability 0.9)"
