"""Walks of the paths of a program: runs with decisions forced, the likeliest first."""

from __future__ import annotations

import dataclasses
import heapq
import math
import time
from collections.abc import Callable
from math import exp, fsum

from dpspectra.symbolic.call_hooks import unwatched
from dpspectra.symbolic.decision_odds import Odds
from dpspectra.symbolic.one_run import Run
from dpspectra.symbolic.rejected_rounds import NewRound, log_factor, rejected
from dpspectra.symbolic.tape import FORCED, Event, NotFollowed, Tape

MOST_PATHS = 512
"""Paths that are walked if none may be left, beside the outcomes that draws of one run have together."""
MOST_PATHS_OF_MANY = 6000
"""Paths that are walked if some may be left."""
SMALL, MATTERS = 1e-12, 1e-6
"""Probability of paths that are left at which it is no use to go on, and above which what ended them is raised."""
ROUNDED = 1e-9
"""Error of a running sum of so many probabilities, at most."""


@dataclasses.dataclass
class Walk:
    """Runs of a program with decisions forced, and a bound on the probability of those that were not made."""

    runs: list[Run] = dataclasses.field(default_factory=list)
    rest: float = 0.0
    why: str = ""
    """Why something is left."""
    chances: list[float] = dataclasses.field(default_factory=list)
    """Probability of each run, or a bound on it."""
    again: dict[object, float] = dataclasses.field(default_factory=dict)
    """Probability that a round of a loop is rejected, by the loop and what was decided before."""


Left = tuple[float, tuple[int, ...], Odds]
"""A path to be walked: minus its log-probability, its decisions, and the odds before the last one."""


class Unwalked:
    """Paths that are to be walked, the likeliest first."""

    def __init__(self) -> None:
        self.paths: list[Left] = []
        self._about = 0.0
        self.add((0.0, (), Odds()))

    def add(self, path: Left) -> None:
        """Take in a path."""
        heapq.heappush(self.paths, path)
        self._about += exp(-path[0])

    def likeliest(self) -> tuple[tuple[int, ...], Odds]:
        """Take out the likeliest path: its decisions, and the odds before the last one."""
        cost, given, before = heapq.heappop(self.paths)
        self._about -= exp(-cost)
        return given, before

    def together(self) -> float:
        """Return their probability."""
        return fsum(exp(-cost) for cost, _, _ in self.paths)

    def at_most(self, limit: float) -> bool:
        """Whether their probability is at most this; all are summed only where the running sum leaves it open."""
        return self._about <= limit + ROUNDED and self.together() <= limit


class Chooser:
    """Takes given decisions first, then the likeliest ones; others than those are what is left to be walked."""

    def __init__(self, given: tuple[int, ...], before: Odds) -> None:
        self.given, self.odds = given, before
        self.taken: tuple[int, ...] = ()
        self.others: list[Left] = []
        self.tape: Tape | None = None

    def choose(self, tape: Tape, event: Event, j: int) -> int:
        """Choose the outcome of a row of an event."""
        with unwatched():
            return self._chosen(tape, event, j)

    def _chosen(self, tape: Tape, event: Event, j: int) -> int:
        self.tape, self.odds.blocks = tape, tape.blocks
        if len(self.taken) < len(self.given):
            outcome = self.given[len(self.taken)]
        else:
            before = self.odds.copy()
            choices = self.odds.choices(event, j) or [(0, -math.inf)]
            outcome = max(choices, key=lambda c: c[1])[0]
            self.others += [(-log, (*self.taken, k), before) for k, log in choices if k != outcome]
        self.taken = (*self.taken, outcome)
        if len(self.taken) >= len(self.given):
            self.odds.take(event, j, outcome)
        return outcome


def walked(
    forced: Callable[[Chooser], Run], enough: float = 0.0, seconds: tuple[float, float] = (math.inf, math.inf)
) -> Walk:
    """One run for each outcome of the hidden decisions, until at most ``enough`` of their probability is left.

    If lists of outcomes have no end, or there are too many, more is left; so it is after the first number of seconds if
    what is left hardly matters, and after the second one in any case. Raises what ended a run that matters.
    """
    found = Walk()
    left = Unwalked()
    most = MOST_PATHS_OF_MANY if enough else MOST_PATHS
    soon, late = (time.perf_counter() + s for s in seconds)
    while left.paths:
        if (enough or found.rest) and left.at_most(max(enough, SMALL) - found.rest):
            break
        if len(found.runs) >= most + max((run.tape.listed for run in found.runs), default=1) - 1:
            found.why = found.why or f"more than {len(found.runs)} outcomes of hidden decisions"
            break
        now = time.perf_counter()
        if now > late or (now > soon and left.at_most(MATTERS - found.rest)):
            found.why = found.why or f"{len(found.runs)} took long"
            break
        given, before = left.likeliest()
        chooser = Chooser(given, before.copy())
        try:
            run = forced(chooser)
            assert run.tape.mode == FORCED
            found.runs.append(run)
            found.chances.append(exp(chooser.odds.log))
        except NewRound:
            assert chooser.tape is not None
            loop, chance = rejected(chooser.tape)
            found.again[loop] = found.again.get(loop, 0.0) + chance
        except NotFollowed as problem:
            found.rest += exp(chooser.odds.log)
            found.why = str(problem)
            if found.rest > max(enough, MATTERS):
                raise
        found.rest += chooser.odds.beyond
        for other in chooser.others:
            left.add(other)
    found.rest += left.together()
    return found


def renew(found: Walk) -> None:
    """Give each run what rounds that were rejected before add to its density."""
    for k, one in enumerate(found.runs):
        one.tape.rounds.log = log_factor(one.tape, found.again)
        found.chances[k] *= exp(one.tape.rounds.log)
