"""Tail of the largest angle between a fixed plane and a uniform one (HP-L2.5P)."""

import math
from typing import Any

import numpy as np
from scipy.special import betaln, gammaln


def radius(tau: Any, k: int, p: int, d: int) -> Any:
    """Tangent ``tau sqrt d / (sqrt p - sqrt(k - 1))``."""
    return tau * np.sqrt(d) / (np.sqrt(p) - np.sqrt(k - 1))


def log_factor(k: int, p: int, d: int) -> float:
    """Logarithm of the factor ``Q`` of the bound, for ``p < d``; it does not overflow."""
    m = p - k + 1
    rising = 2 * gammaln(m / 2) - betaln(k / 2, m / 2) - betaln((d - p) / 2, m / 2)
    return float(m * np.log(2) - gammaln(m + 1) + rising)


def tail(tangent: Any, k: int, p: int, d: int) -> Any:
    """Bound on the probability that the tangent of a uniform ``p``-plane exceeds ``tangent >= 0``."""
    length = tangent if d == p + k else np.hypot(1.0, tangent)
    if p == d:
        return np.zeros_like(length, dtype=float)[()]
    with np.errstate(divide="ignore"):  # for no tangent the bound is 1
        logarithm = np.log(length)
    return np.exp(np.minimum(0.0, log_factor(k, p, d) - (p - k + 1.0) * logarithm))


def largest_tangent(failure: float, k: int, p: int, d: int) -> float:
    """Tangent that a uniform ``p``-plane exceeds with probability at most ``failure``; 0 for ``p = d``."""
    length = 0.0 if p == d else math.exp((log_factor(k, p, d) - math.log(failure)) / (p - k + 1))
    return length if d == p + k else float(np.sqrt(max(length**2 - 1, 0.0)))
