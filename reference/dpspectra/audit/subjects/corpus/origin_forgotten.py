"""Rows lie within 1 of an origin; squares are made of the rows and not of their distance from it."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpspectra.audit.claims import PureDP

THREAD = "opendp 2952"
CLAIM = PureDP(1.0)
PAIR: tuple[Any, Any] = (np.array([10.0]), np.array([11.0]))
EXPECTED = ("refuted", "explained")
LINE = "np.clip(x, 9.0, 11.0) ** 2"


def wrong(x: Any, rng: Any) -> Any:
    """Squares of the rows."""
    return np.sum(np.clip(x, 9.0, 11.0) ** 2) + rng.laplace(scale=1.0)


def right(x: Any, rng: Any) -> Any:
    """Squares of the distances."""
    return np.sum((np.clip(x, 9.0, 11.0) - 10.0) ** 2) + rng.laplace(scale=1.0)
