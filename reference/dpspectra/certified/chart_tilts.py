"""Tilts of the ball chart, which change only how many proposals are accepted (DPS-TILTEDCHART)."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.ground.array_types import Floats

PILOT = 2**8
"""Proposals by which the share of accepted ones is estimated."""
HALVINGS = 24
"""Steps of the bisection for a tilt."""
DOUBLINGS = 6
"""Binary logarithm of the power by which an exponential is approximated."""


def best_tilt(rates: Floats) -> float:
    """About the ``t >= 0`` at which most proposals are accepted, the root of ``sum_i 1 / (rates_i + t) = 1``.

    The rates ascend. It is 0 where that sum is at most 1 at 0.
    """
    low, high = 0.0, float(len(rates))
    if rates[0] > 0 and np.sum(1 / rates) <= 1:
        return low
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if np.sum(1 / (middle + rates)) > 1 else (low, middle)
    return high


def accepted_share(complements: NDArray[Any], tilts: Floats) -> float:
    """About the mean probability with which proposals are accepted, from ``(n, k, k)`` matrices ``I - Y*Y``.

    So the share is known also where hardly any proposal is accepted.
    """
    lost = np.maximum(np.einsum("bjj->bj", complements).real @ tilts, 0.0)
    return float(np.mean(np.where(np.linalg.eigvalsh(complements)[:, 0] > 0, falling(lost), 0.0)))


def falling(x: Floats) -> Floats:
    """About ``exp(-x)``, ``(1 + x / n)**-n``, by the same operations on any machine; ``x`` is not negative."""
    inverse = 1 + x / 2**DOUBLINGS
    for _ in range(DOUBLINGS):
        inverse *= inverse
    return 1 / inverse
