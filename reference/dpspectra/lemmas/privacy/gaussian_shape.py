"""DPS-SHAPE: the normal noise of least mean square on symmetric matrices, where one row is replaced.

Privacy of normal noise of covariance ``S`` depends on ``mu^2 = sup <D, S^-1 D>`` over ``D = v v' - w w'`` with ``v, w``
in the unit ball. For every law of ``D`` with second moments ``K``, ``mu^2 >= tr(S^-1 K)``, and ``tr S tr(S^-1 K) >= (tr
K^(1/2))^2`` by Cauchy and Schwarz. The law that replaces ``v`` by an orthogonal row, or with a certain probability by
zero, ``v`` being uniform, makes the right side ``2 (D - 1) + 2 / (d + 1)``, where ``D = d (d + 1) / 2``. The shape that
attains it has the variance 2 on every traceless unit matrix and ``2 / (d + 1)`` on ``I / sqrt d``, over ``mu^2``.
"""

import itertools
import math
from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import trace_noise
from dpspectra.ledger import AtMost, Column, Matrix, Outcome, Parts, Relation, Verdict, statement
from dpspectra.oracle import linalg as oracle
from dpspectra.strategies import ball_vectors, rectangular, st


def _coordinates(a: Any) -> Any:
    """Coordinates of a symmetric matrix in the basis ``E_ii``, ``(E_ij + E_ji) / sqrt 2``, row by row."""
    return mp.matrix([a[i, j] * (1 if i == j else mp.sqrt(2)) for i in range(a.rows) for j in range(i, a.rows)])


def _optimal(d: int) -> Any:
    """Covariance of the shape for ``mu = 1`` from its definition by ``d^2 + 1`` independent normal numbers."""
    columns = []
    for i, j in itertools.product(range(d), repeat=2):
        z = mp.zeros(d)
        z[i, j] += 1 / mp.sqrt(2)
        z[j, i] += 1 / mp.sqrt(2)
        trace = mp.fsum(z[k, k] for k in range(d))
        columns.append(_coordinates(z - trace / d * mp.eye(d)))
    columns.append(_coordinates(mp.sqrt(mp.mpf(2) / (d * (d + 1))) * mp.eye(d)))
    total = mp.zeros(len(columns[0]))
    for column in columns:
        total += column * column.T
    return total


def _second_moments(d: int) -> Any:
    """Second moments of ``v v' - w w'`` under the worst law, by a rule of three points an axis, exact to degree 5.

    ``g g'`` of a normal vector has the fourth moments of a uniform unit vector times ``d (d + 2)``. Given ``v`` the
    mean of ``w w'`` is ``(I - v v') / (d - 1)``.
    """
    size = d * (d + 1) // 2
    fourth = mp.zeros(size)
    points = [(mp.mpf(0), mp.mpf(2) / 3), (mp.sqrt(3), mp.mpf(1) / 6), (-mp.sqrt(3), mp.mpf(1) / 6)]
    for node in itertools.product(points, repeat=d):
        g = _coordinates(oracle.outer(mp.matrix([x for x, _ in node])))
        fourth += mp.fprod(weight for _, weight in node) / (d * (d + 2)) * g * g.T
    if d == 1:
        return fourth
    one = _coordinates(mp.eye(d))
    mixed = (one * one.T / d - fourth) / (d - 1)
    # what makes tr K^(1/2) largest: two eigenvalues, one for the trace
    zero = 2 * mp.mpf(d) / ((d + 1) * ((d + 1) * (size - 1) + 1))
    return zero * fourth + (1 - zero) * 2 * (fourth - mixed)


@statement
class GaussianShape:
    labels = ("DPS-SHAPE",)
    given = (
        r"D=vv^\top-ww^\top,\ \|v\|,\|w\|\le1,\ \Sigma_0=2\big(P_0+\tfrac1{d+1}P_I\big);\quad"
        r"\mu^2=\sup_D\langle D,\Sigma^{-1}D\rangle\ge\operatorname{tr}(\Sigma^{-1}K),\ "
        r"K=\tfrac4{d(d^2+2d-1)}\big((d+1)P_0+\tfrac1{d+1}P_I\big)"
    )
    claim = {
        "privacy of the shape": r"\langle D,\Sigma_0^{-1}D\rangle\le1",
        "least mean square": r"\tfrac{d(d^2+2d-1)}{d+1}\le\operatorname{tr}\Sigma\,\operatorname{tr}(\Sigma^{-1}K)",
    }
    where = {
        r"\Sigma": "covariance of the noise, as an operator on symmetric matrices",
        "v": "row before the change, of norm at most 1",
        "w": "row after the change, of norm at most 1",
        "P_0": "projector on the symmetric matrices of trace 0",
        "P_I": "projector on the multiples of the identity",
        "D": "change when a row $`v`$ turns into $`w`$",
        r"\Sigma_0": "covariance of the shape of least mean square",
        "K": "second moments of the change under a law of $`v`$ and $`w`$, the worst one",
    }
    verdict = Verdict.NEW
    relation = (Relation.REPLACE,)
    uses = ("HR-T2.6R",)
    note = "privacy.md#gaussian-noise-of-least-mean-square"
    examples = 50

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, Any, Any]:
        """The row before and after, and a root of a covariance in an orthonormal basis of the symmetric matrices.

        The rows lie in the unit ball; the covariance is in general position, kept away from singular ones.
        """
        d = draw(st.integers(1, 3))
        size = d * (d + 1) // 2
        root = np.tril(draw(rectangular(size, size)), -1) / 8 + np.diag(draw(rectangular(size, 1))[:, 0] / 16 + 1)
        return draw(ball_vectors(d)), draw(ball_vectors(d)), root

    def fast(self, v: Any, w: Any, root: Any) -> Parts:
        d, size = len(v), len(root)
        p, q = float(v @ v), float(w @ w)
        square = ((p - q) ** 2 + p**2 + q**2 - 2 * float(v @ w) ** 2) / 2
        yield AtMost(square, 1.0, part="privacy of the shape")
        zero = 2 * d / ((d + 1) * ((d + 1) * (size - 1) + 1))  # the probability that a row becomes zero
        along, across = zero / d, (2 * (1 - zero) + zero * (1 - 1 / d)) / max(size - 1, 1)
        trace = np.eye(d)[np.triu_indices(d)] / math.sqrt(d)
        moments = across * (np.eye(size) - np.outer(trace, trace)) + along * np.outer(trace, trace)
        inverse = np.linalg.inv(root)
        least, _ = trace_noise.gaussian_moments(d)
        yield AtMost(least, float(np.sum(root**2) * np.sum((inverse @ moments) * inverse)), part="least mean square")

    def oracle(self, v: Column, w: Column, root: Matrix) -> Parts:
        optimal, covariance = _optimal(v.rows), root * root.T
        change = _coordinates(oracle.outer(v) - oracle.outer(w))
        yield AtMost((change.T * mp.lu_solve(optimal, change))[0], 1, part="privacy of the shape")
        moments = _second_moments(v.rows)
        mean = mp.fsum((mp.inverse(covariance) * moments)[i, i] for i in range(moments.rows))
        least = mp.fsum(mp.sqrt(x) for x in oracle.eigenvalues(moments)) ** 2
        yield AtMost(least, mp.fsum(covariance[i, i] for i in range(moments.rows)) * mean, part="least mean square")

    def tight(self) -> list[Any]:
        """A row that appears and two orthogonal rows exchanged, with noise of the shape in one and two columns."""
        line = np.eye(1)
        plane = np.array([[4 / 3, 0, -2 / 3], [0, 2, 0], [-2 / 3, 0, 4 / 3]])
        first, second = np.eye(2)
        return [
            (np.ones(1), np.zeros(1), line),
            (first, np.zeros(2), np.linalg.cholesky(plane)),
            (first, second, np.linalg.cholesky(plane)),
        ]

    def beyond(self) -> dict[str, Outcome]:
        """A row of norm 2 appears: the distance is four times as large."""
        private, _ = self.oracle(np.array([2.0, 0.0]), np.zeros(2), np.eye(3))
        return {"rows of norm at most 1": private}
