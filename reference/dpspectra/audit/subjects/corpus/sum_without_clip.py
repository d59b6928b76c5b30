"""A sum whose clip was computed and not used."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpspectra.audit.claims import PureDP

THREAD = "dp-recorder: sensitivity"
CLAIM = PureDP(1.0)
PAIR: tuple[Any, Any] = (np.array([1.0, -2.0, 3.0]), np.array([1.0, -2.0, 100.0]))
EXPECTED = ("refuted", "explained")
LINE = "np.sum(x) + np.random"


def wrong(x: Any) -> Any:
    """Noise for clipped rows."""
    return np.sum(x) + np.random.laplace(0.0, 10.0)  # noqa: NPY002


def right(x: Any) -> Any:
    """Clipped rows."""
    return np.sum(np.clip(x, -5, 5)) + np.random.laplace(0.0, 10.0)  # noqa: NPY002
