"""Subtracting ``v v*`` lowers every eigenvalue, and their sum by ``|v|^2``.

By Courant-Fischer each eigenvalue is a max-min of Rayleigh quotients, and no quotient rises; hence the l1 change of the
spectrum is the change of the trace. ``M`` need not be PSD. For a change with terms of both signs the equality becomes
``<=``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dpspectra.fast import linalg as fast
from dpspectra.ledger import AtMost, Equal, Statement, Verdict
from dpspectra.oracle import linalg as oracle
from dpspectra.strategies import ball_vectors, dimensions, fields, hermitian
from dpspectra.strategies.lazy import st

lemma = Statement(
    labels=("MWKTV-L7.2",),
    claim=r"\lambda_i(M-vv^*)\le\lambda_i(M),\qquad\sum_i|\lambda_i(M)-\lambda_i(M-vv^*)|=\|v\|^2",
    verdict=Verdict.VERIFIED,
    cases=lambda: st.tuples(dimensions(), fields()).flatmap(lambda p: st.tuples(hermitian(*p), ball_vectors(*p))),
    note="perturbation.md#rank-one-downdate",
    without_beyond="It holds for all Hermitian matrices and all vectors; eigenvalues of other matrices have no order.",
)


@lemma.fast
def downdate(m: Any, v: Any) -> tuple[AtMost, Equal]:
    drops = fast.eigenvalues(m) - fast.eigenvalues(m - fast.outer(v))
    size = fast.frobenius_norm(m) + np.sum(np.abs(v) ** 2)
    return (
        AtMost(-np.min(drops), 0.0, scale=size, part="rise of an eigenvalue"),
        Equal(np.sum(np.abs(drops)), np.sum(np.abs(v) ** 2), scale=size, part="sum of the drops"),
    )


@lemma.oracle
def exact_downdate(m: Any, v: Any) -> tuple[AtMost, Equal]:
    m, v = oracle.exact(m), oracle.exact(v)
    below = oracle.eigenvalues(m - oracle.outer(v))
    drops = [a - b for a, b in zip(oracle.eigenvalues(m), below, strict=True)]
    size = oracle.frobenius_norm(m) + oracle.inner(v, v)
    return (
        AtMost(-min(drops), 0, scale=size, part="rise of an eigenvalue"),
        Equal(sum(map(abs, drops)), oracle.inner(v, v), scale=size, part="sum of the drops"),
    )


@lemma.tight
def along_an_eigenvector() -> list[Any]:
    return [(np.diag([2.0, 1.0, -1.0]), np.array([0.0, 1.0, 0.0]))]
