"""Are the rows of one call as independent of each other as rows of different calls? A test by betting.

In a pair of calls from one arm, for an event fixed beforehand, let ``S`` be the share of neighbouring rows of the
first call that agree on it (both in the event, or both not), and ``T`` the share of pairs that agree when the second
row is taken from the other call. If all rows are independent and alike, ``S - T`` has mean 0, and wealth that is
multiplied by ``1 + g (S - T)``, averaged over events, has mean at most 1 (DPS-EPROCESS). The test can revoke a
declaration, never replace one: it needs dozens of calls where the rows of each are equal, and to refute the claim
falsely may take one.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from dpspectra.audit.betting.events import Event, HalfLine, column_of
from dpspectra.audit.reading.features import Table
from dpspectra.ground.array_types import Flags

STAKES = np.array([-0.9, -0.3, -0.1, 0.1, 0.3, 0.9])


def telling(event: Event, past: tuple[Table, Table]) -> Event:
    """Return the event that shows dependence between rows soonest; a half-line becomes the one from the median on.

    It is the same for a half-line and for what lies on its other side.
    """
    if not isinstance(event, HalfLine):
        return event
    column = np.concatenate([column_of(event, table) for table in past])
    return replace(event, favoured=0, threshold=float(np.median(column[~np.isnan(column)])), above=True)


class Dependence:
    """Wealth against the independence of the rows of calls; bets are on `telling` events, in equal parts."""

    def __init__(self) -> None:
        self._logs = np.zeros(len(STAKES))
        self._kept: dict[int, Sequence[Flags]] = {}

    def new_epoch(self) -> None:
        """Begin with other events."""
        self._kept = {}

    def see(self, side: int, hits: Sequence[Flags]) -> None:
        """Take in a call on one data set: which of its rows are in each of the events."""
        other = self._kept.pop(side, None)
        if other is None:
            self._kept[side] = hits
        elif hits:
            gain = np.mean([_difference(a, b) for a, b in zip(other, hits, strict=True)])
            self._logs += np.log1p(gain * STAKES)

    def see_calls(self, side: int, hits: Sequence[Flags], rows: Sequence[int]) -> None:
        """Take in several calls on one data set, with so many rows each, joined."""
        ends = np.cumsum(rows)[:-1]
        for call in zip(*(np.split(column, ends) for column in hits), strict=True):
            self.see(side, call)

    @property
    def log_wealth(self) -> float:
        """Log of the wealth: it reaches ``-log(risk)`` with probability at most ``risk`` if rows are independent."""
        return float(np.logaddexp.reduce(self._logs)) - math.log(len(STAKES))


def _difference(first: Flags, second: Flags) -> float:
    """``S - T`` for one event."""
    pairs = min(len(first), len(second)) // 2
    if pairs == 0:
        return 0.0
    one, other = (np.ascontiguousarray(hits[: 2 * pairs]).view("<u2") for hits in (first, second))
    even, odd, across = one & 1, one >> 8, other >> 8  # a strided view of single bytes takes several times as long
    return (np.count_nonzero(even == odd) - np.count_nonzero(even == across)) / pairs
