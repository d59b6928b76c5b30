"""The batch size is the floor of a rate times the number of rows; 300 numbers show the scale."""

from __future__ import annotations

from typing import Any

import numpy as np

import dpspectra.calibrate as calibrate
from dpspectra.audit.claims import ApproxDP

THREAD = "opacus 819"
CLAIM = ApproxDP(1.0, 1e-3)
PAIR: tuple[Any, Any] = (np.zeros((5, 300)), np.zeros((6, 300)))
EXPECTED = ("refuted", "explained")
LINE = "/ max(int(len(g) * 0.5), 1)"


SIGMA = calibrate.gaussian(1.0, 1e-3, 1.0)


def _clipped(g: Any) -> Any:
    return np.sum(g / np.maximum(np.linalg.norm(g, axis=1, keepdims=True), 1), axis=0)


def wrong(g: Any, rng: Any) -> Any:
    """Divide by a number that follows the data."""
    return (_clipped(g) + rng.normal(scale=SIGMA, size=g.shape[1])) / max(int(len(g) * 0.5), 1)


def right(g: Any, rng: Any) -> Any:
    """Divide by a public number."""
    return (_clipped(g) + rng.normal(scale=SIGMA, size=g.shape[1])) / 2.0
