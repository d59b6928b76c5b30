"""Top eigenspaces of close matrices are close, relative to the gap ``lambda_k(M) - lambda_{k+1}(N)`` between them.

Only one block, ``Q_perp P``, is bounded by the gap; ``P - Q`` contains it twice, hence the constants ``sqrt(2)`` in
Frobenius norm and 1 in spectral norm. The published lemma has the constant 1 in both; ``diag(1, 1/2)`` against
``diag(0, 1/2)`` attains ``sqrt(2)``.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.formulas.sin_theta import bound
from dpspectra.ledger import AtMost, Matrix, Parts, Verdict, all_parts, statement
from dpspectra.lemmas.perturbation.davis_kahan import UNCLEAR
from dpspectra.lemmas.perturbation.sin_theta_symmetric import SinThetaSymmetric
from dpspectra.oracle import linalg as oracle
from dpspectra.strategies import ball_vectors, dimensions, fields, hermitian, st


@st.composite
def _pairs(draw: st.DrawFn) -> tuple[Any, Any, int]:
    """Two matrices, the second sometimes of rank one or near the first, and a rank ``k``."""
    d, field = draw(dimensions(2)), draw(fields())
    m, n = draw(hermitian(d, field)), draw(hermitian(d, field))
    rank_one = draw(ball_vectors(d, field).map(lambda v: np.outer(v, v.conj())))
    return m, draw(st.sampled_from([n, rank_one, m + n / 16, m + rank_one / 16])), draw(st.integers(1, d - 1))


@statement
class SinTheta:
    labels = ("MWKTV-L8.2",)
    given = r"g=\lambda_k(M)-\lambda_{k+1}(N)"
    claim = {
        "Frobenius distance": r"g>0:\ \|P-Q\|_F\le\frac{\sqrt2\,\|M-N\|_F}g",
        "spectral distance": r"g\,\|P-Q\|_2\le\|M-N\|_2",
    }
    printed = (
        r"If the eigenvalues of $`\Lambda_1`$ lie in $`[\alpha,\beta]`$ and those of $`\hat\Lambda_2`$ "
        r"outside $`(\alpha-\Delta,\beta+\Delta)`$, then $`\lVert U_1U_1^*-\hat U_1\hat "
        r"U_1^*\rVert\le\frac{\lVert\hat A-A\rVert}\Delta`$ for a unitarily invariant norm."
    )
    where = {
        "g": "gap between the upper eigenvalues of $`M`$ and the lower ones of $`N`$",
    }
    verdict = Verdict.REPAIRED
    note = "perturbation.md#sin-theta"
    examples = 65

    def cases(self) -> st.SearchStrategy[Any]:
        """Pairs with positive gaps, large enough for float64 to determine the projectors."""

        def clear(case: tuple[Any, Any, int]) -> bool:
            m, n, k = case
            a, b = fast.eigenvalues(m), fast.eigenvalues(n)
            size = fast.frobenius_norm(m) + fast.frobenius_norm(n)
            return bool(min(a[k - 1] - b[k], a[k - 1] - a[k], b[k - 1] - b[k]) > UNCLEAR * size)

        return _pairs().filter(clear)

    def fast(self, m: Any, n: Any, k: int) -> Parts:
        gap, size = fast.eigenvalues(m)[k - 1] - fast.eigenvalues(n)[k], fast.frobenius_norm(m) + fast.frobenius_norm(n)
        move = fast.top_projector(m, k) - fast.top_projector(n, k)
        limit = bound(fast.frobenius_norm(m - n), gap)
        yield AtMost(fast.frobenius_norm(move), limit, scale=size / gap, part="Frobenius distance")
        yield AtMost(fast.spectral_norm(move) * gap, fast.spectral_norm(m - n), scale=size, part="spectral distance")

    def oracle(self, m: Matrix, n: Matrix, k: int) -> Parts:
        gap = oracle.eigenvalues(m)[k - 1] - oracle.eigenvalues(n)[k]
        size = oracle.frobenius_norm(m) + oracle.frobenius_norm(n)
        move = oracle.top_projector(m, k) - oracle.top_projector(n, k)
        limit = mp.sqrt(2) * oracle.frobenius_norm(m - n) / gap
        yield AtMost(oracle.frobenius_norm(move), limit, scale=size / gap, part="Frobenius distance")
        spectral = oracle.spectral_norm(m - n)
        yield AtMost(oracle.spectral_norm(move) * gap, spectral, scale=size, part="spectral distance")

    def tight(self) -> list[Any]:
        """The crossing, also between common eigenvectors; and a double eigenvalue, one of whose vectors turns."""
        m, n, _ = self.counterexample()
        between = [np.diag([4.0, *np.diag(x), -1.0]) for x in (m, n)]
        return [self.counterexample(), (*between, 2), SinThetaSymmetric().tight()[-1]]

    def beyond(self) -> dict[str, AtMost]:
        """Different axes as top vectors, at the gap -1: no distance is below 0."""
        frobenius, _ = all_parts(self.oracle(np.diag([1.0, 0.0]), np.diag([2.0, 3.0]), 1))
        return {"the gap is positive": frobenius}

    def as_printed(self, m: Any, n: Any, k: int) -> AtMost:
        frobenius, _ = all_parts(self.oracle(m, n, k))
        return AtMost(frobenius.left, frobenius.right / mp.sqrt(2), part="printed form")

    def hypotheses(self, m: Any, n: Any, k: int) -> dict[str, AtMost]:
        """The first ``k`` values of one matrix are 1 or more above the last ones of the other."""
        ends = oracle.eigenvalues(oracle.exact(m))[k - 1], oracle.eigenvalues(oracle.exact(n))[k]
        return {"the gap is positive": AtMost(mp.mpf(1), ends[0] - ends[1])}

    def counterexample(self) -> Any:
        return np.diag([1.0, 0.5]), np.diag([0.0, 0.5]), 1

    certificate = (
        "M = diag(1, 1/2) and N = diag(0, 1/2) have orthogonal top vectors, gap 1 - 0 and |M - N|_F = 1",
        ["mul", ["sqrt", "2"], ["sub", "1", "0"]],
        ["sqrt", ["mul", ["sub", "1", "0"], ["sub", "1", "0"]]],
    )
