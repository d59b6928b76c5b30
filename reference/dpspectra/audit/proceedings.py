"""The course of an audit: bets on events against a claim, settled by fresh draws, until luck no longer explains them.

Epochs double. The events, points of the claimed curve and stakes of an epoch are chosen on the draws of earlier ones,
so that each bet is on fresh draws; wealth is the product over epochs of the average over bets. If the claim holds, it
ever exceeds ``1 / risk`` with probability at most ``risk``, so the audit looks often and stops when it likes. After
`LEARNING` draws the events stay as they are, and only their rates are learned.

Where a call returns many rows, bets are on calls: shares of rows are averaged within a call, and calls are multiplied,
which is sound however the rows of a call depend on each other (DPS-CALLS). If rows are declared independent, bets are
on rows, with a `RESERVE` that is never put on them: it is what goes on, in calls, if the declaration proves false or a
call is lost, as the row that is at fault is then unknown. Otherwise a lost call costs what could be lost on it, and
from then on calls ask for one row, which any outcome can be read from. Calls that were begun when time ran out or the
audit was interrupted count as lost if it is resumed (DPS-PREDICT).
"""

import itertools
import math
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from dpspectra.audit.betting.choice_of_bets import BettingPlan, learned_again, select, with_impossible
from dpspectra.audit.betting.choice_of_call_length import in_calls
from dpspectra.audit.betting.choice_of_lenses import lenses
from dpspectra.audit.betting.dependence import Dependence, telling
from dpspectra.audit.betting.events import Event, scored
from dpspectra.audit.betting.score import learn
from dpspectra.audit.betting.wealth import Evidence, RunningWealth, log_threshold
from dpspectra.audit.calling.observe import FEW, SHORT, Key, Observer, Piece, Side, joined, nothing_to_see
from dpspectra.audit.calling.pool import Pool
from dpspectra.audit.claims import CurveClaim
from dpspectra.audit.options import Options
from dpspectra.audit.reading.features import Table
from dpspectra.audit.reading.labels import keep
from dpspectra.audit.reading.share_read import Sight
from dpspectra.audit.reading.stacked_outputs import together
from dpspectra.audit.result import AuditResult
from dpspectra.ground.deadlines import TimeIsOver

FIRST = 64
"""Draws on each data set before anything is bet, and in the first epoch."""
LOOKS = 16
"""Blocks of an epoch, after each of which the audit may stop; a block has `FIRST` draws at least."""
LEARNING = 2**17
"""Draws on each data set after which nothing more is learned."""
REMEMBERED = 2**25
"""Numbers after which nothing more is learned."""
PROMPT = 0.8
"""Share of the remaining time for which a block is planned."""
RESERVE = 0.1
"""Share of wealth kept back as long as rows of a call are taken to be independent."""

Pair = tuple[Table, Table]


@dataclass(slots=True)
class Proceedings:
    """An audit under way: `looks` carries it on, `result` gives the findings so far."""

    observer: Observer
    claim: CurveClaim
    options: Options
    pool: Pool[Piece]
    start: float
    """Time at which the audit began (`time.perf_counter`), later by what its first calls took."""
    history: list[tuple[int, float]] = field(default_factory=list)
    past: list[Pair] = field(default_factory=list)
    """Tables of all draws that can still be learned from."""
    independent: bool = False
    """Whether bets are on rows."""
    dependence: Dependence = field(default_factory=Dependence)
    telling: list[Event] = field(default_factory=list)
    """Events on which it is tested whether rows are independent."""
    ruled_out: tuple[int, dict[str, Any] | None] | None = None
    """Data set of the first output that the declared support rules out on the other one, and its certificate."""
    used: int = 0
    """Draws from each data set in this run, and in those before it."""
    earlier: int = 0
    run: int = 0
    failures: int = 0
    lost: int = 0
    sight: Sight = field(default_factory=Sight)
    problems: list[str] = field(default_factory=lambda: ["", ""])
    """Last error on each data set."""
    seconds: float = 0.0
    rows: int = 1
    """Rows of the calls of this epoch."""
    _wealth: RunningWealth = field(init=False)

    def __post_init__(self) -> None:
        self._wealth = RunningWealth(self.claim, Evidence())

    @property
    def evidence(self) -> Evidence:
        """All bets that were settled."""
        return self._wealth.evidence

    def recall(self, result: AuditResult) -> None:
        """Take over the evidence of a result, so that what follows is one longer audit."""
        self._wealth, self.history = RunningWealth(self.claim, result.evidence), list(result.history)
        self.earlier, self.run, self.failures, self.seconds = result.draws, result.runs, result.failures, result.seconds
        self.lost, self.sight = result.lost, result.sight

    def looks(self) -> Iterator[str]:
        """Carry on; yields after every look why the audit stops (then it is the last), or that it is ``"running"``."""
        if self._over:
            yield "refuted"
            return
        stopped = self._open()
        if self._over or stopped:  # by an output that cannot occur
            yield "refuted" if self._over else stopped
            return
        plans = list[BettingPlan]()
        for epoch in itertools.count(1):
            sure = self.evidence.lower_bound(self.claim, self.options.risk) if self.options.estimate else 0.0
            plans = self._planned(plans, max(self.claim.value, sure))
            self._wealth.new_epoch()
            self.dependence.new_epoch()
            blocks, size = self._blocks
            for look in range(blocks):
                try:
                    stopped = self._block(size, (self.run, epoch, look), plans)
                except KeyboardInterrupt:  # between calls: what was drawn since the last look is left out
                    self._leave(plans, size)
                    stopped = "interrupted"
                if self._over:
                    stopped = "refuted"
                yield stopped
                if stopped != "running":
                    return

    @property
    def _deadline(self) -> float:
        return self.start + self.options.seconds

    @property
    def certain(self) -> bool:
        """Whether an impossible output was seen, and one is enough."""
        return self.ruled_out is not None and all(delta == 0 for _, delta in self.claim.points(self.claim.value))

    @property
    def log_e_value(self) -> float:
        """Log of the wealth against the claim."""
        return math.inf if self.certain else self._wealth.value

    @property
    def _over(self) -> bool:
        """Whether the claim is refuted, and it is not asked by how much."""
        enough = log_threshold(self.claim, self.options.risk)  # a running sum must not refute by its rounding
        refuted = self.log_e_value >= enough and (self.certain or self.evidence.against(self.claim) >= enough)
        return refuted and (self.certain or not self.options.estimate)

    @property
    def _blocks(self) -> tuple[int, int]:
        """Blocks of an epoch that begins now, and draws in each."""
        blocks = min(LOOKS, max(1, self.used // FIRST))
        return blocks, max(FIRST, self.used) // blocks

    @property
    def _learning(self) -> bool:
        remembered = sum(column.size for pair in self.past for table in pair for column in table.values())
        return self.used <= LEARNING and remembered <= REMEMBERED

    def _open(self) -> str:
        """Make the draws that are never bet on; say why the audit stops, if it does."""
        options = self.options
        count, deadlines = min(FIRST, options.draws // 2), [self.start + options.seconds / each for each in (4, 2)]
        fixed = deadlines, options.rounding, options.own_statistics, self.run, self._deadline
        try:
            self.observer, observed = self.observer.opened(count, *fixed)
        except TimeIsOver:
            return "time"
        self.start += self.observer.first_calls
        declared, fresh = options.independent or self.observer.independent, not self.evidence.epochs
        self.independent = self.observer.batched and declared and (fresh or self.evidence.start == math.log1p(-RESERVE))
        if self.independent and fresh:
            self._wealth = RunningWealth(self.claim, Evidence(start=math.log1p(-RESERVE)))
        self.past = [self._taken(*observed)]
        self.used = min(len(next(iter(table.values()))) for table in self.past[0])
        self._wealth = RunningWealth(self.claim, self.evidence.going_on())
        self.history.append((self.earlier + self.used, self.log_e_value))
        return "failed" if nothing_to_see(observed) else ""

    def _planned(self, plans: list[BettingPlan], value: float) -> list[BettingPlan]:
        """Return the bets of the next epoch, against a value of the parameter, and fix the rows of its calls."""
        points = self.claim.points(value)
        if self._learning:
            both = joined([first for first, _ in self.past]), joined([second for _, second in self.past])
            self.past = [both]
            several = self.observer.layout.numbers > 1 or self.options.classifier is not None
            score = learn(both, self.options.classifier) if several else None
            plans = select(both, points, score, lenses(both, self.observer.layout.places), self.claim.moments(value))
            if self.ruled_out is not None:
                plans = with_impossible(plans, self.ruled_out[0], both, points)
            if self.independent:
                self.telling = list(dict.fromkeys(telling(plan.event, both) for plan in plans))
        else:
            bets = [bet for epoch in self.evidence.epochs for bet in epoch]
            plans = [learned_again(plan, bets, points, 1) for plan in plans]
        self.rows = 1
        if self.observer.batched and not self.independent:
            left = math.inf if 2 * self.used <= LEARNING else self.options.draws - self.used  # bounds need short calls
            needed = log_threshold(self.claim, self.options.risk) - self.log_e_value
            most = min(self.observer.most_rows, self._blocks[1])
            plans, self.rows = in_calls(plans, points, most, left, needed)
        return plans

    def _block(self, count: int, key: Key, plans: list[BettingPlan]) -> str:
        """Make a block of draws and settle the bets of the epoch by them; say why the audit stops, if it does."""
        now, count = time.perf_counter(), min(count, self.options.draws - self.used)
        if count < 1 or now >= self._deadline:
            return "draws" if count < 1 else "time"
        pace = self.used / max(now - self.start, 1e-9)
        count = min(count, max(1, int(PROMPT * pace * (self._deadline - now))))
        learning = self._learning
        names = None if learning else {name for plan in plans for name in plan.event.needs}
        until = time.time() + self._deadline - now  # a clock that other processes share
        rows = min(self.rows, count) if self.observer.batched else 1
        tasks = self.observer.tasks(count, rows, key, self.independent)
        whole = count > max(FEW, SHORT // self.observer.layout.numbers)
        pieces = iter(self.pool(self.observer.observe, [(*task, until, names, whole) for task in tasks]))
        kept, stopped = list[Piece](), ""
        while not stopped and (piece := next(pieces, None)) is not None:
            kept.append(piece)
            stopped = piece.stopped
        self._settle(kept, plans, rows, names, learning)
        waste = sum(piece.begun - piece.complete - piece.lost for piece in kept)
        if self.options.workers is not None:  # else what is left has not been begun
            waste += sum(piece.begun for piece in pieces)
        if waste:
            self._leave(plans, waste)
        return stopped or "running"

    def _settle(
        self, pieces: list[Piece], plans: list[BettingPlan], rows: int, names: set[str] | None, learning: bool
    ) -> None:
        """Settle the bets by pairs of calls, lost ones among them."""
        lost = sum(piece.lost for piece in pieces)
        made = [piece for piece in pieces if piece.complete]
        for piece in pieces:
            for label, text in piece.names.items():
                keep(label, text)
        tables = self._tables(made, names)
        if lost:
            self.lost += lost
            self.used += sum(piece.rows * piece.lost for piece in pieces)
            self.observer.one_row_a_call()
        if lost and self.independent:
            self._back_to_the_reserve()
        elif plans:
            events = [plan.event for plan in plans]
            shown = [(scored(first, events), scored(second, events)) for first, second in tables]
            bets = [plan.settled(shown, 1 if self.independent else rows, lost) for plan in plans]
            self._wealth.settle(bets)
        self.used += sum(piece.rows * piece.complete for piece in made)
        if learning:
            self.past += tables
        if self.independent:
            self._look_for_dependence(made, tables)
        self.history.append((self.earlier + self.used, self.log_e_value))

    def _tables(self, pieces: list[Piece], names: set[str] | None) -> list[Pair]:
        """Tables for the two data sets, of each piece or of all that are not tables yet."""
        rows = [[r for piece in pieces if (r := piece.sides[side].rows) is not None] for side in (0, 1)]
        if not rows[0]:
            return [self._taken(*piece.sides) for piece in pieces]
        sides = (self.observer.tabulated(together(each), side, names) for side, each in enumerate(rows))
        return [self._taken(*sides)]

    def _look_for_dependence(self, pieces: list[Piece], tables: list[Pair]) -> None:
        """Revoke the declaration that rows are independent if they are not; those of a candidate ought to be."""
        arms = self.observer.arms
        judged = [side for side in (0, 1) if arms[side].trusted] or [0, 1]
        for side in judged:
            hits = [np.concatenate([event.hits(pair[side]) for pair in tables]) for event in self.telling if tables]
            self.dependence.see_calls(side, hits, [piece.rows for piece in pieces])
        if self.dependence.log_wealth >= -math.log(self.options.risk):
            self.problems = ["the rows of one call depend on each other"] * 2
            self._back_to_the_reserve()

    def _back_to_the_reserve(self) -> None:
        """Give up the wealth that was bet on independent rows. The reserve goes on with bets on calls."""
        self._wealth, self.independent = RunningWealth(self.claim, Evidence(((),), math.log(RESERVE))), False

    def _leave(self, plans: list[BettingPlan], calls: int) -> None:
        """Note calls that were begun and are not looked at."""
        self._wealth = RunningWealth(self.claim, replace(self.evidence, late=tuple(p.lost(calls) for p in plans)))

    def _taken(self, first: Side, second: Side) -> Pair:
        """Note what draws showed besides their statistics; returns their tables."""
        for side, each in enumerate((first, second)):
            self.failures += each.failures
            self.sight += each.sight
            self.problems[side] = each.problem or self.problems[side]
            if each.impossible is not None and self.ruled_out is None:
                self.ruled_out = (side, each.impossible[0])
        return first.table, second.table
