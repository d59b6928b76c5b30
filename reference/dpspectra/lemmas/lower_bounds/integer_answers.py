"""Mechanisms that answer one of a few integers, the nearer to the data the likelier, or by randomised response."""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.strategies import dyadics, st

HALF = 0.5 + 2.0**-30
"""Success probability above which float64 knows it to exceed one half."""


@st.composite
def instances(draw: st.DrawFn) -> tuple[Any, ...]:
    """Distinct integers, weights of the answers, ``epsilon`` per unit of distance, and an index.

    The mechanism answers the integer ``x`` with probability proportional to its weight times ``e^(-epsilon d / 2)``,
    ``d`` the distance of ``x`` from the data; or, if no weights are given, by randomised response whose odds are as
    large as the smallest distance allows.
    """
    places = draw(st.lists(st.integers(0, 12), min_size=2, max_size=6, unique=True))
    weights = draw(st.lists(dyadics(0.25, 2, 2), min_size=len(places), max_size=len(places)))
    epsilon = draw(st.sampled_from([2.0, 0.25, 1.0, 4.0]))
    chosen = draw(st.sampled_from([np.array(weights), None]))
    return np.array(places, dtype=float), chosen, epsilon, draw(st.integers(0, len(places) - 1))


def laws(places: Any, weights: Any, epsilon: float) -> tuple[Any, Any]:
    """Distances, and the probabilities of each answer (columns) on each data set (rows)."""
    steps, own = np.abs(places[:, None] - places), np.eye(len(places), dtype=bool)
    table = np.exp(epsilon * np.min(steps[~own]) * own) if weights is None else weights * np.exp(-epsilon / 2 * steps)
    return steps, table / np.sum(table, axis=-1, keepdims=True)


def exact_laws(places: Any, weights: Any, epsilon: float) -> tuple[list[list[Any]], list[list[Any]]]:
    """`laws` in mpmath, as lists of rows."""
    x = [mp.mpf(place) for place in places]
    distances: list[list[Any]] = [[abs(a - b) for b in x] for a in x]
    if weights is None:
        odds = mp.exp(epsilon * min(step for row in distances for step in row if step > 0))
        rows = [[odds if a == b else mp.mpf(1) for b in x] for a in x]
    else:
        rows = [
            [mp.mpf(w) * mp.exp(-epsilon / 2 * step) for w, step in zip(weights, row, strict=True)] for row in distances
        ]
    return distances, [[v / mp.fsum(row) for v in row] for row in rows]
