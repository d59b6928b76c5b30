"""Rows are joined to pairs of neighbours; a row that joins moves all of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpspectra.audit.claims import PureDP

THREAD = "opendp 2950"
CLAIM = PureDP(1.0)
PAIR: tuple[Any, Any] = (np.tile([0.0, 1.0], 4), np.append(1.0, np.tile([0.0, 1.0], 4)))
EXPECTED = ("refuted", "explained")
LINE = "rng.laplace(scale=1.0)"


def wrong(x: Any, rng: Any) -> Any:
    """Pairs of neighbours, with the noise of one pair."""
    pairs = x[len(x) % 2 :].reshape(-1, 2)[:4]
    offset = 0.0 if len(x) % 2 else 1.0
    return float(np.sum(np.clip(pairs[:, 1] - pairs[:, 0], 0, 1)) * offset) + rng.laplace(scale=1.0)


def right(x: Any, rng: Any) -> Any:
    """Rows one by one."""
    return float(np.sum(np.clip(x, 0, 1))) + rng.laplace(scale=1.0)
