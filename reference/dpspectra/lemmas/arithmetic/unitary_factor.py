"""DPS-EIGENBASIS: a matrix is near to one whose eigenvectors are the unitary factor of any basis, known row by row.

``Q = V (V* V)^(-1/2)`` is unitary, and ``(A - Q W Q*) Q`` is ``(A V - V W) + A (Q - V) - (Q - V) W``. With
``D = V* V - I`` the rows of ``Q`` are binomial series ``V_i (1 - D/2 + 3 D**2/8 - ...)``, and what is left of one after
``n`` terms has at most the norm ``||D||**n``. Both are sharp. How near ``Q`` is to ``V``, and what that says of
eigenvalues, is DPS-RESIDUAL. A basis that spans less than the space, or that is taken for its unitary factor, misses
parts of ``A`` that the residual does not show.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.ledger import AtMost, Matrix, Parts, Reals, Verdict, statement
from dpspectra.lemmas.arithmetic.eigenvalue_residual import nearly_diagonalised
from dpspectra.oracle import linalg
from dpspectra.strategies import st

MATRIX = "matrix"
REST = "rest of the series"


@statement
class UnitaryFactor:
    labels = ("DPS-EIGENBASIS",)
    given = r"Q=V(V^*V)^{-1/2},\ D=V^*V-I,\ \|D\|_F<1"
    claim = {
        MATRIX: r"\|A-QWQ^*\|_2\le\|AV-VW\|_F+(\|A\|_2+\|W\|_2)\|Q-V\|_F",
        REST: r"\max_i\big\|Q_i-\sum_{j<n}\binom{-1/2}jV_iD^j\big\|\le\|D\|_F^n",
    }
    where = {
        "A": "Hermitian matrix",
        "V": "basis as computed",
        "V_i": "the rows of the basis",
        "W": "diagonal matrix of the eigenvalues as computed",
        "Q": "unitary factor of the basis",
        "Q_i": "the rows of the unitary factor",
        "D": "difference of $`V^*V`$ from the identity",
        "n": "number of terms of the series",
    }
    verdict = Verdict.NEW
    note = "arithmetic.md#a-basis-made-orthonormal"
    examples = 60

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, Any, Any, int]:
        """A Hermitian matrix, a square basis, a real diagonal, and the number of terms of the series.

        Bases near to unitary ones and far from them, and 0; diagonals near to eigenvalues, or not.
        """
        if draw(st.booleans()):
            return np.eye(1), np.zeros((1, 1)), np.ones(1), 0
        sizes = [1.0, 0.75, 0.5, 1.125, 1 - 2.0**-10]
        return *draw(nearly_diagonalised(sizes, [2.0**-5, 2.0**-9, 2.0**-30])), draw(st.integers(0, 5))

    def fast(self, a: Any, v: Any, w: Any, n: int) -> Parts:
        """Singular vectors make the unitary factor, and each term of the series the next."""
        defect = float(np.linalg.norm(v.conj().T @ v - np.eye(len(a))))
        if not defect < 1:
            return
        left, _, right = np.linalg.svd(v)
        q = left @ right
        size = float(np.linalg.norm(a, 2) + np.max(np.abs(w)))
        error = float(np.linalg.norm(a - (q * w) @ q.conj().T, 2))
        residual, distance = (float(np.linalg.norm(x)) for x in (a @ v - v * w, q - v))
        rest, term = q, v
        for j in range(n):
            rest = rest - term
            term = (term @ v.conj().T @ v - term) * (-0.5 - j) / (j + 1)
        yield AtMost(error, residual + size * distance, size, part=MATRIX)
        yield AtMost(float(np.max(np.linalg.norm(rest, axis=1))), defect**n, len(a), part=REST)

    def oracle(self, a: Matrix, v: Matrix, w: Reals, n: int) -> Parts:
        """The unitary factor from an inverse root, and powers of the defect, with many digits."""
        diagonal = mp.diag(w)
        d = linalg.adjoint(v) * v - mp.eye(v.cols)
        defect = linalg.frobenius_norm(d)
        if not defect < 1:
            return
        q = linalg.polar_factor(v)
        size = linalg.spectral_norm(a) + linalg.spectral_norm(diagonal)
        error = linalg.spectral_norm(a - q * diagonal * linalg.adjoint(q))
        residual, distance = (linalg.frobenius_norm(x) for x in (a * v - v * diagonal, q - v))
        power, terms = mp.eye(v.cols), mp.zeros(v.cols)
        for j in range(n):
            terms += mp.binomial(-mp.mpf(1) / 2, j) * power
            power = power * d
        rest = q - v * terms
        longest = max(linalg.frobenius_norm(rest[i, :]) for i in range(rest.rows))
        yield AtMost(error, residual + size * distance, size, part=MATRIX)
        yield AtMost(longest, defect**n, v.cols, part=REST)

    def tight(self) -> list[Any]:
        """``A = 1`` and ``W = -1``, for which both terms count; a change of rank one; a column of hardly any length."""
        short, one = np.array([[2.0**-24]]), np.eye(1)
        return [
            (one, one * 31 / 32, -np.ones(1), 1),
            (np.diag([3.0, 1.0]), np.eye(2), np.array([2.0, 1.0]), 1),
            *((one, short, -np.ones(1), n) for n in (1, 2, 5)),
        ]

    def beyond(self) -> dict[str, AtMost]:
        """Residuals that see nothing: of one column of the plane, of 0, of a column long or short by a part of 32.

        The series needs its bound: ``sqrt(7/8)`` is less than ``1 - 1/16``, by 0.0021.
        """
        return {
            "V is square": AtMost(1.0, 0.0),
            "V is invertible": AtMost(1.0, 0.0),
            "the distance to Q": AtMost(1.0, 31 / 32),
            "Q and not V": AtMost((33 / 32) ** 2 - 1, 0.0),
            "no more terms than n": AtMost(1 - (7 / 8) ** 0.5, (1 / 8) ** 2),
        }
