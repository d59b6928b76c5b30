"""Vectorised rejection sampling."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

BATCH = 2**22
"""Most numbers proposed at a time."""


def accepted(propose: Callable[[int], tuple[NDArray[Any], NDArray[np.bool_]]], size: int, width: int) -> NDArray[Any]:
    """Collect ``size`` accepted proposals.

    ``propose(m)`` returns ``m`` proposals along the first axis and which of them are accepted. Batches grow with the
    acceptance seen; what is kept is the first ``size`` accepted in order, so batching does not change the law.
    """
    kept: list[NDArray[Any]] = []
    missing, tried, hits = size, 0, 0
    while missing > 0:
        rate = (hits + 1) / (tried + 2)
        count = int(min(max(16, 1.2 * missing / rate), max(16, BATCH // width)))
        proposals, good = propose(count)
        kept.append(proposals[good][:missing])
        missing, tried, hits = missing - len(kept[-1]), tried + count, hits + int(good.sum())
    return np.concatenate(kept) if kept else propose(1)[0][:0]
