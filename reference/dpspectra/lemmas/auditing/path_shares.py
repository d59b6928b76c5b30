"""Paths of two programs that give the same output may be compared one by one, each against a share of another.

The density of an output is the sum over all paths that lead to it. Give each path of the first data set a share of one
path of the second, so that the shares of one path sum to at most 1. The positive part of a sum is at most the sum of
the positive parts, and a sum of fractions lies below the largest of them, so the exact delta of the output and its
loss are bounded by what each path exceeds its share by. With shares that sum to more, one path would pay twice.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.ledger import AtMost, Parts, Real, Verdict, statement
from dpspectra.strategies import epsilons, st
from dpspectra.strategies.probability_vectors import distributions

PATHS, OUTPUTS = 3, 2
"""Paths of each program, and outputs that each of them may give."""


@statement
class PathShares:
    labels = ("DPS-PATHSHARES",)
    given = r"p=\sum_ip_i,\ q=\sum_jq_j,\ \lambda_i\ge0,\ \sum_{i:m(i)=j}\lambda_i\le1\text{ for all }j"
    claim = {
        "delta": (
            r"\sum_y\big(p(y)-e^\varepsilon q(y)\big)_+"
            r"\le\sum_i\sum_y\big(p_i(y)-e^\varepsilon\lambda_iq_{m(i)}(y)\big)_+"
        ),
        "loss": r"\max_y\frac{p(y)}{q(y)}\le\max_{i,y}\frac{p_i(y)}{\lambda_iq_{m(i)}(y)}",
    }
    where = {
        "p": "law of the output on the first data set",
        "q": "law of the output on the second data set",
        "p_i": "part of that law that a path of the first data set gives",
        "q_j": "part of that law that a path of the second data set gives",
        "m": "path of the second data set that a path of the first is compared with",
        r"\lambda_i": "share of it",
        "y": "output",
    }
    verdict = Verdict.NEW
    note = "auditing.md#shares-of-paths-that-give-the-same-output"

    def cases(self) -> Any:
        """Laws of paths and outputs together, the path that each is compared with, and weights of the shares."""
        return st.tuples(
            distributions(PATHS * OUTPUTS),
            distributions(PATHS * OUTPUTS),
            st.tuples(*[st.integers(0, PATHS - 1)] * PATHS),
            st.tuples(*[st.integers(1, 8)] * PATHS),
            epsilons(2.0**-6, 4.0) | st.just(0.0),
        )

    def fast(self, p: Any, q: Any, of: Sequence[int], weights: Sequence[int], epsilon: float) -> Parts:
        """Sums over arrays."""
        p, q, m, w = np.reshape(p, (PATHS, OUTPUTS)), np.reshape(q, (PATHS, OUTPUTS)), np.array(of), np.array(weights)
        shares = w / np.array([np.sum(w[m == j]) for j in m])
        theirs = shares[:, None] * q[m]
        grow = np.exp(epsilon)
        mine = float(np.sum(np.maximum(p.sum(axis=0) - grow * q.sum(axis=0), 0)))
        yield AtMost(mine, float(np.sum(np.maximum(p - grow * theirs, 0))), scale=1, part="delta")
        if np.all(theirs > 0):
            ratio = p.sum(axis=0) / q.sum(axis=0)
            yield AtMost(float(np.max(ratio)), float(np.max(p / theirs)), part="loss")

    def oracle(self, p: Any, q: Any, of: Sequence[int], weights: Sequence[int], epsilon: Real) -> Parts:
        """Output by output."""
        a, b = ([[mp.mpf(float(x[OUTPUTS * i + y])) for y in range(OUTPUTS)] for i in range(PATHS)] for x in (p, q))
        total = {j: sum(w for i, w in zip(of, weights, strict=True) if i == j) for j in of}
        theirs = [[b[of[i]][y] * weights[i] / total[of[i]] for y in range(OUTPUTS)] for i in range(PATHS)]
        sums = [[mp.fsum(x[i][y] for i in range(PATHS)) for y in range(OUTPUTS)] for x in (a, b)]
        grow = mp.exp(epsilon)
        mine = mp.fsum(max(s - grow * t, 0) for s, t in zip(*sums, strict=True))
        each = [(a[i][y], theirs[i][y]) for i in range(PATHS) for y in range(OUTPUTS)]
        yield AtMost(mine, mp.fsum(max(s - grow * t, 0) for s, t in each), scale=1, part="delta")
        if all(t > 0 for _, t in each):
            yield AtMost(max(s / t for s, t in zip(*sums, strict=True)), max(s / t for s, t in each), part="loss")

    def tight(self) -> list[Any]:
        """Paths with the same ratio each, and one path that two share by their weights."""
        p = np.array([0.375, 0.125, 0.1875, 0.0625, 0.1875, 0.0625])
        q = np.array([0.125, 0.375, 0.0625, 0.1875, 0.0625, 0.1875])
        shared = np.array([0.125, 0.375, 0.125, 0.375, 0.0, 0.0])
        halves, whole = np.array([0.25, 0.25, *[0.125] * 4]), np.array([*[0.25] * 4, 0.0, 0.0])
        return [
            (p, q, (0, 1, 2), (1, 1, 1), 0.5),
            (p, shared, (0, 1, 1), (2, 1, 1), 0.25),
            (p, q, (0, 1, 2), (3, 2, 5), 0.0),
            (halves, whole, (0, 1, 1), (1, 2, 2), 0.0),
        ]

    def beyond(self) -> dict[str, AtMost]:
        """Two paths of probability 1/2 that give one output, both compared with all of one path of probability 1/2."""
        return {"shares of one path that sum to at most 1": AtMost(mp.mpf(2), mp.mpf(1))}
