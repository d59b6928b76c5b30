"""The mean gradient of a batch is clipped, not that of each row."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpspectra.audit.claims import ApproxDP
from dpspectra.fast.gaussian import mu_for

THREAD = "own list"
CLAIM = ApproxDP(1.0, 0.01)
PAIR: tuple[Any, Any] = (np.array([[1.0, 0.0], [-3.0, 0.0]]), np.array([[1.0, 0.0], [3.0, 0.0]]))
EXPECTED = ("refuted", "explained")
LINE = "return total + rng.normal"


def _short(g: Any) -> Any:
    return g / np.maximum(np.linalg.norm(g, axis=-1, keepdims=True), 1.0)


def _noisy(total: Any, rng: Any, move: float) -> Any:
    return total + rng.normal(scale=move / float(mu_for(1.0, 0.01)), size=2)


def wrong(gradients: Any, rng: Any) -> Any:
    """One row turns the clipped sum about: it moves by 2, and the noise is for 1."""
    return _noisy(_short(gradients.sum(axis=0)), rng, 1.0)


def right(gradients: Any, rng: Any) -> Any:
    """Each row is clipped; one that is replaced moves the sum by 2."""
    return _noisy(_short(gradients).sum(axis=0), rng, 2.0)
