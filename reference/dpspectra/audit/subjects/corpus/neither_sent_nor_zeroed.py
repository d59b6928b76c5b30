"""Values above a noisy bar are sent with noise, others become 0; those above it that are not sent stay."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpspectra.audit.claims import PureDP

THREAD = "NVFlare 343"
CLAIM = PureDP(1.0)
PAIR: tuple[Any, Any] = (np.array([0.9, 0.9, 0.9]), np.array([0.9, 0.9, -0.9]))
EXPECTED = ("refuted", "explained")
LINE = None


def _sent(w: Any, rng: Any, keep: bool) -> list[Any]:
    bar = 0.5 + rng.laplace(scale=8.0)
    over = [i for i in range(len(w)) if abs(w[i]) + rng.laplace(scale=16.0) >= bar]
    left = [float(x) if keep else 0.0 for x in w]
    sent = {i: w[i] + rng.laplace(scale=8.0) for i in over[:2]}
    return [sent.get(i, left[i] if i in over else 0.0) for i in range(len(w))]


def wrong(w: Any, rng: Any) -> Any:
    """Leave values above the bar that are not sent."""
    return _sent(w, rng, True)


def right(w: Any, rng: Any) -> Any:
    """Set them to 0."""
    return _sent(w, rng, False)
