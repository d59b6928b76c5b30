"""``|A|_2 <= |A|_F <= sqrt(rank) |A|_2`` and ``|A B|_F <= |A|_2 |B|_F``.

The Frobenius norm is the length of the vector of singular values, the spectral norm its largest entry; and ``A``
stretches each column of ``B`` by at most ``|A|_2``. The factor ``sqrt(rank)`` is attained by a matrix with orthonormal
columns, whose singular values are all 1.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.ledger import AtMost, Matrix, Parts, Verdict, statement
from dpspectra.oracle import linalg as oracle
from dpspectra.strategies import fields, rectangular, st
from dpspectra.strategies.subspaces import independent_columns


@statement
class NormsCompared:
    labels = ("HR-F2.7",)
    claim = {
        "spectral norm": r"\|A\|_2\le\|A\|_F",
        "Frobenius norm": r"\|A\|_F\le\sqrt{\operatorname{rank}A}\,\|A\|_2",
    }
    printed = r"$`\lVert A\rVert\le\lVert A\rVert_F\le\sqrt r\lVert A\rVert`$ for rank $`r`$."
    where = {
        "A": "rectangular matrix",
    }
    verdict = Verdict.VERIFIED
    without_beyond = "It has no hypothesis: both inequalities hold for every real or complex matrix and its own rank."
    note = "perturbation.md#norms-and-rank"

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, Any]:
        """Independent columns and independent rows, equally many, whose product has that number as its rank."""
        m, n, field = draw(st.integers(1, 4)), draw(st.integers(1, 4)), draw(fields())
        rank = min(m, n) - draw(st.integers(0, min(m, n)))
        if rank == 0:
            return np.zeros((m, 0)), np.zeros((0, n))
        return draw(independent_columns(m, rank, field)), draw(independent_columns(n, rank, field)).T

    def fast(self, columns: Any, rows: Any) -> Parts:
        a = columns @ rows
        spectral, frobenius, rank = fast.spectral_norm(a), fast.frobenius_norm(a), np.linalg.matrix_rank(a)
        yield AtMost(spectral, frobenius, part="spectral norm")
        yield AtMost(frobenius, np.sqrt(float(rank)) * spectral, part="Frobenius norm")

    def oracle(self, columns: Any, rows: Any) -> Parts:
        a, rank = oracle.exact(columns @ rows), columns.shape[1]  # a product of small integers is exact
        spectral, frobenius = oracle.spectral_norm(a), oracle.frobenius_norm(a)
        yield AtMost(spectral, frobenius, part="spectral norm")
        yield AtMost(frobenius, mp.sqrt(rank) * spectral, part="Frobenius norm")

    def tight(self) -> list[Any]:
        return [
            (np.array([[1.0], [2.0]]), np.array([[3.0, 1.0, 2.0]])),
            (np.array([[1.0, 1.0], [1.0, -1.0], [0.0, 0.0]]), np.eye(2)),
        ]


@statement
class NormsMultiplied:
    labels = ("HR-F2.8",)
    claim = {
        "spectral norm first": r"\|AB\|_F\le\|A\|_2\|B\|_F",
        "Frobenius norm first": r"\|AB\|_F\le\|A\|_F\|B\|_2",
    }
    printed = r"$`\lVert AB\rVert_F\le\lVert A\rVert\lVert B\rVert_F`$."
    where = {
        "A": "rectangular matrix",
        "B": "matrix that it is multiplied by",
    }
    verdict = Verdict.VERIFIED
    without_beyond = (
        "It has no hypothesis: both inequalities hold for all real or complex matrices that have a product."
    )
    note = "perturbation.md#submultiplicativity"

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, Any]:
        field, (m, k, n) = draw(fields()), (draw(st.integers(1, 4)) for _ in range(3))
        return draw(rectangular(m, k, field)), draw(rectangular(k, n, field)) * draw(st.sampled_from([1.0, 2.0**-20]))

    def fast(self, a: Any, b: Any) -> Parts:
        product = fast.frobenius_norm(a @ b)
        yield AtMost(product, fast.spectral_norm(a) * fast.frobenius_norm(b), part="spectral norm first")
        yield AtMost(product, fast.frobenius_norm(a) * fast.spectral_norm(b), part="Frobenius norm first")

    def oracle(self, a: Matrix, b: Matrix) -> Parts:
        product = oracle.frobenius_norm(a * b)
        yield AtMost(product, oracle.spectral_norm(a) * oracle.frobenius_norm(b), part="spectral norm first")
        yield AtMost(product, oracle.frobenius_norm(a) * oracle.spectral_norm(b), part="Frobenius norm first")

    def tight(self) -> list[Any]:
        """Orthogonal columns of one length first, their transpose second; and a second factor along a top direction."""
        turn, square = np.array([[1.0, 1.0], [1.0, -1.0], [0.0, 0.0]]), np.array([[1.0, 2.0], [3.0, 4.0]])
        return [(turn, square), (square, turn.T), (np.diag([3.0, 1.0]), np.array([[2.0, 5.0], [0.0, 0.0]]))]
