"""A squared moment takes the lower end of [0, 10] for both ends: its noise has scale 0."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpspectra.audit.claims import PureDP

THREAD = "diffprivlib 105"
CLAIM = PureDP(1.0)
PAIR: tuple[Any, Any] = (np.zeros(3), np.array([0.0, 0.0, 10.0]))
EXPECTED = ("refuted", "explained")
LINE = None


def _moment(x: Any, rng: Any, ends: tuple[float, float]) -> Any:
    return np.sum(np.clip(x, 0.0, 10.0) ** 2) + rng.laplace(scale=max(abs(e) for e in ends) ** 2)


def wrong(x: Any, rng: Any) -> Any:
    """Use the lower end twice."""
    return _moment(x, rng, (0.0, 0.0))


def right(x: Any, rng: Any) -> Any:
    """Both ends."""
    return _moment(x, rng, (0.0, 10.0))
