"""Two centres and a moment: both centres spend the slice that was set aside for one."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpspectra.audit.claims import PureDP

THREAD = "diffprivlib 104"
CLAIM = PureDP(1.0)
PAIR: tuple[Any, Any] = (np.zeros((3, 2)), np.array([[0.0, 0.0], [0.0, 0.0], [1.0, 1.0]]))
EXPECTED = ("refuted", "explained")
LINE = "moment = np.sum"


def _fit(z: Any, rng: Any, slices: int) -> Any:
    share = 0.25
    first = np.sum(np.clip(z[:, 0], 0, 1)) + rng.laplace(scale=1 / share)
    second = np.sum(np.clip(z[:, 1], 0, 1)) + rng.laplace(scale=1 / share)
    moment = np.sum(np.clip(z[:, 0] * z[:, 1], 0, 1)) + rng.laplace(scale=1 / (1 - slices * share))
    return first, second, moment


def wrong(z: Any, rng: Any) -> Any:
    """One slice is taken from what the moment may spend."""
    return _fit(z, rng, 1)


def right(z: Any, rng: Any) -> Any:
    """Two slices are taken."""
    return _fit(z, rng, 2)
