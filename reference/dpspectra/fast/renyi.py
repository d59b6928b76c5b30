"""Renyi divergence of two laws on a finite set, and the approximate privacy that a bound on it implies."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, log_expit, logsumexp

HALVINGS, SECTIONS = 64, 44
"""Steps of bisection, each to half of the bracket, and of golden section, each to .62 of it."""
UNIT = 2.0**-49
"""Margin for rounding, some units in the last place; relative to the size of exponents where there are any."""


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


def log_constant(alpha: float) -> float:
    """Log of the largest value of ``(r - 1) / r^alpha``."""
    return float(-np.log(alpha) + (alpha - 1) * np.log1p(-1 / alpha))


def curve(e: ArrayLike, alpha: float, epsilon: ArrayLike) -> Any:
    """Largest ``P(E) - exp(e) Q(E)`` if the divergence of order ``alpha > 1`` is at most ``epsilon`` in both orders.

    Elementwise, for ``e >= 0`` and finite ``epsilon >= 0`` (nats); rounded up, at most 1. It is attained by two coins
    (DPS-RENYICURVE): up to a certain ``e`` by the most different ones whose biases mirror each other.
    """
    e, epsilon = np.asarray(e, dtype=float), np.asarray(epsilon, dtype=float)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):  # at epsilon = 0, and far beyond the corner
        loss = coin(alpha, epsilon) * (1 + UNIT * alpha / (alpha - 1))
        corner = np.maximum(0.0, np.log1p(-1 / alpha) + _log_sinh(alpha * loss) - _log_sinh((alpha - 1) * loss))
        best = expit(loss) - np.exp(e + log_expit(-loss)) + UNIT
    e, epsilon, best = np.broadcast_arrays(e, epsilon, best)
    beyond = (e > corner) & (epsilon > 0)
    best = np.where(epsilon > 0, best, 0.0)
    if beyond.any():
        best[beyond] = _from_one_order(e[beyond], epsilon[beyond], alpha)
    return np.minimum(1.0, best)[()]


def level(delta: ArrayLike, alpha: float, epsilon: float) -> NDArray[np.float64]:
    """Return the ``e >= 0`` at which `curve` is ``delta``, to nine digits of the largest one.

    It is 0 if the curve is smaller already there.

    `profile`, which is larger, gives the upper end to bisect from.
    """
    delta = np.asarray(delta, dtype=float)
    high = np.maximum(0.0, epsilon + (log_constant(alpha) - np.log(delta)) / (alpha - 1))
    low = np.zeros_like(high)
    for _ in range(30):
        middle = (low + high) / 2
        above = curve(middle, alpha, epsilon) > delta
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    return np.where(low > 0, low, 0.0)


def coin(alpha: float, epsilon: ArrayLike) -> NDArray[np.float64]:
    """Pure privacy loss of the coins ``(x, 1 - x)`` and ``(1 - x, x)`` whose divergence is ``epsilon``, in nats.

    ``x = 1 / (1 + exp(loss))``; ``sum p^alpha q^(1 - alpha)``, less 1, is
    ``2 sinh(alpha loss / 2) sinh((alpha - 1) loss / 2) / cosh(loss / 2)``, which is bisected in logarithms.
    """
    epsilon = np.asarray(epsilon, dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        target = _log_expm1((alpha - 1) * epsilon)
        low, high = np.log(epsilon), np.log(epsilon + np.log(2) / (alpha - 1))
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            half = np.exp(middle) / 2
            value = _log_sinh(alpha * half) + _log_sinh((alpha - 1) * half) - np.logaddexp(half, -half)
            low, high = np.where(value < target, middle, low), np.where(value < target, high, middle)
    return np.exp(high) * (epsilon > 0)


def _from_one_order(e: NDArray[np.float64], epsilon: NDArray[np.float64], alpha: float) -> NDArray[np.float64]:
    """Bound on delta from the divergence in one order: the smallest of those that two tangents give, each valid.

    They touch at the likelihood ratios ``u`` and ``v = exp(-y) u``, with ``u`` such that the bound holds at ``e``. It
    falls in ``y``, then rises: golden section in ``log(y - e)``.
    """
    order = alpha - 1
    gap, power = np.log(alpha) - np.log(order), _log_expm1(order * epsilon)

    def log_bound(z: NDArray[np.float64]) -> NDArray[np.float64]:
        y = e + np.exp(z)
        log_u = e + gap + np.log(np.expm1(-order * y) / np.expm1(-alpha * y))
        log_v = log_u - y
        first, second = order * np.expm1(alpha * log_v), alpha * np.expm1(order * log_v)
        moved = order * alpha * np.abs(np.exp(alpha * log_v) - np.exp(order * log_v)) * (gap + y)  # by errors of log_v
        rest = np.maximum(0.0, first - second) + UNIT * (np.abs(first) + np.abs(second) + moved)  # what cancels, upward
        with np.errstate(divide="ignore"):
            numerator = np.logaddexp(power, np.log(rest))
        return np.asarray(numerator - np.log(alpha) - order * log_u - np.log(-np.expm1(-order * y)))

    low, high = np.log(np.minimum(e, gap) / 4), np.full_like(e, np.log(gap + 64 / min(1.0, order)))
    for _ in range(SECTIONS):
        step = (np.sqrt(5) - 1) / 2 * (high - low)
        left, right = high - step, low + step
        falls = np.greater(*log_bound(np.stack([left, right])))
        low, high = np.where(falls, left, low), np.where(falls, high, right)
    return np.exp(np.minimum(0.0, log_bound((low + high) / 2) + UNIT * alpha * (1 + gap + e + epsilon)))


def _log_sinh(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Log of ``2 sinh(x)``."""
    return np.asarray(x + np.log(-np.expm1(-2 * x)))


def _log_expm1(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Log of ``exp(x) - 1``."""
    return np.asarray(x + np.log(-np.expm1(-x)))
