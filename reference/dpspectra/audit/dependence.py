"""Are the rows of one call as independent of each other as rows of different calls? A test by betting.

In a pair of calls from one source, for an event fixed beforehand, let ``S`` be the share of neighbouring rows of the
first call that agree on it (both in the event, or both not), and ``T`` the share of pairs that agree when the second
row is taken from the other call. If all rows are independent and alike, ``S - T`` has mean 0, and wealth that is
multiplied by ``1 + g (S - T)`` has mean at most 1 (DPS-EPROCESS). The test can revoke a declaration, never replace one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

STAKES = np.array([-0.5, -0.2, -0.05, 0.05, 0.2, 0.5])

Hits = NDArray[np.bool_]


class Dependence:
    """Wealth against the independence of the rows of calls; bets are on the events of an epoch."""

    def __init__(self) -> None:
        self._before = 0.0
        self._logs: NDArray[np.float64] | None = None
        self._kept: dict[int, Sequence[Hits]] = {}

    def new_epoch(self) -> None:
        """Begin with other events."""
        self._before, self._logs, self._kept = self.log_wealth, None, {}

    def see(self, side: int, hits: Sequence[Hits]) -> None:
        """Take in a call on one data set: which of its rows are in each of the events."""
        other = self._kept.pop(side, None)
        if other is None:
            self._kept[side] = hits
            return
        gains = np.array([_difference(a, b) for a, b in zip(other, hits, strict=True)])
        logs = np.log1p(gains[:, None] * STAKES)
        self._logs = logs if self._logs is None else self._logs + logs

    @property
    def log_wealth(self) -> float:
        """Log of the wealth: it reaches ``-log(risk)`` with probability at most ``risk`` if rows are independent."""
        if self._logs is None or self._logs.size == 0:
            return self._before
        return self._before + float(np.logaddexp.reduce(self._logs, axis=None)) - math.log(self._logs.size)


def _difference(first: Hits, second: Hits) -> float:
    """``S - T`` for one event."""
    pairs = min(len(first), len(second)) // 2
    if pairs == 0:
        return 0.0
    even, odd, across = first[: 2 * pairs : 2], first[1 : 2 * pairs : 2], second[1 : 2 * pairs : 2]
    return float(np.mean(even == odd) - np.mean(even == across))
