"""Squares of target columns: the sensitivity of the first reads the lower ends of all, and its noise has scale 0."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpspectra.audit.claims import PureDP

THREAD = "diffprivlib 34"
CLAIM = PureDP(1.0)
PAIR: tuple[Any, Any] = (np.zeros((2, 2)), np.array([[0.0, 0.0], [3.0, 0.0]]))
EXPECTED = ("refuted", "explained")
LINE = None


BOUNDS = np.array([0.0, 0.0]), np.array([3.0, 3.0])


def _moments(y: Any, rng: Any, reach: Any) -> list[Any]:
    return [np.sum(np.clip(y[:, i], 0.0, 3.0) ** 2) + rng.laplace(scale=2 * reach(i) ** 2) for i in range(2)]


def wrong(y: Any, rng: Any) -> Any:
    """Sensitivity of column ``i`` from row ``i`` of the bounds."""
    return _moments(y, rng, lambda i: float(np.abs(BOUNDS[i]).max()))


def right(y: Any, rng: Any) -> Any:
    """Sensitivity of column ``i`` from its own ends."""
    return _moments(y, rng, lambda i: float(max(abs(BOUNDS[0][i]), abs(BOUNDS[1][i]))))
