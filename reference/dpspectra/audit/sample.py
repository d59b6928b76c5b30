"""Draws made for a picture of what an audit found. They are no evidence: the audit is over when they are made."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.audit import AuditResult
from dpspectra.audit.draws import Sampler
from dpspectra.audit.events import HalfLine
from dpspectra.audit.features import IMPOSSIBLE, Table
from dpspectra.audit.observe import Observer, Source

DRAWS = 4096
"""Draws on each data set at most."""
CUTS = 256
"""Approximate number of points of a trade-off curve."""
SECONDS = 5.0
"""Time after which mechanisms that make one draw at a time are asked for no more."""

Values = NDArray[np.floating[Any]]


@dataclass(frozen=True, slots=True)
class Sample:
    """One statistic of outputs on each of the two data sets, and the event that refutes, if it is of this statistic."""

    statistic: str
    values: tuple[Values, Values]
    event: HalfLine | None

    def errors(self) -> tuple[Values, Values]:
        """False alarms and misses of the tests that call large values (or small, if better) the first data set's."""
        first, second = (np.sort(values) for values in self.values)
        seen = np.unique(np.concatenate([first, second]))
        cuts = np.concatenate([[-np.inf], seen[:: max(1, len(seen) // CUTS)], [np.inf]])
        below_first = np.searchsorted(first, cuts, side="left") / len(first)
        below_second = np.searchsorted(second, cuts, side="left") / len(second)
        if np.mean(below_first) <= np.mean(below_second):
            return 1 - below_second, below_first
        return below_second, 1 - below_first


def sampled(mechanism: Callable[..., Any], pair: tuple[Any, Any], result: AuditResult) -> Sample | None:
    """Draw the statistic of the best event that has one, else the one that differs most; ``None`` if there is none.

    Statistics that were learned are passed over, and so are sets of labels, which have no place on a line.
    """
    sampler, now = Sampler(mechanism), time.perf_counter()
    observer = Observer((Source(sampler, pair[0]), Source(sampler, pair[1])), result.seed + 1)
    deadlines = (now + SECONDS / 2, now + SECONDS)
    _, observed = observer.opened(DRAWS, deadlines, None if result.floating_point else 30, {}, 0)
    tables = observed[0].table, observed[1].table
    real = [name for name in tables[0] if name != IMPOSSIBLE and tables[0][name].dtype != np.uint64]
    names = [name for name in real if not any(_empty(table[name]) for table in tables)]
    bets = [bet for epoch in result.evidence.epochs for bet in epoch]
    for event in [result.event, *(bet.event for bet in sorted(bets, key=lambda bet: -bet.share))]:
        if isinstance(event, HalfLine) and event.statistic in names:
            return _taken(event.statistic, tables, event if event == result.event else None)
    apart = {name: _distance(tables, name) for name in names}
    return _taken(max(apart, key=lambda name: apart[name]), tables, None) if apart else None


def _empty(column: Values) -> bool:
    return bool(np.all(np.isnan(column)))


def _taken(name: str, tables: tuple[Table, Table], event: HalfLine | None) -> Sample:
    first, second = (table[name][~np.isnan(table[name])] for table in tables)
    return Sample(name, (first, second), event)


def _distance(tables: tuple[Table, Table], name: str) -> float:
    """Largest difference of the two distribution functions."""
    first, second = (np.sort(values) for values in _taken(name, tables, None).values)
    at = np.concatenate([first, second])
    gaps = np.searchsorted(first, at, "right") / len(first) - np.searchsorted(second, at, "right") / len(second)
    return float(np.max(np.abs(gaps)))
