"""With the average of both gaps the constant is 1: ``|P - Q|_F (delta_M + delta_N) / 2 <= |M - N|_F``.

``<M, P - Q> >= delta_M (k - <P, Q>) = delta_M |P - Q|_F^2 / 2`` because ``P`` is the best projector for ``M``; add the
same for ``N`` and apply Cauchy-Schwarz. Davis-Kahan is not needed; if both gaps are zero, nothing is claimed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.ledger import AtMost, Matrix, Parts, Statement, Verdict
from dpspectra.oracle import linalg as oracle
from dpspectra.strategies import dimensions, fields, hermitian, st

UNCLEAR = 2.0**-20
"""Gap, relative to the size of the matrices, below which float64 cannot determine a projector."""


def _cases() -> st.SearchStrategy[Any]:
    """Two matrices with gaps after place ``k`` that are large enough for float64 to determine the projectors."""

    def clear(case: tuple[Any, Any, int]) -> bool:
        m, n, k = case
        size = fast.frobenius_norm(m) + fast.frobenius_norm(n)
        return all(a[k - 1] - a[k] > UNCLEAR * size for a in (fast.eigenvalues(m), fast.eigenvalues(n)))

    sizes = st.tuples(dimensions(2), fields())
    return sizes.flatmap(lambda p: st.tuples(hermitian(*p), hermitian(*p), st.integers(1, p[0] - 1))).filter(clear)


lemma = Statement(
    labels=("MWKTV-L8.2S",),
    claim=r"\tfrac{\delta+\hat\delta}{2}\|P-Q\|_F^2\le\langle M-N,P-Q\rangle\le\|M-N\|_F\|P-Q\|_F",
    verdict=Verdict.NEW,
    cases=_cases,
    examples=40,
    note="perturbation.md#sin-theta-with-both-gaps",
    without_beyond="It holds for all pairs of Hermitian matrices: where eigenvalues are tied at place k, for all "
    "projectors that may be taken.",
)


def bound(difference: Any, gap: Any, other_gap: Any) -> Any:
    """Largest ``|P - Q|_F`` for ``|M - N|_F = difference``, when the two gaps after place ``k`` do not both vanish."""
    return 2 * difference / (gap + other_gap)


@lemma.fast
def distance(m: Any, n: Any, k: int) -> Parts:
    (a, b), size = (fast.eigenvalues(m), fast.eigenvalues(n)), fast.frobenius_norm(m) + fast.frobenius_norm(n)
    gaps = (a[k - 1] - a[k], b[k - 1] - b[k])
    move = fast.top_projector(m, k) - fast.top_projector(n, k)
    moved, gained = fast.frobenius_norm(move), fast.inner(m - n, move)
    yield AtMost(sum(gaps) / 2 * moved**2, gained, scale=size, part="gaps against inner product")
    yield AtMost(gained, fast.frobenius_norm(m - n) * moved, scale=size, part="inner product by norms")
    yield AtMost(moved, bound(fast.frobenius_norm(m - n), *gaps), scale=size / min(gaps), part="distance by both gaps")


@lemma.oracle
def exact_distance(m: Matrix, n: Matrix, k: int) -> Parts:
    (a, b), size = (oracle.eigenvalues(m), oracle.eigenvalues(n)), oracle.frobenius_norm(m) + oracle.frobenius_norm(n)
    gaps = (a[k - 1] - a[k], b[k - 1] - b[k])
    move = oracle.top_projector(m, k) - oracle.top_projector(n, k)
    moved, gained = oracle.frobenius_norm(move), oracle.inner(m - n, move)
    yield AtMost(sum(gaps) / 2 * moved**2, gained, scale=size, part="gaps against inner product")
    yield AtMost(gained, oracle.frobenius_norm(m - n) * moved, scale=size, part="inner product by norms")
    limit = oracle.frobenius_norm(m - n) / (mp.fsum(gaps) / 2)
    yield AtMost(moved, limit, scale=size / min(gaps), part="distance by both gaps")


lemma.tight(lambda: [(np.diag([1.0, 0.0]), np.diag([0.0, 1.0]), 1)])
