"""A mean where rows may join: its scale is 1 over the number of rows, which is private."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpspectra.audit.claims import PureDP

THREAD = "smartnoise-core 356"
CLAIM = PureDP(1.0)
PAIR: tuple[Any, Any] = (np.array([0.0, 0.0]), np.array([0.0]))
EXPECTED = ("refuted", "explained")
LINE = "rng.laplace(scale=1 / len(x))"


def wrong(x: Any, rng: Any) -> Any:
    """Let the scale depend on the data."""
    return np.mean(np.clip(x, 0, 1)) + rng.laplace(scale=1 / len(x))


def right(x: Any, rng: Any) -> Any:
    """Release a sum and a number of rows, each by half of the claim; users divide."""
    return np.sum(np.clip(x, 0, 1)) + rng.laplace(scale=2.0), len(x) + rng.laplace(scale=2.0)
