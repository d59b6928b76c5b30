"""One draw covers two sums."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpspectra.audit.claims import PureDP

THREAD = "classic"
CLAIM = PureDP(1.0)
PAIR: tuple[Any, Any] = (np.zeros(4), np.array([0.0, 0.0, 0.0, 1.0]))
EXPECTED = ("refuted", "explained")
LINE = "z = rng.laplace"


def wrong(x: Any, rng: Any) -> Any:
    """Reuse the noise, so that the difference of both sums is exact."""
    z = rng.laplace(scale=1.0)
    return np.sum(x[:2]) + z, np.sum(x[2:]) + z


def right(x: Any, rng: Any) -> Any:
    """Two draws."""
    return np.sum(x[:2]) + rng.laplace(scale=1.0), np.sum(x[2:]) + rng.laplace(scale=1.0)
