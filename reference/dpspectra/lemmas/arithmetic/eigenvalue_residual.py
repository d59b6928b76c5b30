"""DPS-RESIDUAL: eigenvalues of a Hermitian matrix are near to those of any nearly orthonormal, nearly invariant basis.

With ``V* V`` within ``delta <= 1/8`` of the identity, ``V`` is within ``0.52 delta`` of its unitary factor ``Q``, and
``A - Q W Q*`` has the norm of ``(A V - V W) + A (Q - V) - (Q - V) W`` at most; Weyl's inequality compares the ordered
eigenvalues. No eigenvector need be right, and ``W`` is any real diagonal. It is sharp for a basis that is unitary; the
factor 0.52 is ``1/(1 + sqrt(7/8))`` rounded up. Without the term in ``delta`` a short ``V`` makes residuals small.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.ledger import AtMost, Matrix, Parts, Reals, Slack, Verdict, statement
from dpspectra.oracle import linalg
from dpspectra.strategies import dimensions, fields, hermitian, rectangular, spectra, st, unitaries


@st.composite
def nearly_diagonalised(draw: st.DrawFn, sizes: list[float], errors: list[float]) -> tuple[Any, Any, Any]:
    """A Hermitian matrix; a unitary basis, of its eigenvectors or of none, times a size, with an error; a diagonal.

    The diagonal is near to the eigenvalues or not.
    """
    d, field = draw(dimensions(1, 4)), draw(fields())
    u, spectrum = draw(unitaries(d, field)), draw(spectra(d, signed=True))
    related = (u * spectrum) @ u.conj().T
    a = related if draw(st.booleans()) else draw(hermitian(d, field))
    v = u * draw(st.sampled_from(sizes)) + draw(rectangular(d, d, field, 2)) * draw(st.sampled_from(errors))
    return a, v, spectrum + draw(rectangular(1, d))[0] * draw(st.sampled_from([0.0, 1.0, 2.0**-12]))


@statement
class EigenvalueResidual:
    labels = ("DPS-RESIDUAL",)
    given = r"\delta=\|V^*V-I\|_F\le\tfrac18"
    claim = {
        "eigenvalues": r"\max_i|\lambda_i(A)-W_{(i)}|\le\|AV-VW\|_F+0.52\,\delta\,(\|A\|_2+\|W\|_2)",
        "distance to a unitary matrix": r"\|V-V(V^*V)^{-1/2}\|_F\le0.52\,\delta",
    }
    where = {
        "A": "Hermitian matrix",
        "V": "nearly orthonormal basis, as computed",
        "W": "diagonal matrix of the eigenvalues as computed",
        "W_{(i)}": "the eigenvalues as computed, in descending order",
        r"\lambda_i": "the eigenvalues of $`A`$, in descending order",
        r"\delta": "distance of $`V^*V`$ from the identity",
    }
    verdict = Verdict.NEW
    note = "arithmetic.md#eigenvalues-from-a-residual"
    examples = 60
    slack = {
        "distance to a unitary matrix": Slack(
            0.993625435, "0.52 is 1/(1 + sqrt(7/8)) = 0.51669 rounded up, which one singular value sqrt(7/8) attains"
        )
    }

    def cases(self) -> st.SearchStrategy[tuple[Any, Any, Any]]:
        """A Hermitian matrix, a square basis near to a unitary one, and the diagonal that it is to be compared with."""
        return nearly_diagonalised([1.0, 1 - 2.0**-6, 1 + 2.0**-10], [2.0**-9, 2.0**-14, 2.0**-30])

    def fast(self, a: Any, v: Any, w: Any) -> Parts:
        """LAPACK's eigenvalues and singular values."""
        defect = np.linalg.norm(v.conj().T @ v - np.eye(len(a)))
        if not defect <= 1 / 8:
            return
        values = np.linalg.eigvalsh(a)
        size = float(np.max(np.abs(values)) + np.max(np.abs(w)))
        gap = float(np.max(np.abs(values - np.sort(w))))
        bound = float(np.linalg.norm(a @ v - v * w) + 0.52 * defect * size)
        distance = float(np.linalg.norm(np.linalg.svd(v, compute_uv=False) - 1))
        yield AtMost(gap, bound, size, part="eigenvalues")
        yield AtMost(distance, float(0.52 * defect), 1, part="distance to a unitary matrix")

    def oracle(self, a: Matrix, v: Matrix, w: Reals) -> Parts:
        """The unitary factor as a matrix, and norms by definition, with many digits."""
        diagonal = mp.diag(w)
        defect = linalg.frobenius_norm(linalg.adjoint(v) * v - mp.eye(len(w)))
        if not defect <= mp.mpf(1) / 8:
            return
        size = linalg.spectral_norm(a) + linalg.spectral_norm(diagonal)
        gap = max(abs(x - y) for x, y in zip(linalg.eigenvalues(a), sorted(w, reverse=True), strict=True))
        allowed = mp.mpf(52) / 100 * defect
        residual = linalg.frobenius_norm(a * v - v * diagonal)
        distance = linalg.frobenius_norm(v - linalg.polar_factor(v))
        yield AtMost(gap, residual + allowed * size, size, part="eigenvalues")
        yield AtMost(distance, allowed, 1, part="distance to a unitary matrix")

    def tight(self) -> list[Any]:
        """A change of rank one along an axis; the shortest column that is allowed."""
        shortest = float(np.nextafter(np.sqrt(7 / 8), 1))
        return [
            (np.diag([3.0, 1.0]), np.eye(2), np.array([2.0, 1.0])),
            (np.eye(1), np.array([[shortest]]), np.ones(1)),
        ]

    def beyond(self) -> dict[str, AtMost]:
        """``A = 1`` and ``W = 0``: the column 0 has no residual, the column 31/32 less than the gap."""
        return {"delta is at most 1/8": AtMost(1.0, 0.52), "the term in delta": AtMost(1.0, 31 / 32)}
