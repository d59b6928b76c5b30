"""A mean whose scale is the range of the data."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpspectra.audit.claims import PureDP

THREAD = "classic"
CLAIM = PureDP(1.0)
PAIR: tuple[Any, Any] = (np.array([0.0, 0.0, 1.0]), np.array([0.0, 0.0, 0.8]))
EXPECTED = ("refuted", "explained")
LINE = "np.ptp(x) / len(x)"


def wrong(x: Any, rng: Any) -> Any:
    """Take the range from private data."""
    return np.mean(x) + rng.laplace(scale=np.ptp(x) / len(x))


def right(x: Any, rng: Any) -> Any:
    """Take a public range."""
    return np.mean(np.clip(x, 0, 1)) + rng.laplace(scale=1 / len(x))
