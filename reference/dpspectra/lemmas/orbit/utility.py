"""With an exact sampler the orbit mechanism misses the best score by at most ``(2 s / epsilon) q_n(beta)``.

That holds with probability at least ``1 - beta``, on complex orbits, for every ``epsilon``. ``s`` is the spread of the
public spectrum, ``n`` the number of pairs of distinct values in it, and ``q_n(beta)`` the ``1 - beta`` quantile of a
Gamma law of shape ``n``, at most ``n + sqrt(2 n log(1/beta)) + log(1/beta)``. The mean is at most ``2 n s / epsilon``.
Algorithm 1 as printed has half the ``kappa`` and may sample inexactly: ``q_n(beta e^(-epsilon/4)) 4 lambda_1 /
epsilon``. The printed bound, ``d k lambda_1 / epsilon`` times logarithms of ``1/beta`` and ``tr M``, follows; no trace
is needed, and a factor ``log tr M``, which vanishes for one person, would be too small. Over the reals, where the Gamma
law is a conjecture, the covering bound holds instead.
"""

from typing import Any

import numpy as np

from dpspectra.ledger import Relation, Slack, Statement, Verdict
from dpspectra.lemmas.orbit import gap_domination
from dpspectra.lemmas.orbit.gap_domination import shape
from dpspectra.lemmas.privacy.orbit_accounting import inverse_temperature

lemma = Statement(
    labels=("MWKTV-T2.2",),
    claim=r"\Pr\Big[\mathrm{gap}>\tfrac{2s_\Lambda}\varepsilon q_n(\beta)\Big]\le\beta,\quad\mathbb E\,\mathrm{gap}\le"
    r"\tfrac{2ns_\Lambda}\varepsilon\quad\big(\kappa=\tfrac\varepsilon{2s_\Lambda}\big);\qquad"
    r"\Pr\Big[\mathrm{gap}>\tfrac{4\lambda_1}\varepsilon q_n(\beta e^{-\varepsilon/4})\Big]\le\beta\quad"
    r"\big(\kappa=\tfrac\varepsilon{4\lambda_1},\ \delta_\infty\le\tfrac\varepsilon4\big)",
    verdict=Verdict.VERIFIED,
    relation=(Relation.REPLACE, Relation.ADD_REMOVE),
    uses=("MWKTV-N1", "MWKTV-L6.2X", "MWKTV-A1", "MWKTV-L6.5"),
    note="orbit.md#utility-of-the-orbit-mechanism",
    digits=40,
    examples=25,
    slack={
        "excess for a large shape": Slack(
            0.899462, "equality is approached as log(1/beta) grows and the shape grows faster, and not reached"
        )
    },
)


def bound(spectrum: Any, epsilon: float, beta: float, relation: str = "replace") -> float:
    """Number that the gap of the ``epsilon``-DP complex orbit mechanism exceeds with probability at most ``beta``.

    The mechanism has an exact sampler and the largest ``kappa`` that is private; ``spectrum`` is descending.
    """
    n = shape(spectrum)
    return float(n and gap_domination.bound(spectrum, inverse_temperature(spectrum, epsilon, relation), beta))


def mean_bound(spectrum: Any, epsilon: float, relation: str = "replace") -> float:
    """Largest mean of the gap of the ``epsilon``-DP complex orbit mechanism with an exact sampler."""
    n = shape(spectrum)
    return float(n and n / inverse_temperature(spectrum, epsilon, relation))


def excess(n: int, log: Any) -> Any:
    """Elementary bound on the ``1 - e^(-log)`` quantile of a Gamma law of shape ``n`` and rate 1, less ``n``."""
    return np.sqrt(2 * n * log) + log
