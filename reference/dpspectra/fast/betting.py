"""Wealth from betting against a privacy claim, as a function of four counts.

A *pair* is a draw ``X`` from one law and a draw ``Y`` from the other. Where ``P(E) <= e^epsilon Q(E) + delta``, the
gain ``W = 1[X in E] - e^epsilon 1[Y in E] - delta`` has mean at most 0, and it is at least ``-(e^epsilon + delta)``.
Staking the fraction ``g < 1`` of what may be lost multiplies wealth by ``1 + g W / (e^epsilon + delta) >= 1 - g``, a
factor of mean at most 1. It depends on the pair through two bits, so the wealth after many pairs depends on four
counts.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import xlog1py

FRACTIONS = np.array([0.004, 0.008, 0.016, 0.03, 0.06, 0.12, 0.2, 0.3, 0.45, 0.6, 0.75, 0.9, 0.98])
"""Fractions of the stake: small ones for slight excesses, large ones where the other side hardly ever hits."""


def log_wealth(counts: ArrayLike, epsilon: ArrayLike, delta: ArrayLike, fractions: ArrayLike = FRACTIONS) -> Any:
    """Log of the wealth of each bet, shape ``(..., len(fractions))``.

    ``counts``, shape ``(..., 4)``: pairs of which both draws are in the event, only the first, only the second, and
    neither. They may be fractional: probabilities of the four give the mean growth per pair. ``epsilon`` (nats, may be
    infinite if no count has the second draw in the event) and ``delta`` broadcast against the leading axes.
    """
    both, first, second, neither = np.moveaxis(np.asarray(counts, dtype=float)[..., None], -2, 0)
    epsilon, delta = np.asarray(epsilon, dtype=float)[..., None], np.asarray(delta, dtype=float)[..., None]
    g, shrink = np.asarray(fractions, dtype=float), np.exp(-epsilon)
    stake = g * shrink / (1 + delta * shrink)  # g / (e^epsilon + delta), without overflow
    return (
        xlog1py(both, stake - g)
        + xlog1py(first, stake * (1 - delta))
        + xlog1py(second, -g)
        + xlog1py(neither, -stake * delta)
    )


def log_wealth_one_sided(hits: ArrayLike, draws: ArrayLike, delta: ArrayLike, fractions: ArrayLike = FRACTIONS) -> Any:
    """Log of the wealth where the event is impossible under the second law: then only ``delta`` may be lost.

    ``W = 1[X in E] - delta >= -delta`` at every ``epsilon``; at ``delta = 0`` one hit is worth any amount (``inf``).
    Shapes as in `log_wealth`, for ``hits`` among ``draws`` of the first law.
    """
    hits, draws = np.asarray(hits, dtype=float)[..., None], np.asarray(draws, dtype=float)[..., None]
    delta, g = np.asarray(delta, dtype=float)[..., None], np.asarray(fractions, dtype=float)
    with np.errstate(divide="ignore"):
        gain = g * (1 - delta) / delta
    stakes = np.where(delta > 0, g, 0.0)
    return xlog1py(hits, gain) + xlog1py(draws - hits, -stakes)


def expected(p: ArrayLike, q: ArrayLike) -> NDArray[np.float64]:
    """Probabilities of the four kinds of pair for independent draws in the event with ``p`` and ``q``: ``(..., 4)``."""
    p, q = np.broadcast_arrays(np.asarray(p, dtype=float), np.asarray(q, dtype=float))
    return np.stack([p * q, p * (1 - q), (1 - p) * q, (1 - p) * (1 - q)], axis=-1)
