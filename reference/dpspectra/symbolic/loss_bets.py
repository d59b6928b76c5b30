"""Bets that refute a claim: on losses of independent outputs, and on an event in pairs of plain runs."""

from collections.abc import Iterable
from math import expm1, log

import numpy as np

from dpspectra.fast import betting

ON_LOSSES = np.array([0.02, 0.1, 0.3, 0.6, 0.9, 1.0])
"""Shares of the wealth staked on losses."""
ON_EVENTS = np.array([0.05, 0.2, 0.5, 0.9, 0.98])
"""Shares staked on an event."""


class LossBets:
    """Wealth against ``E (1 - e^(epsilon - L))+ <= delta``, for losses ``L`` of independent outputs.

    Each factor ``1 + g (X / delta - 1)`` is non-negative and has mean at most 1 under the claim, so the mixture over
    ``g`` exceeds ``1 / risk`` at any time with probability at most ``risk``.
    """

    def __init__(self, epsilon: float, delta: float) -> None:
        self.epsilon, self.delta = epsilon, delta
        self.log_wealths = np.zeros(len(ON_LOSSES))

    def take(self, loss: float, error: float) -> None:
        """Bet on one loss; its error counts for the claim."""
        excess = -expm1(min(self.epsilon - loss + error, 0.0))
        with np.errstate(divide="ignore"):
            self.log_wealths += np.log1p(ON_LOSSES * (excess / self.delta - 1))

    @property
    def log_wealth(self) -> float:
        """Log of the wealth of the mixture."""
        return float(np.logaddexp.reduce(self.log_wealths) - log(len(ON_LOSSES)))


def event_log_wealth(pairs: Iterable[tuple[bool, bool]], epsilon: float, delta: float) -> float:
    """Log-wealth of bets that an event is likelier on the first data set than ``(epsilon, delta)`` allows."""
    counts = np.zeros(4)
    for first, second in pairs:
        counts[0 if first and second else 1 if first else 2 if second else 3] += 1
    logs = betting.log_wealth(counts, epsilon, delta, ON_EVENTS)
    return float(np.logaddexp.reduce(np.ravel(logs)) - log(len(ON_EVENTS)))
