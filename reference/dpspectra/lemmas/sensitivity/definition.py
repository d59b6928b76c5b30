"""Sensitivity: the largest ``|q(D) - q(D')|_r`` over neighbours, on the coordinates that are released.

Executable for the second moments ``q(X) = X'X`` and the row sums: the supremum over pairs that differ in one row is at
least every pair's value, and depends on which coordinates count. A symmetric output is its upper triangle, diagonal
included; counting mirrored entries twice overstates l1.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.ledger import AtMost, Equal, Statement, Verdict
from dpspectra.oracle import linalg as oracle
from dpspectra.strategies import neighbours

lemma = Statement(
    printed=("JXZ-D5", "MWKTV-D5.1"),
    claim=r"\Delta_r(q)=\sup_{D\sim D'}\|q(D)-q(D')\|_r,\qquad r\in\{1,2\}",
    verdict=Verdict.DEFINITION,
    relation=("replace",),
    cases=st.integers(1, 4).flatmap(lambda d: neighbours("replace", 3, d)),
    note="sensitivity.md#sensitivity",
)


@lemma.fast
def distances(x: Any, y: Any) -> tuple[Equal | AtMost, ...]:
    """l1 and l2 distance of the upper triangles, and the fact that only the changed rows matter."""
    change = fast.upper_triangle(fast.gram(x) - fast.gram(y))
    place = int(np.argmax(np.any(x != y, axis=1)))
    alone = fast.upper_triangle(fast.outer(x[place]) - fast.outer(y[place]))
    l1, l2 = np.sum(np.abs(change)), np.linalg.norm(change)
    return (
        Equal(l1, np.sum(np.abs(alone)), scale=3.0),
        Equal(l2, np.linalg.norm(alone), scale=3.0),
        AtMost(np.sum(np.abs(np.sum(x, axis=0) - np.sum(y, axis=0))), 2 * np.sqrt(x.shape[1])),
    )


@lemma.oracle
def exact_distances(x: Any, y: Any) -> tuple[Equal | AtMost, ...]:
    a, b = oracle.exact(x), oracle.exact(y)
    n, d = a.rows, a.cols
    change = [mp.fsum(a[k, i] * a[k, j] - b[k, i] * b[k, j] for k in range(n)) for i in range(d) for j in range(i, d)]
    place = next((k for k in range(n) if any(a[k, i] != b[k, i] for i in range(d))), 0)
    alone = oracle.upper_triangle(oracle.outer(a[place, :].T) - oracle.outer(b[place, :].T))
    sums = [mp.fsum(a[k, i] - b[k, i] for k in range(n)) for i in range(d)]
    return (
        Equal(mp.fsum(map(abs, change)), mp.fsum(map(abs, alone)), scale=3),
        Equal(mp.sqrt(mp.fsum(c * c for c in change)), mp.sqrt(mp.fsum(c * c for c in alone)), scale=3),
        AtMost(mp.fsum(map(abs, sums)), 2 * mp.sqrt(d)),
    )


@lemma.tight
def opposite_rows() -> list[Any]:
    """Opposite flat rows move the row sums by the most."""
    return [(np.full((1, 4), 0.5), np.full((1, 4), -0.5))]
