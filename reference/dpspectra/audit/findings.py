"""The result of an audit under way, from its proceedings so far."""

import math
import time

from dpspectra.audit.betting.events import SIDES, Event
from dpspectra.audit.proceedings import Proceedings
from dpspectra.audit.result import AuditResult

Witness = tuple[str, Event | None, tuple[int, int, int] | None]
"""An event in words, as data, and its counts."""


def found(proceedings: Proceedings, stopped: str) -> AuditResult:
    """Everything that is known now, and why the audit stopped, or ``"running"``."""
    arms, options = proceedings.observer.arms, proceedings.options
    violated, bound = (
        (True, math.inf) if proceedings.certain else proceedings.evidence.verdict(proceedings.claim, options.risk)
    )
    witness, event, counts = _witness(proceedings, violated)
    first_calls = proceedings.observer.first_calls
    return AuditResult(
        claim=proceedings.claim,
        violated=violated,
        bound=bound,
        confidence=options.confidence,
        witness=witness,
        event=event,
        counts=counts,
        log_e_value=proceedings.log_e_value,
        draws=proceedings.earlier + proceedings.used,
        stopped=stopped,
        seeded=all(arm.caller.seed_name is not None for arm in arms),
        failures=proceedings.failures,
        lost=proceedings.lost,
        rows=_rows(proceedings),
        floating_point=options.rounding is None,
        seed=proceedings.observer.entropy,
        runs=proceedings.run + 1,
        history=tuple(proceedings.history),
        evidence=proceedings.evidence,
        certificate=None if proceedings.ruled_out is None else proceedings.ruled_out[1],
        required_power=options.required[0],
        required_class=options.required[1],
        sight=proceedings.sight,
        accepted_unread=options.accept_unread,
        seconds=proceedings.seconds + first_calls + time.perf_counter() - proceedings.start,
        first_calls=first_calls,
    )


def _rows(proceedings: Proceedings) -> str:
    if not any(arm.caller.size_name for arm in proceedings.observer.arms):
        return "one a call"
    return "independent" if proceedings.independent else "averaged within calls"


def every_draw_failed(first: str, second: str) -> str:
    """Report that no call returned a value, and that nothing tells the two data sets apart."""
    alike = first == second or not (first and second)
    where = first or second if alike else f"{first} on the first data set and {second} on the second"
    return f"every draw failed, with {where}"


def _witness(proceedings: Proceedings, violated: bool) -> Witness:
    if proceedings.certain and proceedings.ruled_out is not None:
        side = proceedings.ruled_out[0]
        return f"an output on the {SIDES[side]} data set cannot occur on the {SIDES[1 - side]}", None, None
    if not violated and proceedings.failures == 2 * (proceedings.earlier + proceedings.used) > 0:
        return every_draw_failed(*proceedings.problems), None, None
    best = proceedings.evidence.best_bet(proceedings.claim)
    return ("no event stood out", None, None) if best is None else (str(best.event), best.event, best.occurrences)
