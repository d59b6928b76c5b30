"""Hockey-stick divergence and privacy loss of two laws on the same finite set of outcomes (last axis)."""

from typing import Any

import numpy as np

from dpspectra.ground.array_types import Array


def hockey_stick(p: Array, q: Array, epsilon: Any) -> Any:
    """Sum of the positive parts of ``p - e^epsilon q``: the largest excess of one event."""
    return np.sum(np.maximum(p - np.exp(epsilon) * q, 0.0), axis=-1)


def privacy_loss(p: Array, q: Array) -> Any:
    """Largest ``|log p - log q|`` over the outcomes that are not impossible twice; infinite where one is impossible."""
    with np.errstate(divide="ignore", invalid="ignore"):
        losses = np.abs(np.log(p) - np.log(q))
    return np.max(np.where((p == 0) & (q == 0), 0.0, losses), axis=-1)
