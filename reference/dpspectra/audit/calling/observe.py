"""Make draws on both data sets and turn them into tables. This may happen in another process.

Draws come in *calls* of so many rows; a call on one data set is paired with one on the other, right before or after. If
time runs out or the audit is interrupted, the pairs that are complete are kept, in the order in which they were to be
made: then the wealth is that of an earlier time, and may be read.
"""

from __future__ import annotations

import math
import os
import random
import time
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from dpspectra.audit.calling.arguments import Statistic
from dpspectra.audit.calling.arms import Arm
from dpspectra.audit.calling.caller import SEEDS
from dpspectra.audit.reading.features import IMPOSSIBLE, Table
from dpspectra.audit.reading.impossible_outputs import Support
from dpspectra.audit.reading.labels import readable
from dpspectra.audit.reading.share_read import Sight
from dpspectra.audit.reading.stacked_outputs import Rows, Stacks, gathered, says_nothing, sight_of, together
from dpspectra.audit.reading.table import Layout
from dpspectra.ground.deadlines import TimeIsOver, ended

CHUNK = 2**15
"""Most rows asked for in one call."""
NUMBERS = 2**22
"""Most numbers held in one piece."""
SHARES = 16
"""Pieces into which work is cut, so that it can be shared out."""
LONG = 2**15
"""Rows of a piece of several rows a call, at least, in blocks of a quarter of that or more: each piece has its cost."""
FEW = 2048
"""Largest number of rows of a block for whose pieces one table is made."""
SHORT = 2**16
"""Largest count of numbers of a block for whose pieces one table is made."""
OPENING = 8
"""Rows of the calls by which columns are fixed, where a call can have several."""

GRACE = 1.0
"""Seconds after which a call that goes on when time is over is interrupted."""
GLOBAL, ORDER = 2, 3
"""Ends of the keys of the generators that are for neither data set: for global states, and for the order of calls."""

Key = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Side:
    """Draws on one data set, and what was seen of them."""

    rows: Rows | None
    """``None`` if only the table is kept."""
    table: Table
    """Empty while there are only rows."""
    failures: int = 0
    """Draws that returned no value."""
    problem: str = ""
    """Error of the call that failed last."""
    sight: Sight = field(default_factory=Sight)
    """How much of the outputs was seen."""
    impossible: tuple[dict[str, Any] | None] | None = None
    """Holds the certificate, if any, of the first output that the declared support rules out on the other side."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Pairs of calls that were made one after the other."""

    sides: tuple[Side, Side]
    rows: int
    """Rows asked of a call."""
    complete: int
    """Pairs of calls of which both could be read."""
    lost: int
    """Pairs of which one could not."""
    begun: int
    """Pairs of which a call was made."""
    stopped: str = ""
    """``"time"`` or ``"interrupted"`` if no more were made."""
    names: Mapping[int, str] = field(default_factory=dict)
    """Readable labels from another process."""


@dataclass(frozen=True, slots=True)
class Observer:
    """Draws from two arms, as the first draws fixed it: how outputs look and which statistics are computed."""

    arms: tuple[Arm, Arm]
    entropy: int
    support: Support | None = None
    layout: Layout = field(default_factory=Layout)
    process: int = field(default_factory=os.getpid)
    first_calls_count: bool = True
    """Whether the first call on each data set, which may load or compile, counts as time of the audit."""
    first_calls: float = 0.0
    """Seconds of the first calls, where they do not count."""

    @property
    def batched(self) -> bool:
        """Whether calls may ask for several rows."""
        return all(arm.caller.batched for arm in self.arms)

    @property
    def independent(self) -> bool:
        """Whether both arms declare that the rows of a call are independent runs."""
        return all(arm.caller.independent for arm in self.arms)

    @property
    def most_rows(self) -> int:
        """Rows that a call may have."""
        if not self.batched:
            return 1
        return min(CHUNK, 1 + NUMBERS // self.layout.numbers, *(arm.caller.most_rows for arm in self.arms))

    def one_row_a_call(self) -> None:
        """Ask for one row in each call from now on, which any outcome can be read from."""
        for arm in self.arms:
            arm.caller.batched = False

    def opened(
        self,
        count: int,
        deadlines: Sequence[float],
        snap: int | None,
        own: Mapping[str, Statistic],
        run: int,
        end: float = math.inf,
    ) -> tuple[Observer, tuple[Side, Side]]:
        """Make draws that are never bet on, and fix by them what is looked at.

        None are begun after ``deadlines``, one for each data set. Raises `TimeIsOver` if there are none by ``end``.
        If first calls do not count, all these times are later by what they take.
        """
        drawn, late = list[Rows](), 0.0
        for side, (arm, deadline) in enumerate(zip(self.arms, deadlines, strict=True)):
            rows, took = self._first(arm, count, self._rng((run, 0, side)), deadline + late, end + late)
            drawn, late = [*drawn, rows], late + took
        pair = (self.arms[0].data, self.arms[1].data)
        observer = replace(self, layout=Layout.fitted(pair, drawn, snap, own), first_calls=late)
        sides = [observer.tabulated(rows, side, opening=True) for side, rows in enumerate(drawn)]
        return observer, (replace(sides[0], rows=drawn[0]), replace(sides[1], rows=drawn[1]))

    def _first(self, arm: Arm, count: int, rng: np.random.Generator, deadline: float, end: float) -> tuple[Rows, float]:
        """Return first draws from an arm, one by one from a lost call on, and seconds of a first call not counted."""
        pieces, runs = list[Any](), list[Any]()
        run = arm.caller.one_by_one(arm.fresh, rng)

        def call() -> int:
            if not self.batched:
                runs.append(run())
                return 1
            rows = arm.caller.many(arm.fresh, rng, min(OPENING, count - made, self.most_rows))()
            if rows is None:
                arm.failed()
                self.one_row_a_call()
                return 0
            pieces.append(rows)
            return len(rows)

        made, late, begun = 0, 0.0, time.perf_counter()
        try:
            with ended(end + GRACE, TimeIsOver):
                made = call()
            if not self.first_calls_count:
                late = time.perf_counter() - begun
            with ended(end + late + GRACE, TimeIsOver):
                while made < count and (made == 0 or time.perf_counter() <= deadline + late):
                    made += call()
        except TimeIsOver:
            if not pieces and not runs:
                raise
        return arm.checked(together([*pieces, *([gathered(runs, arm.caller.shape)] if runs else [])])), late

    def tasks(self, count: int, rows: int, block: Key, independent: bool) -> list[tuple[int, int, Key]]:
        """Cut a block of ``count`` draws from each arm into pieces: pairs of calls, rows of each, and a key.

        The cut and the seeds are fixed. Calls whose rows are independent are as long as they may be.
        """
        if independent:
            size = self.most_rows
            sizes = [(1, min(size, count - start)) for start in range(0, count, size)]
        else:
            calls = max(1, count // rows)
            most = max(1, NUMBERS // (rows * self.layout.numbers))
            size = min(most, max(-(-calls // SHARES), LONG // rows if rows > 1 and 4 * count >= LONG else 1))
            sizes = [(min(size, calls - start), rows) for start in range(0, calls, size)]
        return [(*each, (*block, i)) for i, each in enumerate(sizes)]

    def observe(
        self, calls: int, rows: int, key: Key, until: float, names: Container[str] | None, whole: bool
    ) -> Piece:
        """Make pairs of calls until the clock (`time.time`) passes ``until``; with ``whole``, make tables of them."""
        elsewhere = os.getpid() != self.process
        if elsewhere:  # forked processes would share the state of global generators
            seed = int(self._rng((*key, GLOBAL)).integers(SEEDS))
            np.random.seed(seed)  # noqa: NPY002, as mechanisms may use this state
            random.seed(seed)
        deadline = time.perf_counter() + until - time.time()
        drawn, complete, lost, begun, stopped = self._pairs(calls, rows, key, deadline)
        sides = []
        for side, found in enumerate(drawn):
            plain = Side(found, {}, 0, self.arms[side].caller.problem)
            sides.append(self.tabulated(found, side, names) if whole and found is not None else plain)
        shown = dict(readable) if elsewhere else {}
        return Piece((sides[0], sides[1]), rows, complete, lost, begun, stopped, shown)

    def tabulated(self, rows: Rows, side: int, names: Container[str] | None = None, opening: bool = False) -> Side:
        """Return the table of some rows."""
        table = self.layout.table(rows, names)
        failed = [] if isinstance(rows, Stacks) else [one for one in rows if one.failed]
        problem = failed[-1].problem if failed else self.arms[side].caller.problem
        numbers, placed = self.layout.places.placed(rows)
        sight = replace(sight_of(rows), numbers=numbers, placed=placed, places=self.layout.places.size)
        read = Side(None, table, len(failed), problem, sight)
        if self.support is None:
            return read
        table[IMPOSSIBLE], found = self.support.judge(self.layout, rows, side, declaration_too=opening)
        return replace(read, impossible=found)

    def _pairs(self, calls: int, rows: int, key: Key, deadline: float) -> Any:
        """Pairs of calls, in an order within each that a coin decides.

        So a mechanism that looks at no data, and does something else at each call, shows one law on both sides.
        """
        first, second = (self._call(arm, rows, self._rng((*key, side))) for side, arm in enumerate(self.arms))
        words = self._seed((*key, ORDER)).generate_state(-(-calls // 32))
        order = np.unpackbits(words.view(np.uint8), count=calls).tolist()
        one, other = list[Any](), list[Any]()
        keep_first, keep_second = one.append, other.append
        lost, begun, stopped, clock = 0, 0, "", time.perf_counter
        try:
            with ended(deadline + GRACE, TimeIsOver):
                for second_first in order:
                    if clock() > deadline:
                        stopped = "time"
                        break
                    begun += 1
                    if second_first:
                        y = second()
                        x = first()
                    else:
                        x = first()
                        y = second()
                    if x is None or y is None:
                        self.arms[0 if x is None else 1].failed()
                        lost += 1
                        break  # later calls ask for less
                    keep_second(y)
                    keep_first(x)
        except TimeIsOver:
            stopped = "time"
        except KeyboardInterrupt:
            stopped = "interrupted"
        complete = len(one)
        drawn = [
            arm.checked(together(side[:complete]) if self.batched else gathered(side[:complete], arm.caller.shape))
            if complete
            else None
            for arm, side in zip(self.arms, (one, other), strict=True)
        ]
        return drawn, complete, lost, begun, stopped

    def _call(self, arm: Arm, rows: int, rng: np.random.Generator) -> Callable[[], Any]:
        """Return the function that makes one call; ``None`` from it is a lost one."""
        if self.batched:
            return arm.caller.many(arm.fresh, rng, rows)
        return arm.caller.one_by_one(arm.fresh, rng)

    def _rng(self, key: Key) -> np.random.Generator:
        return np.random.Generator(np.random.PCG64(self._seed(key)))  # `default_rng`, which checks its argument first

    def _seed(self, key: Key) -> np.random.SeedSequence:
        return np.random.SeedSequence(self.entropy, spawn_key=key)


def nothing_to_see(sides: Sequence[Side]) -> bool:
    """Whether no draw on either side said anything, and all failed alike."""
    first, second = (side.table for side in sides)
    columns = [np.concatenate([first[name], second[name]]) for name in first if first[name].ndim == 1]
    alike = all(len(np.unique(column)) == 1 for column in columns)
    return alike and all(side.rows is not None and says_nothing(side.rows) for side in sides)


def joined(tables: Sequence[Table]) -> Table:
    """Put tables of one layout under each other."""
    if len(tables) == 1:
        return tables[0]
    return {name: np.concatenate([table[name] for table in tables]) for name in tables[0]}
