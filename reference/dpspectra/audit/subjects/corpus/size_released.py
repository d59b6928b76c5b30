"""A mean is released beside the number of rows, which is private."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpspectra.audit.claims import PureDP

THREAD = "own list"
CLAIM = PureDP(1.0)
PAIR: tuple[Any, Any] = (np.zeros(3), np.zeros(4))
EXPECTED = ("refuted", "explained")
LINE = None


def wrong(x: Any, rng: Any) -> Any:
    """Tell the number of rows as it is."""
    return {"rows": len(x), "sum": np.clip(x, 0, 1).sum() + rng.laplace(scale=1.0)}


def right(x: Any, rng: Any) -> Any:
    """Tell it with noise; both parts share the claim."""
    return {"rows": len(x) + rng.laplace(scale=2.0), "sum": np.clip(x, 0, 1).sum() + rng.laplace(scale=2.0)}
