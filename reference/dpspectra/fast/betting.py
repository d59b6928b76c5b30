"""Wealth from betting against a privacy claim, as a function of four counts.

A *pair* is a draw ``X`` from one law and a draw ``Y`` from the other. Where ``P(E) <= e^epsilon Q(E) + delta``, the
gain ``W = 1[X in E] - e^epsilon 1[Y in E] - delta`` has mean at most 0, and it is at least ``-(e^epsilon + delta)``.
Staking the fraction ``g < 1`` of what may be lost multiplies wealth by ``1 + g W / (e^epsilon + delta) >= 1 - g``, a
factor of mean at most 1. It depends on the pair through two bits, so the wealth after many pairs depends on four
counts.

Do not change lightly: records of audits name a fraction by its place in `FRACTIONS`.
"""

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln, xlog1py, xlogy

from dpspectra.fast.roots import bisect, bracket

FRACTIONS = np.array([0.004, 0.008, 0.016, 0.03, 0.06, 0.12, 0.2, 0.3, 0.45, 0.6, 0.75, 0.9, 0.98])
"""Fractions of the stake: small ones for slight excesses, large ones where the other side hardly ever hits."""
EXACT = 16
"""Largest number of rows of a call whose mean growth is summed over all counts."""
NODES = 60
"""Number of points at which a normal law is summed for larger calls."""
STEP = 1 / 64
"""Grid on which a bound is read where wealth is not monotone in the parameter."""
BELOW = 0.1
"""Share of the risk for bounds below the claim and for infinite bounds, if wealth is not monotone."""
HIGHEST = 1024.0
"""End of the grid: the exponential of minus this is 0 in float64, so that wealth is constant from here on."""
LARGEST_BOUND = 2.0**20
"""Bounds found by bisection beyond this are infinite."""

Wealth = Callable[[NDArray[np.float64]], NDArray[np.float64]]
"""Log of the wealth against each value ``(n,)`` of a claim's parameter."""


def log_wealth(counts: ArrayLike, epsilon: ArrayLike, delta: ArrayLike, fractions: ArrayLike = FRACTIONS) -> Any:
    """Log of the wealth of each bet, shape ``(..., len(fractions))``.

    ``counts``, shape ``(..., 4)``: pairs of which both draws are in the event, only the first, only the second, and
    neither. They may be fractional: probabilities of the four give the mean growth per pair. ``epsilon`` (nats, may be
    infinite if no count has the second draw in the event) and ``delta`` broadcast against the leading axes.
    """
    both, first, second, neither = np.moveaxis(np.asarray(counts, dtype=float)[..., None], -2, 0)
    epsilon, delta = np.asarray(epsilon, dtype=float)[..., None], np.asarray(delta, dtype=float)[..., None]
    g, shrink = np.asarray(fractions, dtype=float), np.exp(-epsilon)
    stake = g * shrink / (1 + delta * shrink)  # g / (e^epsilon + delta), without overflow
    return (
        xlog1py(both, stake - g)
        + xlog1py(first, stake * (1 - delta))
        + xlog1py(second, -g)
        + xlog1py(neither, -stake * delta)
    )


def log_wealth_of_calls(
    shares: ArrayLike, calls: ArrayLike, epsilon: ArrayLike, delta: ArrayLike, fractions: ArrayLike = FRACTIONS
) -> NDArray[np.float64]:
    """Log of the wealth of bets whose unit is a call of several draws on each side, shape ``(n, len(fractions))``.

    A call with the shares ``(k/m, l/m)`` of its ``m`` draws in the event multiplies wealth by
    ``1 + g (k/m - e^epsilon l/m - delta) / (e^epsilon + delta)``: of mean at most 1 whatever the draws of a call have
    to do with each other, and at least ``1 - g``, which the shares ``(0, 1)`` give. ``shares``, shape ``(cells, 2)``:
    the kinds of call that occurred; ``calls``, shape ``(cells,)``: how often. ``epsilon`` (nats, may be infinite) and
    ``delta`` have shape ``(n,)``.
    """
    epsilon, delta = (np.asarray(x, dtype=float)[:, None] for x in (epsilon, delta))
    factors = log_factors(np.asarray(shares, dtype=float).reshape(-1, 2), epsilon, delta, fractions)
    return np.asarray((np.asarray(calls, dtype=float)[:, None] * factors).sum(axis=1))


def log_factors(
    shares: NDArray[np.float64], epsilon: ArrayLike, delta: ArrayLike, fractions: ArrayLike = FRACTIONS
) -> NDArray[np.float64]:
    """Log of what calls with the shares ``(k/m, l/m)`` multiply wealth by, shape ``(..., cells, len(fractions))``.

    ``shares`` has shape ``(cells, 2)``; ``epsilon`` (nats) and ``delta`` broadcast against ``(..., cells)``.
    """
    first, second = shares.T
    shrink, delta = np.exp(-np.asarray(epsilon, dtype=float)), np.asarray(delta, dtype=float)
    gains = (first * shrink - second - delta * shrink) / (1 + delta * shrink)  # in stakes
    return np.log1p(gains[..., None] * np.asarray(fractions, dtype=float))


def log_factors_one_sided(
    shares: NDArray[np.float64], delta: ArrayLike, fractions: ArrayLike = FRACTIONS
) -> NDArray[np.float64]:
    """`log_factors` where the event is impossible under the second law (see `log_wealth_one_sided`).

    ``shares`` of the first law in the event, shape ``(cells,)``. At ``delta = 0`` any share is worth any amount.
    """
    delta = np.asarray(delta, dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        gains = np.where(delta > 0, (shares - delta) / delta, np.where(shares > 0, np.inf, 0.0))
    return np.log1p(gains[..., None] * np.asarray(fractions, dtype=float))


def log_wealth_one_sided(hits: ArrayLike, draws: ArrayLike, delta: ArrayLike, fractions: ArrayLike = FRACTIONS) -> Any:
    """Log of the wealth where the event is impossible under the second law: then only ``delta`` may be lost.

    ``W = 1[X in E] - delta >= -delta`` at every ``epsilon``; at ``delta = 0`` one hit is worth any amount (``inf``).
    Shapes as in `log_wealth`, for ``hits`` among ``draws`` of the first law.
    """
    hits, draws = np.asarray(hits, dtype=float)[..., None], np.asarray(draws, dtype=float)[..., None]
    delta, g = np.asarray(delta, dtype=float)[..., None], np.asarray(fractions, dtype=float)
    with np.errstate(divide="ignore"):
        gain = g * (1 - delta) / delta
    stakes = np.where(delta > 0, g, 0.0)
    return xlog1py(hits, gain) + xlog1py(draws - hits, -stakes)


def expected(p: ArrayLike, q: ArrayLike) -> NDArray[np.float64]:
    """Probabilities of the four kinds of pair for independent draws in the event with ``p`` and ``q``: ``(..., 4)``."""
    p, q = np.broadcast_arrays(np.asarray(p, dtype=float), np.asarray(q, dtype=float))
    return np.stack([p * q, p * (1 - q), (1 - p) * q, (1 - p) * (1 - q)], axis=-1)


def growth(p: float, q: float, rows: int, epsilon: float, delta: float) -> NDArray[np.float64]:
    """Mean log factor of a bet at each fraction, for calls of independent rows in the event with ``p`` and ``q``.

    Summed over the counts up to `EXACT` rows, over normal ones beyond: it serves to plan, no guarantee rests on it.
    """
    shrink = math.exp(-epsilon)
    if rows <= EXACT:
        counts = np.arange(rows + 1.0)
        ways = gammaln(rows + 1) - gammaln(counts + 1) - gammaln(rows - counts + 1)
        first, second = (np.exp(ways + xlogy(counts, r) + xlog1py(rows - counts, -r)) for r in (p, q))
        shares, weights = counts / rows, np.outer(first, second)
        gain = shares[:, None] * shrink - shares - delta * shrink
    else:
        spread = math.sqrt((shrink**2 * p * (1 - p) + q * (1 - q)) / rows)
        nodes, weights = _normal_nodes()
        gain, weights = p * shrink - q - delta * shrink + spread * nodes, weights / weights.sum()
    stake = np.maximum(gain / (1 + delta * shrink), -1.0)
    return np.tensordot(weights, np.log1p(stake[..., None] * FRACTIONS), axes=weights.ndim)


@functools.cache
def _normal_nodes() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Points at which a normal law is summed, and their weights."""
    return np.polynomial.hermite_e.hermegauss(NODES)


def bound_by_bisection(wealth: Wealth, risk: float) -> float:
    """Where wealth, which must not increase with the parameter, falls below ``1 / risk``.

    Read at any time, it exceeds the true parameter with probability at most ``risk``. 0 if the evidence says nothing,
    ``inf`` beyond `LARGEST_BOUND`.
    """
    return largest_excluded(lambda value: bool(wealth(np.array([value]))[0] >= -math.log(risk)))


def largest_excluded(excluded: Callable[[float], bool]) -> float:
    """End of the excluded numbers, if they start at 0; 0 if 0 is not excluded, ``inf`` beyond `LARGEST_BOUND`."""
    if not excluded(0.0):
        return 0.0
    low, high = bracket(lambda value: value <= LARGEST_BOUND and excluded(value))
    return math.inf if high > LARGEST_BOUND else bisect(excluded, low, high, relative=2.0**-50, absolute=2.0**-50)[0]


def bound_on_grid(wealth: Wealth, claimed: float, risk: float) -> float:
    """`bound_by_bisection` where wealth may rise again: the last point of a grid before the first that is not excluded.

    No bisection: wealth may be small at one value and large at a larger one. The first point of the grid above the true
    parameter is a true claim, and the only one of the grid whose exclusion would be an error. The grid starts at the
    claim and is tested with all but the share `BELOW` of the risk; that share is for a grid from 0 to a claim that
    stands, and for infinite bounds, as in both cases a second true claim matters.
    """
    refuted, rarely = -math.log((1 - BELOW) * risk), -math.log(BELOW * risk)
    if wealth(np.array([claimed]))[0] < refuted:
        return _climb(wealth, 0.0, claimed, rarely)
    if wealth(np.array([HIGHEST]))[0] >= rarely:
        return math.inf
    return _climb(wealth, claimed, max(claimed, HIGHEST), refuted)


def _climb(wealth: Wealth, start: float, stop: float, threshold: float) -> float:
    last, at = 0.0, start
    while at < stop:
        values: NDArray[np.float64] = at + STEP * np.arange(64.0)
        values = values[values < stop]
        kept = np.flatnonzero(wealth(values) < threshold)
        if len(kept):
            return float(values[kept[0] - 1]) if kept[0] else last
        last, at = float(values[-1]), at + 64 * STEP
    return last


def pair_law(q: Any, epsilon: Any, delta: Any, share: Any, coupling: Any) -> NDArray[np.float64]:
    """Probabilities ``(4,)`` of the four kinds of pair, under a law that meets the claim.

    The second draw is in the event with probability ``q``, the first with ``p = share min(1, e^epsilon q + delta)``,
    both with what ``coupling`` picks between the smallest (0) and the largest (1) possible.
    """
    p = share * min(1.0, float(np.exp(epsilon)) * q + delta)
    smallest, largest = max(0.0, p + q - 1), min(p, q)
    both = smallest + coupling * (largest - smallest)
    return np.maximum(0.0, np.array([both, p - both, q - both, 1 - p - q + both]))


def ever(law: ArrayLike, pairs: int, stops: Callable[[NDArray[np.int_]], NDArray[np.bool_]]) -> float:
    """Probability that the counts of independent pairs meet a condition at some time up to ``pairs``.

    ``stops`` maps counts ``(n, 4)`` to booleans ``(n,)``. Mass is carried forward and taken out where it stops.
    """
    both, first, second, neither = np.asarray(law, dtype=float)
    grid = np.indices((pairs + 1,) * 3)
    alive = np.zeros((pairs + 1,) * 3)
    alive[0, 0, 0] = 1.0
    total = 0.0
    for n in range(1, pairs + 1):
        after = neither * alive
        after[1:] += both * alive[:-1]
        after[:, 1:] += first * alive[:, :-1]
        after[:, :, 1:] += second * alive[:, :, :-1]
        rest = n - grid.sum(axis=0)
        reached = rest >= 0
        stopped = np.zeros_like(reached)
        stopped[reached] = stops(np.column_stack([*grid[:, reached], rest[reached]]))
        total += float(after[stopped].sum())
        alive = np.where(stopped, 0.0, after)
    return total
