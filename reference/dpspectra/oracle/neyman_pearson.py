"""Most powerful tests by enumeration of all outcomes, and searches by definition."""

import itertools
from collections.abc import Sequence
from typing import Any

from mpmath import mp


def power(null: Sequence[Any], alternative: Sequence[Any], draws: int, level: Any) -> Any:
    """Power of the best test of a law against another, each of independent draws; all sequences are listed.

    ``level`` is spent on the sequences of the largest likelihood ratio, the last of them in part.
    """
    left, total = mp.mpf(level), mp.mpf(0)
    sequences = itertools.product(range(len(null)), repeat=draws)
    masses = [[mp.fprod(law[k] for k in sequence) for law in (null, alternative)] for sequence in sequences]
    for allowed, gained in sorted((m for m in masses if m[0]), key=lambda m: m[0] / m[1] if m[1] else mp.inf):
        share = min(mp.mpf(1), left / allowed)
        left, total = left - share * allowed, total + share * gained
    return total


def fewest_draws(error: Any, risk: Any, power: Any) -> int:
    """Count up until ``power (1 - error)^(2 n)`` is at most ``risk``."""
    draws, left = 0, mp.mpf(power)
    while left > risk:
        draws, left = draws + 1, left * (1 - error) ** 2
    return draws
