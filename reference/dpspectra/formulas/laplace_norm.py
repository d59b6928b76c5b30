"""Spectral norm that symmetric Laplace noise exceeds rarely, at scale 1."""

import math
from typing import Any

import numpy as np

ORDERS = np.unique(np.floor(1.1 ** np.arange(180)))
"""Numbers ``p`` of which the moment of order ``2 p`` is tried."""
LOG_GAMMA = np.vectorize(math.lgamma, otypes=[float])
"""The logarithm of the Gamma function without scipy, which a first release does not load."""


def sub_gamma(level: Any, weight: Any) -> Any:
    """An ``s`` at which the smallest ``exp(-t s) (1 - t^2)^-weight`` over ``0 < t < 1`` is at most ``exp(-level)``."""
    return 2 * np.sqrt(weight * level) + level


def radius(eta: Any, d: Any) -> Any:
    """Norm that is exceeded with probability at most ``eta`` (JXZ-A1-U)."""
    return sub_gamma(np.log(2 * d / eta), d)


def moment_radius(eta: Any, d: Any, order: Any) -> Any:
    """Such a norm by Markov's inequality for the moment of order ``2 p`` of the eigenvalues (JXZ-A1N)."""
    log_factorial = LOG_GAMMA(np.add(order, 1))
    square = 2 * np.exp(log_factorial / np.maximum(order - 1, 1))
    side = 2 * d / square + order + 1
    top = 2 * np.sqrt(side) + 2 * np.exp(log_factorial / (2 * order))
    return np.sqrt(square) * top * np.exp(np.log(2 * d / eta) / (2 * order))


def smallest_radius(eta: float, d: int) -> float:
    """Return the smallest of these norms: without a logarithm for large ``d``."""
    return float(min(radius(eta, d), np.min(moment_radius(eta, d, ORDERS))))
