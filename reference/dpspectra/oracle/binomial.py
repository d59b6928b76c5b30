"""Binomial probabilities by counting, and the lower confidence limit as the root of a tail."""

from __future__ import annotations

import math
from typing import Any

from mpmath import mp

from dpspectra.oracle.roots import bisect


def pmf(hits: int, draws: int, p: Any) -> Any:
    """Probability of ``hits`` among ``draws``."""
    return math.comb(draws, hits) * mp.mpf(p) ** hits * (1 - mp.mpf(p)) ** (draws - hits)


def tail(hits: int, draws: int, p: Any) -> Any:
    """Probability of at least ``hits``."""
    return mp.fsum(pmf(k, draws, p) for k in range(hits, draws + 1))


def at_least(hits: int, draws: int, risk: Any) -> Any:
    """The probability at which ``hits`` or more occur with probability ``risk``; 0 without a hit."""
    return bisect(lambda p: tail(hits, draws, p) < risk, 0, int(hits > 0), 16 * mp.eps)[1]
