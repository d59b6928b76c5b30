"""Exact privacy of one-sided chi-square noise: ``T`` against ``T + shift``, where ``T`` is chi-square.

A rank-one change of a matrix hidden by Wishart noise reduces to this. ``degrees`` is at least 2 throughout; from there
on the density is log-concave, so the best event is a half-line and every profile grows with ``shift``.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammainc, gammaincc, gammaln, hyp1f1

from dpspectra.fast.quadrature import gauss_legendre
from dpspectra.fast.roots import bisect, bracket, first_integer

_SMALL = 1e-290
"""Value of the distribution function below which its logarithm is that of the power series."""
_MANY, _REACH = 500.0, 60.0
"""Smallest degrees for which probabilities are integrated; the integrand is cut off at exp(-_REACH)."""
_NODES = 64
"""Number of nodes of the quadrature."""


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
    closed = np.exp(log_cdf(high, degrees)) - np.exp(epsilon + log_cdf(low, degrees))
    return _accurate(closed, high, degrees, shift, low, -1.0)


def excess_above(epsilon: ArrayLike, degrees: ArrayLike, shift: ArrayLike) -> Any:
    """Largest ``P(T + shift in S) - e^epsilon P(T in S)``, elementwise; 0 once ``2 epsilon >= shift``."""
    crossing, order = crossing_above(epsilon, degrees, shift), np.asarray(degrees, dtype=float) / 2
    beyond = crossing < np.inf
    start: Any = np.where(beyond, crossing, 1.0)
    growth = np.exp(np.where(beyond, epsilon, 0.0))  # at most e^(shift / 2)
    closed = gammaincc(order, start / 2) - growth * gammaincc(order, (start + shift) / 2)
    return np.where(beyond, _accurate(closed, start, degrees, shift, start + shift, 1.0), 0.0)[()]


def _accurate(closed: Any, x: Any, degrees: ArrayLike, shift: ArrayLike, other: Any, sign: float) -> Any:
    """Return the difference of probabilities; the integral of the excess for many degrees, where they almost cancel.

    ``x`` is the crossing and ``sign`` the side of it. At ``x (1 + sign s)`` the density is ``exp((nu / 2 - 1) log(1 +
    sign s) - sign x s / 2)`` times that at ``x``, and the log-ratio has left ``epsilon`` by ``(nu / 2 - 1)
    log(1 - shift s / ((1 + sign s) other))``.
    """
    many = (np.asarray(degrees) > _MANY) & (np.asarray(shift) > 0)
    if not np.any(many):
        return np.maximum(closed, 0.0)[()]
    x, nu, other = (np.where(many, value, _MANY)[..., None] for value in (x, degrees, other))
    half, slope, ratio = nu / 2, np.abs(x - nu) / 2, np.asarray(shift)[..., None] / other
    reach = 2 * _REACH / (slope + np.sqrt(slope**2 + _REACH * nu))
    nodes, weights = gauss_legendre(_NODES)
    s = reach * (nodes + 1) / 2
    with np.errstate(divide="ignore"):
        excess = -np.expm1((half - 1) * np.log1p(-np.minimum(ratio * s / (1 + sign * s), 1.0)))
    area = np.sum(weights * np.exp((half - 1) * np.log1p(sign * s) - sign * x * s / 2) * excess, axis=-1)
    half, u = half[..., 0], (x / nu - 1)[..., 0]
    peak = np.exp(half * (np.log1p(u) - u) - 1 / (12 * half) + 1 / (360 * half**3)) * np.sqrt(half / (2 * np.pi))
    return np.where(many, peak * reach[..., 0] / 2 * area, np.maximum(closed, 0.0))[()]


def profile(epsilon: ArrayLike, degrees: ArrayLike, shift: ArrayLike) -> Any:
    """Smallest ``delta`` at ``epsilon`` in both orders, elementwise."""
    return np.maximum(excess_below(epsilon, degrees, shift), excess_above(epsilon, degrees, shift))[()]


def exchange(epsilon: ArrayLike, degrees: ArrayLike, before: ArrayLike, after: ArrayLike, share: ArrayLike) -> Any:
    """Upper bound on ``delta`` at ``epsilon`` if a shift ``before`` gives way to ``after`` along another direction.

    Two steps; the first gets ``share`` of ``epsilon``: with both shifts or with none in between, whichever is
    better. ``P <= e^s R + d`` and ``R <= e^t Q + d'`` give ``P <= e^(s + t) Q + d + e^s d'``.
    """
    first, second = np.multiply(share, epsilon), np.multiply(1 - np.asarray(share), epsilon)
    without = excess_above(first, degrees, before) + np.exp(first) * excess_below(second, degrees, after)
    both = excess_below(first, degrees, after) + np.exp(first) * excess_above(second, degrees, before)
    return np.minimum(without, both)


SHARES = np.linspace(0.0, 1.0, 129)
"""Splits of ``epsilon`` among which `exchange_profile` takes the best; any split is valid."""
SLACK = 1e-6
"""Relative distance that calibrated profiles keep from ``delta``; it covers the rounding of `profile`."""


def exchange_profile(epsilon: float, degrees: float, shift: float) -> float:
    """Upper bound on ``delta`` at ``epsilon`` if one shift gives way to another, neither above ``shift``."""
    return float(np.min(exchange(epsilon, degrees, shift, shift, SHARES)))


def best_share(epsilon: float, degrees: float, shift: float) -> float:
    """Return the split of ``epsilon`` that `exchange_profile` takes."""
    return float(SHARES[np.argmin(exchange(epsilon, degrees, shift, shift, SHARES))])


def least_degrees(epsilon: float, delta: float, reached: Callable[..., float], shift: float = 1.0) -> int:
    """Smallest integer ``degrees >= 2`` with ``reached(epsilon, degrees, shift) <= delta``.

    ``reached`` is `profile` or `exchange_profile`. Both decrease in ``degrees``: one more degree is independent noise.
    """
    return first_integer(lambda degrees: reached(epsilon, degrees, shift) > delta * (1 - SLACK), 1)


def largest_shift(epsilon: float, delta: float, reached: Callable[..., float], degrees: int) -> float:
    """Largest ``shift`` with ``reached(epsilon, degrees, shift) <= delta``, to a relative 1e-12; at most this much."""

    def allowed(shift: float) -> bool:
        return reached(epsilon, degrees, shift) <= delta * (1 - SLACK)

    return bisect(allowed, *bracket(allowed), relative=1e-12)[0]
