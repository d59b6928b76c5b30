"""Coordinates are clipped one by one, and the noise is for rows of length 1."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpspectra.audit.claims import ApproxDP
from dpspectra.fast.gaussian import mu_for

THREAD = "own list"
CLAIM = ApproxDP(1.0, 0.01)
PAIR: tuple[Any, Any] = (np.zeros((2, 4)), np.array([[0.0] * 4, [1.0] * 4]))
EXPECTED = ("refuted", "explained")
LINE = "return rows.sum(axis=0) + rng.normal"


def _noisy(rows: Any, rng: Any) -> Any:
    return rows.sum(axis=0) + rng.normal(scale=1 / float(mu_for(1.0, 0.01)), size=rows.shape[1])


def wrong(x: Any, rng: Any) -> Any:
    """Admit rows as long as the root of the number of coordinates."""
    return _noisy(np.clip(x, -1, 1), rng)


def right(x: Any, rng: Any) -> Any:
    """Rows are shortened as a whole."""
    return _noisy(x / np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1.0), rng)
