"""Betting against a privacy claim from the definition: gains, factors, wealth along a sequence of pairs."""

import functools
from collections.abc import Callable, Sequence
from typing import Any

from mpmath import mp

KINDS = ((1, 1), (1, 0), (0, 1), (0, 0))
"""Whether the first and the second draw of a pair are in the event."""


def gain(kind: tuple[int, int], epsilon: Any, delta: Any) -> Any:
    """``1[X in E] - e^epsilon 1[Y in E] - delta``."""
    return kind[0] - mp.exp(epsilon) * kind[1] - delta


def factors(epsilon: Any, delta: Any, fraction: Any) -> dict[tuple[int, int], Any]:
    """Factors by which pairs of each kind multiply wealth, if ``fraction`` of what may be lost is staked."""
    growth = mp.exp(epsilon)
    stake = mp.mpf(fraction) / (growth + delta)
    return {(x, y): 1 + stake * (x - growth * y - delta) for x, y in KINDS}


def call_factor(rows: Sequence[tuple[int, int]], epsilon: Any, delta: Any, fraction: Any) -> Any:
    """Factor of a call, if its gain is the mean of the gains of its rows; what may be lost is the same."""
    mean = mp.fsum(gain(row, epsilon, delta) for row in rows) / len(rows)
    return 1 + mp.mpf(fraction) * mean / (mp.exp(epsilon) + delta)


def log_wealth(counts: Sequence[Any], epsilon: Any, delta: Any, fraction: Any) -> Any:
    """Log of the product of factors; minus infinity if one that occurred is 0."""
    seen = [(n, f) for n, f in zip(counts, factors(epsilon, delta, fraction).values(), strict=True) if n]
    return mp.fsum(int(n) * mp.log(f) if f > 0 else -mp.inf for n, f in seen)


def mixture(counts: Sequence[Any], epsilon: Any, delta: Any, bets: Sequence[tuple[Any, Any]]) -> Any:
    """Wealth that was shared out over ``(share, fraction)``."""
    return mp.fsum(share * mp.exp(log_wealth(counts, epsilon, delta, fraction)) for share, fraction in bets)


def pair_law(q: Any, epsilon: Any, delta: Any, share: Any, coupling: Any) -> list[Any]:
    """Probabilities of `KINDS` under a law that meets the claim; ``coupling`` 0 makes both least likely, 1 most."""
    q, coupling = mp.mpf(q), mp.mpf(coupling)
    p = share * min(mp.mpf(1), mp.exp(epsilon) * q + delta)
    apart = [max(mp.mpf(0), p + q - 1), min(p, 1 - q), min(q, 1 - p), max(mp.mpf(0), 1 - p - q)]
    together = [min(p, q), max(mp.mpf(0), p - q), max(mp.mpf(0), q - p), 1 - max(p, q)]
    return [(1 - coupling) * a + coupling * b for a, b in zip(apart, together, strict=True)]


def ever(law: Sequence[Any], pairs: int, stops: Callable[[tuple[int, ...]], bool]) -> Any:
    """Probability that the counts of independent pairs meet a condition at some time up to ``pairs``.

    Backwards: from each state, 1 if it stops, else the mean over what the next pair may be.
    """

    @functools.cache
    def chance(counts: tuple[int, ...]) -> Any:
        if sum(counts) and stops(counts):
            return mp.mpf(1)
        if sum(counts) == pairs:
            return mp.mpf(0)
        return mp.fsum(
            mass * chance(tuple(n + (i == kind) for i, n in enumerate(counts))) for kind, mass in enumerate(law) if mass
        )

    return chance((0, 0, 0, 0))


def grid_bound(log_wealth: Callable[[Any], Any], claimed: Any, risk: Any, below: Any, step: Any, highest: Any) -> Any:
    """Return the rule for wealth that is not monotone, as stated: go up a grid until a point is not excluded.

    With the share ``1 - below`` of the risk from ``claimed``, else with ``below`` from 0 to ``claimed``.
    """
    claimed = mp.mpf(claimed)
    if log_wealth(claimed) >= -mp.log((1 - below) * risk):
        if log_wealth(mp.mpf(highest)) >= -mp.log(below * risk):
            return mp.inf
        start, stop, threshold = claimed, mp.mpf(highest), -mp.log((1 - below) * risk)
    else:
        start, stop, threshold = mp.mpf(0), claimed, -mp.log(below * risk)
    point, last = start, mp.mpf(0)
    while point < stop and log_wealth(point) >= threshold:
        point, last = point + step, point
    return last
