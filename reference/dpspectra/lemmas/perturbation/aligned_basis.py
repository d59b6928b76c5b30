"""A ``k``-space has an orthonormal basis ``W`` with ``|P - I_k| / sqrt(2) <= |W - [e_1 .. e_k]| <= |P - I_k|``.

``W`` is obtained by carrying the axes along with principal vectors. Then ``|W - [e_1 .. e_k]|_F^2`` is
``2 sum (1 - cos)``, which lies between half of ``2 sum (1 - cos^2)`` and all of it. The upper bound is attained if all
angles are right or zero, the lower one in the limit of small angles. The polar formula ``P I (I P I)^(-1/2)`` fails at
a right angle; the construction by singular vectors does not.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.fast.alignment import aligned_basis
from dpspectra.ledger import AtMost, Equal, Matrix, Parts, Verdict, statement
from dpspectra.lemmas.perturbation.principal_bases import clean, oblique_bases
from dpspectra.oracle import linalg as oracle
from dpspectra.oracle.alignment import aligned_basis as exact_aligned_basis
from dpspectra.oracle.alignment import orthonormal


@statement
class AlignedBasis:
    labels = ("MWKTV-L8.3",)
    given = r"\hat W=V_1U_1^*\hat I_k"
    claim = {
        "orthonormal columns": r"\hat W^*\hat W=I",
        "projector of the basis": r"\hat W\hat W^*=P",
        "distance from below": r"\tfrac1{\sqrt2}\,\|P-I_k\|_F\le\|\hat W-\hat I_k\|_F",
        "distance from above": r"\|\hat W-\hat I_k\|_F\le\|P-I_k\|_F",
    }
    printed = (
        r"For a projection $`P`$ of rank $`k`$ there is an orthonormal basis $`\hat W`$ of its range with "
        r"$`\lVert\hat W-\hat I_k\rVert_F\le\lVert P-I_k\rVert_F`$."
    )
    where = {
        "P": "projector of rank $`k`$",
    }
    verdict = Verdict.VERIFIED
    uses = ("MWKTV-E29",)
    note = "perturbation.md#aligned-basis"
    cases = staticmethod(oblique_bases)

    def fast(self, basis: Any) -> Parts:
        q = np.linalg.qr(basis)[0]
        d, k = q.shape
        w, p, axes = aligned_basis(q), q @ fast.adjoint(q), np.eye(d, k)
        moved, distance = fast.frobenius_norm(w - axes), fast.frobenius_norm(p - axes @ axes.T)
        yield Equal(fast.frobenius_norm(fast.adjoint(w) @ w - np.eye(k)), 0.0, scale=1, part="orthonormal columns")
        yield Equal(fast.frobenius_norm(w @ fast.adjoint(w) - p), 0.0, scale=1, part="projector of the basis")
        yield AtMost(distance / np.sqrt(2.0), moved, scale=1, part="distance from below")
        yield AtMost(moved, distance, scale=1, part="distance from above")

    def oracle(self, basis: Matrix) -> Parts:
        with mp.workdps(4 * mp.dps):  # directions at a tiny cosine keep few digits
            q = orthonormal(basis)
            w, p, axes = exact_aligned_basis(q), q * q.H, oracle.columns(mp.eye(q.rows), range(q.cols))
            moved, distance = clean(oracle.frobenius_norm(w - axes)), clean(oracle.frobenius_norm(p - axes * axes.T))
            yield Equal(oracle.frobenius_norm(w.H * w - mp.eye(q.cols)), 0, scale=1, part="orthonormal columns")
            yield Equal(oracle.frobenius_norm(w * w.H - p), 0, scale=1, part="projector of the basis")
            yield AtMost(distance / mp.sqrt(2), moved, scale=1, part="distance from below")
            yield AtMost(moved, distance, scale=1, part="distance from above")

    def tight(self) -> list[Any]:
        """A right angle attains the upper bound; an angle of about ``2**-12`` almost attains the lower one."""
        return [
            *AlignedBasisAssembled().tight(),
            *((np.kron(np.array([[1.0], [2.0**-12]]), np.eye(k)),) for k in (1, 2)),
        ]

    def beyond(self) -> dict[str, AtMost]:
        """The first axis as a basis of the line of the second one; minus the first axis as a basis of its own line."""
        axis, other = mp.matrix([1, 0]), mp.matrix([0, 1])
        apart = oracle.frobenius_norm(oracle.outer(other) - oracle.outer(axis))
        return {
            "W spans the range of P": AtMost(apart / mp.sqrt(2), mp.mpf(0), part="distance from below"),
            "W is carried along with the axes": AtMost(
                oracle.frobenius_norm(-axis - axis), mp.mpf(0), part="distance from above"
            ),
        }


@statement
class AlignedBasisAssembled:
    labels = ("MWKTV-E29",)
    given = r"\hat W=V_1U_1^*\hat I_k"
    claim = {
        "square by cosines": r"\|\hat W-\hat I_k\|_F^2=2\sum_\ell(1-\cos\theta_\ell)",
        "distance from above": r"\|\hat W-\hat I_k\|_F\le\|P-I_k\|_F",
    }
    printed = r"$`\lVert V_1U_1^*\hat I_k-\hat I_k\rVert_F\le\lVert V_1V_1^*-I_k\rVert_F`$."
    where = {
        "P": "projector of rank $`k`$",
    }
    verdict = Verdict.VERIFIED
    uses = ("MWKTV-E27", "MWKTV-E28", "MWKTV-E25")
    note = "perturbation.md#aligned-basis-assembled"
    cases = staticmethod(oblique_bases)

    def fast(self, basis: Any) -> Parts:
        q = np.linalg.qr(basis)[0]
        axes = np.eye(*q.shape)
        moved, cosines = fast.frobenius_norm(aligned_basis(q) - axes), np.cos(fast.principal_angles(axes, q))
        yield Equal(moved**2, 2 * np.sum(1 - cosines), scale=1, part="square by cosines")
        distance = fast.frobenius_norm(q @ fast.adjoint(q) - axes @ axes.T)
        yield AtMost(moved, distance, scale=1, part="distance from above")

    def oracle(self, basis: Matrix) -> Parts:
        with mp.workdps(4 * mp.dps):
            q = orthonormal(basis)
            axes = oracle.columns(mp.eye(q.rows), range(q.cols))
            moved = oracle.frobenius_norm(exact_aligned_basis(q) - axes)
            distance = oracle.frobenius_norm(q * q.H - axes * axes.T)
            order = AtMost(clean(moved), clean(distance), scale=1, part="distance from above")
        stated = 2 * sum(1 - mp.cos(angle) for angle in oracle.principal_angles(axes, q))
        yield Equal(moved**2, stated, scale=1, part="square by cosines")
        yield order

    def tight(self) -> list[Any]:
        return [(np.kron(np.array([[0.0], [1.0]]), np.eye(k)),) for k in (1, 2)]

    def beyond(self) -> dict[str, Equal]:
        """Minus the axis as the basis of its line, the angle of which is 0."""
        axis = mp.matrix([1, 0])
        square = oracle.inner(2 * axis, 2 * axis)
        return {
            "W is carried along with principal vectors": Equal(square, mp.mpf(0), scale=1, part="square by cosines")
        }
