"""A scale is rounded to whole numbers, and a small one becomes 0."""

from __future__ import annotations

from typing import Any

from dpspectra.audit.claims import PureDP

THREAD = "dp-recorder, class of parameters"
CLAIM = PureDP(2.0)
PAIR: tuple[Any, Any] = (3.0, 4.0)
EXPECTED = ("refuted", "explained")
LINE = None


def wrong(x: Any, rng: Any) -> Any:
    """Round the scale 1/2 to 0."""
    return x + rng.laplace(scale=round(1.0 / 2.0))


def right(x: Any, rng: Any) -> Any:
    """Leave the scale as it is."""
    return x + rng.laplace(scale=1.0 / 2.0)
