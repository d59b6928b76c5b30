"""The probability of an order of numbers with Gumbel noise of one scale (DPS-GUMBELORDER).

Who is above all others of a set is chosen with probabilities proportional to ``e^place``, independently of how the
others stand to each other. So a partial order is taken apart: numbers that nothing links are independent, and one that
is above all others it is linked with goes first.
"""

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from dpspectra.ground.array_types import Floats
from dpspectra.symbolic.independent_constraints import Part
from dpspectra.symbolic.laws import GUMBEL

CONSISTENT = 1e-12
"""Difference of places, in scales, by which two ways around may tell another one."""
MOST = 64
"""Numbers of an order that is taken apart."""


def log_odds(it: Part) -> float | None:
    """Return the log-probability of the inequalities of a part without equations; ``None`` if they are no such order.

    It is ``None``, too, where the order cannot be taken apart so, or contradicts itself by what may be rounding.
    """
    if len(it.mu) or not len(it.c) or len(it.laws) > MOST or any(law is not GUMBEL for law in it.laws):
        return None
    scale = float(np.max(it.C))
    ahead, behind = np.argmax(it.C, axis=1), np.argmin(it.C, axis=1)
    rows = np.arange(len(it.c))
    plain = np.zeros_like(it.C)
    plain[rows, ahead], plain[rows, behind] = scale, -scale
    if not np.array_equal(plain, it.C):
        return None
    gaps = it.c / scale
    places = _places(len(it.laws), [*zip(ahead, behind, gaps, strict=True)])
    if places is None:
        return None
    above = np.zeros((len(places), len(places)), dtype=bool)
    above[ahead, behind] = True
    for k in range(len(places)):
        above |= np.outer(above[:, k], above[k])
    if np.any(np.diag(above)):
        return -math.inf if np.array_equal(places[ahead] - places[behind], gaps) else None
    return _taken_apart(places, above)


def _places(count: int, gaps: list[tuple[int, int, float]]) -> Floats | None:
    """Return the places of numbers whose differences are known, each set of linked ones up to a constant."""
    places = np.full(count, np.nan)
    while np.any(np.isnan(places)):
        places[int(np.argmax(np.isnan(places)))] = 0.0
        for _ in range(count):
            for i, j, gap in gaps:
                if np.isnan(places[i]) and not np.isnan(places[j]):
                    places[i] = places[j] + gap
                elif np.isnan(places[j]) and not np.isnan(places[i]):
                    places[j] = places[i] - gap
    size = 1 + float(np.max(np.abs(places)))
    fits = all(abs(places[i] - places[j] - gap) <= CONSISTENT * size for i, j, gap in gaps)
    return places if fits and math.isfinite(size) else None


def _taken_apart(places: Floats, above: NDArray[np.bool_]) -> float | None:
    """Return the log-probability of a partial order."""
    total, left = 0.0, set(range(len(places)))
    while left:
        linked = _linked(min(left), left, above)
        first = next((i for i in linked if all(above[i, j] for j in linked if j != i)), None)
        if first is None:
            return None
        total += float(places[first] - logsumexp(places[sorted(linked)]))
        left.remove(first)
    return total


def _linked(start: int, within: set[int], above: NDArray[np.bool_]) -> set[int]:
    """Return the numbers that stand in some order to one, or to others that do."""
    found, fresh = {start}, [start]
    while fresh:
        i = fresh.pop()
        more = {j for j in within - found if above[i, j] or above[j, i]}
        found |= more
        fresh += more
    return found
