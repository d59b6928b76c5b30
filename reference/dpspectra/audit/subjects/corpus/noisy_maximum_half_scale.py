"""The index of the largest noisy count, with half of the noise."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpspectra.audit.claims import PureDP

THREAD = "classic"
CLAIM = PureDP(1.0)
PAIR: tuple[Any, Any] = (np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 1.0]))
EXPECTED = ("refuted", "explained")
LINE = None


def wrong(c: Any, rng: Any) -> Any:
    """Half of the scale."""
    return int(np.argmax(c + rng.laplace(scale=1.0, size=3)))


def right(c: Any, rng: Any) -> Any:
    """Take the scale for counts that rise and fall."""
    return int(np.argmax(c + rng.laplace(scale=2.0, size=3)))
