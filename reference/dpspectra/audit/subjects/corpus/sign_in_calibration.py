"""A sign in the calibration of normal noise makes its standard deviation too small."""

from __future__ import annotations

from typing import Any

import numpy as np

import dpspectra.calibrate as calibrate
from dpspectra.audit.claims import ApproxDP

THREAD = "smartnoise-core 316"
CLAIM = ApproxDP(1.0, 1e-3)
PAIR: tuple[Any, Any] = (np.zeros(3), np.array([0.0, 0.0, 1.0]))
EXPECTED = ("refuted", "explained")
LINE = "scale=1 / (MU + 2.0)"


MU = 1 / calibrate.gaussian(1.0, 1e-3, 1.0)


def wrong(x: Any, rng: Any) -> Any:
    """Enter the epsilon of the profile with the other sign: mu grows by twice the gap."""
    return np.sum(np.clip(x, 0, 1)) + rng.normal(scale=1 / (MU + 2.0))


def right(x: Any, rng: Any) -> Any:
    """Calibrate exactly."""
    return np.sum(np.clip(x, 0, 1)) + rng.normal(scale=1 / MU)
