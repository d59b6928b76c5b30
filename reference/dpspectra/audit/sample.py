"""Draws made for a picture of what an audit found. They are no evidence: the audit is over when they are made."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.audit import AuditResult
from dpspectra.audit.draws import Sampler
from dpspectra.audit.features import FAILURE, IMPOSSIBLE, Table
from dpspectra.audit.observe import Observer, Source

DRAWS = 4096
"""Draws on each data set at most."""
CUTS = 256
"""Approximate number of points of a trade-off curve."""
SECONDS = 5.0
"""Time after which mechanisms that make one draw at a time are asked for no more."""
_EVENT = re.compile(r"(?P<name>.+) (?:>=|<=) (?P<threshold>\S+): too likely on the (?:first|second) data set")

Values = NDArray[np.floating[Any]]


@dataclass(frozen=True, slots=True)
class Sample:
    """One statistic of outputs on each of the two data sets; ``threshold`` where the witness cuts it, if it does."""

    statistic: str
    values: tuple[Values, Values]
    threshold: float | None

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
    """Draw the statistic of the best witness that has one, else the one that differs most; ``None`` if there is none.

    Statistics that were learned are not remembered by a result, and are passed over.
    """
    sampler, now = Sampler(mechanism), time.perf_counter()
    observer = Observer((Source(sampler, pair[0]), Source(sampler, pair[1])), result.seed + 1)
    deadlines = (now + SECONDS / 2, now + SECONDS)
    snap = None if result.floating_point else 30
    _, observed = observer.opened(DRAWS, deadlines, snap, {}, 0)
    tables = observed[0].table, observed[1].table
    names = [n for n in tables[0] if n in tables[1] and n != IMPOSSIBLE and not any(_empty(t[n]) for t in tables)]
    bets = [bet for epoch in result.evidence.epochs for bet in epoch]
    for event in [result.witness, *(bet.event for bet in sorted(bets, key=lambda bet: -bet.share))]:
        matched = _EVENT.fullmatch(event)
        name, threshold = (matched["name"], float(matched["threshold"])) if matched else (event.split(":")[0], None)
        if name in names:
            return _taken(name, tables, threshold if event == result.witness else None)
    apart = {name: _distance(tables, name) for name in names if name != FAILURE}
    return _taken(max(apart, key=lambda name: apart[name]), tables, None) if apart else None


def _empty(column: Values) -> bool:
    return bool(np.all(np.isnan(column)))


def _taken(name: str, tables: tuple[Mapping[str, Values], Mapping[str, Values]], threshold: float | None) -> Sample:
    first, second = (table[name][~np.isnan(table[name])] for table in tables)
    return Sample(name, (first, second), threshold)


def _distance(tables: tuple[Table, Table], name: str) -> float:
    """Largest difference of the two distribution functions."""
    first, second = (np.sort(values) for values in _taken(name, tables, None).values)
    at = np.concatenate([first, second])
    gaps = np.searchsorted(first, at, "right") / len(first) - np.searchsorted(second, at, "right") / len(second)
    return float(np.max(np.abs(gaps)))
