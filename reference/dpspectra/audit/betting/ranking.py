"""Labels ranked by how much likelier they are on one data set than on the other."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dpspectra.audit.betting.events import SHOWN, Event, LabelSet
from dpspectra.audit.betting.lens import Lens
from dpspectra.audit.reading.features import Table
from dpspectra.audit.reading.labels import as_labels, readable
from dpspectra.ground.array_types import Bits

NUMBERS = ("output", "entry")
"""How names of columns begin that hold a single number of an output."""

LABELS = 4096
"""Labels of one column that are told apart. The rest, and labels that were never seen, are one more, *new*."""


SINGLE, REPEATED = 8, 2.0**-6
"""Numbers of an output whose values are looked at as labels, and the share of repetitions from which on they are."""
Places = tuple[NDArray[np.intp], NDArray[np.intp]]
"""Where the labels of two data sets stand in a list of labels."""


def listed(both: tuple[Bits, Bits]) -> tuple[Bits, Places]:
    """Return all labels of both data sets, in order, and where those of each stand in this list."""
    labels, place = np.unique(np.concatenate(both), return_inverse=True)
    return labels, (place[: len(both[0])], place[len(both[0]) :])


@dataclass(frozen=True, slots=True)
class Ranking:
    """Labels that were seen at least twice, in order, and the log of the likelihood ratio of each and of the rest."""

    labels: Bits
    ratios: NDArray[np.float64]
    """The last one is that of all other labels, which those that were seen once stand for."""
    of_place: NDArray[np.float64]
    """The ratio of each label of the list that it was made of."""

    @classmethod
    def of(cls, labels: Bits, places: Places) -> Ranking | None:
        """Rank by past draws on the two data sets, as places in a list of labels; ``None`` if all have one label."""
        n, m = map(len, places)
        first, second = (np.bincount(part, minlength=len(labels)) for part in places)
        seen = first + second
        if np.count_nonzero(seen) < 2:
            return None
        often = seen >= 2
        if np.sum(often) > LABELS:
            often &= seen >= np.sort(seen)[-LABELS]
        a, b = (np.append(counts[often], np.sum(counts[~often])) for counts in (first, second))
        ratios = np.log((a + 0.5) / (n + 1)) - np.log((b + 0.5) / (m + 1))
        of_place = np.full(len(labels), ratios[-1])
        of_place[often] = ratios[:-1]
        return cls(labels[often], ratios, of_place)

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


def repeating(past: tuple[Table, Table]) -> list[str]:
    """Single numbers of an output whose values repeat on a data set: a noise that should not has too few values."""
    single = [name for name in past[0] if name.startswith(NUMBERS) and name in past[1]]
    single = [name for name in single if past[0][name].dtype != np.uint64 and past[0][name].ndim == 1][:SINGLE]

    def repeats(column: NDArray[np.floating]) -> bool:
        return bool(len(np.unique(column)) <= (1 - REPEATED) * len(column))

    return [name for name in single if any(repeats(table[name]) for table in past)]


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
        rows = np.flatnonzero(as_labels(table[statistic]) == np.uint64(one))
        if len(rows) and table[statistic].dtype != np.uint64:
            return f"{table[statistic][rows[0]]:.6g}"
        plain = [name for name in table if table[name].dtype != np.uint64 and name.startswith(NUMBERS)]
        if len(rows) and plain:
            return ", ".join(f"{name} = {table[name][rows[0]]:.6g}" for name in plain[:SHOWN])
    return f"#{one:016x}"
