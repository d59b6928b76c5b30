"""With the average of both gaps the constant is 1: ``|P - Q|_F (delta_M + delta_N) / 2 <= |M - N|_F``.

``<M, P - Q> >= delta_M (k - <P, Q>) = delta_M |P - Q|_F^2 / 2`` because ``P`` is the best projector for ``M``; add the
same for ``N`` and apply Cauchy-Schwarz. Davis-Kahan is not needed; if both gaps are zero, nothing is claimed.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.formulas.sin_theta_symmetric import bound
from dpspectra.ledger import AtMost, Matrix, Parts, Verdict, statement
from dpspectra.lemmas.perturbation.davis_kahan import UNCLEAR
from dpspectra.oracle import linalg as oracle
from dpspectra.strategies import dimensions, fields, hermitian, st


@statement
class SinThetaSymmetric:
    labels = ("MWKTV-L8.2S",)
    claim = {
        "gaps against inner product": r"\tfrac{\delta+\hat\delta}2\,\|P-Q\|_F^2\le\langle M-N,P-Q\rangle",
        "inner product by norms": r"\langle M-N,P-Q\rangle\le\|M-N\|_F\|P-Q\|_F",
        "distance by both gaps": r"\|P-Q\|_F\le\frac{2\,\|M-N\|_F}{\delta+\hat\delta}",
    }
    where = {
        r"\delta": r"gap of $`M`$ at place $`k`$, $`\lambda_k(M)-\lambda_{k+1}(M)`$",
        r"\hat\delta": r"gap of $`N`$ at place $`k`$, $`\lambda_k(N)-\lambda_{k+1}(N)`$",
    }
    verdict = Verdict.NEW
    examples = 40
    note = "perturbation.md#sin-theta-with-both-gaps"
    without_beyond = (
        "It holds for all pairs of Hermitian matrices: where eigenvalues are tied at place k, for all "
        "projectors that may be taken; with no gap at all the last right side is infinite."
    )

    def cases(self) -> st.SearchStrategy[Any]:
        """Two matrices with gaps after place ``k`` that are large enough for float64 to determine the projectors."""

        def clear(case: tuple[Any, Any, int]) -> bool:
            m, n, k = case
            size = fast.frobenius_norm(m) + fast.frobenius_norm(n)
            return all(a[k - 1] - a[k] > UNCLEAR * size for a in (fast.eigenvalues(m), fast.eigenvalues(n)))

        sizes = st.tuples(dimensions(2), fields())
        return sizes.flatmap(lambda p: st.tuples(hermitian(*p), hermitian(*p), st.integers(1, p[0] - 1))).filter(clear)

    def fast(self, m: Any, n: Any, k: int) -> Parts:
        (a, b), size = (fast.eigenvalues(m), fast.eigenvalues(n)), fast.frobenius_norm(m) + fast.frobenius_norm(n)
        gaps = (a[k - 1] - a[k], b[k - 1] - b[k])
        move = fast.top_projector(m, k) - fast.top_projector(n, k)
        moved, gained = fast.frobenius_norm(move), fast.inner(m - n, move)
        yield AtMost(sum(gaps) / 2 * moved**2, gained, scale=size, part="gaps against inner product")
        yield AtMost(gained, fast.frobenius_norm(m - n) * moved, scale=size, part="inner product by norms")
        limit = bound(fast.frobenius_norm(m - n), *gaps)
        yield AtMost(moved, limit, scale=size / min(gaps), part="distance by both gaps")

    def oracle(self, m: Matrix, n: Matrix, k: int) -> Parts:
        (a, b), size = map(oracle.eigenvalues, (m, n)), oracle.frobenius_norm(m) + oracle.frobenius_norm(n)
        gaps = (a[k - 1] - a[k], b[k - 1] - b[k])
        move = oracle.top_projector(m, k) - oracle.top_projector(n, k)
        moved, gained = oracle.frobenius_norm(move), oracle.inner(m - n, move)
        yield AtMost(sum(gaps) / 2 * moved**2, gained, scale=size, part="gaps against inner product")
        yield AtMost(gained, oracle.frobenius_norm(m - n) * moved, scale=size, part="inner product by norms")
        limit = oracle.frobenius_norm(m - n) / (mp.fsum(gaps) / 2)
        yield AtMost(moved, limit, scale=size / min(gaps), part="distance by both gaps")

    def tight(self) -> list[Any]:
        """A quarter turn; and a double eigenvalue over 1 and 0, one of whose vectors turns by an angle of sine 3/5."""
        turned = np.diag([3.0, 2.28, 1.72, 0.0])
        turned[1, 2] = turned[2, 1] = 0.96
        return [(np.diag([1.0, 0.0]), np.diag([0.0, 1.0]), 1), (np.diag([3.0, 3.0, 1.0, 0.0]), turned, 2)]
