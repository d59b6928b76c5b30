"""A noisy power method spends the whole claim in each of two rounds."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dpspectra.audit.claims import ApproxDP
from dpspectra.fast.gaussian import mu_for

THREAD = "own list"
CLAIM = ApproxDP(1.0, 0.01)
PAIR: tuple[Any, Any] = (np.diag([2.0, 1.0]), np.array([[2.0, 1.0], [1.0, 1.0]]))
EXPECTED = ("undecided", "undecided")
LINE = None


def _directions(a: Any, rng: Any, share: float) -> Any:
    v = np.array([1.0, 0.0])
    for _ in range(2):
        v = a @ v + rng.normal(scale=1 / (share * float(mu_for(1.0, 0.01))), size=2)
        v = v / np.linalg.norm(v)
    return v


def wrong(a: Any, rng: Any) -> Any:
    """Each round has noise for one."""
    return _directions(a, rng, 1.0)


def right(a: Any, rng: Any) -> Any:
    """Add up the normal noise of two rounds by squares."""
    return _directions(a, rng, math.sqrt(0.5))
