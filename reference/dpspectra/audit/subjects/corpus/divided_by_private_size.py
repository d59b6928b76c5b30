"""A noisy sum is divided by the number of rows of the data."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpspectra.audit.claims import PureDP

THREAD = "dp-recorder: size of the data"
CLAIM = PureDP(1.0)
PAIR: tuple[Any, Any] = (np.full(3, 0.5), np.full(2, 0.5))
EXPECTED = ("refuted", "explained")
LINE = "/ len(x)"


def wrong(x: Any) -> Any:
    """Divided by the private number."""
    return (np.sum(np.clip(x, -1, 1)) + np.random.laplace(0.0, 1.0)) / len(x)  # noqa: NPY002


def right(x: Any) -> Any:
    """Not divided."""
    return np.sum(np.clip(x, -1, 1)) + np.random.laplace(0.0, 1.0)  # noqa: NPY002
