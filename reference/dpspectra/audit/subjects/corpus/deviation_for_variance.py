"""A sampler is given the standard deviation where it takes the variance."""

from __future__ import annotations

import math
from typing import Any

from dpspectra.audit.claims import ApproxDP
from dpspectra.fast.gaussian import mu_for

THREAD = "own list"
CLAIM = ApproxDP(1.0, 0.01)
PAIR: tuple[Any, Any] = (0.0, 1.0)
EXPECTED = ("refuted", "explained")
LINE = "return x + rng.normal(scale=math.sqrt"


def _with_variance(x: Any, variance: float, rng: Any) -> Any:
    return x + rng.normal(scale=math.sqrt(variance))


def wrong(x: Any, rng: Any) -> Any:
    """Put the standard deviation where the variance belongs."""
    return _with_variance(x, 1 / float(mu_for(1.0, 0.01)), rng)


def right(x: Any, rng: Any) -> Any:
    """Square it first."""
    return _with_variance(x, float(mu_for(1.0, 0.01)) ** -2, rng)
