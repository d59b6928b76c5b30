"""Rows are clipped for the sum, and the covariance is of the raw ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpspectra.audit.claims import ApproxDP
from dpspectra.fast.gaussian import mu_for

THREAD = "own list"
CLAIM = ApproxDP(1.0, 0.01)
PAIR: tuple[Any, Any] = (np.zeros((2, 2)), np.array([[0.0, 0.0], [3.0, 0.0]]))
EXPECTED = ("refuted", "explained")
LINE = "return rows.T @ rows"


def _released(x: Any, rows: Any, rng: Any) -> Any:
    scale = 1 / float(mu_for(1.0, 0.01))
    return rows.T @ rows + rng.normal(scale=scale, size=(x.shape[1], x.shape[1]))


def wrong(x: Any, rng: Any) -> Any:
    """Clip the rows, and use the raw ones."""
    x / np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1.0)
    return _released(x, x, rng)


def right(x: Any, rng: Any) -> Any:
    """Use the clipped rows."""
    return _released(x, x / np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1.0), rng)
