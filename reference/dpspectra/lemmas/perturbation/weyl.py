"""Weyl: ``lambda_{i+j-1}(X + Y) <= lambda_i(X) + lambda_j(Y)``, and no singular value moves by more than ``|E|``.

The eigenvectors of ``X`` from place ``i`` on, those of ``Y`` from ``j`` on and the first ``i + j - 1`` of ``X + Y``
span spaces with a common vector, by their dimensions; on it the three Rayleigh quotients are compared. Singular values
have the same proof with ``|A v|`` as the quotient. Eigenvalues of matrices that are not Hermitian obey no such bound.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.ledger import AtMost, Matrix, Parts, Verdict, statement
from dpspectra.oracle import linalg as oracle
from dpspectra.strategies import ball_vectors, fields, hermitian, rectangular, st


@statement
class Weyl:
    labels = ("JXZ-L4", "HR-T2.9")
    claim = {
        "eigenvalue of a sum": r"\lambda_{i+j-1}(X+Y)\le\lambda_i(X)+\lambda_j(Y)",
        "moves of singular values": r"|s_i(A+E)-s_i(A)|\le\|E\|_2",
    }
    printed = {
        "JXZ-L4": r"Not at hand; read as Weyl's inequality: $`\lambda_{i+j-1}(X+Y)\le\lambda_i(X)+\lambda_j(Y)`$.",
        "HR-T2.9": r"$`|\sigma_i(A+E)-\sigma_i(A)|\le\lVert E\rVert`$.",
    }
    where = {
        "X": "Hermitian matrix",
        "Y": "Hermitian matrix",
        "A": "rectangular matrix",
        "E": "rectangular matrix of the same shape",
    }
    verdict = Verdict.VERIFIED
    note = "perturbation.md#weyl"

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, Any, int, int, Any, Any]:
        """Two Hermitian matrices, the second sometimes of rank one, and two places; any matrix and its change."""
        field = draw(fields())
        d, m, n = (draw(st.integers(1, 4)) for _ in range(3))
        x = draw(hermitian(d, field))
        y = draw(hermitian(d, field) | ball_vectors(d, field).map(lambda v: np.outer(v, v.conj())))
        i = draw(st.integers(0, d - 1))
        change = draw(rectangular(m, n, field)) * draw(st.sampled_from([1.0, 2.0**-6, 2.0**-20]))
        return x, y, i, draw(st.integers(0, d - 1 - i)), draw(rectangular(m, n, field)), change

    def fast(self, x: Any, y: Any, i: int, j: int, a: Any, change: Any) -> Parts:
        bound, size = fast.eigenvalues(x)[i] + fast.eigenvalues(y)[j], fast.frobenius_norm(x) + fast.frobenius_norm(y)
        yield AtMost(fast.eigenvalues(x + y)[i + j], bound, scale=size, part="eigenvalue of a sum")
        length, long = fast.spectral_norm(change), fast.frobenius_norm(a)
        for move in np.abs(fast.singular_values(a + change) - fast.singular_values(a)):
            yield AtMost(move, length, scale=long, part="moves of singular values")

    def oracle(self, x: Matrix, y: Matrix, i: int, j: int, a: Matrix, change: Matrix) -> Parts:
        bound = oracle.eigenvalues(x)[i] + oracle.eigenvalues(y)[j]
        size = oracle.frobenius_norm(x) + oracle.frobenius_norm(y)
        yield AtMost(oracle.eigenvalues(x + y)[i + j], bound, scale=size, part="eigenvalue of a sum")
        length, long = oracle.spectral_norm(change), oracle.frobenius_norm(a)
        for s, t in zip(oracle.singular_values(a + change), oracle.singular_values(a), strict=True):
            yield AtMost(abs(s - t), length, scale=long, part="moves of singular values")

    def tight(self) -> list[Any]:
        x, y = np.diag([9.0, 1.0, 1.0]), np.diag([2.0, 9.0, 2.0])
        a, change = np.diag([3.0, 1.0]), np.diag([0.0, 1.0])
        return [
            (x, y, 1, 1, a, change),
            (y, np.diag([-1.0, -20.0, -3.0]), 0, 2, np.zeros((2, 3)), np.eye(2, 3)),
            (np.diag([9.0, 5.0, 3.0, 1.0]), 2 * np.eye(4), 2, 0, a, change),
        ]

    def beyond(self) -> dict[str, AtMost]:
        """Two nilpotent matrices, whose eigenvalues are 0; those of their sum are 1 and -1."""
        x, y = mp.matrix([[0, 1], [0, 0]]), mp.matrix([[0, 0], [1, 0]])
        largest = [max(mp.re(value) for value in mp.eig(a, right=False)) for a in (x + y, x, y)]
        return {"Hermitian matrices": AtMost(largest[0], largest[1] + largest[2])}
