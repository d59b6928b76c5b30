"""Turn draws of mechanisms into tables of numbers. What happens here may happen in another process."""

from __future__ import annotations

import time
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dpspectra.audit.draws import BatchFailedError, Draws, Layout, Sampler
from dpspectra.audit.features import FAILURE, IMPOSSIBLE, Features, Table
from dpspectra.audit.support import Support

CHUNK = 2**15
"""Most draws asked for in one call, fewer if outputs are large."""
NUMBERS = 2**22
"""Most numbers held in one chunk."""
SHARES = 16
"""Pieces into which work is cut, where draws are made one by one, so that it can be shared out."""

Key = tuple[int, ...]


class OutOfTimeError(Exception):
    """The clock has run out in the middle of a block of draws."""


@dataclass(frozen=True, slots=True)
class Source:
    """A mechanism and the data set it runs on."""

    sampler: Sampler
    data: Any


def two_sources(mechanism: Any, pair: Any) -> tuple[Source, Source]:
    """One mechanism on two data sets; ``ValueError`` if it is none, or they are not two."""
    try:
        first, second = pair
    except (TypeError, ValueError):
        raise ValueError(f"pair must hold two data sets, got {pair!r}") from None
    sampler = Sampler.checked(mechanism, "mechanism", first, second)
    return Source(sampler, first), Source(sampler, second)


def two_different_sources(mechanism: Any, pair: Any) -> tuple[Source, Source]:
    """`two_sources`, and ``ValueError`` if the data sets are the same, as nothing could be seen of a claim then."""
    first, second = two_sources(mechanism, pair)
    if _identical(first.data, second.data):
        raise ValueError("pair must hold two different data sets, got the same one twice")
    return first, second


def _identical(first: Any, second: Any) -> bool:
    """Whether two data sets are certainly the same: of one type and equal, if that can be told."""
    if isinstance(first, np.ndarray) and isinstance(second, np.ndarray):
        return first.dtype == second.dtype and np.array_equal(first, second)
    try:
        return first is second or (type(first) is type(second) and bool(first == second))
    except Exception:  # what comparing them does is up to their type
        return False


@dataclass(frozen=True, slots=True)
class Observation:
    """Statistics of some draws, and what else was seen of them."""

    table: Table
    problem: str = ""
    """What went wrong in the draw that failed last."""
    impossible: tuple[dict[str, Any] | None] | None = None
    """Holds the certificate, if any, of the first output that the declared support rules out on the other side."""


@dataclass(frozen=True, slots=True)
class Observer:
    """Draws from two sources, as the first draws fixed it: how outputs look and which statistics are computed."""

    sources: tuple[Source, Source]
    entropy: int
    support: Support | None = None
    layout: Layout | None = None
    features: Features | None = None

    def opened(
        self,
        count: int,
        deadlines: Sequence[float],
        snap: int | None,
        own: Mapping[str, Callable[[Any], float]],
        run: int,
    ) -> tuple[Observer, tuple[Observation, Observation]]:
        """Make draws that are never bet on, and fix by them what is looked at. They may end early."""
        drawn: list[Draws] = []
        layout = None
        for side, source in enumerate(self.sources):
            key = (run, 0, side)
            try:
                draws = source.sampler.draw(source.data, count, self._rng(key), layout, deadlines[side])
            except BatchFailedError:
                source.sampler.batched = False
                draws = source.sampler.draw(source.data, count, self._rng(key), layout, deadlines[side])
            layout = layout or draws.layout
            drawn.append(draws)
        usable = [draws for draws in drawn if draws.layout is not None]
        pair = (self.sources[0].data, self.sources[1].data)
        features = Features.fitted(pair, usable, snap, own) if usable else None
        observer = replace(self, layout=layout, features=features)
        first, second = (observer._observed(draws, side, opening=True) for side, draws in enumerate(drawn))
        return observer, (first, second)

    @property
    def numbers(self) -> int:
        """Numbers in one output; 1 while none was seen."""
        return 1 if self.layout is None else max(1, self.layout.numbers)

    def tasks(self, count: int, block: Key) -> list[tuple[int, int, Key]]:
        """Cut a block of ``count`` draws from each source into calls of `observe`; the cut and the seeds are fixed."""
        batched = all(source.sampler.batched for source in self.sources)
        size = min(CHUNK, 1 + NUMBERS // self.numbers) if batched else max(1, -(-count // SHARES))
        sizes = [min(size, count - start) for start in range(0, count, size)]
        return [(side, n, (*block, side, i)) for side in (0, 1) for i, n in enumerate(sizes)]

    def observe(self, side: int, count: int, key: Key, until: float, names: Container[str] | None) -> Observation:
        """``count`` draws from one source; raises `OutOfTimeError` if they take longer than ``until`` (`time.time`)."""
        left = until - time.time()
        if left <= 0:
            raise OutOfTimeError
        source, deadline = self.sources[side], time.perf_counter() + left
        draws = source.sampler.draw(source.data, count, self._rng(key), self.layout, deadline)
        if len(draws.failed) < count:
            raise OutOfTimeError
        return self._observed(draws, side, names)

    def _rng(self, key: Key) -> np.random.Generator:
        return np.random.default_rng(np.random.SeedSequence(self.entropy, spawn_key=key))

    def _observed(
        self, draws: Draws, side: int, names: Container[str] | None = None, opening: bool = False
    ) -> Observation:
        table = {FAILURE: draws.failed.astype(float)} if self.features is None else self.features(draws, names)
        problem = self.sources[side].sampler.problem
        if self.support is None:
            return Observation(table, problem)
        table[IMPOSSIBLE], found = self.support.judge(draws, side, declaration_too=opening)
        return Observation(table, problem, found)


def joined(tables: Sequence[Table]) -> Table:
    """Put tables under each other; a column that one of them lacks is NaN there."""
    lengths = [len(table[FAILURE]) for table in tables]
    names = dict.fromkeys(name for table in tables for name in table)
    return {
        name: np.concatenate([t.get(name, np.full(n, np.nan)) for t, n in zip(tables, lengths, strict=True)])
        for name in names
    }
