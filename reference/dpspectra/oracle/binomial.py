"""Binomial probabilities by counting, and the lower confidence limit as the root of a tail.

The limit is for the statement about confidence limits, `far_tail` for that about sums of bounded terms.
"""

import math
from typing import Any

from flint import arb
from mpmath import mp

from dpspectra.oracle.quadrature import working
from dpspectra.oracle.roots import bisect


def pmf(hits: int, draws: int, p: Any) -> Any:
    """Probability of ``hits`` among ``draws``."""
    return math.comb(draws, hits) * mp.mpf(p) ** hits * (1 - mp.mpf(p)) ** (draws - hits)


def tail(hits: int, draws: int, p: Any) -> Any:
    """Probability of at least ``hits``."""
    with working():
        hit, miss = arb(mp.mpf(p)), arb(1 - mp.mpf(p))
        terms = (math.comb(draws, k) * hit**k * miss ** (draws - k) for k in range(hits, draws + 1))
        return mp.mpf(sum(terms, arb(0)).mid())


def far_tail(hits: int, draws: int, p: Any) -> Any:
    """Probability of at least ``hits``, above the mean; each term is a fraction of the one before it.

    Stops where the rest is below the rounding unit. `tail` has ``draws - hits`` terms and exact integers.
    """
    p = mp.mpf(p)
    total = term = mp.binomial(draws, hits) * p**hits * (1 - p) ** (draws - hits)
    while term > total * mp.eps / draws:
        term *= (draws - hits) * p / ((hits + 1) * (1 - p))
        hits += 1
        total += term
    return total


def at_least(hits: int, draws: int, risk: Any) -> Any:
    """Return the probability at which ``hits`` or more occur with probability ``risk``; 0 without a hit."""
    return bisect(lambda p: tail(hits, draws, p) < risk, 0, int(hits > 0), 16 * mp.eps)[1]
