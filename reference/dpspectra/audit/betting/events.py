"""Events that can be bet on: half-lines of a real statistic, sets of labels, likelihood ratios. They can be saved.

Whether an event occurred is a function of one row of a table, fixed before the row was drawn.

Do not change lightly: records of users hold events in the form of `Event.to_dict`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dpspectra.audit.betting.lens import Lens, lens_from
from dpspectra.audit.betting.score import Score
from dpspectra.audit.reading.features import IMPOSSIBLE, Table
from dpspectra.audit.reading.labels import as_labels
from dpspectra.fast import ratio_betting
from dpspectra.ground import records

FAMILIES = {
    "threshold": "thresholds of numbers and of what is computed from them",
    "labels": "sets of labels, types, structures, whole outputs and numbers that repeat",
    "place": "single numbers among many",
    "bins": "intervals",
    "residue": "remainders",
    "bit": "bits of whole numbers",
    "fraction": "fractional parts",
    "product": "products of two numbers",
    "parity": "sums mod 2",
    "member": "members and words",
    "score": "learned scores",
}
"""Kinds of events that an audit tries, in words."""
RATIO = "ratio"
"""Kind of the bets on likelihood ratios, which are tried against some claims."""
SHOWN = 4
"""Labels that are named when a set is shown."""
SIDES = ("first", "second")
LARGEST_LOG = 2.0**20
"""Bound on logs of ratios, and on orders, in records."""


@dataclass(frozen=True, slots=True)
class Event(ABC):
    """Something that is suspected to be too likely under one of the two data sets."""

    statistic: str
    """Column of the table."""
    favoured: int
    """0 or 1: the data set under which it is suspected to be too likely."""

    unit: ClassVar[int] = 1
    """Grades of a row, where rows are graded, which count like so many hits."""

    @abstractmethod
    def hits(self, table: Table) -> NDArray[np.bool_]:
        """At which draws the event occurred; a missing value is no occurrence."""

    @property
    @abstractmethod
    def what(self) -> str:
        """The event in words."""

    @property
    @abstractmethod
    def needs(self) -> set[str]:
        """Columns from which the event is computed."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """JSON form, read by `event_from`."""

    def __str__(self) -> str:
        if self.statistic == IMPOSSIBLE:
            return f"outputs on the {SIDES[self.favoured]} data set that cannot occur on the {SIDES[1 - self.favoured]}"
        return f"{self.what}: too likely on the {SIDES[self.favoured]} data set"


@dataclass(frozen=True, slots=True)
class HalfLine(Event):
    """``statistic >= threshold``, or ``<=``."""

    threshold: float
    above: bool
    score: Score | None = None
    """The learned function that computes the statistic, if it was learned."""
    lens: Lens | None = None
    """The lens through which it is seen, if there is one."""

    def hits(self, table: Table) -> NDArray[np.bool_]:
        """At which draws the statistic lies on the half-line; one that was learned may be in the table already."""
        column = column_of(self, table)
        return column >= self.threshold if self.above else column <= self.threshold

    @property
    def what(self) -> str:
        """The half-line in words."""
        if self.lens is not None and self.lens.kind == "member":
            return f"{self.lens.name} {'is there' if self.above else 'is not there'}"
        return f"{self.statistic} {'>=' if self.above else '<='} {self.threshold:.6g}"

    @property
    def needs(self) -> set[str]:
        """The statistic, or those from which it is learned."""
        return _columns(self)

    def to_dict(self) -> dict[str, Any]:
        """JSON form."""
        score = None if self.score is None else self.score.to_dict()
        plain = {"statistic": self.statistic, "favoured": self.favoured, "threshold": self.threshold}
        return {"kind": "half-line", **plain, "above": self.above, "score": score, "lens": _saved(self.lens)}


def scored(table: Table, events: Iterable[Event]) -> Table:
    """Return the table with what half-lines have learned, so that it is computed once for all of them."""
    real = [event for event in events if isinstance(event, (HalfLine, Ratio))]
    learned = {event.statistic: event for event in real if _source(event) is not None}
    return table | {name: column_of(event, table) for name, event in learned.items()}


def column_of(event: Event, table: Table) -> NDArray[Any]:
    """Return the column of an event's statistic, which may have to be computed from others."""
    source = None if event.statistic in table else _source(event)
    return table[event.statistic] if source is None else source(table)


def _columns(event: HalfLine | Ratio) -> set[str]:
    if event.lens is not None:
        return {event.lens.base}
    return {event.statistic} if event.score is None else set(event.score.names)


def _source(event: Event) -> Lens | Score | None:
    """Return the lens or score that computes the statistic of an event; ``None`` if the statistic is a column."""
    if isinstance(event, (HalfLine, Ratio)):
        return event.score if event.lens is None else event.lens
    return event.lens if isinstance(event, LabelSet) else None


def families(events: Iterable[Event], *, ratios: bool = False) -> dict[str, str]:
    """Return the kinds of events that an audit tries, with ``ratios`` those too, and of which there were some."""
    found, tried = {_family(event) for event in events}, FAMILIES | ({RATIO: "likelihood ratios"} if ratios else {})
    bet_on = [words for name, words in tried.items() if name in found]
    return {"events tried": ", ".join(tried.values()), "of which were bet on": ", ".join(bet_on) or "none"}


def _family(event: Event) -> str:
    source = _source(event)
    if isinstance(event, Ratio):
        return RATIO
    if isinstance(source, Lens):
        return source.kind
    return "labels" if isinstance(event, LabelSet) else "threshold" if source is None else "score"


def _saved(lens: Lens | None) -> dict[str, Any] | None:
    return None if lens is None else lens.to_dict()


@dataclass(frozen=True, slots=True)
class LabelSet(Event):
    """Any of some labels, or of some numbers by `as_labels`; with ``new``, also any that are not among ``known``."""

    members: tuple[int, ...]
    known: tuple[int, ...] = ()
    new: bool = False
    names: tuple[str, ...] = field(default=(), compare=False)
    """Texts of the first members, as far as they are known."""
    lens: Lens | None = None
    """The lens through which the labels are seen, if there is one."""

    @property
    def needs(self) -> set[str]:
        """The column of labels, or the matrix that the lens reads."""
        return {self.statistic} if self.lens is None else {self.lens.base}

    def hits(self, table: Table) -> NDArray[np.bool_]:
        """At which draws the label is in the set."""
        if self.lens is not None and self.lens.base in table:
            return self.lens.hits(table, self.lens.inside(self.members, self.known, self.new))
        column = as_labels(column_of(self, table))
        among = np.isin(column, np.array(self.members, dtype=np.uint64))
        return among | ~np.isin(column, np.array(self.known, dtype=np.uint64)) if self.new else among

    @property
    def what(self) -> str:
        """The set in words."""
        if self.lens is not None:
            return self.lens.words(self.members, self.known, self.new)
        more = len(self.members) - len(self.names[:SHOWN])
        shown = [*self.names[:SHOWN], *[f"{more} more"] * bool(more), *["any that was not met before"] * self.new]
        return f"{self.statistic}: {' or '.join(shown)}"

    def to_dict(self) -> dict[str, Any]:
        """JSON form; labels are written in hexadecimal digits, as they need not be float64 numbers."""
        plain = {"statistic": self.statistic, "favoured": self.favoured, "new": self.new, "names": list(self.names)}
        plain["lens"] = _saved(self.lens)
        return {"kind": "labels", **plain, "members": list(map(hex, self.members)), "known": list(map(hex, self.known))}


@dataclass(frozen=True, slots=True)
class Ratio(Event):
    """A likelihood ratio in steps along a statistic: rows are graded by what it wins and loses (DPS-RENYIBET)."""

    unit: ClassVar[int] = ratio_betting.GRADES
    order: float
    """Order of the Renyi divergence that it is for, above 1."""
    edges: tuple[float, ...]
    """Ends of the steps, in ascending order; each belongs to the step above it."""
    logs: tuple[float, ...]
    """Logs of the ratio on each step; the last one is for values that are missing."""
    score: Score | None = None
    lens: Lens | None = None

    def steps(self, table: Table) -> NDArray[np.intp]:
        """On which step each draw is."""
        column = column_of(self, table)
        found = np.searchsorted(np.array(self.edges), column, side="right")
        return np.where(np.isnan(column), len(self.edges) + 1, found)

    def hits(self, table: Table) -> NDArray[np.bool_]:
        """At which draws the ratio is 1 or more."""
        return np.array(self.logs)[self.steps(table)] >= 0

    def grades(self, table: Table, *, favoured: bool) -> NDArray[np.int64]:
        """Return what each draw wins on the favoured data set, or loses on the other one, in grades."""
        won, lost = ratio_betting.grades(self.logs, self.order)
        return (won if favoured else lost)[self.steps(table)]

    @property
    def log_tops(self) -> tuple[float, float]:
        """Logs of the largest that is won and of the largest that is lost."""
        won, lost = ratio_betting.log_heights(max(self.logs), self.order)
        return float(won), float(lost)

    @property
    def what(self) -> str:
        """The ratio in words."""
        return f"likelihood ratio of order {self.order:.6g} along {self.statistic}, in {len(self.edges) + 1} steps"

    @property
    def needs(self) -> set[str]:
        """The statistic, or those from which it is learned."""
        return _columns(self)

    def to_dict(self) -> dict[str, Any]:
        """JSON form."""
        score = None if self.score is None else self.score.to_dict()
        plain = {name: getattr(self, name) for name in ("statistic", "favoured", "order", "edges", "logs")}
        return {"kind": RATIO, **plain, "score": score, "lens": _saved(self.lens)}


def _ratio(value: Any) -> dict[str, Any]:
    """Read the fields of a ratio; its steps must be those of a function."""
    found = STEPS(value)
    edges, logs = found["edges"], found["logs"]
    if len(logs) != len(edges) + 2 or list(edges) != sorted(edges) or not found["order"] > 1:
        raise records.Misfit("a ratio must have ascending steps, a number for each, and an order above 1")
    return dict(found)


def event_from(data: Mapping[str, Any]) -> Event:
    """Read `Event.to_dict` back; raises for anything else."""
    make, kind = EVENTS[records.among(*EVENTS)(data["kind"])]
    return make(**{name: value for name, value in kind(data).items() if name != "kind"})


COMMON: dict[str, records.Kind] = {
    "kind": records.text,
    "statistic": records.text,
    "favoured": records.whole(0, 1),
    "lens": records.optional(lens_from),
}
REAL = COMMON | {"score": records.optional(Score.from_dict)}
LABELS = records.listed(records.label)
STEPS = records.record(
    {
        **REAL,
        "order": records.number(1.0, LARGEST_LOG),
        "edges": records.listed(records.extended),
        "logs": records.listed(records.number(-LARGEST_LOG, LARGEST_LOG)),
    }
)
EVENTS: dict[str, tuple[type[Event], records.Kind]] = {
    "half-line": (HalfLine, records.record({**REAL, "threshold": records.extended, "above": records.flag})),
    RATIO: (Ratio, _ratio),
    "labels": (
        LabelSet,
        records.record(
            {**COMMON, "members": LABELS, "known": LABELS, "new": records.flag, "names": records.listed(records.text)}
        ),
    ),
}
"""Kinds of events in records, with their fields."""
