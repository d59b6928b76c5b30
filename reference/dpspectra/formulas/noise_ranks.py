"""Intervals for eigenvalues and their shares, by the ranks of drawn noise (DPS-RANK)."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]


def rank_of(draws: int, failure: float | Fraction) -> int:
    """Return the smallest rank of a draw that one more draw exceeds with at most this probability."""
    return math.ceil((draws + 1) * (1 - Fraction(failure)))


def shares(values: Floats, trace: Any, moved: Any, change: Any) -> tuple[Floats, Floats]:
    """Return bounds on the shares of eigenvalues in a positive trace, before noise.

    ``values`` are eigenvalues with noise of norm at most ``moved``, and ``trace`` has noise of at most ``change``.
    """
    low = np.maximum(values - moved, 0.0) / max(trace + change, np.finfo(float).tiny)
    high = np.maximum(values + moved, 0.0) / (trace - change) if trace > change else np.ones_like(values)
    return np.minimum(low, 1.0), np.minimum(high, 1.0)


def about_mean(moved: Any, mean: float, error: float) -> Any:
    """Return the bound for ``S - m m'``: ``moved`` is that for ``S``, the noisy ``m`` has this length and error."""
    return moved + error * (2 * mean + error)
