"""The l1 sensitivity of the second moments ``X'X / n`` lies between ``d / n`` and ``2 d / n``, all entries counted.

Upper bound: ``v v'`` has l1 norm ``|v|_1^2 <= d``, and a difference has at most the sum of two such norms. Lower bound:
a flat vector against zero. Neither is tight (JXZ-L2-X has the exact values). For the upper triangle alone the upper
bound holds all the more; the lower bound is false for ``d >= 3``. Outside the unit ball there is no bound.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.ledger import AtMost, Parts, Reals, Relation, Verdict, all_parts, statement
from dpspectra.strategies import ball_vectors, rectangular, st


@statement
class CovarianceL1Printed:
    labels = ("JXZ-L2",)
    given = r"\|v\|,\|w\|\le1,\ u=d^{-1/2}(1,\dots,1)^\top"
    claim = {
        "sum of two norms": r"\sum_{i,j}|(vv^\top-ww^\top)_{ij}|\le\|v\|_1^2+\|w\|_1^2",
        "upper bound": r"\|v\|_1^2+\|w\|_1^2\le2d",
        "lower bound": r"d\le\sum_{i,j}|(uu^\top)_{ij}|",
    }
    printed = (
        r"Not at hand; read as: the $`\ell_1`$ sensitivity of $`\frac1nXX^\top`$ is between $`\frac dn`$ and "
        r"$`\frac{2d}n`$."
    )
    where = {"u": "flat unit vector"}
    verdict = Verdict.VERIFIED
    relation = (Relation.REPLACE,)
    uses = ("JXZ-D5",)
    note = "sensitivity.md#covariance-in-l1-as-printed"

    def cases(self) -> Any:
        return st.integers(1, 8).flatmap(
            lambda d: st.tuples(ball_vectors(d), ball_vectors(d)) | rectangular(2, d).map(lambda m: tuple(m / 32))
        )

    def fast(self, v: Any, w: Any) -> Parts:
        d, lengths = len(v), np.sum(np.abs(v)) ** 2 + np.sum(np.abs(w)) ** 2
        flat = np.full(d, d**-0.5)
        yield AtMost(np.sum(np.abs(fast.outer(v) - fast.outer(w))), lengths, part="sum of two norms")
        yield AtMost(lengths, 2.0 * d, part="upper bound")
        yield AtMost(float(d), np.sum(np.abs(fast.outer(flat))), part="lower bound")

    def oracle(self, v: Reals, w: Reals) -> Parts:
        d = len(v)
        lengths = mp.fsum(abs(a[i] * a[j]) for a in (v, w) for i in range(d) for j in range(d))
        change = mp.fsum(abs(v[i] * v[j] - w[i] * w[j]) for i in range(d) for j in range(d))
        yield AtMost(change, lengths, part="sum of two norms")
        yield AtMost(lengths, 2 * d, part="upper bound")
        flat = [1 / mp.sqrt(d)] * d
        yield AtMost(mp.mpf(d), mp.fsum(a * b for a in flat for b in flat), part="lower bound")

    def tight(self) -> list[Any]:
        flat = np.full(4, 0.5)
        return [(flat, np.zeros(4)), (np.zeros(4), flat), (flat, flat)]

    def beyond(self) -> dict[str, AtMost]:
        _, upper, _ = all_parts(self.oracle(np.array([1.0, 1.0]), np.array([1.0, -1.0])))
        return {"rows of norm at most 1": upper}
