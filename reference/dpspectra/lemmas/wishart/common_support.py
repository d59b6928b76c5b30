"""On the common support the one-sided Wishart mechanism has the log-ratio ``(|v|^2 - |w|^2) epsilon / 3``.

This is a constant, at most ``epsilon / 3``: with ``d + 1`` degrees of freedom the density is
``exp(-tr(K - A) / 2c) / Z``, so only the trace of ``A - A' = (v v' - w w') / n`` matters. The printed proof uses its
nuclear norm, which is up to twice the squared norm of a row; the factor 3 in the scale allows for that. Where the
output is impossible under one of the two data sets none of this holds, and for rows outside the unit ball there is no
bound.
"""

from typing import Any, NamedTuple

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.fast import wishart
from dpspectra.ledger import AtMost, Column, Equal, Matrix, Outcome, Parts, Real, Relation, Verdict, statement
from dpspectra.lemmas.wishart.one_sided import exact_scale, scale
from dpspectra.oracle import linalg as oracle
from dpspectra.oracle import wishart as exact
from dpspectra.strategies import ball_vectors, epsilons, psd, rectangular, st


class Case(NamedTuple):
    """The row before and after, the number of rows, ``epsilon``, and what the output has beyond both supports."""

    v: Any
    w: Any
    n: int
    epsilon: float
    beyond: Any


def bound(epsilon: Any) -> Any:
    """Largest log-ratio on the common support, for the scale printed for ``epsilon``."""
    return epsilon / 3


@statement
class CommonSupport:
    labels = ("JXZ-T4-b",)
    given = (
        r"W\sim W_d(d+1,cI),\ c=\tfrac3{2n\varepsilon},\ A-A'=\tfrac1n(vv^\top-ww^\top),\ \|v\|,\|w\|\le1,\ "
        r"K\succ A,A'"
    )
    claim = {
        "constant log-ratio": r"\log\tfrac{f_A(K)}{f_{A'}(K)}=\tfrac\varepsilon3(\|v\|^2-\|w\|^2)",
        "bound on the log-ratio": r"\big|\log\tfrac{f_A(K)}{f_{A'}(K)}\big|\le\tfrac\varepsilon3",
        "bound by the nuclear norm": r"\big|\log\tfrac{f_A(K)}{f_{A'}(K)}\big|\le\tfrac1{2c}\|A-A'\|_*",
        "nuclear norm of the change": r"\|A-A'\|_*\le\tfrac2n",
    }
    where = {
        r"\varepsilon": r"parameter of the noise, whose scale is $`\frac3{2n\varepsilon}`$",
    }
    verdict = Verdict.NEW
    relation = (Relation.REPLACE,)
    uses = ("JXZ-A2",)
    note = "wishart.md#log-ratio-on-the-common-support"

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> Case:
        """Rows in general position, or in the unit ball and possibly equal, opposite or shortened."""
        d = draw(st.integers(1, 4))
        v, w = draw(rectangular(2, d)) / 16
        if draw(st.booleans()):
            v = draw(ball_vectors(d))
            w = draw(st.one_of(ball_vectors(d), st.just(v), st.just(-v), st.just(v / 2)))
        beyond = draw(psd(d)) / 16 + np.eye(d) / 8
        return Case(v, w, draw(st.sampled_from([1, 2, 7, 10**6])), draw(epsilons(2**-6, 32.0)), beyond)

    def fast(self, v: Any, w: Any, n: int, epsilon: float, beyond: Any) -> Parts:
        d, c = len(v), scale(n, epsilon)
        a, other = fast.outer(v) / n, fast.outer(w) / n
        output = a + other + beyond
        here, there = (wishart.log_density(output - base, d + 1, c * np.eye(d)) for base in (a, other))
        size, nuclear = np.trace(output) / c + abs(here), fast.nuclear_norm(a - other)
        yield Equal(here - there, (v @ v - w @ w) * epsilon / 3, scale=size, part="constant log-ratio")
        yield AtMost(abs(here - there), bound(epsilon), scale=size, part="bound on the log-ratio")
        yield AtMost(abs(here - there), nuclear / (2 * c), scale=size, part="bound by the nuclear norm")
        yield AtMost(nuclear, 2 / n, part="nuclear norm of the change")

    def oracle(self, v: Column, w: Column, n: int, epsilon: Real, beyond: Matrix) -> Parts:
        d, e, c = len(v), epsilon, exact_scale(n, epsilon)
        a, other = oracle.outer(v) / n, oracle.outer(w) / n
        output = a + other + beyond
        here, there = (mp.log(exact.density(output - base, d + 1, c * mp.eye(d))) for base in (a, other))
        nuclear = mp.fsum(map(abs, oracle.eigenvalues(a - other)))
        yield Equal(here - there, (oracle.inner(v, v) - oracle.inner(w, w)) * e / 3, scale=1, part="constant log-ratio")
        yield AtMost(abs(here - there), e / 3, scale=1, part="bound on the log-ratio")
        yield AtMost(abs(here - there), nuclear / (2 * c), scale=1, part="bound by the nuclear norm")
        yield AtMost(nuclear, mp.mpf(2) / n, part="nuclear norm of the change")

    def tight(self) -> list[Any]:
        """A unit row for the zero row, and the zero row for it; two orthogonal unit rows, of twice the nuclear norm."""
        zero, first, second = np.zeros(2), np.array([1.0, 0.0]), np.array([0.0, 1.0])
        return [
            Case(zero, first, 7, 1.0, np.eye(2)),
            Case(zero, first, 1, 3.0, np.eye(2)),
            Case(first, zero, 1, 3.0, np.eye(2)),
            Case(first, second, 2, 1.0, np.eye(2)),
        ]

    def beyond(self) -> dict[str, Outcome]:
        """A row of norm 2 becomes zero."""
        _, largest, _, _ = self.oracle(np.array([2.0, 0.0]), np.zeros(2), 1, 1.0, np.eye(2))
        return {"rows of norm at most 1": largest}
