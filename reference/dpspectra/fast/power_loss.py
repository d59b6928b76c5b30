"""Loss of the noisy power method on leading directions, from a random start, in high dimension."""

from typing import Any

import numpy as np
from scipy.special import gammaincinv

from dpspectra.ground.array_types import Floats

STARTS = 24
"""Quantiles of the part of the first block that lies in a direction."""
GROUPS = 64
"""Groups of trailing eigenvalues, each with one mean."""
HUGE = 1e100
"""Sum of parts from which on only their ratios count."""


def lost_by_power_method(values: Floats, k: int, deviation: float, rounds: int) -> float:
    """Return the expected ``lambda_1 + .. + lambda_k - tr X'AX`` of the block ``X`` after some rounds.

    The block has ``k`` columns.

    ``values`` are all eigenvalues of ``A``, descending and non-negative; a round is ``X <- A X + G``, with independent
    entries of ``G`` of this standard deviation, made orthonormal. In the basis in which the leading part of ``X`` is
    the identity, the squared length ``r_ij`` of the part of column ``i`` along trailing eigenvector ``j`` becomes
    ``(lambda_j / lambda_i)^2 r_ij + deviation^2 (1 + sum_j r_ij) / lambda_i^2``, in the mean and to first order. At the
    start it is one over a chi-squared number of one degree of freedom. After a few rounds the formula is good to some
    per cent; before, it is too large for several columns.
    """
    leading, (trailing, counts) = values[:k], _grouped(values[k:])
    if not leading[-1] > 0:
        return float(np.sum(leading) - k * np.mean(values))
    starts = 1 / (2 * gammaincinv(0.5, (np.arange(STARTS) + 0.5) / STARTS))
    parts: Any = starts[:, None, None] * np.ones((k, 1)) * counts
    growth, noise = (trailing / leading[:, None]) ** 2, (deviation / leading[:, None]) ** 2
    for _ in range(rounds):
        parts = growth * parts + noise * counts * (1 + np.sum(parts, axis=-1, keepdims=True))
        parts *= HUGE / np.maximum(np.sum(parts, axis=-1, keepdims=True), HUGE)
    total = np.sum(parts, axis=-1)
    return float(np.mean(np.sum((leading * total - parts @ trailing) / (1 + total), axis=-1)))


def _grouped(values: Floats) -> tuple[Floats, Floats]:
    """Means of eigenvalues that follow each other, and how many there are in each group; the groups get longer."""
    if len(values) <= GROUPS:
        return values, np.ones(len(values))
    ends = np.unique(np.geomspace(1, len(values), GROUPS).astype(np.int64))
    starts = np.concatenate([[0], ends[:-1]])
    counts = (ends - starts).astype(float)
    return np.add.reduceat(values, starts) / counts, counts
