"""Utility gap that the exponential law on an orbit exceeds rarely, by covering numbers, real or complex."""

import math
from typing import Any

import numpy as np

from dpspectra.fast import roots
from dpspectra.fast.nets import real_dimension


def bound(
    d: int, k: int, largest: Any, total: Any, kappa: Any, beta: Any, *, slack: Any = 0, field: str = "complex"
) -> Any:
    """Number that the gap exceeds with probability at most ``beta``.

    ``largest`` bounds the ``k`` eigenvalues of the PSD spectrum that are not 0, ``total`` the trace of ``M``; the law
    drawn from is within ``slack`` of the exact one in infinity distance. It decreases in ``kappa`` and increases in
    ``largest``.
    """
    net = real_dimension(d, k, field) * np.log1p(2 * kappa * largest * total)
    return 2 / kappa * (net + 1 + np.log(1 / beta) + slack)


def smallest_bound(
    d: int, k: int, largest: float, total: float, kappa: float, beta: float, *, slack: float = 0, field: str = "complex"
) -> float:
    """The root of the condition behind `bound`, with the same arguments (``beta <= 1``): smaller, and as valid.

    Beyond it the probability falls at least like ``exp(-kappa tau / 2)``.
    """
    dimension, rest = real_dimension(d, k, field), math.log(1 / beta) + slack
    if largest * total == 0:
        return 2 / kappa * rest

    def excess(tau: float) -> float:
        return dimension * math.log1p(4 * largest * total / tau) + rest - kappa * tau / 2

    # A root below 4 lambda_1 Gamma has a logarithm above log 2.
    least = max(rest, min(dimension * math.log(2), 2 * kappa * largest * total)) / kappa
    return roots.root(excess, least, bound(d, k, largest, total, kappa, beta, slack=slack, field=field))
