"""Rows are cleaned, and products are made of the raw ones; the noise is made by hand from uniform numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpspectra.audit.claims import PureDP

THREAD = "smartnoise-sdk 622"
CLAIM = PureDP(1.0)
PAIR: tuple[Any, Any] = (np.zeros((2, 2)), np.array([[0.0, 0.0], [9.0, 9.0]]))
EXPECTED = ("refuted", "undecided")
LINE = None


def _noise(rng: Any, scale: float) -> Any:
    u = rng.random()
    return scale * np.log(2 * u) if u < 0.5 else -scale * np.log(2 * (1 - u))


def _products(rows: Any, rng: Any) -> list[Any]:
    return [np.sum(rows[:, i] * rows[:, j]) + _noise(rng, 3.0) for i in range(2) for j in range(i + 1)]


def wrong(rows: Any, rng: Any) -> Any:
    """Clean the rows, and use the raw ones."""
    np.clip(rows, 0, 1)
    return _products(rows, rng)


def right(rows: Any, rng: Any) -> Any:
    """Use the cleaned rows."""
    return _products(np.clip(rows, 0, 1), rng)
