"""Events that tell outputs of two data sets apart: a number of the output that is at least, or at most, so large.

One is chosen by some runs with nothing replaced, and tested on others. So what is computed from noise can be refuted,
although it may lose less than what it is computed from.
"""

from collections.abc import Sequence
from math import exp, isfinite

import numpy as np

from dpspectra.ground.array_types import Floats
from dpspectra.symbolic.faithful_runs import value_of
from dpspectra.symbolic.fresh_runs import Event, Leaves

RUNS = 400
"""Runs of each data set by which an event is chosen."""
PAIRS = 2000
"""Pairs of runs on which it is tested at most."""
MOST = 100
"""Numbers of an output that are looked at."""


def separating(first: Sequence[Leaves], second: Sequence[Leaves], epsilon: float) -> Event | None:
    """Return the event that is the most clearly likelier than ``e^epsilon`` times, on the first data set."""
    found = [
        (*_edge(sign * mine, sign * theirs, exp(epsilon)), sign, path)
        for path in list(first[0])[:MOST]
        if (mine := _numbers(first, path)) is not None and (theirs := _numbers(second, path)) is not None
        for sign in (1, -1)
    ]
    if not found:
        return None
    _, edge, sign, path = max(found)
    text = f"{path} of at {'least' if sign > 0 else 'most'} {sign * edge:.6g}"
    return text, lambda runs: [_at_least(leaves, path, sign, edge) for leaves in runs]


def _numbers(runs: Sequence[Leaves], path: str) -> Floats | None:
    """Return the finite numbers that runs have at a path, if that is what all of them have."""
    found = [value_of(leaves.get(path)) for leaves in runs]
    numbers = [x for x in found if x is not None and isfinite(x)]
    return np.array(numbers) if len(numbers) == len(found) else None


def _edge(mine: Floats, theirs: Floats, factor: float) -> tuple[float, float]:
    """Return by how many standard deviations the likeliest event of numbers from an edge on exceeds, and this edge."""
    edges = np.unique(mine)
    p, q = (1 - np.searchsorted(np.sort(x), edges) / len(x) for x in (mine, theirs))
    few = 2 / len(mine)  # an event that was met a few times only may be chance
    clear = (p - factor * (q + few)) / np.sqrt((p + factor**2 * q) / len(mine) + few**2)
    k = int(np.argmax(clear))
    return float(clear[k]), float(edges[k])


def _at_least(leaves: Leaves, path: str, sign: int, edge: float) -> bool:
    value = value_of(leaves.get(path))
    return value is not None and sign * value >= edge
