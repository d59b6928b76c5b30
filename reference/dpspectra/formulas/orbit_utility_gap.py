"""Utility gap of the orbit mechanism with an exact sampler: its quantile and its mean."""

from typing import Any

import numpy as np

from dpspectra.formulas import utility_gap_domination
from dpspectra.formulas.orbit_accounting import inverse_temperature
from dpspectra.formulas.utility_gap_domination import shape


def bound(spectrum: Any, epsilon: float, beta: float, relation: str = "replace") -> float:
    """Number that the gap of the ``epsilon``-DP complex orbit mechanism exceeds with probability at most ``beta``.

    The mechanism has an exact sampler and the largest ``kappa`` that is private; ``spectrum`` is descending.
    """
    n = shape(spectrum)
    return float(n and utility_gap_domination.bound(spectrum, inverse_temperature(spectrum, epsilon, relation), beta))


def mean_bound(spectrum: Any, epsilon: float, relation: str = "replace") -> float:
    """Largest mean of the gap of the ``epsilon``-DP complex orbit mechanism with an exact sampler."""
    n = shape(spectrum)
    return float(n and n / inverse_temperature(spectrum, epsilon, relation))


def excess(n: int, log: Any) -> Any:
    """Elementary bound on the ``1 - e^(-log)`` quantile of a Gamma law of shape ``n`` and rate 1, less ``n``."""
    return np.sqrt(2 * n * log) + log
