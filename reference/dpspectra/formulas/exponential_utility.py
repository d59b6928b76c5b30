"""Shortfall of the exponential mechanism, by the measure of good outcomes."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar


def bound(loss_rate: Any, shortfall: Any, slack: Any, mass_good: Any) -> Any:
    """Largest probability that the score is at least ``shortfall`` below the optimum.

    ``loss_rate`` is the inverse temperature: the density falls by ``exp(-loss_rate)`` per unit of score.
    ``mass_good`` is the base probability, or a lower bound on it, of being less than ``slack`` below the optimum.
    """
    return np.exp(-loss_rate * (shortfall - slack)) / mass_good


def radius(loss_rate: float, beta: float, log_mass_good: Callable[[float], float], largest: float) -> float:
    """Smallest shortfall at which `bound` is at most ``beta`` for some slack, and at most ``largest``.

    ``largest`` is an upper bound on every shortfall; ``log_mass_good`` maps a slack to the logarithm of ``mass_good``.
    """

    def shortfall(log_share: float) -> float:
        slack = math.exp(log_share) * largest
        return slack + (math.log(1 / beta) - log_mass_good(slack)) / loss_rate

    best = minimize_scalar(shortfall, bounds=(-50.0, 0.0), method="bounded")
    return float(min(best.fun, largest))
