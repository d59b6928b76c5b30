"""A difference of exponential numbers of a secure generator, at twice the rate."""

from __future__ import annotations

import secrets
from typing import Any

import numpy as np

from dpspectra.audit.claims import PureDP

THREAD = "classic"
CLAIM = PureDP(1.0)
PAIR: tuple[Any, Any] = (np.zeros(3), np.array([0.0, 0.0, 1.0]))
EXPECTED = ("refuted", "explained")
LINE = "generator.expovariate(rate) - "


def _noise(rate: float) -> Any:
    generator = secrets.SystemRandom()
    return generator.expovariate(rate) - generator.expovariate(rate)


def wrong(x: Any) -> Any:
    """Twice the rate."""
    return float(np.sum(x)) + _noise(2.0)


def right(x: Any) -> Any:
    """Take the rate of the claim."""
    return float(np.sum(x)) + _noise(1.0)
