"""Error that the repaired Algorithm 2 of MWKTV exceeds rarely."""

from typing import Any

import numpy as np
from scipy.special import gammainccinv

from dpspectra.formulas import utility_gap_quantile
from dpspectra.formulas.orbit_accounting import CHANGES
from dpspectra.formulas.spectrum_release import radius


def largest_shape(d: int, k: int) -> int:
    """Largest number of pairs of distinct values in a spectrum of rank ``k``."""
    return d * k - k * (k + 1) // 2


def gap_bound(
    d: int, k: int, largest: Any, second: Any, beta: Any, relation: str, *, slack: float, total: Any = None
) -> Any:
    """Number that the gap of the second stage exceeds with probability at most ``beta``.

    ``largest`` bounds the released values, ``second`` is epsilon of the second stage. The orbit is complex, or real if
    a bound ``total`` on the trace is given.
    """
    kappa = second / (CHANGES[relation] * largest)
    if total is not None:
        return utility_gap_quantile.smallest_bound(d, k, largest, total, kappa, beta, slack=slack, field="real")
    n = largest_shape(d, k)
    return gammainccinv(n, beta * np.exp(-slack)) / kappa if n else 0.0


def bound(
    values: Any,
    k: int,
    first: Any,
    second: Any,
    beta: Any,
    relation: str,
    *,
    slack: float = 0.0,
    field: str = "complex",
) -> Any:
    """Number that ``|M - H|_F^2`` exceeds with probability at most ``beta``; ``M`` has the eigenvalues ``values``."""
    t, total = radius(k, first, beta / 2, relation), np.sum(values) if field == "real" else None
    gap = gap_bound(len(values), k, values[0] + t, second, beta / 2, relation, slack=slack, total=total)
    return np.sum(values[k:] ** 2) + k * t**2 + 2 * gap
