"""Releasing ``U'A + N`` when one row of ``A`` moves by at most 1 is exactly as private as one Gaussian number.

``U`` is public; ``N`` has independent rows of standard deviation ``s_j``. A change ``e`` of row ``i`` shifts the output
by ``U_i e'``, of length ``mu_i = |e| sqrt(sum_j U_ij^2 / s_j^2)`` in units of the noise, and two shifted Gaussians in
any dimension are as distinguishable as on a line with the same distance. With equal ``s_j`` the sensitivity is the root
of the largest leverage, the same for every orthonormal basis of the span. A nonzero column needs ``s_j > 0``; for
longer changes ``mu`` grows in proportion.
"""

from typing import Any

import numpy as np

from dpspectra.ledger import Relation, Statement, Verdict

lemma = Statement(
    labels=("HR-L4.6R",),
    claim=r"\delta(\varepsilon)=\Phi\big(\tfrac\mu2-\tfrac\varepsilon\mu\big)-e^\varepsilon\Phi\big(-\tfrac\mu2"
    r"-\tfrac\varepsilon\mu\big),\quad\mu=\max_i\sqrt{\textstyle\sum_jU_{ij}^2/\sigma_j^2}",
    verdict=Verdict.NEW,
    relation=(Relation.ROW,),
    uses=("HR-D2.1", "HR-T2.6R"),
    exact=("formula for mu", "invariance under rotation"),
    note="sensitivity.md#leverage",
    examples=60,
)


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
