"""Three blocks of a gradient are clipped to norm 1 each, with noise for norm 1 in all."""

from __future__ import annotations

from typing import Any

import numpy as np

import dpspectra.calibrate as calibrate
from dpspectra.audit.claims import ApproxDP

THREAD = "fedbiomed 1443"
CLAIM = ApproxDP(1.0, 1e-3)
PAIR: tuple[Any, Any] = (np.zeros((2, 6)), np.vstack([np.zeros((1, 6)), np.full((1, 6), 5.0)]))
EXPECTED = ("refuted", "explained")
LINE = "_clipped(block) + rng.normal"


SIGMA = calibrate.gaussian(1.0, 1e-3, 1.0)


def _clipped(g: Any) -> Any:
    return np.sum(g / np.maximum(np.linalg.norm(g, axis=1, keepdims=True), 1), axis=0)


def wrong(g: Any, rng: Any) -> Any:
    """Each block is clipped by itself."""
    return [_clipped(block) + rng.normal(scale=SIGMA, size=2) for block in np.split(g, 3, axis=1)]


def right(g: Any, rng: Any) -> Any:
    """Clip the whole row."""
    return [_clipped(g) + rng.normal(scale=SIGMA, size=6)]
