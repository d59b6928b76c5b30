"""Quantiles of past draws that crowd towards both ends, where rare events are."""

import functools
import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit


def thresholds(pool: NDArray[np.floating], levels: int) -> NDArray[np.floating]:
    """Values of an ascending pool, at so many levels from ``1/n`` to ``1 - 1/n`` evenly spaced in log odds."""
    if len(pool) == 0:
        return pool
    found = pool[_spread(len(pool), levels)]
    return found[np.append(True, found[1:] != found[:-1])]


@functools.lru_cache(2**10)
def _spread(count: int, levels: int) -> NDArray[np.intp]:
    """Places of the levels among so many values."""
    shares = expit(np.linspace(-1, 1, levels) * math.log(count + 1))
    return np.minimum((shares * count).astype(int), count - 1)
