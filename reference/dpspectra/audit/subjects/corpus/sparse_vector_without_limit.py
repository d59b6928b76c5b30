"""Sparse vector that goes on after its first yes, with noise for one."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpspectra.audit.claims import PureDP

THREAD = "classic"
CLAIM = PureDP(1.0)
PAIR: tuple[Any, Any] = (np.array([0.0, 0.0, 1.0, 1.0]), np.array([1.0, 1.0, 0.0, 0.0]))
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
    """Four answers, with noise of a quarter."""
    return _answers(q, rng, 2.0, 1.0, 4)


def right(q: Any, rng: Any) -> Any:
    """One yes."""
    return _answers(q, rng, 2.0, 4.0, 1)
