"""The course of an audit: bets on events against a claim, settled by fresh draws, until luck no longer explains them.

Epochs double. The events, points of the claimed curve and stakes of an epoch are chosen on the draws of earlier ones,
so that each bet is on fresh draws; wealth is the product over epochs of the average over bets. If the claim holds, it
ever exceeds ``1 / risk`` with probability at most ``risk``, so the audit looks often and stops when it likes. After
`LEARNING` draws the bets stay as they are, and only their statistics are computed.

A batch that raises does not say which of its draws would have. The wealth put on batches is then lost, and what goes
on, one draw at a time, is a `RESERVE` that was never bet before. A block of draws that runs out of time is left out:
wealth is read before it, which may be done at any time. If the audit is resumed, its bets count as lost (DPS-PREDICT).
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from dpspectra.audit.claims import CurveClaim
from dpspectra.audit.draws import BatchFailedError
from dpspectra.audit.events import BettingPlan, select, with_impossible
from dpspectra.audit.features import FAILURE, Table
from dpspectra.audit.observe import Key, Observation, Observer, OutOfTimeError, joined
from dpspectra.audit.options import Options
from dpspectra.audit.pool import Pool
from dpspectra.audit.result import AuditResult
from dpspectra.audit.score import learn
from dpspectra.audit.wealth import Evidence, log_threshold

FIRST = 64
"""Draws on each data set before anything is bet, and in the first epoch."""
LOOKS = 16
"""Blocks of an epoch, after each of which the audit may stop; a block has `FIRST` draws at least."""
LEARNING = 2**17
"""Draws on each data set after which nothing more is learned."""
REMEMBERED = 2**24
"""Numbers after which nothing more is learned."""
PROMPT = 0.8
"""Share of the remaining time for which a block is planned."""
RESERVE = 0.1
"""Share of wealth kept back as long as draws are made in batches."""


@dataclass(slots=True)
class Course:
    """An audit under way: `looks` carries it on, `result` says what is known."""

    observer: Observer
    claim: CurveClaim
    options: Options
    pool: Pool[Observation]
    start: float
    """Time at which the audit began (`time.perf_counter`)."""
    evidence: Evidence = field(default_factory=Evidence)
    history: list[tuple[int, float]] = field(default_factory=list)
    past: list[tuple[Table, Table]] = field(default_factory=list)
    """Tables of all draws that can still be learned from."""
    ruled_out: tuple[int, dict[str, Any] | None] | None = None
    """Data set of the first output that the declared support rules out on the other one, and its certificate."""
    used: int = 0
    """Draws from each data set in this run, and in those before it."""
    earlier: int = 0
    run: int = 0
    failures: int = 0
    problem: str = ""
    seconds: float = 0.0
    floating_point: bool = False

    def recall(self, result: AuditResult) -> None:
        """Take over the evidence of a result, so that what follows is one longer audit."""
        self.evidence, self.history = result.evidence.going_on(), list(result.history)
        self.earlier, self.run, self.failures, self.seconds = result.draws, result.runs, result.failures, result.seconds
        if self.evidence.epochs and self.evidence.start != math.log1p(-RESERVE):  # no reserve is left, or none was kept
            self._give_up_batches()

    def looks(self) -> Iterator[str]:
        """Carry on; yields after every look why the audit stops (then it is the last), or that it is ``"running"``."""
        if self._refuted:
            yield "refuted"
            return
        self._open()
        if self._refuted:  # by an output that cannot occur
            yield "refuted"
            return
        points, plans = self.claim.points(self.claim.value), list[BettingPlan]()
        for epoch in itertools.count(1):
            if self._learning:
                self.past = [_joined(self.past)]
                score = learn(self.past[0], self.options.classifier) if self.observer.numbers > 1 else None
                plans = select(self.past[0], points, score)
                if self.ruled_out is not None:
                    plans = with_impossible(plans, self.ruled_out[0], self.past[0], points)
            self.evidence = self.evidence.with_epoch(())
            blocks = min(LOOKS, max(1, self.used // FIRST))
            size = max(FIRST, self.used) // blocks
            for look in range(blocks):
                stopped = self._block(size, (self.run, epoch, look), plans)
                if self._refuted:
                    stopped = "refuted"
                yield stopped
                if stopped != "running":
                    return

    def result(self, stopped: str) -> AuditResult:
        """Everything that is known now."""
        violated, bound = (True, math.inf) if self._certain else self.evidence.verdict(self.claim, self.options.risk)
        witness, counts = self._witness()
        return AuditResult(
            claim=self.claim,
            violated=violated,
            bound=bound,
            confidence=self.options.confidence,
            witness=witness,
            counts=counts,
            log_e_value=self._log_e_value,
            draws=self.earlier + self.used,
            stopped=stopped,
            seeded=all(source.sampler.seed_name is not None for source in self.observer.sources),
            failures=self.failures,
            floating_point=self.floating_point,
            seed=self.observer.entropy,
            runs=self.run + 1,
            history=tuple(self.history),
            evidence=self.evidence,
            certificate=None if self.ruled_out is None else self.ruled_out[1],
            seconds=self.seconds + time.perf_counter() - self.start,
        )

    @property
    def _deadline(self) -> float:
        return self.start + self.options.seconds

    @property
    def _certain(self) -> bool:
        """Whether an impossible output was seen, and one is enough."""
        return self.ruled_out is not None and all(delta == 0 for _, delta in self.claim.points(self.claim.value))

    @property
    def _log_e_value(self) -> float:
        return math.inf if self._certain else self.evidence.against(self.claim)

    @property
    def _refuted(self) -> bool:
        return self._log_e_value >= log_threshold(self.claim, self.options.risk)

    @property
    def _learning(self) -> bool:
        remembered = sum(len(column) for pair in self.past for table in pair for column in table.values())
        return self.used <= LEARNING and remembered <= REMEMBERED

    def _witness(self) -> tuple[str, tuple[int, int, int] | None]:
        if self._certain and self.ruled_out is not None:
            names = ("first", "second")
            side = self.ruled_out[0]
            return f"an output on the {names[side]} data set cannot occur on the {names[1 - side]}", None
        if self.failures == 2 * (self.earlier + self.used) > 0:
            return f"every draw failed, the last with {self.problem}", None
        best = self.evidence.best_bet(self.claim)
        return ("no event stood out", None) if best is None else (best.event, best.hits)

    def _give_up_batches(self) -> None:
        for source in self.observer.sources:
            source.sampler.batched = False

    def _open(self) -> None:
        """Draw what is never bet on."""
        options = self.options
        deadlines = (self.start + options.seconds / 4, self.start + options.seconds / 2)
        count = min(FIRST, options.draws // 2)
        self.observer, observed = self.observer.opened(count, deadlines, options.snap, options.own_statistics, self.run)
        self.floating_point = options.snap is None
        self._take(tuple([observation] for observation in observed))
        self.past = [(observed[0].table, observed[1].table)]
        if any(source.sampler.batched for source in self.observer.sources) and not self.evidence.epochs:
            self.evidence = Evidence(start=math.log1p(-RESERVE))
        self.history.append((self.earlier + self.used, self._log_e_value))

    def _block(self, count: int, key: Key, plans: list[BettingPlan]) -> str:
        """Make a block of draws and settle the bets of the epoch by them; say why the audit stops, if it does."""
        now = time.perf_counter()
        count = min(count, self.options.draws - self.used)
        if count < 1 or now >= self._deadline:
            return "draws" if count < 1 else "time"
        pace = self.used / (now - self.start)
        count = min(count, max(1, int(PROMPT * pace * (self._deadline - now))))
        learning = self._learning
        names = None if learning else {name for plan in plans for name in plan.event.needs}
        until = time.time() + self._deadline - now  # a clock that other processes share
        tasks = [(*task, until, names) for task in self.observer.tasks(count, key)]
        try:
            observed = self.pool(self.observer.observe, tasks)
        except OutOfTimeError:
            self.evidence = replace(self.evidence, late=tuple(plan.lost(count) for plan in plans))
            return "time"
        except BatchFailedError:
            self._give_up_batches()
            self.evidence = Evidence(((),), math.log(RESERVE))  # the plans stay: they were chosen on earlier draws
            self.used += count
            return "running"
        sides = tuple([o for o, task in zip(observed, tasks, strict=True) if task[0] == side] for side in (0, 1))
        tables = self._take(sides)
        self.evidence = self.evidence.with_bets([plan.settled(tables) for plan in plans])
        self.history.append((self.earlier + self.used, self._log_e_value))
        if learning:
            self.past.append(tables)
        return "running"

    def _take(self, sides: tuple[list[Observation], ...]) -> tuple[Table, Table]:
        """Note what draws showed besides their statistics; returns one table for each data set."""
        for side, observations in enumerate(sides):
            for observation in observations:
                self.failures += int(np.sum(observation.table[FAILURE]))
                self.problem = observation.problem or self.problem
                if observation.impossible is not None and self.ruled_out is None:
                    self.ruled_out = (side, observation.impossible[0])
        first, second = (joined([o.table for o in observations]) for observations in sides)
        self.used += min(len(first[FAILURE]), len(second[FAILURE]))
        return first, second


def _joined(pairs: list[tuple[Table, Table]]) -> tuple[Table, Table]:
    first, second = (joined([pair[side] for pair in pairs]) for side in (0, 1))
    return first, second
