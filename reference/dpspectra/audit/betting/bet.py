"""A settled bet: an event, a point of the claim, a share of the wealth, and how its pairs of calls came out.

Do not change lightly: records of users hold bets in the form of `Bet.to_dict`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dpspectra.audit.betting.counting import Cells
from dpspectra.audit.betting.events import Event, Ratio, event_from
from dpspectra.ground import checks, records


@dataclass(frozen=True, slots=True)
class Bet:
    """A bet on one event during one epoch, and how its pairs of calls came out."""

    event: Event
    point: int
    """Index of the point of the claim's curve; for a ratio, of the moment that the claim bounds."""
    share: float
    """Share of the epoch's wealth."""
    fraction: int
    """Index of the fraction of the stake on which most of the share is put."""
    counts: tuple[tuple[int, int, int, int], ...]
    """The cells, each with the number of its pairs of calls: ``(rows, favoured hits, other hits, pairs)``.

    Of a bet on a ratio the grades of the rows stand in place of hits, added up.
    """
    one_sided: bool = False
    """Whether the event is declared impossible for the other draw."""

    @classmethod
    def of(cls, event: Event, point: int, share: float, fraction: int, cells: Cells, one_sided: bool = False) -> Bet:
        """Bet with such cells."""
        counts = tuple((*cell, calls) for cell, calls in sorted(cells.items()))
        return cls(event, point, share, fraction, counts, one_sided)

    @property
    def cells(self) -> Cells:
        """Pairs of calls by what they showed."""
        return {(rows, first, second): calls for rows, first, second, calls in self.counts}

    @property
    def hits(self) -> tuple[int, int, int]:
        """Occurrences (of ratios: grades) under the first and under the second data set, and draws of each."""
        rows, favoured, other = (sum(cell[i] * cell[3] for cell in self.counts) for i in range(3))
        return (favoured, other, rows) if self.event.favoured == 0 else (other, favoured, rows)

    @property
    def occurrences(self) -> tuple[int, int, int] | None:
        """The `hits`, where these are occurrences and not sums of grades."""
        return None if isinstance(self.event, Ratio) else self.hits

    def with_more(self, *others: Bet) -> Bet:
        """Return the bet with the counts of further pairs added."""
        cells = self.cells
        for other in others:
            for rows, first, second, calls in other.counts:
                cell = rows, first, second
                cells[cell] = cells.get(cell, 0) + calls
        return self.of(self.event, self.point, self.share, self.fraction, cells, self.one_sided)

    def to_dict(self) -> dict[str, Any]:
        """JSON form, read by `bet_from`."""
        return {name: getattr(self, name) for name in ("point", "share", "fraction", "counts", "one_sided")} | {
            "event": self.event.to_dict()
        }


def bet_from(data: Mapping[str, Any]) -> Bet:
    """Read `Bet.to_dict` back."""
    found = BET(data)
    cells = {(rows, first, second): calls for rows, first, second, calls in found["counts"] if calls}
    return Bet.of(found["event"], found["point"], found["share"], found["fraction"], cells, found["one_sided"])


COUNT = records.whole(0, checks.LARGEST_INTEGER)
SMALLEST_SHARE = 1e-200
"""Share of a bet in a record, at least: the logarithm of its parts is finite. Audits bet far more."""
BET = records.record(
    {
        "event": event_from,
        "point": COUNT,
        "share": records.number(SMALLEST_SHARE),
        "fraction": COUNT,
        "counts": records.listed(records.tupled(COUNT, COUNT, COUNT, COUNT)),
        "one_sided": records.flag,
    }
)
"""Fields of a bet in a record."""
