"""Subtracting ``v v*`` lowers every eigenvalue, and their sum by ``|v|^2``.

By Courant-Fischer each eigenvalue is a max-min of Rayleigh quotients, and no quotient rises; hence the l1 change of the
spectrum is the change of the trace. ``M`` need not be PSD. For a change with terms of both signs the equality becomes
``<=``.
"""

from typing import Any

import numpy as np

from dpspectra.fast import linalg as fast
from dpspectra.ledger import AtMost, Column, Equal, Matrix, Parts, Verdict, statement
from dpspectra.oracle import linalg as oracle
from dpspectra.strategies import ball_vectors, dimensions, fields, hermitian, st


@statement
class RankOneDowndate:
    labels = ("MWKTV-L7.2",)
    claim = {
        "rise of an eigenvalue": r"\max_i\big(\lambda_i(M-vv^*)-\lambda_i(M)\big)\le0",
        "sum of the drops": r"\sum_i|\lambda_i(M)-\lambda_i(M-vv^*)|=\|v\|^2",
    }
    printed = (
        r"Not at hand; read as: for $`A=M-vv^*`$, $`\lVert v\rVert\le1`$, $`\lambda_i(A)\le\lambda_i(M)`$ for "
        r"all $`i`$ and $`\lVert\lambda(M)-\lambda(A)\rVert_1\le1`$."
    )
    where = {
        "v": "vector that is subtracted, of any length",
    }
    verdict = Verdict.VERIFIED
    uses = ("MWKTV-E19",)
    note = "perturbation.md#rank-one-downdate"
    without_beyond = "It holds for all Hermitian matrices and all vectors; eigenvalues of other matrices have no order."

    def cases(self) -> Any:
        return st.tuples(dimensions(), fields()).flatmap(lambda p: st.tuples(hermitian(*p), ball_vectors(*p)))

    def fast(self, m: Any, v: Any) -> Parts:
        drops = fast.eigenvalues(m) - fast.eigenvalues(m - fast.outer(v))
        size = fast.frobenius_norm(m) + np.sum(np.abs(v) ** 2)
        yield AtMost(-np.min(drops), 0.0, scale=size, part="rise of an eigenvalue")
        yield Equal(np.sum(np.abs(drops)), np.sum(np.abs(v) ** 2), scale=size, part="sum of the drops")

    def oracle(self, m: Matrix, v: Column) -> Parts:
        below = oracle.eigenvalues(m - oracle.outer(v))
        drops = [a - b for a, b in zip(oracle.eigenvalues(m), below, strict=True)]
        size = oracle.frobenius_norm(m) + oracle.inner(v, v)
        yield AtMost(-min(drops), 0, scale=size, part="rise of an eigenvalue")
        yield Equal(sum(map(abs, drops)), oracle.inner(v, v), scale=size, part="sum of the drops")

    def tight(self) -> list[Any]:
        """A vector along the second of three eigenvectors."""
        return [(np.diag([2.0, 1.0, -1.0]), np.array([0.0, 1.0, 0.0]))]
