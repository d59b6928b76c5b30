"""The orbit mechanism at ``kappa = epsilon / (4 lambda_1)`` is ``epsilon``-DP with a sampler within ``epsilon / 4``.

The exact law loses at most ``2 kappa lambda_1 = epsilon / 2``, and the sampler, off by a factor ``e^(epsilon/4)`` at
worst for either matrix, as much again; an exact sampler could double ``kappa``. With a negative eigenvalue in the
spectrum its spread exceeds ``lambda_1`` and this fails.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.fast.orbit_loss import privacy_loss as fast_loss
from dpspectra.ledger import AtMost, Statement, Verdict
from dpspectra.oracle import linalg as oracle
from dpspectra.oracle.orbit_loss import privacy_loss as exact_loss
from dpspectra.relations import Relation
from dpspectra.strategies import dimensions, epsilons, fields, matrix_neighbours, spectra

lemma = Statement(
    labels=("MWKTV-L6.2",),
    claim=r"\sup_H\Big|\log\tfrac{p_{M'}(H)}{p_M(H)}\Big|+2\cdot\tfrac\varepsilon4\le\varepsilon"
    r"\quad\text{at }\kappa=\tfrac\varepsilon{4\lambda_1}",
    verdict=Verdict.VERIFIED,
    relation=(Relation.REPLACE, Relation.MATRIX_REPLACE),
    cases=st.tuples(dimensions(), fields()).flatmap(
        lambda p: st.tuples(matrix_neighbours(*p), spectra(p[0]), epsilons(high=1.0))  # the normaliser's float64 range
    ),
    uses=("MWKTV-L6.2X", "MWKTV-L6.1"),
    note="privacy_spectral.md#the-orbit-mechanism-as-printed",
)


@lemma.fast
def worst_loss(pair: Any, spectrum: Any, epsilon: float) -> AtMost:
    m, other, *_ = pair
    kappa = epsilon / (4 * spectrum[0]) if spectrum[0] > 0 else 0.0  # the zero spectrum: the output is 0
    slack = epsilon / 4
    return AtMost(
        fast_loss(m, other, spectrum, kappa) + 2 * slack, epsilon, scale=epsilon * (1 + fast.spectral_norm(m))
    )


@lemma.oracle
def exact_worst_loss(pair: Any, spectrum: Any, epsilon: float) -> AtMost:
    m, _, x, y = map(oracle.exact, pair)
    kappa = mp.mpf(epsilon) / (4 * mp.mpf(spectrum[0])) if spectrum[0] > 0 else mp.mpf(0)
    slack, other = mp.mpf(epsilon) / 4, m - oracle.outer(x) + oracle.outer(y)
    return AtMost(
        exact_loss(m, other, spectrum, kappa) + 2 * slack,
        mp.mpf(epsilon),
        scale=epsilon * (1 + oracle.spectral_norm(m)),
    )


@lemma.tight
def far_apart() -> list[Any]:
    """A matrix far from ties at a moderate budget, and a small one at a budget in the millions: equality is a limit."""
    first, second = np.eye(3)[:2]
    top = np.array([2.0, 1.0, 0.0])
    return [
        ((np.diag([1000.0, 0.0, 500.0]), np.diag([999.0, 1.0, 500.0]), first, second), top, 1.0),
        ((np.diag([4.0, 0.0, 2.0]), np.diag([3.0, 1.0, 2.0]), first, second), top, 2.0**23),
    ]
