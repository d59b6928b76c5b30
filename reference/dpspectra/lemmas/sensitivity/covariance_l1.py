"""The upper triangle of ``v v' - w w'`` for unit-ball ``v, w`` has l1 norm at most ``sqrt(d (d+3) / 2)``.

That norm is the largest ``<T, v v' - w w'>`` over symmetric ``T`` with ``T_ii = ±1`` and ``T_ij = ±1/2``, so its
maximum is the largest ``max(lambda_1(T), 0) - min(lambda_d(T), 0) <= sqrt 2 |T|_F``. Two sign blocks as equal as
possible attain it for ``d <= 6``, where every sign pattern was tried. Counting off-diagonal entries twice gives
``sqrt 2 d`` instead; without the unit ball there is no bound.
"""

from __future__ import annotations

import functools
import itertools
import math
from typing import Any

import numpy as np
from hypothesis import strategies as st
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.ledger import AtMost, Equal, Statement, Verdict
from dpspectra.oracle import linalg as oracle
from dpspectra.strategies import ball_vectors

EXHAUSTED = 6
"""Largest dimension in which every sign pattern was tried."""

lemma = Statement(
    printed=("JXZ-L2-X",),
    claim=r"\sum_{i\le j}|(vv^\top-ww^\top)_{ij}|\le S_d\le\sqrt{d(d+3)/2},\qquad\|vv^\top-ww^\top\|_{1}\le\sqrt2\,d",
    verdict=Verdict.NEW,
    relation=("replace",),
    cases=st.integers(1, 9).flatmap(lambda d: st.tuples(ball_vectors(d), ball_vectors(d))),
    uses=("JXZ-D5",),
    note="sensitivity.md#covariance-in-l1",
)


def block_value(d: int) -> float:
    """The l1 norm that two sign blocks of sizes ``ceil(d/2)`` and ``floor(d/2)`` reach (1 at ``d = 1``)."""
    if d == 1:
        return 1.0
    return math.sqrt((d * d + 2 * d + 2) / 2 if d % 2 == 0 else (2 * d * d + 4 * d + 3) / 4)


def rigorous_bound(d: int) -> float:
    """A proved bound for every ``d``: the norm argument, and from ``d = 3`` on the one that splits off the diagonal."""
    if d == 1:
        return 1.0
    norm = math.sqrt(d * (d + 3) / 2)
    return norm if d == 2 else min(norm, 2 + math.sqrt((d - 1) * (d - 2) / 2))


def upper_triangle_l1(d: int) -> float:
    """``n`` times the l1 sensitivity of the upper triangle of ``X'X/n`` under replacement of one unit-ball row.

    Exact up to `EXHAUSTED`; beyond it the proved bound.
    """
    return block_value(d) if d <= EXHAUSTED else rigorous_bound(d)


def upper_triangle_l2(d: int) -> float:
    """``n`` times the l2 sensitivity of the upper triangle, or of the whole matrix: ``sqrt 2``, 1 for ``d = 1``."""
    return 1.0 if d == 1 else math.sqrt(2.0)


def full_l1(d: int) -> float:
    """``n`` times the l1 sensitivity when every entry counts: ``sqrt 2 d`` for even ``d``; sign blocks attain it."""
    return math.sqrt(2 * d * d - d % 2)


def sign_patterns(d: int) -> Any:
    """Every ``T`` up to symmetries that keep its spread: ``(m, d, d)`` signs on the diagonal, half signs off it.

    Permutations sort the diagonal; flipping coordinates makes the first row's other entries positive.
    """
    rows, columns = np.triu_indices(d, 1)
    free = (d - 1) * (d - 2) // 2
    signs = np.array(list(itertools.product((0.5, -0.5), repeat=free))).reshape(2**free, free)
    off = np.concatenate([np.full((2**free, len(rows) - free), 0.5), signs], axis=1)
    patterns = np.zeros((d + 1, 2**free, d, d))
    patterns[:, :, rows, columns] = patterns[:, :, columns, rows] = off
    for plus in range(d + 1):
        patterns[plus, :, range(d), range(d)] = np.where(np.arange(d) < plus, 1.0, -1.0)[:, None]
    return patterns.reshape(-1, d, d)


def spread(values: Any) -> Any:
    """``max(lambda_1, 0) - min(lambda_d, 0)`` of a descending spectrum."""
    return max(values[0], 0) - min(values[-1], 0)


@functools.cache
def _largest_spread(d: int) -> float:
    values = fast.eigenvalues(sign_patterns(d))
    return float(np.max(np.maximum(values[:, 0], 0) - np.minimum(values[:, -1], 0)))


@functools.cache
def _exact_largest_spread(d: int, digits: int) -> Any:
    with mp.workdps(digits):
        return max(spread(oracle.eigenvalues(oracle.exact(t))) for t in sign_patterns(d))


@lemma.fast
def norms(v: Any, w: Any) -> tuple[AtMost | Equal, ...]:
    d, change = len(v), fast.outer(v) - fast.outer(w)
    upper = fast.upper_triangle(change)
    stated: tuple[AtMost | Equal, ...] = (
        AtMost(np.sum(np.abs(upper)), upper_triangle_l1(d)),
        AtMost(np.sum(np.abs(upper)), rigorous_bound(d)),
        AtMost(np.sum(np.abs(change)), full_l1(d)),
        AtMost(np.sqrt(np.sum(upper**2)), upper_triangle_l2(d)),
    )
    return (*stated, Equal(_largest_spread(d), block_value(d))) if d <= 4 else stated


@lemma.oracle
def exact_norms(v: Any, w: Any) -> tuple[AtMost | Equal, ...]:
    d, x, y = len(v), oracle.exact(v), oracle.exact(w)
    entries = [[x[i] * x[j] - y[i] * y[j] for j in range(d)] for i in range(d)]
    upper = [entries[i][j] for i in range(d) for j in range(i, d)]
    block = mp.sqrt(mp.mpf(d * d + 2 * d + 2) / 2 if d % 2 == 0 else mp.mpf(2 * d * d + 4 * d + 3) / 4)
    block = mp.mpf(1) if d == 1 else block
    proved = mp.sqrt(mp.mpf(d * (d + 3)) / 2) if d > 1 else mp.mpf(1)
    proved = min(proved, 2 + mp.sqrt(mp.mpf((d - 1) * (d - 2)) / 2)) if d > 2 else proved
    stated: tuple[AtMost | Equal, ...] = (
        AtMost(mp.fsum(map(abs, upper)), block if d <= EXHAUSTED else proved),
        AtMost(mp.fsum(map(abs, upper)), proved),
        AtMost(mp.fsum(abs(entry) for row in entries for entry in row), mp.sqrt(2 * d * d - d % 2)),
        AtMost(mp.sqrt(mp.fsum(entry**2 for entry in upper)), mp.sqrt(2) if d > 1 else mp.mpf(1)),
    )
    return (*stated, Equal(_exact_largest_spread(d, mp.dps), block)) if d <= 4 else stated


def worst_pair(d: int) -> tuple[Any, Any]:
    """Vectors that attain `block_value`: top and bottom eigenvectors of the two-block pattern (0 at ``d = 1``).

    Shortened by ``2**-40``, so that rounding cannot take them out of the ball.
    """
    if d == 1:
        return np.ones(1), np.zeros(1)
    first = np.arange(d) < (d + 1) // 2
    pattern = np.where(first[:, None] == first, np.where(first[:, None], 0.5, -0.5), 0.5)
    np.fill_diagonal(pattern, np.where(first, 1.0, -1.0))
    vectors = fast.eigenvectors(pattern)[1]
    return vectors[:, 0] * (1 - 2.0**-40), vectors[:, -1] * (1 - 2.0**-40)


@lemma.tight
def two_blocks() -> list[Any]:
    return [worst_pair(d) for d in range(1, EXHAUSTED + 1)]
