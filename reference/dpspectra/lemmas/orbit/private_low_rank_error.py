"""The repaired Algorithm 2 is as close to ``M`` as rank ``k`` allows, up to ``k t^2 + (4 (lambda_1 + t) / e_2) q_n``.

That is in squared Frobenius norm, on complex orbits, with probability at least ``1 - beta``. The noise that makes the
``k`` eigenvalues ``e_1``-DP exceeds ``t`` with probability at most ``beta / 2``, and a Gamma variable of shape
``n = d k - k (k + 1) / 2`` exceeds ``q_n`` with probability ``beta / 2``. The error splits into the tail of the
spectrum, the errors of the values, and twice the gap, whose bound grows with the *released* spread, at most
``lambda_1 + t``. Over the reals the covering bound takes the place of the Gamma law. If people are added or removed,
``t`` and the gap halve; so does ``t`` for ``k = 1``.
"""

from typing import Any

import numpy as np
from scipy.special import gammainccinv

from dpspectra.ledger import Relation, Statement, Verdict
from dpspectra.lemmas.covering import gap_quantile
from dpspectra.lemmas.privacy.orbit_accounting import CHANGES
from dpspectra.lemmas.privacy.spectrum_release import radius

lemma = Statement(
    labels=("MWKTV-T2.3R",),
    claim=r"\Pr\Big[\max_i|\hat\lambda_i-\lambda_i|\le t,\ \|M-H\|_F^2\le\sum_{i>k}\lambda_i^2+kt^2"
    r"+\tfrac{4(\lambda_1+t)}{\varepsilon_2}q_n(\tfrac\beta2e^{-\delta})\Big]\ge1-\beta,\quad "
    r"t\le\tfrac{\min(k,2)}{\varepsilon_1}\log\tfrac{2k}\beta",
    verdict=Verdict.NEW,
    relation=(Relation.REPLACE, Relation.ADD_REMOVE),
    uses=("MWKTV-A2R", "MWKTV-E22", "MWKTV-N1", "MWKTV-T7.1", "MWKTV-L6.5"),
    note="orbit.md#error-of-the-repaired-algorithm-2",
    digits=40,
    examples=60,
)


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
        return gap_quantile.smallest_bound(d, k, largest, total, kappa, beta, slack=slack, field="real")
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
