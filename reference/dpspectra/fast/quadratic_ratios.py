"""Means of ratios of quadratic forms in independent standard normal variables."""

import numpy as np

from dpspectra.fast.linalg import Real
from dpspectra.ground.array_types import Floats

STEP = 0.25
"""Step of the trapezoid rule in ``log t``; its error is below ``exp(-2 pi^2 / STEP)``."""
FINE_STEP = 1 / 32
"""Step of the rule in the logarithm of odds, whose law is narrow when ``width`` is large."""


def mean_ratio(numerators: Real, weights: Real) -> float:
    """Mean of ``sum_j c_j g_j^2 / sum_j w_j g_j^2`` for positive weights ``w``.

    ``1 / Q`` is the integral of ``exp(-t Q)`` over ``t > 0``, and the mean of ``c_j g_j^2 exp(-t Q)`` is a product:
    ``c_j / (1 + 2 w_j t) prod_i (1 + 2 w_i t)^(-1/2)``.
    """
    low, high = np.log(np.min(weights)), np.log(np.max(weights))
    t = np.exp(np.arange(-high - 40.0, -low + 80.0 / len(weights) + 2.0, STEP))[:, None]
    scaled = 2 * t * weights
    decay = np.exp(-0.5 * np.sum(np.log1p(scaled), axis=1))
    return float(STEP * np.sum(t[:, 0] * np.sum(numerators / (1 + scaled), axis=1) * decay))


def mean_shares(weights: Floats) -> Floats:
    """Means of ``w_j g_j^2 / sum_i w_i g_i^2`` for each ``j``, as in `mean_ratio`; some weights may be 0."""
    levels, places, counts = np.unique(weights, return_inverse=True, return_counts=True)
    positive = levels > 0
    low, high = np.log(levels[positive][0]), np.log(levels[-1])
    found = np.zeros(len(levels))
    for t in np.exp(np.arange(-high - 40.0, -low + 80.0 / np.sum(counts[positive]) + 2.0, STEP)):
        decay = np.exp(-0.5 * float(counts @ np.log1p(2 * t * levels)))
        found += STEP * t * decay * levels / (1 + 2 * t * levels)
    return found[places]


def mean_left_over(ratio: float, width: int, m: int) -> float:
    """Mean of ``1 - l`` for the leverage ``l`` of one row of an ``(m, width)`` normal matrix with larger entries.

    Their variance is ``ratio >= 1`` times that of the others. ``1 - l = (1 - B) / (1 - B + ratio B)`` with the leverage
    ``B ~ Beta(width / 2, (m - width) / 2)`` for ratio 1.
    """
    a, b = width / 2, (m - width) / 2
    if b == 0:
        return 0.0
    peak, spread = np.log(a / b), 12 * np.sqrt(1 / a + 1 / b)
    low, high = min(peak, -np.log(ratio)) - spread - 45 / a, peak + spread + 45 / b
    log_odds = np.arange(low, high, FINE_STEP)  # of B
    log_mass = a * log_odds - (a + b) * np.logaddexp(0.0, log_odds)
    mass = np.exp(log_mass - np.max(log_mass))
    return float(mass @ np.exp(-np.logaddexp(0.0, log_odds + np.log(ratio))) / np.sum(mass))
