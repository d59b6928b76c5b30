"""The l1 sensitivity of ``X X' / n`` lies between ``d / n`` and ``2 d / n``, every entry counted.

Upper side: each row of ``v v'`` has l1 norm ``|v_i| |v|_1`` and ``|v|_1 <= sqrt d``, so ``v v'`` has at most ``d``
and a difference at most ``2 d``. Lower side: a flat vector against a coordinate vector gives ``d + 1 - 2/d``, at least
``d`` for ``d >= 2``. Neither is tight (the value is ``sqrt 2 d`` for even ``d``). On the upper triangle alone the lower
side is false from ``d = 3`` on; the upper side holds.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.ledger import AtMost, Statement, Verdict
from dpspectra.oracle import linalg as oracle
from dpspectra.strategies import ball_vectors

lemma = Statement(
    printed=("JXZ-L2",),
    claim=r"d\le\max_{\|v\|,\|w\|\le1}\|vv^\top-ww^\top\|_{1}\le2d",
    verdict=Verdict.VERIFIED,
    relation=("replace",),
    cases=st.integers(1, 8).flatmap(lambda d: st.tuples(ball_vectors(d), ball_vectors(d))),
    uses=("JXZ-D5",),
    note="sensitivity.md#covariance-in-l1-as-printed",
)


def _witness(d: int) -> tuple[Any, Any]:
    """Flat and first coordinate direction, not normalised; the second is zero at ``d = 1``."""
    return np.ones(d), np.eye(d)[0] * (d > 1)


@lemma.fast
def bracket(v: Any, w: Any) -> tuple[AtMost, AtMost]:
    d = len(v)
    flat, first = _witness(d)
    reached = np.sum(np.abs(fast.outer(flat) / d - fast.outer(first)))
    return AtMost(np.sum(np.abs(fast.outer(v) - fast.outer(w))), 2.0 * d), AtMost(float(d), reached)


@lemma.oracle
def exact_bracket(v: Any, w: Any) -> tuple[AtMost, AtMost]:
    d, x, y = len(v), oracle.exact(v), oracle.exact(w)
    change = mp.fsum(abs(x[i] * x[j] - y[i] * y[j]) for i in range(d) for j in range(d))
    flat, first = map(oracle.exact, _witness(d))
    reached = mp.fsum(abs(flat[i] * flat[j] / d - first[i] * first[j]) for i in range(d) for j in range(d))
    return AtMost(change, 2 * d), AtMost(mp.mpf(d), reached)
