"""DPS-AUGMENTED: how far second moments of rows with a constant entry move: the mean and the moments in one release.

For rows ``v = (b, x)``, ``|x| <= 1``, the second moments hold the mean and the second moments of ``x``. If a row is
replaced they move by ``v v' - w w'``, whose norm ``K`` (DPS-KNORM) is its largest eigenvalue or minus its smallest one.
The largest is the largest ``<v - w, z> <v + w, z>`` over unit ``z``, that is ``(|v - w| |v + w| + |x|**2 - |y|**2) /
2`` with ``|v - w|**2 = |x - y|**2`` and ``|v + w|**2 = 4 b**2 + |x + y|**2``. For ``b <= 1`` it is at most ``|v|**2 <=
1 + b**2``, attained at unit ``x, y`` with ``<x, y> = -b**2``. For ``b >= 1`` it increases in ``|x - y|`` up to ``|x| +
|y|``, and then in both lengths: at most ``2 b``, attained at ``y = -x``, which is less than ``1 + b**2``. The Frobenius
norm is at most ``sqrt 2`` times that.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.ledger import AtMost, Column, Outcome, Parts, Real, Relation, Verdict, statement
from dpspectra.strategies import ball_vectors, dimensions, dyadics, st


@statement
class RowsWithConstant:
    labels = ("DPS-AUGMENTED",)
    given = r"v=(b,x),\ w=(b,y),\ \|x\|,\|y\|\le1,\ s=1+b^2\ (b\le1),\ s=2b\ (b\ge1)"
    claim = {
        "norm": r"K(vv^\top-ww^\top)\le s",
        "Frobenius norm": r"\|vv^\top-ww^\top\|_F\le\sqrt2\,s",
    }
    where = {
        "v": "row before the change, with the constant entry",
        "w": "row after the change, with the constant entry",
        "b": "the constant entry, above 0",
        "s": "sensitivity in the K-norm",
    }
    verdict = Verdict.NEW
    relation = (Relation.REPLACE,)
    uses = ("DPS-KNORM",)
    note = "sensitivity.md#rows-with-a-constant"

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, Any, float]:
        """A row of norm at most 1, the row that replaces it, and the constant entry."""
        d = draw(dimensions(1, 5))
        return draw(ball_vectors(d)), draw(ball_vectors(d)), draw(dyadics(2.0**-6, 4))

    def fast(self, x: Any, y: Any, constant: float) -> Parts:
        change = fast.outer(np.append(constant, x)) - fast.outer(np.append(constant, y))
        bound = 1 + constant**2 if constant <= 1 else 2 * constant
        yield AtMost(float(np.max(np.abs(np.linalg.eigvalsh(change)))), bound, part="norm")
        yield AtMost(float(np.linalg.norm(change)), 2**0.5 * bound, part="Frobenius norm")

    def oracle(self, x: Column, y: Column, constant: Real) -> Parts:
        """The eigenvalues from inner products, and the largest ones by the lengths of sums and differences."""
        product = mp.norm(x - y) * mp.sqrt(4 * constant**2 + mp.norm(x + y) ** 2)
        tilt = mp.norm(x) ** 2 - mp.norm(y) ** 2
        first, last = (product + tilt) / 2, (product - tilt) / 2
        angle = min(constant**2, mp.one)  # minus the cosine between unit rows that are farthest apart
        largest = mp.sqrt((1 + constant**2) ** 2 - (constant**2 - angle) ** 2)
        yield AtMost(max(first, last), largest, part="norm")
        yield AtMost(mp.hypot(first, last), mp.sqrt(2) * largest, part="Frobenius norm")

    def tight(self) -> list[Any]:
        """Rows at the angle of cosine ``-b**2``, and opposite ones for a large constant."""
        return [
            (np.eye(5)[0], np.array([-1, 3, 2, 1, 1]) / 4, 0.5),
            (np.array([1.0, 0.0]), np.array([-1.0, 0.0]), 1.0),
            (np.array([1.0]), np.array([-1.0]), 3.0),
        ]

    def beyond(self) -> dict[str, Outcome]:
        norm, _ = self.oracle(np.array([2.0]), np.array([-2.0]), 1.0)
        return {"rows of norm at most 1": norm}
