"""A step asks its closure for the gradient again after noise was added, and so drops the noise."""

from __future__ import annotations

from typing import Any

import numpy as np

import dpspectra.calibrate as calibrate
from dpspectra.audit.claims import ApproxDP

THREAD = "opacus pull 330"
CLAIM = ApproxDP(1.0, 1e-3)
PAIR: tuple[Any, Any] = (np.zeros((3, 3)), np.vstack([np.zeros((2, 3)), np.eye(3)[:1]]))
EXPECTED = ("refuted", "explained")
LINE = None


SIGMA = calibrate.gaussian(1.0, 1e-3, 1.0)


def _clipped(g: Any) -> Any:
    return np.sum(g / np.maximum(np.linalg.norm(g, axis=1, keepdims=True), 1), axis=0)


def _step(g: Any, rng: Any, again: bool) -> Any:
    state = {"gradient": _clipped(g)}

    def closure() -> None:
        state["gradient"] = _clipped(g)

    state["gradient"] = state["gradient"] + rng.normal(scale=SIGMA, size=3)
    if again:
        closure()
    return -0.1 * state["gradient"]


def wrong(g: Any, rng: Any) -> Any:
    """Run the closure after the noise."""
    return _step(g, rng, True)


def right(g: Any, rng: Any) -> Any:
    """Do not run the closure again."""
    return _step(g, rng, False)
