"""A covariance has noise for one entry on every entry."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpspectra.audit.claims import PureDP

THREAD = "own"
CLAIM = PureDP(1.0)
PAIR: tuple[Any, Any] = (np.zeros((2, 2)), np.array([[0.0, 0.0], [0.6, 0.8]]))
EXPECTED = ("refuted", "explained")
LINE = "rng.laplace(scale=scale)"


def _covariance(x: Any, rng: Any, scale: float) -> Any:
    noise = np.zeros((2, 2))
    for i in range(2):
        for j in range(i, 2):
            noise[i, j] = noise[j, i] = rng.laplace(scale=scale)
    return x.T @ x + noise


def wrong(x: Any, rng: Any) -> Any:
    """Scale 1: the largest change of one entry."""
    return _covariance(x, rng, 1.0)


def right(x: Any, rng: Any) -> Any:
    """Scale 3/2: the largest change of all entries of the triangle together."""
    return _covariance(x, rng, 1.5)
