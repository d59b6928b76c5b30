"""Means of ratios of quadratic forms in standard normals: the names of `dpspectra.fast.quadratic_ratios`."""

from collections.abc import Sequence
from typing import Any

from mpmath import mp


def mean_ratio(numerators: Sequence[Any], weights: Sequence[Any]) -> Any:
    """Mean of ``sum_j c_j g_j^2 / sum_j w_j g_j^2``: the mean of ``c_j g_j^2 exp(-t Q)``, integrated over ``t``."""

    def integrand(t: Any) -> Any:
        total = mp.fsum(c / (1 + 2 * w * t) for c, w in zip(numerators, weights, strict=True))
        return total / mp.sqrt(mp.fprod(1 + 2 * w * t for w in weights))

    return mp.quad(integrand, [0, *sorted({1 / (2 * w) for w in weights}), mp.inf])


def mean_left_over(ratio: Any, width: int, m: int) -> Any:
    """Mean of ``1 - l`` for the leverage of a row of ``ratio`` times the variance: Euler's integral over Beta."""
    a, b = mp.mpf(width) / 2, mp.mpf(m - width) / 2
    return b / (a + b) * mp.hyp2f1(1, a, a + b + 1, 1 - ratio)
