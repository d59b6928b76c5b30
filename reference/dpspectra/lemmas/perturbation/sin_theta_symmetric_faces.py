"""Cases and faces of MWKTV-L8.2S: the statement and its formulas stand in `sin_theta_symmetric`."""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.ledger import AtMost, Matrix, Parts
from dpspectra.lemmas.perturbation import sin_theta_symmetric
from dpspectra.lemmas.perturbation.sin_theta_symmetric import bound
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


lemma = sin_theta_symmetric.lemma.checked_on(_cases)


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


@lemma.tight
def two_values() -> list[Any]:
    """A quarter turn; and a double eigenvalue 3 over 1 and 0, one of whose vectors turns by an angle of sine 3/5."""
    turned = np.diag([3.0, 2.28, 1.72, 0.0])
    turned[1, 2] = turned[2, 1] = 0.96
    return [(np.diag([1.0, 0.0]), np.diag([0.0, 1.0]), 1), (np.diag([3.0, 3.0, 1.0, 0.0]), turned, 2)]
