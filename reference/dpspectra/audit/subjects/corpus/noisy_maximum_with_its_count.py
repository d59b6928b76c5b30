"""The winner and its noisy count, by the noise that chose it."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpspectra.audit.claims import PureDP

THREAD = "classic"
CLAIM = PureDP(1.0)
PAIR: tuple[Any, Any] = (np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 1.0]))
EXPECTED = ("refuted", "explained")
LINE = None


def wrong(c: Any, rng: Any) -> Any:
    """Show the count that was compared."""
    noisy = c + rng.laplace(scale=1.0, size=3)
    winner = int(np.argmax(noisy))
    return winner, noisy[winner]


def right(c: Any, rng: Any) -> Any:
    """Draw a fresh count."""
    winner = int(np.argmax(c + rng.laplace(scale=4.0, size=3)))
    return winner, c[winner] + rng.laplace(scale=2.0)
