"""Gamma law above the utility gap of the exponential law on a complex orbit."""

from collections import Counter
from typing import Any

from scipy.special import gammainccinv


def shape(spectrum: Any) -> int:
    """Number of pairs of distinct values."""
    d = len(spectrum)
    return (d**2 - sum(count**2 for count in Counter(spectrum).values())) // 2


def bound(spectrum: Any, kappa: float, beta: float) -> float:
    """A number that the gap exceeds with probability at most ``beta``."""
    n = shape(spectrum)
    return float(gammainccinv(n, beta)) / kappa if n else 0.0
