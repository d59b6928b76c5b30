"""Renyi divergence of two laws on a finite set, and the approximate privacy that a bound on it implies."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp


def divergence(p: NDArray[Any], q: NDArray[Any], alpha: float) -> Any:
    """``log sum p^alpha q^(1 - alpha) / (alpha - 1)`` over the last axis, for ``alpha > 1``.

    Infinite where ``q`` misses an outcome of ``p``.
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        terms = np.where(p > 0, alpha * np.log(p) + (1 - alpha) * np.log(q), -np.inf)
        return logsumexp(terms, axis=-1) / (alpha - 1)


def profile(e: ArrayLike, alpha: float, epsilon: ArrayLike) -> Any:
    """Smallest ``delta`` at ``e`` (nats) known of laws whose divergence of order ``alpha > 1`` is at most ``epsilon``.

    ``exp((alpha - 1)(epsilon - e)) (1 - 1/alpha)^(alpha - 1) / alpha``, at most 1; elementwise.
    """
    order = alpha - 1
    exponent = log_constant(alpha) + order * (np.asarray(epsilon, dtype=float) - e)
    return np.exp(np.minimum(0.0, exponent))[()]


def level(delta: ArrayLike, alpha: float, epsilon: float) -> Any:
    """The ``e >= 0`` at which `profile` is ``delta``; 0 if it is smaller already there."""
    return np.maximum(0.0, epsilon + (log_constant(alpha) - np.log(delta)) / (alpha - 1))[()]


def log_constant(alpha: float) -> float:
    """Log of the largest value of ``(r - 1) / r^alpha``."""
    return float(-np.log(alpha) + (alpha - 1) * np.log1p(-1 / alpha))
