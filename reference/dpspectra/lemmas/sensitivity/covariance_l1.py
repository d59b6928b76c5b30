"""The upper triangle of ``v v' - w w'`` has l1 norm at most ``S_d ~ d / sqrt 2`` for ``v, w`` in the unit ball.

The norm is the largest ``<T, v v' - w w'>`` over symmetric ``T`` with ``T_ii = ±1``, ``T_ij = ±1/2``, so its maximum is
the largest ``max(lambda_1(T), 0) - min(lambda_d(T), 0)``. For ``d <= 6`` every ``T`` is tried; the maximum is attained
by two blocks of axes, of sizes as equal as possible, with ``T_ij`` negative if ``i`` and ``j`` both lie in the second.
For larger ``d``, Cauchy-Schwarz with the diagonal treated apart gives a proved bound. With all entries counted
(``T_ij = ±1``) the maximum is ``sqrt 2 d`` instead; in l2 it is ``sqrt 2``. Outside the unit ball there is no bound.

``laplace_covariance`` and ``gaussian_covariance`` scale their noise by `upper_triangle_l1` and `upper_triangle_l2`:
never lower these. The references of the auditor and ``laplace_input`` use them too.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.fast import sign_patterns as fast_patterns
from dpspectra.ledger import AtMost, Equal, Statement, Verdict
from dpspectra.oracle import linalg as oracle
from dpspectra.oracle import sign_patterns as oracle_patterns
from dpspectra.relations import Relation
from dpspectra.strategies import ball_vectors, rectangular
from dpspectra.strategies.lazy import st

EXHAUSTED = 6
"""Largest dimension in which every sign pattern is tried."""

lemma = Statement(
    labels=("JXZ-L2-X",),
    claim=r"\sum_{i\le j}|(vv^\top-ww^\top)_{ij}|\le S_d,\quad S_d^2=\begin{cases}(d^2+2d+2)/2&d\in\{2,4,6\}\\"
    r"(2d^2+4d+3)/4&d\in\{3,5\}\end{cases},\quad S_d\le2+\sqrt{\tfrac{(d-1)(d-2)}2}\ (d\ge3)",
    verdict=Verdict.NEW,
    relation=(Relation.REPLACE,),
    cases=lambda: st.integers(1, 9).flatmap(
        lambda d: st.tuples(ball_vectors(d), ball_vectors(d)) | rectangular(2, d).map(lambda m: tuple(m / 32))
    ),
    uses=("JXZ-D5",),
    note="sensitivity.md#covariance-in-l1",
)


def block_square(d: int) -> float:
    """Square of the l1 norm that two blocks of sizes ``ceil(d/2)`` and ``floor(d/2)`` attain; exact in float64."""
    if d == 1:
        return 1.0
    return (2 * d * d + 4 * d + 3) / 4 if d % 2 else (d * d + 2 * d + 2) / 2


def proved_bound(d: int, sqrt: Any = math.sqrt) -> Any:
    """Bound for every dimension, from the Frobenius norm of ``T``, or (``d >= 3``) with its diagonal treated apart."""
    if d == 1:
        return sqrt(1)
    whole = sqrt(d * (d + 3) / 2)
    return whole if d == 2 else min(whole, 2 + sqrt((d - 1) * (d - 2) / 2))


def upper_triangle_l1(d: int, sqrt: Any = math.sqrt) -> Any:
    """``n`` times the l1 sensitivity of the upper triangle of ``X'X / n`` when one unit-ball row is replaced.

    Exact for ``d`` up to `EXHAUSTED`; a proved bound for larger ``d``.
    """
    return sqrt(block_square(d)) if d <= EXHAUSTED else proved_bound(d, sqrt)


def upper_triangle_l2(d: int, sqrt: Any = math.sqrt) -> Any:
    """``n`` times the l2 sensitivity of the upper triangle, or of the whole matrix: ``sqrt 2``; 1 if ``d = 1``."""
    return sqrt(min(d, 2))


def full_l1(d: int, sqrt: Any = math.sqrt) -> Any:
    """``n`` times the l1 sensitivity with all entries counted: exact if ``d`` is even or at most 5, else a bound."""
    return sqrt(2 * d * d - (d % 2 if d <= 5 else 0))


@lemma.fast
def norms(v: Any, w: Any) -> tuple[AtMost | Equal, ...]:
    d, change = len(v), fast.outer(v) - fast.outer(w)
    upper, diagonal = fast.upper_triangle(change), np.sum(np.abs(np.diag(change)))
    l1 = np.sum(np.abs(upper))
    stated: tuple[AtMost | Equal, ...] = (
        AtMost(l1, upper_triangle_l1(d), part="upper triangle in l1"),
        AtMost(l1, diagonal + np.sqrt((d - 1) * (2 * d - diagonal**2)) / 2, part="bound by the diagonal"),
        AtMost(np.sum(np.abs(change)), full_l1(d), part="all entries in l1"),
        AtMost(np.linalg.norm(upper), upper_triangle_l2(d), part="upper triangle in l2"),
    )
    if d <= EXHAUSTED:
        largest = fast_patterns.largest_spread(d, 0.5)
        stated += (
            Equal(largest, upper_triangle_l1(d), part="maximum over sign patterns"),
            AtMost(largest, proved_bound(d), part="proved bound"),
        )
    return (
        (*stated, Equal(fast_patterns.largest_spread(d, 1.0), full_l1(d), part="maximum with all entries"))
        if d in (1, 3, 5)
        else stated
    )


@lemma.oracle
def exact_norms(v: Any, w: Any) -> tuple[AtMost | Equal, ...]:
    d, x, y = len(v), oracle.exact(v), oracle.exact(w)
    entries = {(i, j): abs(x[i] * x[j] - y[i] * y[j]) for i in range(d) for j in range(d)}
    upper = [entry for (i, j), entry in entries.items() if i <= j]
    diagonal = mp.fsum(entries[i, i] for i in range(d))
    stated: tuple[AtMost | Equal, ...] = (
        AtMost(mp.fsum(upper), upper_triangle_l1(d, mp.sqrt), part="upper triangle in l1"),
        AtMost(mp.fsum(upper), diagonal + mp.sqrt((d - 1) * (2 * d - diagonal**2)) / 2, part="bound by the diagonal"),
        AtMost(mp.fsum(entries.values()), full_l1(d, mp.sqrt), part="all entries in l1"),
        AtMost(mp.norm(upper), upper_triangle_l2(d, mp.sqrt), part="upper triangle in l2"),
    )
    if d <= EXHAUSTED:
        largest = oracle_patterns.largest_spread(d, True, mp.dps)
        stated += (
            Equal(largest, upper_triangle_l1(d, mp.sqrt), part="maximum over sign patterns"),
            AtMost(largest, proved_bound(d, mp.sqrt), part="proved bound"),
        )
    return (
        (
            *stated,
            Equal(
                oracle_patterns.largest_spread(d, False, mp.dps), full_l1(d, mp.sqrt), part="maximum with all entries"
            ),
        )
        if d in (1, 3, 5)
        else stated
    )


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


@lemma.tight
def two_blocks() -> list[Any]:
    return [block_pair(d) for d in range(1, EXHAUSTED + 1)] + [block_pair(8, 1.0), (np.eye(7)[0], np.eye(7)[1])]


@lemma.beyond
def a_longer_row() -> dict[str, AtMost | Equal]:
    upper, *_ = exact_norms(np.array([2.0, 0.0]), np.zeros(2))
    return {"rows of norm at most 1": upper}
