"""Sensitivity and Gaussian privacy of a projection on a public basis, by its leverages."""

from typing import Any

import numpy as np


def gdp_mu(u: Any, deviations: Any) -> float:
    """Exact Gaussian privacy parameter of ``U'A + N`` with noise of these standard deviations, one for each column.

    Infinite if a nonzero column has standard deviation 0.
    """
    safe = np.where(deviations > 0, deviations, 1.0)
    if np.any(u[:, deviations == 0]):
        return float("inf")
    return float(np.sqrt(np.max(np.sum((u / safe) ** 2, axis=1))))


def leverage_sensitivity(u: Any) -> float:
    """l2 sensitivity of ``A -> U'A`` when a row changes by at most 1: the largest row norm of ``U``."""
    return gdp_mu(u, np.ones(u.shape[1]))
