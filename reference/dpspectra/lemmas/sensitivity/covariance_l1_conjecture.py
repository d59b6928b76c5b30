"""Two sign blocks give the largest l1 norm of the upper triangle in every dimension, not only up to 6.

A conjecture for ``d >= 7``: alternating ascent from many starts finds nothing larger, and no proof is known. Nothing
private rests on it: mechanisms use the proved bound there.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.ledger import AtMost, Statement, Verdict
from dpspectra.lemmas.sensitivity.covariance_l1 import block_value, worst_pair
from dpspectra.oracle import linalg as oracle
from dpspectra.strategies import seeds

STEPS = 40
"""Rounds of the ascent; it is monotone and stops moving well before."""

lemma = Statement(
    printed=("JXZ-L2-J",),
    claim=r"\max_{\|v\|,\|w\|\le1}\sum_{i\le j}|(vv^\top-ww^\top)_{ij}|=\text{the block value},\quad d\ge7",
    verdict=Verdict.CONJECTURE,
    relation=("replace",),
    cases=st.tuples(st.integers(7, 12), seeds()),
    uses=("JXZ-L2-X",),
    note="sensitivity.md#covariance-in-l1-beyond-six-dimensions",
    examples=60,
)


def ascend(v: Any, w: Any, steps: int) -> tuple[Any, Any]:
    """Alternate the best signs for ``(v, w)`` and the best ``(v, w)`` for the signs; the norm never falls."""
    for _ in range(steps):
        change = fast.outer(v) - fast.outer(w)
        signs = np.where(change >= 0, 1.0, -1.0) * np.where(np.eye(len(v)) > 0, 1.0, 0.5)
        vectors = fast.eigenvectors(signs)[1]
        v, w = vectors[:, 0], vectors[:, -1]
    return v, w


def _pair(d: int, start: int | None) -> tuple[Any, Any]:
    """Where the ascent from a random start ends; the block pair itself without a start."""
    if start is None:
        return worst_pair(d)
    v, w = np.random.default_rng(start).standard_normal((2, d))
    return ascend(v, w, STEPS)


@lemma.fast
def found(d: int, start: int | None) -> AtMost:
    v, w = _pair(d, start)
    v, w = v / np.linalg.norm(v), w / np.linalg.norm(w)
    return AtMost(np.sum(np.abs(fast.upper_triangle(fast.outer(v) - fast.outer(w)))), block_value(d))


@lemma.oracle
def exact_found(d: int, start: int | None) -> AtMost:
    v, w = map(oracle.exact, _pair(d, start))
    v, w = v / mp.norm(v), w / mp.norm(w)
    norm = mp.fsum(abs(v[i] * v[j] - w[i] * w[j]) for i in range(d) for j in range(i, d))
    return AtMost(norm, mp.sqrt(mp.mpf(d * d + 2 * d + 2) / 2 if d % 2 == 0 else mp.mpf(2 * d * d + 4 * d + 3) / 4))


@lemma.tight
def two_blocks() -> list[Any]:
    return [(d, None) for d in (7, 8, 13)]
