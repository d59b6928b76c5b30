"""Subtracting ``v v*`` lowers the smallest Rayleigh quotient on every subspace, hence every eigenvalue.

``u* (M - v v*) u = u* M u - |v* u|^2`` for each unit ``u``; take the minimum over a subspace ``S`` of dimension ``i``,
then the maximum over all ``S``. On vectors orthogonal to ``v`` the quotient is unchanged, so eigenvalues interlace. The
square is that of the modulus: over the complex numbers ``(v* u)^2`` need not be real.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.ledger import AtMost, Column, Matrix, Parts, Verdict, statement
from dpspectra.oracle import linalg as oracle
from dpspectra.strategies import ball_vectors, dimensions, fields, rectangular, spectra, st, unitaries


@statement
class MinMaxDowndate:
    labels = ("MWKTV-E19",)
    given = r"\dim S=i"
    claim = {
        "smallest quotient on a subspace": r"\min_{u\in S,\|u\|=1}u^*(M-vv^*)u\le\min_{u\in S,\|u\|=1}u^*Mu",
        "eigenvalue as a maximum": r"\min_{u\in S,\|u\|=1}u^*Mu\le\lambda_i(M)",
        "lowered eigenvalue as a maximum": r"\min_{u\in S,\|u\|=1}u^*(M-vv^*)u\le\lambda_i(M-vv^*)",
        "lowered eigenvalue": r"\lambda_i(M-vv^*)\le\lambda_i(M)",
        "interlacing of eigenvalues": r"i<d:\ \lambda_{i+1}(M)\le\lambda_i(M-vv^*)",
    }
    printed = r"$`\min_{u\in U\cap\mathbb S^{d-1}}u^*Au\le\min_{u\in U\cap\mathbb S^{d-1}}u^*Mu`$ for $`A=M-vv^*`$."
    where = {
        "v": "vector that is subtracted, of any length",
        "S": "subspace",
        "u": "unit vector",
        "i": "place of an eigenvalue, and dimension of the subspace",
    }
    verdict = Verdict.VERIFIED
    note = "perturbation.md#min-max-under-a-downdate"

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, ...]:
        """``M``, a vector, and an oblique basis of a subspace, spanned by top eigenvectors of ``M`` or arbitrary."""
        d, field = draw(dimensions()), draw(fields())
        spectrum, u = draw(spectra(d, signed=True)), draw(unitaries(d, field))
        i = draw(st.integers(1, d))
        frame = u if draw(st.booleans()) else draw(unitaries(d, field))
        basis = frame[:, :i] @ (np.eye(i) + np.triu(draw(rectangular(i, i, field, 2)), 1))
        return (u * spectrum) @ u.conj().T, draw(ball_vectors(d, field)) * draw(st.sampled_from([1.0, 4.0])), basis

    def fast(self, m: Any, v: Any, basis: Any) -> Parts:
        below, i = m - fast.outer(v), basis.shape[1]
        frame = np.linalg.qr(basis)[0]
        smallest, smallest_below = (fast.eigenvalues(fast.adjoint(frame) @ a @ frame)[-1] for a in (m, below))
        values, values_below = fast.eigenvalues(m), fast.eigenvalues(below)
        size = fast.frobenius_norm(m) + np.sum(np.abs(v) ** 2)
        yield AtMost(smallest_below, smallest, scale=size, part="smallest quotient on a subspace")
        yield AtMost(smallest, values[i - 1], scale=size, part="eigenvalue as a maximum")
        yield AtMost(smallest_below, values_below[i - 1], scale=size, part="lowered eigenvalue as a maximum")
        yield AtMost(values_below[i - 1], values[i - 1], scale=size, part="lowered eigenvalue")
        if i != len(m):
            yield AtMost(values[i], values_below[i - 1], scale=size, part="interlacing of eigenvalues")

    def oracle(self, m: Matrix, v: Column, basis: Matrix) -> Parts:
        below, i = m - oracle.outer(v), basis.cols
        inverse = oracle.whitening(oracle.adjoint(basis) * basis)

        def smallest_on_span(a: Any) -> Any:
            """The smallest generalised eigenvalue of ``a`` against the identity, in the given basis."""
            return oracle.eigenvalues(inverse * oracle.adjoint(basis) * a * basis * oracle.adjoint(inverse))[-1]

        smallest, smallest_below = smallest_on_span(m), smallest_on_span(below)
        values, values_below = oracle.eigenvalues(m), oracle.eigenvalues(below)
        size = oracle.frobenius_norm(m) + oracle.inner(v, v)
        yield AtMost(smallest_below, smallest, scale=size, part="smallest quotient on a subspace")
        yield AtMost(smallest, values[i - 1], scale=size, part="eigenvalue as a maximum")
        yield AtMost(smallest_below, values_below[i - 1], scale=size, part="lowered eigenvalue as a maximum")
        yield AtMost(values_below[i - 1], values[i - 1], scale=size, part="lowered eigenvalue")
        if i != m.rows:
            yield AtMost(values[i], values_below[i - 1], scale=size, part="interlacing of eigenvalues")

    def tight(self) -> list[Any]:
        """A vector outside the subspace; and one that lowers the first eigenvalue to the second."""
        m, axes = np.diag([3.0, 2.0, 1.0]), np.eye(3)
        return [(m, axes[2], axes[:, :2]), (m, axes[0], axes[:, :1])]

    def beyond(self) -> dict[str, AtMost]:
        """Subtract ``v v* + w w*``: the eigenvalue may fall below the next one of ``M``."""
        m, axes = mp.diag([3, 2, 1]), mp.eye(3)
        below = oracle.eigenvalues(m - 2 * oracle.outer(axes[:, 0]) - oracle.outer(axes[:, 1]))
        added = oracle.eigenvalues(m + oracle.outer(axes[:, 0]))
        return {"one vector": AtMost(2, below[0]), "a subtracted vector": AtMost(added[0], 3)}
