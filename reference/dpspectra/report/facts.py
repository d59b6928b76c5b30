"""What there is to say about an audit's result, in words and numbers: one list for every form of report."""

from __future__ import annotations

from dpspectra.audit import AuditResult
from dpspectra.audit.wealth import log_threshold


def facts(result: AuditResult) -> dict[str, str]:
    """What there is to say about a result, in words and numbers."""
    counted = ""
    if result.counts is not None:
        first, second, draws = result.counts
        counted = f" ({first} times on the first, {second} times on the second, in {draws} draws of each)"
    threshold = log_threshold(result.claim, 1 - result.confidence)
    return {
        "claim": str(result.claim),
        "verdict": result.verdict + (f": {result.undecided}" if result.undecided else ""),
        f"{result.claim.parameter} at least": f"{result.bound:.6g}",
        "confidence": f"{result.confidence:.9g}",
        "witness": result.witness + counted,
        "log e-value": f"{result.log_e_value:.6g} (refuted from {threshold:.6g})",
        "draws on each data set": str(result.draws),
        "failed draws": str(result.failures),
        "smallest probability that shows": f"{result.smallest_probability:.3g}",
        "stopped by": result.stopped,
        "repeatable": "yes, with the same seed" if result.seeded else "no, the mechanism takes no seed",
        "seconds": f"{result.seconds:.3g}",
    }
