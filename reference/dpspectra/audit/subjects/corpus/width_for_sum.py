"""A bounded sum of numbers of [40, 60] has noise for the width 20; a row that joins adds up to 60."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpspectra.audit.claims import PureDP

THREAD = "smartnoise-sdk 110"
CLAIM = PureDP(1.0)
PAIR: tuple[Any, Any] = (np.full(3, 50.0), np.array([50.0, 50.0, 50.0, 60.0]))
EXPECTED = ("refuted", "explained")
LINE = "rng.laplace(scale=20.0)"


def wrong(x: Any, rng: Any) -> Any:
    """Noise for the width of the interval."""
    return np.sum(np.clip(x, 40, 60)) + rng.laplace(scale=20.0)


def right(x: Any, rng: Any) -> Any:
    """Noise for its larger end."""
    return np.sum(np.clip(x, 40, 60)) + rng.laplace(scale=60.0)
