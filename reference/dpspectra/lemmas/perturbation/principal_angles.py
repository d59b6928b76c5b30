"""Principal angles: the smallest angle between vectors of two subspaces, then again orthogonally to that pair.

They are the arccosines of the singular values of ``U* V`` for orthonormal bases, so they do not depend on the choice of
the pairs. In float64 an arccosine cannot resolve angles below 1e-8; for those the sines are used, the singular values
of the part of ``V`` outside ``U``. The cosine of an angle is the modulus of the inner product divided by both lengths.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.ledger import Equal, Matrix, Parts, Verdict, statement
from dpspectra.oracle import linalg as oracle
from dpspectra.oracle.alignment import orthonormal
from dpspectra.strategies import dimensions, fields, rectangular, st, unitaries
from dpspectra.strategies.subspaces import subspaces


def _without(frame: Any, coefficients: Any) -> Any:
    """Orthonormal basis of the part of the span of ``frame`` that is orthogonal to one vector of it."""
    return frame @ np.linalg.qr(coefficients[:, None], mode="complete")[0][:, 1:]


def _exactly_without(frame: Any, coefficients: Any) -> Any:
    """`_without` in mpmath, by the eigenvectors of the projector onto the complement."""
    k = frame.cols
    vectors = oracle.eigenvectors(mp.eye(k) - oracle.outer(coefficients))[1]
    return frame * oracle.columns(vectors, range(k - 1)) if k > 1 else frame


@statement
class PrincipalAngles:
    labels = ("HP-D2.1", "MWKTV-E16")
    given = (
        r"\theta_\ell=\arccos s_\ell(U^*V),\ u\in\mathcal U\ominus\langle u_1..u_{\ell-1}\rangle,\ "
        r"v\in\mathcal V\ominus\langle v_1..v_{\ell-1}\rangle"
    )
    claim = {
        "greedy principal angles": r"\theta_\ell=\min_{u,v\ne0}\arccos\frac{|\langle u,v\rangle|}{\|u\|\|v\|}",
    }
    printed = {
        "HP-D2.1": (
            r"$`\cos\theta_1=\max\langle x,y\rangle`$ over unit vectors of both subspaces, and so on in the "
            "orthogonal complements of the earlier vectors."
        ),
        "MWKTV-E16": (
            r"$`\theta_\ell=\min\big\{\frac{\arccos|\langle u,v\rangle|}{\lVert u\rVert\lVert "
            r"v\rVert}:u\in\mathcal U,v\in\mathcal V,u\perp u_s,v\perp v_s\ \forall "
            r"s\in1,\dots,\ell-1\big\}`$."
        ),
    }
    where = {
        "u": "unit vector, or any vector but 0, of the first subspace",
        "v": "vector of the second subspace",
        r"u_1..u_{\ell-1}": "the vectors of the first subspace that were found before",
        r"v_1..v_{\ell-1}": "the vectors of the second subspace that were found before",
        r"\mathcal U": "first subspace",
        r"\mathcal V": "second subspace",
        "U": "orthonormal basis of the first subspace",
        "V": "orthonormal basis of the second subspace",
    }
    verdict = Verdict.DEFINITION
    note = "perturbation.md#principal-angles"

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, Any]:
        """Oblique bases of two subspaces."""
        d, field = draw(dimensions()), draw(fields())
        k, m = draw(st.integers(1, d)), draw(st.integers(1, d))
        frame = draw(unitaries(d, field))
        mixed = np.eye(k) + np.triu(draw(rectangular(k, k, field, 2)), 1)
        return frame[:, :k] @ mixed, draw(subspaces(frame, k, m))

    def fast(self, u: Any, v: Any) -> Parts:
        u, v = np.linalg.qr(u)[0], np.linalg.qr(v)[0]
        for angle in fast.principal_angles(u, v):
            left, _, right = np.linalg.svd(fast.adjoint(u) @ v)
            x, y = u @ left[:, 0], v @ right[0].conj()
            greedy = 2 * np.arctan2(np.linalg.norm(x - y), np.linalg.norm(x + y))
            yield Equal(angle, greedy, scale=1, part="greedy principal angles")
            u, v = _without(u, left[:, 0]), _without(v, right[0].conj())

    def oracle(self, u: Matrix, v: Matrix) -> Parts:
        digits = mp.dps
        with mp.workdps(4 * digits):  # an arccosine near 1 keeps half the digits of its argument
            u, v = orthonormal(u), orthonormal(v)
            for angle in oracle.principal_angles(u, v):
                product = oracle.adjoint(u) * v
                a = oracle.eigenvectors(product * oracle.adjoint(product))[1][:, 0]
                image = oracle.adjoint(product) * a
                cosine = oracle.frobenius_norm(image)
                b = image / cosine if cosine > 0 else mp.eye(v.cols)[:, 0]
                yield Equal(angle, mp.acos(min(cosine, 1)), scale=1, part="greedy principal angles")
                u, v = _exactly_without(u, a), _exactly_without(v, b)

    def tight(self) -> list[Any]:
        tiny = 2.0**-30
        return [(np.eye(4)[:, :2], np.array([[1.0, 0.0], [0.0, tiny], [tiny, 0.0], [0.0, 1.0]]))]

    def beyond(self) -> dict[str, Equal]:
        """An axis of length 2 against itself, by cosines; and planes that meet in a line, the line taken twice."""
        long, axes = mp.matrix([2, 0]), mp.eye(3)
        first, second = oracle.principal_angles(oracle.columns(axes, [0, 1]), oracle.columns(axes, [0, 2]))
        cosine, length = oracle.singular_values(long.T * axes[:2, :1])[0], oracle.frobenius_norm(long)
        return {
            "the bases are orthonormal": Equal(cosine, cosine / length, part="greedy principal angles"),
            "the next pair is orthogonal to the first": Equal(second, first, scale=1, part="greedy principal angles"),
        }
