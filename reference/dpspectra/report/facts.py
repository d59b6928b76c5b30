"""What there is to say about an audit's result, in words and numbers: one list for every form of report."""

from __future__ import annotations

from dpspectra.audit import AuditResult
from dpspectra.audit.wealth import log_threshold

DATA_SETS = ("first data set", "second data set")
"""The two sides of an audit, as results call them."""
SAMPLERS = ("candidate", "reference")
"""The two sides of a comparison, which have one input."""


def witness(result: AuditResult, sides: tuple[str, str] = DATA_SETS) -> str:
    """The event that gave most evidence, in words; ``sides`` are the names of what was told apart."""
    text = result.witness
    if sides != DATA_SETS:
        for word, name in zip(DATA_SETS, sides, strict=True):
            text = text.replace(f"on the {word}", f"on the {name}").replace(word, "input")
    return text


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
        "witness": witness(result, sides) + counted(result, sides),
        "log e-value": f"{result.log_e_value:.6g} (refuted from {threshold:.6g})",
        "draws on each data set" if sides == DATA_SETS else "draws of each": str(result.draws),
        "failed draws": str(result.failures),
        "smallest probability that shows": f"{result.smallest_probability:.3g}",
        "stopped by": result.stopped,
        "repeatable": "yes, with the same seed" if result.seeded else "no, the mechanism takes no seed",
        "seconds": f"{result.seconds:.3g}",
    }
