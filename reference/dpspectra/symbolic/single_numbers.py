"""One number that holds noise, cut off anywhere, with its weight among the outputs of a program."""

from dataclasses import dataclass
from math import exp, log

import numpy as np

from dpspectra.symbolic.interval_odds import log_mass
from dpspectra.symbolic.laws import Law


@dataclass(frozen=True)
class Number:
    """One number ``mu + scale z`` with ``z`` between two ends, with this log-weight."""

    law: Law
    mu: float
    scale: float
    low: float
    high: float
    log: float = 0.0

    @property
    def ends(self) -> tuple[float, float]:
        """Ends of what the number can be, one and the same if it can be nothing."""
        first, last = max(self.low, self.law.support[0]), min(self.high, self.law.support[1])
        low, high = sorted(self.mu + self.scale * e for e in (first, max(first, last)))
        return low, high

    def mass(self, low: float, high: float) -> float:
        """Weight of an interval of values."""
        z = sorted((e - self.mu) / self.scale for e in (low, high))
        log = log_mass(self.law, max(z[0], self.low), min(z[1], self.high))
        return exp(self.log + log)

    def log_density(self, y: float) -> float:
        """Log-density at a value between the ends."""
        with np.errstate(all="ignore"):
            inner = float(self.law.log_density((y - self.mu) / self.scale))
        return self.log + inner - log(abs(self.scale))
