"""The classical standard deviation, proved for epsilon below 1, is used at 8."""

from __future__ import annotations

import math
from typing import Any

from dpspectra.audit.claims import ApproxDP
from dpspectra.fast.gaussian import mu_for

THREAD = "own list"
CLAIM = ApproxDP(8.0, 0.1)
PAIR: tuple[Any, Any] = (0.0, 1.0)
EXPECTED = ("refuted", "explained")
LINE = "return x + rng.normal"


def _noisy(x: Any, scale: float, rng: Any) -> Any:
    return x + rng.normal(scale=scale)


def wrong(x: Any, rng: Any) -> Any:
    """Use the formula where it is false."""
    return _noisy(x, math.sqrt(2 * math.log(1.25 / 0.1)) / 8, rng)


def right(x: Any, rng: Any) -> Any:
    """Take the scale from the exact curve."""
    return _noisy(x, 1 / float(mu_for(8.0, 0.1)), rng)
