"""A noisy gradient is divided by the number of rows of the batch, which tells whether one joined."""

from __future__ import annotations

from typing import Any

import numpy as np

import dpspectra.calibrate as calibrate
from dpspectra.audit.claims import ApproxDP

THREAD = "opacus 571"
CLAIM = ApproxDP(1.0, 1e-3)
PAIR: tuple[Any, Any] = (np.zeros((3, 40)), np.zeros((4, 40)))
EXPECTED = ("refuted", "explained")
LINE = "rng.normal(scale=SIGMA, size=g.shape[1])) / len(g)"


SIGMA = calibrate.gaussian(1.0, 1e-3, 1.0)


def _clipped(g: Any) -> Any:
    return np.sum(g / np.maximum(np.linalg.norm(g, axis=1, keepdims=True), 1), axis=0)


def wrong(g: Any, rng: Any) -> Any:
    """Divided by the number of rows."""
    return (_clipped(g) + rng.normal(scale=SIGMA, size=g.shape[1])) / len(g)


def right(g: Any, rng: Any) -> Any:
    """Divided by the expected number."""
    return (_clipped(g) + rng.normal(scale=SIGMA, size=g.shape[1])) / 4
