"""The repaired Algorithm 2 is private, and its mean error exceeds the best for rank ``k`` by an explicit amount.

The excess is ``2 k b^2 + (4 n / e_2)(lambda_1 + b a)`` in squared Frobenius norm, on complex orbits and for exact
samplers: ``b = 2 / e_1`` is the scale of the noise, ``a`` the mean of the largest of ``k`` Laplace variables, clipped,
and ``n = d k - k (k + 1) / 2``; ``e_1`` is spent on the eigenvalues and ``e_2`` on the eigenvectors. Each value errs by
at most its noise; the gap has a mean of at most ``n / kappa``, and ``1 / kappa`` is ``2 / e_2`` times the *released*
spread. If people are added or removed, the noise and the gap halve. This has the printed order. Also printed was that
all ``k`` values are within ``C log(1 / beta) / epsilon`` at once, which is false for every private mechanism if ``k``
is large: each of ``k`` data sets, a few rows away from one, has its own set of good answers.
"""

from typing import Any

import numpy as np

from dpspectra.ledger import Relation, Statement, Verdict
from dpspectra.lemmas.orbit.private_low_rank_error import largest_shape
from dpspectra.lemmas.privacy.orbit_accounting import CHANGES
from dpspectra.lemmas.privacy.spectrum_release import scale

lemma = Statement(
    labels=("MWKTV-T2.3",),
    claim=r"(\varepsilon_1+\varepsilon_2)\text{-DP},\quad\mathbb E\|M-H\|_F^2\le\sum_{i>k}\lambda_i^2+2kb^2"
    r"+\frac{4n}{\varepsilon_2}\Big(\lambda_1+b\Big[\sum_{j\le k}\frac{1-2^{-j}}j-\frac{1-e^{-k\lambda_1/b}}{k2^k}\Big]"
    r"\Big),\qquad b=\tfrac{\min(k,2)}{\varepsilon_1},\ n=dk-\tfrac{k(k+1)}2",
    verdict=Verdict.REPAIRED,
    relation=(Relation.REPLACE, Relation.ADD_REMOVE),
    uses=("MWKTV-A2R", "MWKTV-E22", "MWKTV-N1", "MWKTV-A2"),
    note="orbit.md#mean-error-of-the-repaired-algorithm-2",
    digits=30,  # integrals
    examples=10,
)


def bound(values: Any, k: int, first: Any, second: Any, relation: str) -> Any:
    """Largest mean of ``|M - H|_F^2`` for an exact sampler on complex orbits.

    ``values`` are the eigenvalues of ``M``; ``first`` and ``second`` are epsilon for the eigenvalues and eigenvectors.
    """
    b, change = scale(k, first, relation), CHANGES[relation]
    vectors = 2 * change * largest_shape(len(values), k) / second * largest_mean(values[0], k, b)
    return np.sum(values[k:] ** 2) + 2 * k * b**2 + vectors


def largest_mean(largest: Any, k: int, b: Any) -> Any:
    """Mean of the largest of ``k`` values ``largest`` with Laplace noise of scale ``b``, clipped at 0."""
    j = np.arange(1, k + 1)
    return largest + b * (np.sum((1 - 0.5**j) / j) + np.expm1(-k * largest / b) / (k * 2.0**k))
