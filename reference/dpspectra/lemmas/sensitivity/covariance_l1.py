"""The upper triangle of ``v v' - w w'`` has l1 norm at most ``S_d ~ d / sqrt 2`` for ``v, w`` in the unit ball.

The norm is the largest ``<T, v v' - w w'>`` over symmetric ``T`` with ``T_ii = ±1``, ``T_ij = ±1/2``, so its maximum is
the largest ``max(lambda_1(T), 0) - min(lambda_d(T), 0)``. For ``d <= 6`` every ``T`` is tried; the maximum is attained
by two blocks of axes, of sizes as equal as possible, with ``T_ij`` negative if ``i`` and ``j`` both lie in the second.
For larger ``d``, Cauchy-Schwarz with the diagonal treated apart gives a proved bound. With all entries counted
(``T_ij = ±1``) the maximum is ``sqrt 2 d`` instead; in l2 it is ``sqrt 2``. Outside the unit ball there is no bound.

``laplace_covariance`` and ``gaussian_covariance`` scale their noise by `upper_triangle_l1` and `upper_triangle_l2`:
never lower these. The references of the auditor and ``laplace_input`` use them too.
"""

import functools
import itertools
from fractions import Fraction
from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.fast import sign_patterns as fast_patterns
from dpspectra.formulas.covariance_l1 import (
    EXHAUSTED,
    covers_l1,
    full_l1,
    proved_bound,
    upper_triangle_l1,
    upper_triangle_l2,
)
from dpspectra.ledger import AtMost, Equal, Parts, Reals, Relation, Verdict, all_parts, statement
from dpspectra.oracle import linalg as oracle
from dpspectra.oracle import sign_patterns as oracle_patterns
from dpspectra.oracle.roots import bisect
from dpspectra.strategies import ball_vectors, rectangular, st


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


def _by_diagonal(d: int, diagonal: Any) -> Any:
    """Largest l1 norm of the upper triangle, by Cauchy-Schwarz, for a given l1 norm of the diagonal."""
    return diagonal + mp.sqrt((d - 1) * (2 * d - diagonal**2)) / 2


@functools.cache
def _exact_proved_bound(d: int, digits: int) -> Any:
    """Maximum of `_by_diagonal`, which is concave in the norm of the diagonal.

    That norm is at most the sum of the moduli of the eigenvalues: two of at most 1, or one if ``d = 1``.
    """
    with mp.workdps(digits):
        most = mp.mpf(min(d, 2))

        def rising(diagonal: Any) -> bool:
            return bool(2 * mp.sqrt(2 * d - diagonal**2) > mp.sqrt(d - 1) * diagonal)

        return _by_diagonal(d, most if rising(most) else bisect(rising, most / 2, most)[0])


def exact_upper_triangle_l1(d: int) -> Any:
    """`upper_triangle_l1`: the maximum over all sign patterns, or the bound by the diagonal at its largest."""
    return oracle_patterns.largest_spread(d, True, mp.dps) if d <= EXHAUSTED else _exact_proved_bound(d, mp.dps)


def _exact_closed_form(d: int) -> Any:
    """Two blocks; or, beyond what is exhausted, the bound by the diagonal in closed form, at its largest norm of 2."""
    if d <= EXHAUSTED:
        return exact_blocks(d, mp.mpf(1) / 2)
    return 2 + mp.sqrt(mp.mpf(d - 1) * (d - 2) / 2)


def _exact_upper_triangle_l2(d: int) -> Any:
    """Largest change among 0 and two axes.

    The squared norm of the whole change, ``|v|^4 + |w|^4 - 2 <v, w>^2``, is largest for orthogonal vectors of norm 1 or
    0; for axes the upper triangle is all of the change.
    """
    corners = [mp.zeros(d, 1), *(mp.eye(d)[:, i] for i in range(min(d, 2)))]
    changes = (oracle.outer(v) - oracle.outer(w) for v, w in itertools.combinations(corners, 2))
    return max(mp.norm(oracle.upper_triangle(change)) for change in changes)


def _exact_full_l1(d: int) -> Any:
    """`full_l1`: two blocks where they are best, else the norm of all signs times that of two opposite eigenvalues."""
    return exact_blocks(d, 1) if d % 2 == 0 or d < EXHAUSTED else mp.norm([1] * d * d) * mp.norm([1, -1])


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
        r"\|v\|,\|w\|\le1,\ C=vv^\top-ww^\top,\ S_d=\sqrt{(d^2+2d+2)/2}\ (d=2,4,6),\ "
        r"S_d=\sqrt{(2d^2+4d+3)/4}\ (d=3,5),\ S_d=B_d\ (d=1,\ d\ge7),\quad "
        r"B_1=1,\ B_2=\sqrt5,\ B_d=2+\sqrt{\tfrac{(d-1)(d-2)}2}\ (d\ge3),\quad "
        r"\operatorname{spread}(T)=\max(\lambda_1(T),0)-\min(\lambda_d(T),0)"
    )
    claim = {
        "upper triangle in l1": r"\sum_{i\le j}|C_{ij}|\le S_d",
        "bound by the diagonal": r"\sum_{i\le j}|C_{ij}|\le t+\tfrac12\sqrt{(d-1)(2d-t^2)},\ t=\sum_i|C_{ii}|",
        "all entries in l1": r"\sum_{i,j}|C_{ij}|\le\sqrt{2d^2-\mathbf 1[d\in\{1,3,5\}]}",
        "upper triangle in l2": r"\sqrt{\sum_{i\le j}C_{ij}^2}\le\sqrt{\min(d,2)}",
        "least number that covers": r"\inf\{s:\operatorname{covers}(s)\}=S_d",
        "maximum over sign patterns": r"d\le6:\ \max_{T_{ii}=\pm1,\,T_{ij}=\pm1/2}\operatorname{spread}(T)=S_d",
        "proved bound": r"d\le6:\ \max_{T_{ii}=\pm1,\,T_{ij}=\pm1/2}\operatorname{spread}(T)\le B_d",
        "maximum with all entries": r"d\in\{1,3,5\}:\ \max_{T_{ij}=\pm1}\operatorname{spread}(T)=\sqrt{2d^2-1}",
    }
    where = {
        "C": "change of the second moments",
        "C_i": "its entries",
        "S_d": r"l1 sensitivity of the upper triangle, exact for $`d\le6`$, else a bound",
        "B_i": "bound that is proved in every dimension",
        "t": "l1 norm of the diagonal of the change",
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
    uses = ("JXZ-D5",)
    exact = ("maximum with all entries",)
    note = "sensitivity.md#covariance-in-l1"
    examples = 85

    def cases(self) -> Any:
        return st.integers(1, 9).flatmap(
            lambda d: st.tuples(ball_vectors(d), ball_vectors(d)) | rectangular(2, d).map(lambda m: tuple(m / 32))
        )

    def fast(self, v: Any, w: Any) -> Parts:
        d, change = len(v), fast.outer(v) - fast.outer(w)
        upper, diagonal = fast.upper_triangle(change), np.sum(np.abs(np.diag(change)))
        l1 = np.sum(np.abs(upper))
        yield AtMost(l1, upper_triangle_l1(d), part="upper triangle in l1")
        yield AtMost(l1, diagonal + np.sqrt((d - 1) * (2 * d - diagonal**2)) / 2, part="bound by the diagonal")
        yield AtMost(np.sum(np.abs(change)), full_l1(d), part="all entries in l1")
        yield AtMost(np.linalg.norm(upper), upper_triangle_l2(d), part="upper triangle in l2")
        yield Equal(_least_covered(d), upper_triangle_l1(d), part="least number that covers")
        if d <= EXHAUSTED:
            largest = fast_patterns.largest_spread(d, 0.5)
            yield Equal(largest, upper_triangle_l1(d), part="maximum over sign patterns")
            yield AtMost(largest, proved_bound(d), part="proved bound")
        if d in (1, 3, 5):
            yield Equal(fast_patterns.largest_spread(d, 1.0), full_l1(d), part="maximum with all entries")

    def oracle(self, v: Reals, w: Reals) -> Parts:
        d = len(v)
        entries = {(i, j): abs(v[i] * v[j] - w[i] * w[j]) for i in range(d) for j in range(d)}
        upper = [entry for (i, j), entry in entries.items() if i <= j]
        diagonal = mp.fsum(entries[i, i] for i in range(d))
        yield AtMost(mp.fsum(upper), exact_upper_triangle_l1(d), part="upper triangle in l1")
        yield AtMost(mp.fsum(upper), _by_diagonal(d, diagonal), part="bound by the diagonal")
        yield AtMost(mp.fsum(entries.values()), _exact_full_l1(d), part="all entries in l1")
        yield AtMost(mp.norm(upper), _exact_upper_triangle_l2(d), part="upper triangle in l2")
        yield Equal(_exact_closed_form(d), exact_upper_triangle_l1(d), part="least number that covers")
        if d <= EXHAUSTED:
            largest = oracle_patterns.largest_spread(d, True, mp.dps)
            yield Equal(largest, exact_blocks(d, mp.mpf(1) / 2), part="maximum over sign patterns")
            yield AtMost(largest, _exact_proved_bound(d, mp.dps), part="proved bound")
        if d in (1, 3, 5):
            largest = oracle_patterns.largest_spread(d, False, mp.dps)
            yield Equal(largest, _exact_full_l1(d), part="maximum with all entries")

    def tight(self) -> list[Any]:
        return [*map(block_pair, range(1, EXHAUSTED + 1)), block_pair(8, 1.0), (np.eye(7)[0], np.eye(7)[1])]

    def beyond(self) -> dict[str, AtMost]:
        return {"rows of norm at most 1": all_parts(self.oracle([2, 0], [0, 0]))[0]}
