"""Events that can be bet on: half-lines of a real statistic, and sets of labels. They are data, and can be saved.

Whether an event occurred is a function of one row of a table, fixed before the row was drawn.

Do not change lightly: records of users hold events in the form of `Event.to_dict`.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.audit.betting.lens import Lens, lens_from
from dpspectra.audit.betting.score import Score
from dpspectra.audit.reading.features import IMPOSSIBLE, Table
from dpspectra.ground import records

FAMILIES = {
    "threshold": "thresholds of numbers and of what is computed from them",
    "labels": "sets of labels, types, structures and whole outputs",
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
SHOWN = 4
"""Labels that are named when a set is shown."""
SIDES = ("first", "second")


@dataclass(frozen=True, slots=True)
class Event(ABC):
    """Something that is suspected to be too likely under one of the two data sets."""

    statistic: str
    """Column of the table."""
    favoured: int
    """0 or 1: the data set under which it is suspected to be too likely."""

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
        if self.lens is not None:
            return {self.lens.base}
        return {self.statistic} if self.score is None else set(self.score.names)

    def to_dict(self) -> dict[str, Any]:
        """JSON form."""
        score = None if self.score is None else self.score.to_dict()
        plain = {"statistic": self.statistic, "favoured": self.favoured, "threshold": self.threshold}
        return {"kind": "half-line", **plain, "above": self.above, "score": score, "lens": _saved(self.lens)}


def scored(table: Table, events: Iterable[Event]) -> Table:
    """Return the table with what half-lines have learned, so that it is computed once for all of them."""
    learned = {event.statistic: event for event in events if isinstance(event, HalfLine) and _source(event) is not None}
    return table | {name: column_of(event, table) for name, event in learned.items()}


def column_of(event: Event, table: Table) -> NDArray[Any]:
    """Return the column of an event's statistic, which may have to be computed from others."""
    if event.statistic in table:
        return table[event.statistic]
    source = _source(event)
    return table[event.statistic] if source is None else source(table)


def _source(event: Event) -> Lens | Score | None:
    """Return the lens or score that computes the statistic of an event; ``None`` if the statistic is a column."""
    if isinstance(event, HalfLine):
        return event.score if event.lens is None else event.lens
    return event.lens if isinstance(event, LabelSet) else None


def families(events: Iterable[Event]) -> dict[str, str]:
    """Return the kinds of events that an audit tries, and of which there were some."""
    found = {_family(event) for event in events}
    bet_on = [words for name, words in FAMILIES.items() if name in found]
    return {"events tried": ", ".join(FAMILIES.values()), "of which were bet on": ", ".join(bet_on) or "none"}


def _family(event: Event) -> str:
    source = _source(event)
    if isinstance(source, Lens):
        return source.kind
    return "labels" if isinstance(event, LabelSet) else "threshold" if source is None else "score"


def _saved(lens: Lens | None) -> dict[str, Any] | None:
    return None if lens is None else lens.to_dict()


@dataclass(frozen=True, slots=True)
class LabelSet(Event):
    """Any of some labels; with ``new``, also any that are not among ``known``."""

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
        column = column_of(self, table)
        among = np.isin(column, np.array(self.members, dtype=np.uint64))
        return among | ~np.isin(column, np.array(self.known, dtype=np.uint64)) if self.new else among

    @property
    def what(self) -> str:
        """The set in words."""
        if self.lens is not None:
            return self.lens.words(self.members, self.known, self.new)
        more = len(self.members) - len(self.names[:SHOWN])
        shown = [*self.names[:SHOWN], *([f"{more} more"] if more else []), *(["what is new"] if self.new else [])]
        return f"{self.statistic}: {' or '.join(shown)}"

    def to_dict(self) -> dict[str, Any]:
        """JSON form; labels are written in hexadecimal digits, as they need not be float64 numbers."""
        plain = {"statistic": self.statistic, "favoured": self.favoured, "new": self.new, "names": list(self.names)}
        plain["lens"] = _saved(self.lens)
        return {"kind": "labels", **plain, "members": list(map(hex, self.members)), "known": list(map(hex, self.known))}


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
LABELS = records.listed(records.label)
EVENTS: dict[str, tuple[type[Event], records.Kind]] = {
    "half-line": (
        HalfLine,
        records.record(
            {
                **COMMON,
                "threshold": records.extended,
                "above": records.flag,
                "score": records.optional(Score.from_dict),
            }
        ),
    ),
    "labels": (
        LabelSet,
        records.record(
            {**COMMON, "members": LABELS, "known": LABELS, "new": records.flag, "names": records.listed(records.text)}
        ),
    ),
}
"""Kinds of events in records, with their fields."""
