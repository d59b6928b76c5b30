"""Means of several columns: the Euclidean sensitivity is given without its square root."""

from __future__ import annotations

from typing import Any

import numpy as np

import dpspectra.calibrate as calibrate
from dpspectra.audit.claims import ApproxDP

THREAD = "smartnoise-core 243"
CLAIM = ApproxDP(1.0, 1e-3)
PAIR: tuple[Any, Any] = (np.zeros((10, 4)), np.vstack([np.zeros((9, 4)), np.ones((1, 4))]))
EXPECTED = ("refuted", "explained")
LINE = "rng.normal(scale"


SIGMA = calibrate.gaussian(1.0, 1e-3, 1.0)


def _means(x: Any, rng: Any, sensitivity: float) -> Any:
    return np.sum(np.clip(x, 0, 1), axis=0) / 10 + rng.normal(scale=SIGMA * sensitivity, size=4)


def wrong(x: Any, rng: Any) -> Any:
    """Use the squared sensitivity."""
    return _means(x, rng, 4 / 10**2)


def right(x: Any, rng: Any) -> Any:
    """Its root."""
    return _means(x, rng, (4 / 10**2) ** 0.5)
