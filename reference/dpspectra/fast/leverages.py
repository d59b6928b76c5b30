"""How evenly the mass of a matrix, or of a subspace, is spread over its rows; leverages after adding noise directions.

The leverage of row ``i`` in a subspace with orthonormal basis ``U`` is ``|U_i|^2``: the squared length of the ``i``-th
coordinate vector projected on it.
"""

import numpy as np
from scipy.optimize import brentq
from scipy.special import betainc, betaincinv

from dpspectra.fast.linalg import Array, Real

RANK_TOLERANCE = 1e-10
"""Singular values below this times the largest count as zero."""


def leverages(basis: Array) -> Real:
    """Leverages of the rows of ``(..., m, r)`` with orthonormal columns."""
    return np.sum(np.abs(basis) ** 2, axis=-1)


def row_coherence(a: Array) -> float:
    """``m max_i |A_i|^2 / |A|_F^2``, between 1 (rows of one length) and ``m`` (one row); 1 for the zero matrix."""
    squares = leverages(a)
    total = np.sum(squares)
    return float(len(a) * np.max(squares) / total) if total > 0 else 1.0


def range_basis(a: Array) -> Array:
    """Orthonormal basis of the column span; the rank is decided at `RANK_TOLERANCE`."""
    left, values, _ = np.linalg.svd(a, full_matrices=False)
    return left[:, values > RANK_TOLERANCE * max(values[0], np.finfo(float).tiny)]


def range_coherence(basis: Array) -> float:
    """``(m / r) max_i |U_i|^2`` for ``(m, r)`` orthonormal columns, between 1 and ``m / r``; needs ``r >= 1``."""
    m, r = basis.shape
    if r == 0:
        raise ValueError("the subspace must have dimension at least 1, got 0")
    return float(m / r * np.max(leverages(basis)))


def largest_entry(basis: Array) -> float:
    """``d max_ij U_ij^2`` of an orthogonal matrix, between 1 (all entries of one size) and ``d``."""
    return float(len(basis) * np.max(np.abs(basis)) ** 2)


def exceedance(before: Real, width: int, level: float) -> Real:
    """For each row, the probability that its leverage exceeds ``level`` once ``width`` random directions are added.

    ``before`` are the ``m`` leverages in a fixed subspace, with sum ``r``, ``r + width <= m``. A
    leverage ``l`` becomes ``l + (1 - l) X`` with ``X ~ Beta(width / 2, (m - r - width) / 2)``, or ``X = 1`` if
    ``r + width = m``.
    """
    rest = _room(before, width)
    left = np.clip(1 - before, 0.0, 1.0)
    missing = np.clip((1 - level) / np.where(left > 0, left, 1.0), 0.0, 1.0)  # 1 - X, where the level is reached
    if rest == 0:
        return np.full(len(before), float(level < 1))
    beyond = betainc(rest / 2, width / 2, missing)
    return np.where(level < before, 1.0, np.where(left > 0, beyond, float(level < 1)))


def _room(before: Real, width: int) -> int:
    rank = round(float(np.sum(before)))
    if not 0 < width <= len(before) - rank:
        raise ValueError(f"width must be between 1 and m - rank = {len(before) - rank}, got {width}")
    return len(before) - rank - width


def leverage_quantile(before: Real, width: int, beta: float) -> float:
    """Level that the largest leverage exceeds with probability at most ``beta``, by the union bound over the rows."""
    low = float(np.max(before))

    def excess(level: float) -> float:
        return float(np.sum(exceedance(before, width, level))) - beta

    if low >= 1 or _room(before, width) == 0:
        return 1.0
    return float(brentq(excess, low, 1.0, xtol=1e-15)) if excess(low) > 0 else low


def mean_largest_leverage(before: Real, width: int) -> float:
    """Bound on the mean of the largest leverage: the integral of the smaller of 1 and the sum of `exceedance`.

    That is ``x`` plus the sum over the rows of the mean of ``(l + (1 - l) X - x)_+``, where ``x`` is the smallest level
    at which the sum of `exceedance` is at most 1.
    """
    start, rest = leverage_quantile(before, width, 1.0), _room(before, width)
    if start >= 1:
        return 1.0
    a, b = width / 2, rest / 2
    left = 1 - before
    missing = np.clip((1 - start) / left, 0.0, 1.0)
    overshoot = a / (a + b) * betainc(b, a + 1, missing) - (1 - missing) * betainc(b, a, missing)
    return start + float(np.sum(left * overshoot))


def added_leverage(m: int, rank: int, width: int, beta: float) -> float:
    """Quantile ``b`` of the Beta law, exceeded with probability ``beta / m``.

    With probability at least ``1 - beta`` no leverage exceeds ``l + (1 - l) b``, where ``l`` is the largest before.
    """
    rest = m - rank - width
    return 1.0 - float(betaincinv(rest / 2, width / 2, beta / m)) if rest > 0 else 1.0
