"""``M`` and ``M - x x* + y y*``, ``|x|, |y| <= 1``, are neighbours in three ways, each stricter than the one before.

``matrix_replace``: both matrices are PSD. Two PSD matrices are such neighbours exactly when ``M' - M`` has at most one
positive and one negative eigenvalue, of modulus at most 1. These are ``(r + q - p) / 2`` and ``-(r + p - q) / 2`` with
``p = |x|^2``, ``q = |y|^2`` and ``r^2 = (p + q)^2 - 4 |<x, y>|^2``. ``replace``: also ``M - x x*`` is PSD, so that some
data set contains ``x``. ``add_remove``: ``x`` or ``y`` is zero. The first relation is strictly weaker than the second:
``u u*`` and ``w w*`` with ``u = (t, 1/2t)``, ``w = (t, -1/2t)`` differ by a matrix with eigenvalues 1 and -1, but a
data set for ``u u*`` consists of multiples of ``u``, all of which would have to be removed, and ``|u| > 1`` for
``t >= 1``.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.ledger import AtMost, Column, Equal, Matrix, Outcome, Parts, Real, Relation, Verdict, statement
from dpspectra.oracle import linalg as oracle
from dpspectra.strategies import dimensions, fields, matrix_neighbours, st


def swap(t: float) -> tuple[Any, Any]:
    """Vectors ``u``, ``w`` of equal length above ``t`` for which ``w w' - u u'`` has the eigenvalues 1 and -1."""
    return np.array([t, 0.5 / t]), np.array([t, -0.5 / t])


@statement
class Adjacency:
    labels = ("MWKTV-ADJ",)
    given = (
        r"M'-M=yy^*-xx^*,\ \|x\|,\|y\|\le1\iff\lambda(M'-M)=(\alpha,0,\dots,0,-\beta),\ 0\le\alpha,\beta\le1;\quad"
        r"\text{replace}:M\succeq xx^*;\quad\text{add/remove}:x=0\text{ or }y=0;\quad "
        r"r^2=(\|x\|^2+\|y\|^2)^2-4|\langle x,y\rangle|^2;\quad u=(t,\tfrac1{2t}),\ w=(t,-\tfrac1{2t}),\ t\ge1"
    )
    claim = {
        "nuclear norm of the change": r"\|M'-M\|_*=r",
        "positive eigenvalue": r"\alpha=\tfrac12(r+\|y\|^2-\|x\|^2)",
        "squares of the eigenvalues": r"\lambda_i(M'-M)^2\le1",
        "two eigenvalues only": r"\|M'-M-\alpha v_1v_1^*+\beta v_dv_d^*\|_F=0",
        "removal of the row": r"-\lambda_d(M-xx^*)\le0",
        "spectral norm of the swap": r"\|ww^\top-uu^\top\|_2=1",
        "swap outside the cone": (
            r"\lambda_2\big(ww^\top-(1-s/\|u\|^2)uu^\top\big)\le\tfrac12\big(1-\sqrt{5-4/\|u\|^2}\big),\ 0\le s\le1"
        ),
    }
    where = {
        "x": "row that leaves, of norm at most 1",
        "y": "row that enters, of norm at most 1",
        r"\lambda(": (r"\lambda(M'-M)", "eigenvalues of the change"),
        r"\alpha": "the one positive eigenvalue of the change, or 0",
        r"\beta": "modulus of the one negative eigenvalue of the change, or 0",
        r"\lambda_i": "eigenvalues, in descending order",
        "r": r"root of the discriminant, $`\alpha+\beta`$",
        "v_i": "unit eigenvectors of the change",
        "u": "row that would have to leave, too long for it",
        "w": "row that would enter",
        "t": "first coordinate of both",
        "s": "squared norm of the multiple of $`u`$ that leaves",
    }
    verdict = Verdict.DEFINITION
    relation = (Relation.MATRIX_REPLACE, Relation.REPLACE, Relation.ADD_REMOVE)
    exact = ("spectral norm of the swap",)
    note = "privacy.md#adjacency"

    def cases(self) -> Any:
        return st.tuples(dimensions(), fields()).flatmap(
            lambda p: st.tuples(matrix_neighbours(*p), st.sampled_from([1.0, 2.0, 8.0, 64.0]), st.integers(0, 8))
        )

    def fast(self, pair: Any, t: float, eighths: int) -> Parts:
        m, _, x, y = pair
        p, q, change = np.vdot(x, x).real, np.vdot(y, y).real, fast.outer(y) - fast.outer(x)
        root = np.sqrt((p + q) ** 2 - 4 * np.abs(np.vdot(x, y)) ** 2)
        values, vectors = fast.eigenvectors(change)
        best = fast.outer(vectors[:, 0]) * max(values[0], 0) + fast.outer(vectors[:, -1]) * min(values[-1], 0)
        yield Equal(fast.nuclear_norm(change), root, scale=1, part="nuclear norm of the change")
        yield Equal(max(values[0], 0), (root + q - p) / 2, scale=1, part="positive eigenvalue")
        for value in values:
            yield AtMost(value**2, 1, part="squares of the eigenvalues")
        yield Equal(fast.frobenius_norm(change - best), 0, scale=1, part="two eigenvalues only")
        size = 1 + fast.frobenius_norm(m)
        yield AtMost(-fast.eigenvalues(m - fast.outer(x))[-1], 0, scale=size, part="removal of the row")
        gone, come = map(fast.outer, swap(t))
        length = np.trace(gone)
        yield Equal(fast.spectral_norm(come - gone), 1, scale=length, part="spectral norm of the swap")
        smallest = fast.eigenvalues(come - (1 - eighths / 8 / length) * gone)[-1]
        yield AtMost(smallest, (1 - np.sqrt(5 - 4 / length)) / 2, scale=length, part="swap outside the cone")

    def oracle(self, pair: tuple[Matrix, Matrix, Column, Column], t: float, eighths: Real) -> Parts:
        m, _, x, y = pair
        p, q, change = oracle.inner(x, x), oracle.inner(y, y), oracle.outer(y) - oracle.outer(x)
        determinant = abs(mp.mpc((oracle.adjoint(x) * y)[0])) ** 2 - p * q  # of the change on the plane of x and y
        root = mp.sqrt((q - p) ** 2 - 4 * determinant)
        values, vectors = oracle.eigenvectors(change)
        first, last = (oracle.outer(vectors[:, i]) for i in (0, change.rows - 1))
        best = max(values[0], 0) * first + min(values[-1], 0) * last
        yield Equal(mp.fsum(map(abs, values)), root, scale=1, part="nuclear norm of the change")
        yield Equal(max(values[0], 0), (root + q - p) / 2, scale=1, part="positive eigenvalue")
        for value in values:
            yield AtMost(value**2, 1, part="squares of the eigenvalues")
        yield Equal(oracle.frobenius_norm(change - best), 0, scale=1, part="two eigenvalues only")
        size = 1 + oracle.frobenius_norm(m)
        yield AtMost(-oracle.eigenvalues(m - oracle.outer(x))[-1], 0, scale=size, part="removal of the row")
        gone, come = (oracle.outer(oracle.exact(v)) for v in swap(t))
        length = mp.fsum(gone[i, i] for i in range(gone.rows))
        yield Equal(oracle.spectral_norm(come - gone), 1, scale=length, part="spectral norm of the swap")
        smallest, most_removed = (
            oracle.eigenvalues(come - (1 - removed / length) * gone)[-1] for removed in (eighths / 8, 1)
        )
        yield AtMost(smallest, most_removed, scale=length, part="swap outside the cone")

    def tight(self) -> list[Any]:
        """An oblique row and an axis, in place of another axis; and numbers, the larger one in place of the smaller."""
        first, second = np.array([1.0, 0.0]), np.array([0.0, 1.0])
        one, oblique = np.ones(1), np.array([0.75, 0.5])
        return [
            ((np.eye(2), np.eye(2) + fast.outer(oblique) - np.diag([1.0, 0.0]), first, oblique), 8.0, 8),
            ((np.eye(2), np.diag([0.0, 2.0]), first, second), 8.0, 8),
            ((np.eye(1) / 4, np.eye(1), one / 2, one), 8.0, 8),
        ]

    def beyond(self) -> dict[str, Outcome]:
        """A row of norm 2 is added to nothing."""
        y = mp.matrix([2, 0])
        return {"rows of norm at most 1": AtMost(oracle.eigenvalues(oracle.outer(y))[0], mp.mpf(1))}
