"""A row that is no number passes the clip, and the sum is no number."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpspectra.audit.claims import PureDP

THREAD = "dp-recorder: NaN"
CLAIM = PureDP(1.0)
PAIR: tuple[Any, Any] = (np.array([1.0, 2.0]), np.array([1.0, np.nan]))
EXPECTED = ("refuted", "explained")
LINE = "np.sum(np.clip(x, -5, 5))"


def wrong(x: Any) -> Any:
    """Clipped only."""
    return np.sum(np.clip(x, -5, 5)) + np.random.laplace(0.0, 10.0)  # noqa: NPY002


def right(x: Any) -> Any:
    """Numbers first."""
    return np.sum(np.clip(np.nan_to_num(x), -5, 5)) + np.random.laplace(0.0, 10.0)  # noqa: NPY002
