"""Draws made for a picture of what an audit found. They are no evidence: the audit is over when they are made."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.audit.betting.events import Event, HalfLine, LabelSet, column_of
from dpspectra.audit.calling.arms import Arm
from dpspectra.audit.calling.caller import Caller
from dpspectra.audit.calling.observe import OPENING, Observer
from dpspectra.audit.proceedings import FIRST
from dpspectra.audit.reading.features import IMPOSSIBLE, Table
from dpspectra.audit.reading.impossible_outputs import Support
from dpspectra.audit.reading.labels import as_labels, readable
from dpspectra.audit.result import AuditResult
from dpspectra.ground.array_types import Flags

DRAWS = 4096
"""Draws on each data set at most."""
CUTS = 256
"""Approximate number of points of a trade-off curve."""
SECONDS = 5.0
"""Time after which mechanisms that make one draw at a time are asked for no more."""
PICTURE = 2**20
"""Key of the seeds of these draws; the blocks of an audit have smaller keys."""
BINS = 40
"""Approximate number of bins of a histogram."""
BARS = 18
"""Labels that have a bar of their own if there are more than `BARS + 2`."""

Values = NDArray[np.floating[Any]]


@dataclass(frozen=True, slots=True)
class Sample:
    """One statistic of outputs on each of the two data sets, and where the event lies, if it can be seen here."""

    statistic: str
    values: tuple[Values, Values]
    event: HalfLine | None
    """The audit's event, if it is a half-line of this statistic."""
    marked: tuple[Flags, Flags] | None = None
    """Which draws are in the audit's event, if that is about what the declared support rules out."""

    def errors(self) -> tuple[Values, Values]:
        """Return false alarms and misses of the tests that call large values the first data set's; or small ones."""
        first, second = (np.sort(values) for values in self.values)
        seen = np.unique(np.concatenate([first, second]))
        cuts = np.concatenate([[-np.inf], seen[:: max(1, len(seen) // CUTS)], [np.inf]])
        below_first = np.searchsorted(first, cuts, side="left") / len(first)
        below_second = np.searchsorted(second, cuts, side="left") / len(second)
        if np.mean(below_first) <= np.mean(below_second):
            return 1 - below_second, below_first
        return below_second, 1 - below_first

    def bins(self) -> Values:
        """Edges of bins for all but the last half per cent at both ends, none of which straddles the threshold."""
        both = np.concatenate(self.values)
        low, high = np.quantile(both, [0.005, 0.995])
        edges = np.histogram_bin_edges(np.clip(both, low, high), bins=BINS)
        if self.event is None:
            return edges
        # the threshold belongs to the half-line, and a bin has its left edge only
        begin = self.event.threshold if self.event.above else math.nextafter(self.event.threshold, math.inf)
        width = edges[1] - edges[0]
        below = max(1, math.ceil((begin - edges[0]) / width))
        beyond = max(1, math.ceil((edges[-1] - begin) / width))
        return begin + width * np.arange(-below, beyond + 1)


@dataclass(frozen=True, slots=True)
class LabelSample:
    """How often labels occurred on each of the two data sets, the likeliest under the favoured one first."""

    statistic: str
    names: tuple[str, ...]
    shares: tuple[Values, Values]
    """Share of each label on the first and on the second data set."""
    members: tuple[bool, ...]
    """Which labels are in the audit's event."""
    draws: tuple[int, int]
    favoured: int
    single: int
    """How many of the names are those of one label each; the last ones may stand for many together."""

    def errors(self) -> tuple[Values, Values]:
        """Return false alarms and misses of the tests by which more and more labels are the first data set's."""
        first, second = (np.concatenate([[0.0], np.cumsum(shares)]) for shares in self.shares)
        return (second, 1 - first) if self.favoured == 0 else (1 - second, first)


def sampled(
    mechanism: Callable[..., Any],
    pair: tuple[Any, Any],
    result: AuditResult,
    support: Callable[[Any, Any], Any] | None = None,
) -> Sample | LabelSample | None:
    """Draw what the audit's event is about; if that cannot be drawn, the statistic of another bet, or any that differs.

    ``support`` is needed for events that are outputs it rules out. ``None`` if no statistic has values on both sides.
    """
    tables = _tables(mechanism, pair, result, support)
    if result.event is not None:
        tables = _with(result.event, tables[0]), _with(result.event, tables[1])
    real = [name for name, x in tables[0].items() if name != IMPOSSIBLE and x.dtype == float and x.ndim == 1]
    names = [name for name in real if not any(_empty(table[name]) for table in tables)]
    apart = {name: _distance(tables, name) for name in names}
    event = result.event
    if isinstance(event, LabelSet) and all(event.statistic in table for table in tables):
        return _labels(event, tables)
    if isinstance(event, HalfLine) and event.statistic in names:
        return Sample(event.statistic, _values(event.statistic, tables), event)
    if apart and IMPOSSIBLE in tables[0] and (event is None or event.statistic == IMPOSSIBLE):
        sides = (0, 1) if event is None else (event.favoured,)
        return _marked(max(apart, key=lambda name: apart[name]), tables, sides)
    bets = sorted((bet for epoch in result.evidence.epochs for bet in epoch), key=lambda bet: -bet.share)
    others = [bet.event.statistic for bet in bets if _plain(bet.event) and bet.event.statistic in names]
    shown = others[0] if others else max(apart, key=lambda name: apart[name], default=None)
    return None if shown is None else Sample(shown, _values(shown, tables), None)


def _tables(mechanism: Any, pair: tuple[Any, Any], result: AuditResult, support: Any) -> tuple[Table, Table]:
    """Tables of fresh draws, with the columns that the last run of the audit had."""
    caller, now = Caller(mechanism), time.perf_counter()
    declared = None if support is None else Support(support, pair)
    observer = Observer((Arm(caller, pair[0]), Arm(caller, pair[1])), result.seed, declared)
    deadlines = (now + SECONDS / 4, now + SECONDS / 2)
    snap = None if result.floating_point else 30
    observer, opening = observer.opened(min(FIRST, max(1, result.draws // 2)), deadlines, snap, {}, result.runs - 1)
    rows = min(OPENING, observer.most_rows)
    until = time.time() + now + SECONDS - time.perf_counter()
    piece = observer.observe(DRAWS // rows, rows, (result.runs - 1, PICTURE), until, None, True)
    first, second = piece.sides if piece.complete else opening
    return first.table, second.table


def _plain(event: Event) -> bool:
    return isinstance(event, HalfLine) and event.score is None and event.lens is None


def _empty(column: Values) -> bool:
    return bool(np.all(np.isnan(column)))


def _values(name: str, tables: tuple[Table, Table]) -> tuple[Values, Values]:
    first, second = (table[name][~np.isnan(table[name])] for table in tables)
    return first, second


def _with(event: Event, table: Table) -> Table:
    """Return the table with the statistic of the event, which is computed from other columns where it is missing."""
    return table | {event.statistic: column_of(event, table)} if event.needs <= table.keys() else table


def _marked(name: str, tables: tuple[Table, Table], sides: tuple[int, ...]) -> Sample:
    """Return a statistic, and which draws on ``sides`` the declared support rules out on the other data set."""
    marks = [(table[IMPOSSIBLE] >= 0.5)[~np.isnan(table[name])] & (side in sides) for side, table in enumerate(tables)]
    return Sample(name, _values(name, tables), None, (marks[0], marks[1]))


def _labels(event: LabelSet, tables: tuple[Table, Table]) -> LabelSample:
    """Labels by ratio; if there are many, the last ones together, those in the event apart from the others."""
    columns = [as_labels(table[event.statistic]) for table in tables]
    n, m = map(len, columns)
    labels, place = np.unique(np.concatenate(columns), return_inverse=True)
    counts = np.array([np.bincount(part, minlength=len(labels)) for part in (place[:n], place[n:])])
    ratios = np.log((counts[0] + 0.5) / (n + 1)) - np.log((counts[1] + 0.5) / (m + 1))
    order = np.argsort(-ratios if event.favoured == 0 else ratios, kind="stable")
    labels, counts = labels[order], counts[:, order]
    inside = event.hits({event.statistic: labels})
    own = len(labels) if len(labels) <= BARS + 2 else BARS
    numbers = tables[0][event.statistic].dtype != np.uint64
    bare = labels[:own]
    names = [f"{x:.6g}" for x in bare.view(np.float64)] if numbers else [_named(event, one) for one in bare.tolist()]
    bars, members = [counts[:, :own]], inside[:own].tolist()
    for member in (True, False):
        rest = np.flatnonzero(inside[own:] == member) + own
        if len(rest):
            names.append(f"{len(rest)} more {'in the event' if member else 'outside'}")
            bars.append(counts[:, rest].sum(axis=1, keepdims=True))
            members.append(member)
    first, second = np.concatenate(bars, axis=1) / np.array([[n], [m]])
    return LabelSample(event.statistic, tuple(names), (first, second), tuple(members), (n, m), event.favoured, own)


def _named(event: LabelSet, one: int) -> str:
    """Return a label in words: that of a lens as it would be shown if it were alone."""
    if event.lens is None:
        return readable.get(one, f"#{one:016x}")
    return event.lens.words((one,), (), False).removeprefix(f"{event.lens.name} ")


def _distance(tables: tuple[Table, Table], name: str) -> float:
    """Largest difference of the two distribution functions."""
    first, second = (np.sort(values) for values in _values(name, tables))
    at = np.concatenate([first, second])
    gaps = np.searchsorted(first, at, "right") / len(first) - np.searchsorted(second, at, "right") / len(second)
    return float(np.max(np.abs(gaps)))
