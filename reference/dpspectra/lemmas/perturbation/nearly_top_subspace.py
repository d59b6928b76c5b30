"""A space that almost contains the top ``k`` left singular vectors loses little more than the best rank-``k`` matrix.

Let ``e = |(I - P) U|_2`` for those vectors ``U``. A unit ``w`` orthogonal to the space has squared norm at most ``e^2``
in their span, and ``|w* A|^2`` is at most ``s_1^2`` times that part plus ``s_{k+1}^2`` times the rest. The published
bound is the weaker ``s_{k+1} + e s_1``. Neither a gap nor symmetry is needed, and the space may have any dimension; at
a tie ``U`` may be any choice.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.ledger import AtMost, Matrix, Parts, Reals, Verdict, statement
from dpspectra.oracle import linalg as oracle
from dpspectra.oracle.alignment import orthonormal
from dpspectra.strategies import fields, spectra, st, unitaries
from dpspectra.strategies.subspaces import subspaces


def bound(top: Any, following: Any, closeness: Any) -> Any:
    """Largest ``|(I - P) A|_2`` for ``s_1 = top``, ``s_{k+1} = following`` and ``|(I - P) U|_2 = closeness``."""
    return np.hypot(following * np.sqrt((1 - closeness) * (1 + closeness)), closeness * top)


@statement
class NearlyTopSubspace:
    labels = ("HP-E3",)
    given = r"X^*X=I,\ e=\|(I-XX^*)U\|_2"
    claim = {
        "residual by squares": r"\|(I-XX^*)A\|_2\le\sqrt{s_{k+1}^2+e^2(s_1^2-s_{k+1}^2)}",
        "residual by a sum": r"\|(I-XX^*)A\|_2\le s_{k+1}+e\,s_1",
    }
    printed = r"$`\lVert(I-XX^\top)A\rVert\le\sigma_{k+1}+\epsilon\sigma_1`$ for $`\epsilon=\lVert(I-XX^\top)U\rVert`$."
    where = {
        "A": "rectangular matrix",
        "X": "matrix with orthonormal columns, any number of them",
        "U": "left singular vectors of $`A`$ for the $`k`$ largest singular values",
        "s_i": "the singular values of $`A`$, in descending order",
        "e": "sine of the largest angle between the two ranges",
    }
    verdict = Verdict.VERIFIED
    note = "perturbation_low_rank.md#subspace-closeness-and-low-rank-error"

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, Any, Any, int, Any]:
        """Left singular vectors, singular values, right singular vectors, ``k``, and an oblique basis of a space.

        The matrix is square, of order 2 to 5, and the space has any dimension.
        """
        d, field = draw(st.sampled_from([3, 2, 4, 5])), draw(fields())
        u, v = draw(unitaries(d, field)), draw(unitaries(d, field))
        k = draw(st.integers(1, d - 1))
        return u, draw(spectra(d)), v, k, draw(subspaces(u, k, draw(st.integers(1, d))))

    def fast(self, u: Any, spectrum: Any, v: Any, k: int, basis: Any) -> Parts:
        a, q = (u * spectrum) @ fast.adjoint(v), np.linalg.qr(basis)[0]
        loss, outside = (fast.spectral_norm(x - q @ (fast.adjoint(q) @ x)) for x in (a, u[:, :k]))
        values, closeness = fast.singular_values(a), min(outside, 1.0)
        yield AtMost(loss, bound(values[0], values[k], closeness), scale=values[0], part="residual by squares")
        yield AtMost(loss, values[k] + closeness * values[0], scale=values[0], part="residual by a sum")

    def oracle(self, u: Matrix, spectrum: Reals, v: Matrix, k: int, basis: Matrix) -> Parts:
        q = orthonormal(basis)
        outside = mp.eye(u.rows) - q * q.H
        loss = oracle.spectral_norm(outside * u * mp.diag(spectrum) * v.H)
        closeness = oracle.spectral_norm(outside * oracle.columns(u, range(k)))
        sharp = mp.sqrt(spectrum[k] ** 2 + closeness**2 * (spectrum[0] ** 2 - spectrum[k] ** 2))
        yield AtMost(loss, sharp, scale=spectrum[0], part="residual by squares")
        yield AtMost(loss, spectrum[k] + closeness * spectrum[0], scale=spectrum[0], part="residual by a sum")

    def tight(self) -> list[Any]:
        """A line at an angle of sine 3/5 to the top axis, for rank 2 and for rank 1 (both parts are tight); a plane."""
        axes = np.eye(2)
        return [
            (axes, np.array([2.0, 1.0]), axes, 1, np.array([[4.0], [3.0]])),
            (axes, np.array([2.0, 0.0]), axes, 1, np.array([[4.0], [3.0]])),
            (np.eye(4), np.array([2.0, 2.0, 1.0, 0.0]), np.eye(4), 2, np.kron(np.array([[4.0], [3.0]]), np.eye(2))),
        ]

    def beyond(self) -> dict[str, AtMost]:
        """Near the second singular vector: what is lost is the first singular value, against the second, which is 0."""
        a, x = mp.diag([2, 0]), mp.matrix([0, 1])
        left = oracle.spectral_norm(a - x * (x.H * a))
        return {"near the top singular vectors": AtMost(left, mp.mpf(0), scale=1)}
