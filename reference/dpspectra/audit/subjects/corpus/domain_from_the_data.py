"""A histogram has the values that occur as its keys."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpspectra.audit.claims import PureDP

THREAD = "dpmm 18; reprosyn 38"
CLAIM = PureDP(1.0)
PAIR: tuple[Any, Any] = (np.array([0, 1]), np.array([0, 1, 2]))
EXPECTED = ("refuted", "explained")
LINE = None


def wrong(x: Any, rng: Any) -> Any:
    """Keys are those of the data."""
    return {int(v): float(np.sum(x == v)) + rng.laplace(scale=1.0) for v in np.unique(x)}


def right(x: Any, rng: Any) -> Any:
    """Keys are public."""
    return {v: float(np.sum(x == v)) + rng.laplace(scale=1.0) for v in range(4)}
