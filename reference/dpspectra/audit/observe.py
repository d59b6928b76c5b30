"""Turn draws of the mechanism into tables of numbers, stage by stage."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import numpy as np

from dpspectra.audit.draws import BatchFailedError, Draws, Layout, Sampler
from dpspectra.audit.features import FAILURE, IMPOSSIBLE, Features, Table
from dpspectra.audit.support import Support

T = TypeVar("T")

CHUNK = 4096
"""Most draws asked for in one call, fewer if outputs are large."""
NUMBERS = 2**22
"""Most numbers held in one chunk."""


class OutOfTimeError(Exception):
    """The clock has run out in the middle of a stage."""


@dataclass(slots=True)
class Observer:
    """Draws, and remembers what the first draws fixed: how outputs look and which statistics are computed."""

    sampler: Sampler
    pair: tuple[Any, Any]
    snap: int | None
    log_ratio: Callable[[Any], float] | None
    support: Support | None
    layout: Layout | None = None
    features: Features | None = None

    def opening(self, count: int, seed: np.random.SeedSequence, deadlines: Sequence[float]) -> tuple[Table, Table]:
        """The stage that is never tested: it may be cut short, and what it shows is fixed from here on."""
        drawn = [self._side(side, count, seed, deadlines[side], lambda draws: draws, may_end=True) for side in (0, 1)]
        if usable := [draws for chunks in drawn for draws in chunks if draws.layout is not None]:
            self.features = Features.fitted(self.pair, usable, self.snap, self.log_ratio)
        first, second = (joined([self._table(d, side, opening=True) for d in drawn[side]]) for side in (0, 1))
        return first, second

    def stage(self, count: int, seed: np.random.SeedSequence, deadline: float) -> tuple[Table, Table]:
        """Tables of ``count`` draws on each data set; raises `OutOfTimeError` if not all are made by ``deadline``."""
        first, second = (
            joined(self._side(side, count, seed, deadline, partial(self._table, side=side))) for side in (0, 1)
        )
        return first, second

    def _side(
        self,
        side: int,
        count: int,
        seed: np.random.SeedSequence,
        deadline: float,
        use: Callable[[Draws], T],
        may_end: bool = False,
    ) -> list[T]:
        """Draw in chunks, keeping of each chunk what ``use`` makes of it."""
        own, again = seed.spawn(2)
        try:
            return [use(draws) for draws in self._chunks(side, count, own, deadline, may_end)]
        except BatchFailedError:
            # start afresh, one by one: to repeat only the call that failed would hide failures (see `engine`)
            self.sampler.batched = False
            return [use(draws) for draws in self._chunks(side, count, again, deadline, may_end)]

    def _chunks(
        self, side: int, count: int, seed: np.random.SeedSequence, deadline: float, may_end: bool
    ) -> Iterator[Draws]:
        rng, made = np.random.default_rng(seed), 0
        while made < count:
            size = min(count - made, CHUNK, 1 + NUMBERS // max(1, self.layout.numbers if self.layout else 1))
            draws = self.sampler.draw(self.pair[side], size, rng, self.layout, deadline)
            self.layout = self.layout or draws.layout
            made += len(draws.failed)
            yield draws
            if made < count and time.perf_counter() > deadline:
                if may_end:
                    return
                raise OutOfTimeError

    def _table(self, draws: Draws, side: int, opening: bool = False) -> Table:
        table = {FAILURE: draws.failed.astype(float)} if self.features is None else self.features(draws)
        if self.support is not None:
            table[IMPOSSIBLE] = self.support.judge(draws, side, declaration_too=opening)
        return table


def joined(tables: Sequence[Table]) -> Table:
    """Put tables under each other; a column that one of them lacks is NaN there."""
    lengths = [len(table[FAILURE]) for table in tables]
    names = dict.fromkeys(name for table in tables for name in table)
    return {
        name: np.concatenate([t.get(name, np.full(n, np.nan)) for t, n in zip(tables, lengths, strict=True)])
        for name in names
    }
