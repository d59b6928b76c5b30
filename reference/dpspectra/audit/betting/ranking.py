"""Labels ranked by how much likelier they are on one data set than on the other."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dpspectra.audit.betting.events import SHOWN, Event, LabelSet
from dpspectra.audit.betting.lens import Lens
from dpspectra.audit.reading.features import Table
from dpspectra.audit.reading.labels import readable
from dpspectra.audit.reading.rounding import Labels

NUMBERS = ("output", "entry")
"""How names of columns begin that hold a single number of an output."""

LABELS = 4096
"""Labels of one column that are told apart. The rest, and labels that were never seen, are one more, *new*."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """Labels that were seen at least twice, in order, and the log of the likelihood ratio of each and of the rest."""

    labels: Labels
    ratios: NDArray[np.float64]
    """The last one is that of all other labels, which those that were seen once stand for."""

    @classmethod
    def of(cls, both: tuple[Labels, Labels]) -> Ranking | None:
        """Rank by past draws on the two data sets; ``None`` if all have one label."""
        n, m = map(len, both)
        labels, place = np.unique(np.concatenate(both), return_inverse=True)
        if len(labels) < 2:
            return None
        first, second = (np.bincount(part, minlength=len(labels)) for part in (place[:n], place[n:]))
        often = first + second >= 2
        if np.sum(often) > LABELS:
            often &= first + second >= np.sort(first + second)[-LABELS]
        a, b = (np.append(counts[often], np.sum(counts[~often])) for counts in (first, second))
        return cls(labels[often], np.log((a + 0.5) / (n + 1)) - np.log((b + 0.5) / (m + 1)))

    def __call__(self, column: Labels) -> NDArray[np.float64]:
        """Log likelihood ratios of the labels of other draws."""
        if len(self.labels) == 0:
            return np.full(len(column), self.ratios[-1])
        place = np.minimum(np.searchsorted(self.labels, column), len(self.labels) - 1)
        return np.where(self.labels[place] == column, self.ratios[place], self.ratios[-1])

    def event(self, name: str, favoured: int, inside: NDArray[np.bool_], lens: Lens | None = None) -> LabelSet:
        """Return the set of the labels that are inside; the last one stands for the rest."""
        members = tuple(self.labels[inside[:-1]].tolist())
        new = bool(inside[-1])
        known = tuple(self.labels.tolist()) if new else ()
        if lens is not None and lens.kind == "bins":
            lens, members = lens.merged(members, known, new)
            return LabelSet(lens.statistic, favoured, members, lens=lens)
        names = () if lens is not None else tuple(readable.get(one, "") for one in members[:SHOWN])
        return LabelSet(name, favoured, members, known, new, names, lens)


def spelled_out(event: Event, past: tuple[Table, Table]) -> Event:
    """Return the event with a name for each label that has none: the numbers of the first draw that had it."""
    if not isinstance(event, LabelSet) or event.lens is not None:
        return event
    names = [
        name or _numbers(event.statistic, one, past) for name, one in zip(event.names, event.members, strict=False)
    ]
    return replace(event, names=tuple(names))


def _numbers(statistic: str, one: int, past: tuple[Table, Table]) -> str:
    for table in past:
        rows = np.flatnonzero(table[statistic] == np.uint64(one))
        plain = [name for name in table if table[name].dtype != np.uint64 and name.startswith(NUMBERS)]
        if len(rows) and plain:
            return ", ".join(f"{name} = {table[name][rows[0]]:.6g}" for name in plain[:SHOWN])
    return f"#{one:016x}"
