"""What an audit under way knows, as a result."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING

from dpspectra.audit.events import SIDES, Event
from dpspectra.audit.result import AuditResult

if TYPE_CHECKING:
    from dpspectra.audit.course import Course

Witness = tuple[str, Event | None, tuple[int, int, int] | None]
"""An event in words, as data, and its counts."""


def reading(course: Course, stopped: str) -> AuditResult:
    """Everything that is known now, and why the audit stopped, or ``"running"``."""
    sources, options = course.observer.sources, course.options
    violated, bound = (True, math.inf) if course.certain else course.evidence.verdict(course.claim, options.risk)
    witness, event, counts = _witness(course)
    return AuditResult(
        claim=course.claim,
        violated=violated,
        bound=bound,
        confidence=options.confidence,
        witness=witness,
        event=event,
        counts=counts,
        log_e_value=course.log_e_value,
        draws=course.earlier + course.used,
        stopped=stopped,
        seeded=all(source.sampler.seed_name is not None for source in sources),
        failures=course.failures,
        lost=course.lost,
        rows=_rows(course),
        floating_point=options.rounding is None,
        seed=course.observer.entropy,
        runs=course.run + 1,
        history=tuple(course.history),
        evidence=course.evidence,
        certificate=None if course.ruled_out is None else course.ruled_out[1],
        required_power=options.require_power,
        seconds=course.seconds + time.perf_counter() - course.start,
    )


def _rows(course: Course) -> str:
    if not any(source.sampler.size_name for source in course.observer.sources):
        return "one a call"
    return "independent" if course.independent else "averaged within calls"


def _witness(course: Course) -> Witness:
    if course.certain and course.ruled_out is not None:
        side = course.ruled_out[0]
        return f"an output on the {SIDES[side]} data set cannot occur on the {SIDES[1 - side]}", None, None
    if course.failures == 2 * (course.earlier + course.used) > 0:
        return f"every draw failed, the last with {course.problem}", None, None
    best = course.evidence.best_bet(course.claim)
    return ("no event stood out", None, None) if best is None else (str(best.event), best.event, best.hits)
