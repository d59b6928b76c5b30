"""The top ``k`` eigenvalues with Laplace noise of scale ``s / epsilon``: private, and all ``k`` within an exact radius.

The loss at the worst output is the l1 change of the values over the scale, and that change is at most s: 2, or 1 if a
row is added or removed, and for the first value alone, as one row lowers it and the other one raises it. The largest of
``k`` errors exceeds ``r`` with probability ``1 - (1 - e^(-r/scale))^k``; sorting and clipping at 0 afterwards do not
increase it. Printed was ``scale log(1/beta)`` for all ``k`` values at once: that holds for ``k = 1`` only, and no
constant factor repairs it, since ``(1 - beta^C)^k`` vanishes as ``k`` grows.
"""

from typing import Any

import numpy as np

from dpspectra.ledger import Relation, Statement, Verdict
from dpspectra.lemmas.sensitivity.spectrum import SENSITIVITY

lemma = Statement(
    labels=("MWKTV-T7.1",),
    claim=r"\|\lambda-\lambda'\|_1\tfrac\varepsilon{\min(k,2)}\le\varepsilon,\qquad"
    r"\Pr\Big[\max_{i\le k}|\tilde\lambda_i-\lambda_i|>\tfrac{\min(k,2)}\varepsilon\log\tfrac1{1-(1-\beta)^{1/k}}\Big]"
    r"\le\beta",
    verdict=Verdict.REPAIRED,
    relation=(Relation.REPLACE, Relation.ADD_REMOVE),
    uses=("MWKTV-E20", "JXZ-T1"),
    note="privacy_spectral.md#private-spectrum",
)


LARGEST = 1
"""Sensitivity of the largest eigenvalue alone, under both relations, for rows in the unit ball."""


def scale(k: int, epsilon: Any, relation: str) -> Any:
    """Scale of the Laplace noise on each of the ``k`` largest eigenvalues, for rows in the unit ball."""
    return (LARGEST if k == 1 else SENSITIVITY[relation]) / epsilon


def radius(k: int, epsilon: float, beta: float, relation: str) -> Any:
    """Number that the largest of ``k`` errors exceeds with probability ``beta`` (at most, once sorted and clipped)."""
    return -scale(k, epsilon, relation) * np.log(-np.expm1(np.log1p(-beta) / k))
