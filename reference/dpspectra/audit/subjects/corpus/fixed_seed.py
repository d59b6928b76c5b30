"""The generator is made with a seed that everybody knows."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpspectra.audit.claims import PureDP

THREAD = "classic"
CLAIM = PureDP(1.0)
PAIR: tuple[Any, Any] = (np.zeros(3), np.array([0.0, 0.0, 1.0]))
EXPECTED = ("refuted", "explained")
LINE = None


def wrong(x: Any) -> Any:
    """Draw from a fixed seed."""
    return np.sum(x) + np.random.default_rng(0).laplace()


def right(x: Any) -> Any:
    """Entropy of the operating system."""
    return np.sum(x) + np.random.default_rng().laplace()
