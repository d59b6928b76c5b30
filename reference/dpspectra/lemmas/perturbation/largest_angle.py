"""The ``k``-th angle between ``U`` and a wider ``X`` is the smallest largest angle of ``k`` dimensions of ``X``.

``cos = max min |U* X w| / |X w|`` and ``tan = min max |V* X w| / |U* X w|``, ``V`` the complement of ``U``, over the
``k``-dimensional spaces of ``w``. Both ratios are monotone in the angle of ``X w`` to ``U``, and the leading singular
vectors of ``U* Q``, ``X = Q R``, span the best space. ``X`` need not be orthonormal, but its columns must be
independent; a space that meets the kernel of ``U* X`` has an infinite ratio.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.ledger import AtMost, Equal, Matrix, Parts, Verdict, statement
from dpspectra.lemmas.perturbation.principal_bases import clean
from dpspectra.oracle import linalg as oracle
from dpspectra.oracle.alignment import orthonormal
from dpspectra.strategies import fields, st, unitaries
from dpspectra.strategies.subspaces import independent_columns, subspaces

SHAPES = [(4, 1, 2), (5, 2, 3), (3, 1, 1), (4, 2, 2), (5, 2, 2), (4, 3, 3), (3, 1, 3), (1, 1, 1)]
"""Dimension of the space, ``k``, and the width of ``X``."""
STEEP = 2.0**-10
"""Cosine below which a tangent is too large to be judged in float64."""


def _extremes(u: Any, v: Any, z: Any) -> tuple[Any, Any]:
    """Smallest ratio ``|U* y| / |y|`` and largest ``|V* y| / |U* y|`` over the span of ``z``."""
    q = np.linalg.qr(z)[0]
    inside, outside = fast.adjoint(u) @ q, fast.adjoint(v) @ q
    cosine = fast.singular_values(inside)[-1]
    steep = cosine < STEEP or not v.size
    return cosine, 0.0 if steep else fast.spectral_norm(outside @ np.linalg.inv(inside))


def _relative(a: Any, b: Any) -> list[Any]:
    """Generalised eigenvalues, descending; the first and last are the extremes of ``w* a w / w* b w``."""
    inverse = oracle.whitening(b)
    return oracle.eigenvalues(inverse * a * inverse.H)


def _root(square: Any) -> Any:
    """Square root; zero where only rounding is left."""
    return mp.sqrt(max(0, clean(square)))


@statement
class LargestAngle:
    labels = ("HP-K2.2",)
    given = r"U^*U=I,\ VV^*=I-UU^*,\ \operatorname{rank}\Pi=k"
    claim = {
        "cosine of any space": r"\min_{\Pi w=w\ne0}\frac{\|U^*Xw\|}{\|Xw\|}\le\cos\theta_k",
        "cosine of the best space": r"\min_{\Pi_*w=w\ne0}\frac{\|U^*Xw\|}{\|Xw\|}=\cos\theta_k",
        "tangent of any space": r"\tan\theta_k\le\max_{\Pi w=w\ne0}\frac{\|V^*Xw\|}{\|U^*Xw\|}",
        "tangent of the best space": r"\max_{\Pi_*w=w\ne0}\frac{\|V^*Xw\|}{\|U^*Xw\|}=\tan\theta_k",
    }
    printed = (
        r"$`\cos\theta_k(U,X)=\max_{\Pi\in\mathcal P_k}\min_{w:\Pi w=w}\frac{\lVert U^\top Xw\rVert}{\lVert "
        r"Xw\rVert}`$, and $`\tan\theta_k(U,X)=\min_{\Pi\in\mathcal P_k}\max_{w:\Pi w=w}\frac{\lVert V^\top "
        r"Xw\rVert}{\lVert U^\top Xw\rVert}`$ for $`V=U^\perp`$."
    )
    where = {
        r"\theta_k": "last principal angle between the ranges of $`U`$ and $`X`$",
        "U": "$`k`$ orthonormal columns",
        "V": "orthonormal basis of the complement of the range of $`U`$",
        "X": r"matrix of $`p\ge k`$ independent columns",
        r"\Pi": "projector of rank $`k`$ in $`p`$ dimensions",
        "w": "vector of $`p`$ numbers",
        r"\Pi_*": "best one: projector on the span of the $`w`$ for which $`Xw`$ are the first $`k`$ principal vectors",
    }
    verdict = Verdict.VERIFIED
    uses = ("HP-D2.1",)
    note = "perturbation.md#the-k-th-principal-angle"

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, ...]:
        """A unitary whose first ``k`` columns are ``U``, an oblique ``X``, and a basis of a space of ``w``."""
        (d, k, p), field = draw(st.sampled_from(SHAPES)), draw(fields())
        frame = draw(unitaries(d, field))
        return frame, draw(subspaces(frame, k, p)), draw(independent_columns(p, k, field))

    def fast(self, frame: Any, x: Any, w: Any) -> Parts:
        k = w.shape[1]
        u, v = frame[:, :k], frame[:, k:]
        q, r = np.linalg.qr(x)
        angle = fast.principal_angles(u, q)[k - 1]
        best = np.linalg.solve(r, fast.adjoint(np.linalg.svd(fast.adjoint(u) @ q)[2][:k]))
        (cosine, tangent), (best_cosine, best_tangent) = (_extremes(u, v, x @ space) for space in (w, best))
        yield AtMost(cosine, np.cos(angle), scale=1, part="cosine of any space")
        yield Equal(best_cosine, np.cos(angle), scale=1, part="cosine of the best space")
        if cosine >= STEEP:
            yield AtMost(np.tan(angle), tangent, scale=1, part="tangent of any space")
            yield Equal(best_tangent, np.tan(angle), scale=1, part="tangent of the best space")

    def oracle(self, frame: Matrix, x: Matrix, w: Matrix) -> Parts:
        with mp.workdps(4 * mp.dps):  # an arccosine near 1 keeps half the digits of its argument
            d, k = x.rows, w.cols
            u = oracle.columns(frame, range(k))
            angle = oracle.principal_angles(u, orthonormal(x))[k - 1]
            inside = x.H * u * u.H * x
            outside = x.H * (mp.eye(d) - u * u.H) * x
            whole = oracle.whitening(x.H * x)
            best = whole.H * oracle.columns(oracle.eigenvectors(whole * inside * whole.H)[1], range(k))
            cosine, best_cosine = (_root(_relative(s.H * inside * s, s.H * x.H * x * s)[-1]) for s in (w, best))
            yield AtMost(cosine, mp.cos(angle), scale=1, part="cosine of any space")
            yield Equal(best_cosine, mp.cos(angle), scale=1, part="cosine of the best space")
            if cosine < STEEP:
                return
            tangent, best_tangent = (_root(_relative(s.H * outside * s, s.H * inside * s)[0]) for s in (w, best))
            yield AtMost(mp.tan(angle), tangent, scale=1, part="tangent of any space")
            yield Equal(best_tangent, mp.tan(angle), scale=1, part="tangent of the best space")

    def tight(self) -> list[Any]:
        """Only the third direction of ``X`` is at right angles to ``U``; the first two span the best space."""
        x = np.array([[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 1.0]])
        return [(np.eye(5), x, np.eye(3, 2))]

    def beyond(self) -> dict[str, AtMost]:
        """One ``w`` for planes that meet in a line at a right angle; ``U = 2 e_1``; and a part of a complement.

        In the last instance ``U = e_1`` and ``X = (1, 1, 0)``, which has no part along ``V = e_3``.
        """
        axes, x = mp.eye(4), mp.matrix([1, 1, 0])
        u, wide = oracle.columns(axes, [0, 1]), oracle.columns(axes, [0, 2])
        angle = oracle.principal_angles(u, wide)[1]
        cosine = oracle.frobenius_norm(u.T * wide * mp.matrix([1, 0]))
        return {
            "the space of w has k dimensions": AtMost(cosine, mp.cos(angle), scale=1, part="cosine of any space"),
            "the columns of U have length 1": AtMost(mp.mpf(2), mp.mpf(1), part="cosine of any space"),
            "V is the whole complement": AtMost(x[1] / x[0], abs(x[2]) / x[0], part="tangent of any space"),
        }
