"""Sparse vector without noise on the queries."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpspectra.audit.claims import PureDP

THREAD = "classic"
CLAIM = PureDP(1.0)
PAIR: tuple[Any, Any] = (np.array([0.0, 1.0]), np.array([1.0, 0.0]))
EXPECTED = ("refuted", "explained")
LINE = None


def _answers(q: Any, rng: Any, bar: float, each: float, most: int) -> list[bool]:
    out: list[bool] = []
    level = 0.0 + (rng.laplace(scale=bar) if bar else 0.0)
    for value in q:
        out.append(bool(value + (rng.laplace(scale=each) if each else 0.0) >= level))
        if sum(out) >= most:
            break
    return out


def wrong(q: Any, rng: Any) -> Any:
    """Only the bar has noise."""
    return _answers(q, rng, 2.0, 0.0, 2)


def right(q: Any, rng: Any) -> Any:
    """Both have noise, and the first yes ends it."""
    return _answers(q, rng, 2.0, 4.0, 1)
