"""A histogram where a row may be replaced, with noise for a row that joins."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpspectra.audit.claims import PureDP

THREAD = "classic"
CLAIM = PureDP(1.0)
PAIR: tuple[Any, Any] = (np.array([3, 1]), np.array([2, 2]))
EXPECTED = ("refuted", "explained")
LINE = "rng.laplace(scale=1.0, size=2)"


def wrong(h: Any, rng: Any) -> Any:
    """One count moves, it says."""
    return h + rng.laplace(scale=1.0, size=2)


def right(h: Any, rng: Any) -> Any:
    """Two counts move."""
    return h + rng.laplace(scale=2.0, size=2)
