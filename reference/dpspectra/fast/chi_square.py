"""Exact privacy of one-sided chi-square noise: ``T`` against ``T + shift``, where ``T`` is chi-square.

A rank-one change of a matrix hidden by Wishart noise reduces to this. ``degrees`` is at least 2 throughout; from there
on the density is log-concave, so the best event is a half-line and every profile grows with ``shift``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammainc, gammaincc, gammaln, hyp1f1

_SMALL = 1e-290
"""Below this the distribution function is formed as the logarithm of its power series."""


def log_cdf(x: ArrayLike, degrees: ArrayLike) -> Any:
    """Logarithm of the chi-square distribution function, elementwise."""
    half, order = np.asarray(x, dtype=float) / 2, np.asarray(degrees, dtype=float) / 2
    value = gammainc(order, half)
    with np.errstate(divide="ignore"):
        tiny = np.where(value < _SMALL, half, 0.0)
        series = order * np.log(tiny) - tiny - gammaln(order + 1) + np.log(hyp1f1(1, order + 1, tiny))
        return np.where(value < _SMALL, series, np.log(value))[()]


def crossing_below(epsilon: ArrayLike, degrees: ArrayLike, shift: ArrayLike) -> tuple[Any, Any]:
    """Where the density of ``T`` is ``e^epsilon`` times that of ``T + shift``, and the same minus ``shift``.

    Below it ``T`` is the likelier one. At 2 degrees the ratio is constant beyond ``shift``, which is then returned.
    """
    epsilon, degrees, shift = (np.asarray(value, dtype=float) for value in (epsilon, degrees, shift))
    some = np.where(shift > 0, shift, 1.0)
    with np.errstate(divide="ignore", over="ignore"):
        rest = np.where(shift > 0, some / np.expm1((2 * epsilon + some) / (degrees - 2)), 0.0)
    return (shift + rest)[()], rest[()]


def crossing_above(epsilon: ArrayLike, degrees: ArrayLike, shift: ArrayLike) -> Any:
    """Where the density of ``T + shift`` at ``t + shift`` is ``e^epsilon`` times that of ``T``; infinite if nowhere."""
    epsilon, degrees, shift = (np.asarray(value, dtype=float) for value in (epsilon, degrees, shift))
    surplus = shift - 2 * epsilon
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        start = shift / np.expm1(np.where(surplus > 0, surplus, np.inf) / (degrees - 2))
    return np.where(surplus > 0, start, np.inf)[()]


def excess_below(epsilon: ArrayLike, degrees: ArrayLike, shift: ArrayLike) -> Any:
    """Largest ``P(T in S) - e^epsilon P(T + shift in S)``, elementwise; ``epsilon >= 0``."""
    high, low = crossing_below(epsilon, degrees, shift)
    return np.maximum(np.exp(log_cdf(high, degrees)) - np.exp(epsilon + log_cdf(low, degrees)), 0.0)[()]


def excess_above(epsilon: ArrayLike, degrees: ArrayLike, shift: ArrayLike) -> Any:
    """Largest ``P(T + shift in S) - e^epsilon P(T in S)``, elementwise; 0 once ``2 epsilon >= shift``."""
    start, order = crossing_above(epsilon, degrees, shift), np.asarray(degrees) / 2
    beyond = start < np.inf
    low, high = np.where(beyond, start, 0.0) / 2, np.where(beyond, start + shift, 0.0) / 2
    growth = np.exp(np.where(beyond, epsilon, 0.0))  # at most e^(shift / 2)
    return np.where(beyond, np.maximum(gammaincc(order, low) - growth * gammaincc(order, high), 0.0), 0.0)[()]


def profile(epsilon: ArrayLike, degrees: ArrayLike, shift: ArrayLike) -> Any:
    """Smallest ``delta`` at ``epsilon`` in both orders, elementwise."""
    return np.maximum(excess_below(epsilon, degrees, shift), excess_above(epsilon, degrees, shift))[()]


def exchange(epsilon: ArrayLike, degrees: ArrayLike, before: ArrayLike, after: ArrayLike, share: ArrayLike) -> Any:
    """Upper bound on ``delta`` at ``epsilon`` if a shift ``before`` gives way to ``after`` along another direction.

    Two steps, of which the first gets ``share`` of ``epsilon``: with both shifts or with none in between, whichever is
    better. ``P <= e^s R + d`` and ``R <= e^t Q + d'`` give ``P <= e^(s + t) Q + d + e^s d'``.
    """
    first, second = np.multiply(share, epsilon), np.multiply(1 - np.asarray(share), epsilon)
    without = excess_above(first, degrees, before) + np.exp(first) * excess_below(second, degrees, after)
    both = excess_below(first, degrees, after) + np.exp(first) * excess_above(second, degrees, before)
    return np.minimum(without, both)
