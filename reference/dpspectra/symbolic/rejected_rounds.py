"""Rounds of a loop that are rejected: the law of what the loop gives is that of one round, given that it is accepted.

If the rounds are alike, and what is decided in a rejected one asks for its own draws only, nothing is different when
the loop begins anew. So the probability of an event is that it happens without a rejected round, divided by the
probability that a round is not rejected (DPS-RENEWAL).
"""

from __future__ import annotations

import ast
import math
import sys
from dataclasses import dataclass
from math import fsum
from typing import Any

import numpy as np

from dpspectra.symbolic.alike_rounds import Loop, are_alike, loops_of, span
from dpspectra.symbolic.independent_constraints import part
from dpspectra.symbolic.likelihood import likelihood
from dpspectra.symbolic.observed_constraints import Unsolved, families, points, roots, system
from dpspectra.symbolic.program_lines import is_program
from dpspectra.symbolic.rounds_of_run import WATCHERS
from dpspectra.symbolic.tape import FORCED, REPLAY, Event, NotFollowed, Tape

LEAST = 1e-6
"""Probability that a round is accepted below which nothing is said."""


@dataclass
class Entered:
    """A loop that a run has entered."""

    loop: Loop
    frame: Any
    at: int
    """Instruction of the last draw or look."""
    events: int
    """Events before it."""
    draws: int
    """Draws before it."""
    alike: bool
    begun: bool = False
    """Whether a round began: a condition is asked before the first one."""
    asked: bool = False
    """Whether its condition was asked since."""
    again: bool = False
    """Whether another round began."""
    cut: bool = False
    """Whether the run was ended there."""


class NewRound(NotFollowed):
    """A round was rejected, and the next one begins."""


def passed(tape: Tape) -> None:
    """Note where in a loop a run is before a draw or look, and end a forced one that begins another round."""
    if tape.mode not in (FORCED, REPLAY):
        return
    frame: Any = sys._getframe(1)
    while frame is not None and not is_program(frame):
        frame = frame.f_back
    if frame is None:
        return
    loop = next((one for one in loops_of(frame.f_code) if _is_within(one.node, frame)), None)
    if loop is None:
        return
    entered = next((one for one in tape.rounds.entered if one.frame is frame and one.loop is loop), None)
    if entered is None:
        alike = are_alike(loop, frame)
        entered = Entered(loop, frame, frame.f_lasti, len(tape.events), tape.size, alike)
        tape.rounds.entered.append(entered)
    if loop.asks and _is_within(loop.node.test, frame):
        entered.asked = True
        return
    if not entered.begun:
        entered.begun, entered.asked = True, False
        entered.at, entered.events, entered.draws = frame.f_lasti, len(tape.events), tape.size
    if entered.alike and (entered.asked or frame.f_lasti < entered.at):  # several looks may be of one instruction
        entered.again = True
        if tape.mode == FORCED and tape.rounds.cut and _is_of_its_own(tape, entered):
            entered.cut = True
            tape.stopped = tape.stopped or NewRound("another round begins")
            raise tape.stopped
    entered.at, entered.asked = frame.f_lasti, False


WATCHERS.append(passed)


def _is_within(node: ast.While | ast.expr, frame: Any) -> bool:
    """Whether a frame is at an instruction of a loop, or of its condition."""
    line, end_line, column, end_column = list(frame.f_code.co_positions())[frame.f_lasti // 2]
    if None in (line, end_line, column, end_column):
        return False
    first, last = span(node)
    return first <= (line, column) and (end_line, end_column) <= last


def _is_of_its_own(tape: Tape, entered: Entered) -> bool:
    """Whether all that was decided in a loop asks for draws that were made in it."""
    for event in tape.events[entered.events :]:
        used = np.unique(event.rows.draw[event.rows.coefficient != 0])
        if any(j < entered.draws for draw in used for j in roots(tape.blocks, int(draw))):
            return False
    return True


def rejected(tape: Tape) -> tuple[object, float]:
    """Return the loop in which a run was ended, as its name, and the probability of what was decided in it."""
    entered = next(one for one in tape.rounds.entered if one.cut)
    own = Tape(blocks=tape.blocks, events=tape.events[entered.events :], size=tape.size)
    one = system(own)
    log = points(own) + fsum(likelihood(part(one, rows), ()).value for rows in families(one))
    return _name(tape, entered), math.exp(log)


def _name(tape: Tape, entered: Entered) -> object:
    """Return what tells a loop from others of a run: its place, and all that was decided before."""
    return (
        span(entered.loop.node),
        tape.rounds.entered.index(entered),
        tuple(map(_outcome, tape.events[: entered.events])),
    )


def _outcome(event: Event) -> object:
    return event.kind, tuple(np.atleast_1d(event.outcome).tolist())


def log_factor(tape: Tape, again: dict[object, float]) -> float:
    """Return the log of what the density of a run without a rejected round is multiplied by."""
    total = 0.0
    for entered in tape.rounds.entered:
        chance = again.get(_name(tape, entered), 0.0)
        if entered.again and chance:
            raise Unsolved("a run begins another round without leaving all of the last one behind")
        if chance > 1 - LEAST:
            raise Unsolved("a loop hardly ever ends")
        total -= math.log1p(-chance)
    return total
