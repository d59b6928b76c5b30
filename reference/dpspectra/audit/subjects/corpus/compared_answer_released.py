"""Sparse vector technique: the noisy answer that was compared is released as well."""

from __future__ import annotations

from typing import Any

from dpspectra.audit.claims import PureDP

THREAD = "classic"
CLAIM = PureDP(1.0)
PAIR: tuple[Any, Any] = (0.0, 1.0)
EXPECTED = ("undecided", "explained")
LINE = None


def _above(q: Any, rng: Any, told: Any) -> Any:
    threshold = rng.laplace(scale=2.0)
    noisy = q + rng.laplace(scale=4.0)
    return told(noisy) if noisy > threshold else None


def wrong(q: Any, rng: Any) -> Any:
    """Spend the noise of the comparison a second time."""
    return _above(q, rng, lambda noisy: noisy)


def right(q: Any, rng: Any) -> Any:
    """Only that it was above is told."""
    return _above(q, rng, lambda noisy: True)
