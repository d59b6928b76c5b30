"""The upper triangle of ``v v' - w w'`` has l1 norm at most ``S_d ~ (d + 1) / sqrt 2`` for ``v, w`` in the unit ball.

The norm is the largest ``<T, v v' - w w'>`` over symmetric ``T`` with ``T_ii = ±1``, ``T_ij = ±1/2``, so its maximum is
the largest ``max(lambda_1(T), 0) - min(lambda_d(T), 0)``, attained by two blocks of axes as equal in size as possible,
with ``T_ij`` negative if ``i`` and ``j`` both lie in the second (JXZ-L2-J). Up to six dimensions every ``T`` is tried,
too. With all entries counted (``T_ij = ±1``) the maximum is ``sqrt 2 d`` or, for odd ``d``, a little less; in l2 it is
``sqrt 2``. Outside the unit ball there is no bound.

``laplace_covariance`` and ``gaussian_covariance`` scale their noise by `upper_triangle_l1` and `upper_triangle_l2`:
never lower these. The references of the auditor and ``laplace_input`` use them too.
"""

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.fast import sign_patterns as fast_patterns
from dpspectra.formulas.covariance_l1 import covers_l1, full_l1, upper_triangle_l1, upper_triangle_l2
from dpspectra.ledger import AtMost, Equal, Parts, Reals, Relation, Verdict, all_parts, statement
from dpspectra.oracle import linalg as oracle
from dpspectra.oracle import sign_patterns as oracle_patterns
from dpspectra.strategies import ball_vectors, rectangular, st

EXHAUSTED = 6
"""Largest dimension in which every sign pattern is tried."""


def _least_covered(d: int) -> float:
    """The smallest number that `covers_l1` finds large enough, by halving an interval around 0."""
    low, high = Fraction(-4 * d), Fraction(2 * d)
    while high - low > Fraction(d, 2**60):
        middle = (low + high) / 2
        low, high = (low, middle) if covers_l1(middle, d) else (middle, high)
    return float(high)


def exact_blocks(d: int, weight: Any) -> Any:
    """Largest spread of a pattern of two sign blocks, with ``weight`` off the diagonal, over all sizes of the blocks.

    On vectors that are constant on each block it is a matrix of order 2 of determinant at most 0: its eigenvalues have
    opposite signs, and their difference is the spread.
    """

    def spread(first: int) -> Any:
        second = d - first
        upper, lower = 1 + weight * (first - 1), -1 - weight * (second - 1) if second else 0
        return mp.hypot(upper - lower, 2 * weight * mp.sqrt(first * second))

    return max(spread(first) for first in range((d + 1) // 2, d + 1))


def _exact_upper_triangle_l2(d: int) -> Any:
    """Largest change among 0 and two axes.

    The squared norm of the whole change, ``|v|^4 + |w|^4 - 2 <v, w>^2``, is largest for orthogonal vectors of norm 1 or
    0; for axes the upper triangle is all of the change.
    """
    corners = [mp.zeros(d, 1), *(mp.eye(d)[:, i] for i in range(min(d, 2)))]
    changes = (oracle.outer(v) - oracle.outer(w) for v, w in itertools.combinations(corners, 2))
    return max(mp.norm(oracle.upper_triangle(change)) for change in changes)


def block_pair(d: int, weight: float = 0.5) -> tuple[Any, Any]:
    """Top and bottom eigenvectors of the two-block pattern with this weight off the diagonal (1 and 0 if ``d = 1``).

    Shortened by ``2**-40``, so that rounding cannot take them out of the ball.
    """
    if d == 1:
        return np.ones(1), np.zeros(1)
    first = np.arange(d) < (d + 1) // 2
    pattern = weight * np.where(np.outer(~first, ~first), -1.0, 1.0)
    np.fill_diagonal(pattern, np.where(first, 1.0, -1.0))
    vectors = fast.eigenvectors(pattern)[1]
    return vectors[:, 0] * (1 - 2.0**-40), vectors[:, -1] * (1 - 2.0**-40)


@statement
class CovarianceL1:
    labels = ("JXZ-L2-X",)
    given = (
        r"\|v\|,\|w\|\le1,\ C=vv^\top-ww^\top,\ S_1=1,\ S_d=\sqrt{(d^2+2d+2)/2}\ (d\text{ even}),\ "
        r"S_d=\sqrt{(2d^2+4d+3)/4}\ (d\text{ odd},\ d\ge3),\quad "
        r"\operatorname{spread}(T)=\max(\lambda_1(T),0)-\min(\lambda_d(T),0)"
    )
    claim = {
        "upper triangle in l1": r"\sum_{i\le j}|C_{ij}|\le S_d",
        "all entries in l1": r"\sum_{i,j}|C_{ij}|\le\sqrt{2d^2-\mathbf 1[d\text{ odd}]}",
        "upper triangle in l2": r"\sqrt{\sum_{i\le j}C_{ij}^2}\le\sqrt{\min(d,2)}",
        "least number that covers": r"\inf\{s:\operatorname{covers}(s)\}=S_d",
        "maximum over sign patterns": r"d\le6:\ \max_{T_{ii}=\pm1,\,T_{ij}=\pm1/2}\operatorname{spread}(T)=S_d",
        "maximum with all entries": r"d\in\{1,3,5\}:\ \max_{T_{ij}=\pm1}\operatorname{spread}(T)=\sqrt{2d^2-1}",
    }
    where = {
        "C": "change of the second moments",
        "C_i": "its entries",
        "S_i, S_d": "l1 sensitivity of the upper triangle",
        "T": "symmetric pattern of signs with weights",
        "T_i": "the entries of the pattern",
        r"\lambda_1": "largest eigenvalue",
        r"\lambda_d": "smallest eigenvalue",
        r"\mathrm{spread}": "largest inner product of a pattern with a change of second moments",
        "s": "rational number",
        r"\mathrm{covers}": "the program's test whether a number is large enough, in rational numbers",
    }
    verdict = Verdict.NEW
    relation = (Relation.REPLACE,)
    uses = ("JXZ-D5", "JXZ-L2-J")
    exact = ("maximum with all entries",)
    note = "sensitivity.md#covariance-in-l1"
    examples = 85

    def cases(self) -> Any:
        return st.integers(1, 9).flatmap(
            lambda d: st.tuples(ball_vectors(d), ball_vectors(d)) | rectangular(2, d).map(lambda m: tuple(m / 32))
        )

    def fast(self, v: Any, w: Any) -> Parts:
        d, change = len(v), fast.outer(v) - fast.outer(w)
        upper = fast.upper_triangle(change)
        yield AtMost(np.sum(np.abs(upper)), upper_triangle_l1(d), part="upper triangle in l1")
        yield AtMost(np.sum(np.abs(change)), full_l1(d), part="all entries in l1")
        yield AtMost(np.linalg.norm(upper), upper_triangle_l2(d), part="upper triangle in l2")
        yield Equal(_least_covered(d), upper_triangle_l1(d), part="least number that covers")
        if d <= EXHAUSTED:
            yield Equal(fast_patterns.largest_spread(d, 0.5), upper_triangle_l1(d), part="maximum over sign patterns")
        if d in (1, 3, 5):
            yield Equal(fast_patterns.largest_spread(d, 1.0), full_l1(d), part="maximum with all entries")

    def oracle(self, v: Reals, w: Reals) -> Parts:
        d = len(v)
        entries = {(i, j): abs(v[i] * v[j] - w[i] * w[j]) for i in range(d) for j in range(d)}
        upper, largest = [entry for (i, j), entry in entries.items() if i <= j], exact_blocks(d, mp.mpf(1) / 2)
        yield AtMost(mp.fsum(upper), largest, part="upper triangle in l1")
        yield AtMost(mp.fsum(entries.values()), exact_blocks(d, 1), part="all entries in l1")
        yield AtMost(mp.norm(upper), _exact_upper_triangle_l2(d), part="upper triangle in l2")
        closed_form = mp.sqrt(mp.mpf(2 * d * (d + 2) + 4 - d % 2) / 4) if d > 1 else mp.mpf(1)
        yield Equal(closed_form, largest, part="least number that covers")
        if d <= EXHAUSTED:
            tried = oracle_patterns.largest_spread(d, True, mp.dps)
            yield Equal(tried, largest, part="maximum over sign patterns")
        if d in (1, 3, 5):
            tried = oracle_patterns.largest_spread(d, False, mp.dps)
            yield Equal(tried, exact_blocks(d, 1), part="maximum with all entries")

    def tight(self) -> list[Any]:
        return [*map(block_pair, range(1, EXHAUSTED + 2)), block_pair(8, 1.0), (np.eye(7)[0], np.eye(7)[1])]

    def beyond(self) -> dict[str, AtMost]:
        return {"rows of norm at most 1": all_parts(self.oracle([2, 0], [0, 0]))[0]}
