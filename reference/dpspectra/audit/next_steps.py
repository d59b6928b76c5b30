"""Why an audit is undecided, and what to do about it; other facts of a result in words."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from dpspectra.audit.betting import power, power_by_event_class
from dpspectra.audit.claims import Closeness

AuditResult = Any
"""A result of an audit, which this module must not import."""

FEWEST = 128
"""Draws from which on it is looked for how many are enough."""

MOST = 2**60
"""Draws that nobody makes: what they do not refute no number does."""
OUT_OF_SIGHT = (
    "how long calls take, what they print or warn of, what they leave behind, tracebacks, and all other data sets"
)
TOLD = 0.5
"""Seconds of first calls from which on they are told."""
LOW_BITS = "digits of numbers below 2**-30 of their spread or 2**-44 of their size"
"""Left out of sight where numbers are rounded."""
SURE = "it stopped as soon as this was sure"
"""Said of a bound that is hardly more than the claim."""


def first_calls(result: AuditResult) -> str:
    """Tell the time of first calls, beside that of the audit, where it is much."""
    if result.first_calls < TOLD:
        return ""
    return f", {result.first_calls:.3g} of them for the first call on each, which may load or compile: not counted"


def out_of_sight(result: AuditResult, others: str) -> str:
    """Return the things that an audit does not look at; ``others`` are called data sets or inputs."""
    bits = "" if result.floating_point else f"{LOW_BITS} (bits=True, --bits), "
    return bits + OUT_OF_SIGHT.replace("data sets", others)


def how_much(result: AuditResult) -> str:
    """Say that a bound is hardly more than the claim, and what goes on from there, if anything does."""
    return SURE if _compares(result) else f"{SURE}; estimate=True (--estimate) goes on"


def _compares(result: AuditResult) -> bool:
    """Whether the result is of samplers, whose comparison has fewer options."""
    return isinstance(result.claim, Closeness)


def of(result: AuditResult) -> tuple[str, str]:
    """Why the audit is undecided, and what to do about it."""
    more = "give it more time: seconds (--seconds)" if result.stopped == "time" else "make more draws: draws (--draws)"
    readable = "return numbers, texts, containers or objects with a state, or accept_unread (--accept-unread)"
    if result.violated:
        return "", ""
    if not result.draws:
        return "no call was over in time", "give it more time: seconds (--seconds), or call the mechanism by hand"
    if result.failures == 2 * result.draws:
        return "every draw failed", "call the mechanism by hand, and mend what it raises"
    if result.stopped == "failed":
        why = "no output held a finite number or a text"
        return why, "call the mechanism by hand: NaN, infinity and arrays without entries tell nothing"
    if len(result.history) <= result.runs:  # each run notes where it begins, and then every block of draws
        return "no draws were made after those that choose the events", more
    if result.sight.blind_share > result.accepted_unread:
        share = f"{100 * result.sight.blind_share:.3g} % of the outputs hold what cannot be read: {result.sight.kinds}"
        return share, readable
    if result.sight.surely_unplaced > result.accepted_unread:
        share = f"{result.sight.unplaced_share:.2g} of the numbers in outputs have no place, and were not looked at"
        return share, "return fewer numbers, or arrays of one shape, or accept_unread (--accept-unread)"
    if result.lost_share > result.accepted_unread:
        rows = "return size rows along a leading axis, or take no parameter size"
        return f"{result.lost_share:.2g} of the calls could not be read as rows", rows
    if not any(bet.counts for epoch in result.evidence.epochs for bet in epoch):
        way = "choose a pair on which outputs differ, or follow the noise: --inside"
        way = "choose an input on which outputs vary" if _compares(result) else way
        return "no draw was bet on, as outputs showed nothing that varies", way
    if math.isinf(result.power):
        enough = _enough(result, lambda n: _told_after(result, n), more)
        if not result.failures:
            return "so few draws refute nothing", enough
        why = f"{result.failures} of {2 * result.draws} draws failed, and so few answers refute nothing"
        return why, f"mend what the calls raise, or {enough}"
    if result.required_power is not None and (shown := result.power_of(result.required_class)) > result.required_power:
        needed, by = f"{result.required_power:.6g} nats", power_by_event_class.CLASSES[result.required_class]
        why = f"so few draws refute losses of {shown:.4g} nats or more only, and {needed} were to be refutable ({by})"
        if (least := _power_after(result, MOST)) > result.required_power:
            way = f"require {least:.4g} nats or more (--require-power)"
            return why, f"{way}: at this claim no number of draws refutes less"
        return why, _enough(result, lambda n: _power_after(result, n), more, result.required_power)
    return "", ""


def _told_after(result: AuditResult, draws: int) -> float:
    return power.refutable(int(draws * result.answered), result.claim, confidence=result.confidence)


def _power_after(result: AuditResult, draws: int) -> float:
    places, answers = max(result.sight.places, 1), int(draws * result.answered)
    return power_by_event_class.power_of(result.required_class, answers, result.claim, result.confidence, places)


def _enough(result: AuditResult, shown: Callable[[int], float], more: str, most: float = 1e300) -> str:
    """Return how many draws are enough for a loss; ``more`` if there is no telling."""
    enough = next((n for n in (FEWEST << k for k in range(14)) if n > result.draws and shown(n) <= most), None)
    if enough is None:
        return more
    each = "" if _compares(result) else " on each data set"
    return f"make about {enough} draws{each}: draws (--draws), in more seconds (--seconds) if they ran out"
