"""The scale is epsilon over the sensitivity: a smaller claim gives less noise."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpspectra.audit.claims import PureDP

THREAD = "PySyft 6914"
CLAIM = PureDP(0.5)
PAIR: tuple[Any, Any] = (np.zeros(3), np.array([0.0, 0.0, 1.0]))
EXPECTED = ("refuted", "explained")
LINE = "rng.laplace(scale=0.5 / 1.0)"


def wrong(x: Any, rng: Any) -> Any:
    """Epsilon over sensitivity."""
    return np.sum(np.clip(x, 0, 1)) + rng.laplace(scale=0.5 / 1.0)


def right(x: Any, rng: Any) -> Any:
    """Sensitivity over epsilon."""
    return np.sum(np.clip(x, 0, 1)) + rng.laplace(scale=1.0 / 0.5)
