"""Scores of a choice are differences of two errors; their sensitivity is that of one."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpspectra.audit.claims import PureDP

THREAD = "mbi 65"
CLAIM = PureDP(1.0)
PAIR: tuple[Any, Any] = (np.array([[1.0, 2.0, 2.0], [1.0, 1.0, 2.0]]), np.array([[2.0, 1.0, 2.0], [0.0, 2.0, 2.0]]))
EXPECTED = ("refuted", "explained")
LINE = None


def _chosen(x: Any, rng: Any, sensitivity: float) -> int:
    score = np.abs(x[0]) - np.abs(x[1])
    weights = np.exp(0.5 * (score - score.max()) / sensitivity)
    return int(rng.choice(len(weights), p=weights / weights.sum()))


def wrong(x: Any, rng: Any) -> Any:
    """Sensitivity of one error."""
    return _chosen(x, rng, 1.0)


def right(x: Any, rng: Any) -> Any:
    """Sensitivity of both."""
    return _chosen(x, rng, 2.0)
