"""A matrix with noise, cut to rank ``k``, is within ``3 tau_k + 2 sqrt(2 k) |N|_2`` of the matrix in Frobenius norm.

The best approximation of the noisy matrix is nearer to it than the best one of the matrix itself is, also after a
projection on the ``2 k`` dimensions of both. There the noise has at most ``2 k`` singular values. With normal noise,
whose norm is of the order ``sqrt(m) + sqrt(n)``, this is the error of input perturbation, for every matrix.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.ledger import AtMost, Matrix, Real, Slack, Verdict, statement
from dpspectra.oracle import linalg as oracle
from dpspectra.strategies import dyadics, rectangular, st


@statement
class InputPerturbationCutToARank:
    labels = ("HR-INPUT",)
    given = r"B=\text{a best approximation of rank }k\text{ of }A+N,\ \tau_k^2=\sum_{l>k}s_l(A)^2"
    claim = {"error of input perturbation": r"\|A-B\|_F\le3\tau_k+2\sqrt{2k}\,\|N\|_2"}
    printed = (
        r"Not at hand; read as: normal noise on all entries of a matrix of $`m`$ rows and $`n`$ columns, cut to rank "
        r"$`k`$, has an error of the order of $`\tau_k+\sqrt{km}+\sqrt{kn}`$ for every matrix, up to a factor of "
        r"privacy, and for $`m\le n`$ no private mechanism has a smaller one for all matrices."
    )
    where = {
        "A": "real matrix, the data",
        "N": "noise, a matrix of the same shape",
        "B": "what is released",
        "k": "rank of what is released",
        "s_i": "singular values of the data, in descending order",
        r"\tau_k": "error of the best approximation of rank $`k`$ of the data",
    }
    verdict = Verdict.VERIFIED
    uses = ("HR-P1.3R",)
    note = "perturbation.md#input-perturbation-cut-to-a-rank"
    examples = 60
    slack = {"error of input perturbation": Slack(0.790570, "three triangle inequalities are never sharp at once")}

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, Any, int, float]:
        """Data and noise of one shape, the rank, and the size of the noise."""
        m, n = draw(st.integers(1, 4)), draw(st.integers(1, 4))
        return draw(rectangular(m, n)), draw(rectangular(m, n)), draw(st.integers(1, 3)), draw(dyadics(0.125, 4))

    def fast(self, a: Any, noise: Any, k: int, size: float) -> AtMost:
        u, values, v = np.linalg.svd(a + size * noise, full_matrices=False)
        released = (u[:, :k] * values[:k]) @ v[:k]
        tail = np.sqrt(np.sum(fast.singular_values(a)[k:] ** 2))
        limit = 3 * tail + 2 * np.sqrt(2 * k) * size * fast.spectral_norm(noise)
        scale = 1 + float(fast.frobenius_norm(a) + fast.frobenius_norm(noise))
        return AtMost(fast.frobenius_norm(a - released), limit, scale=scale, part="error of input perturbation")

    def oracle(self, a: Matrix, noise: Matrix, k: int, size: Real) -> AtMost:
        """Project the noisy matrix on the first eigenvectors of its Gram matrix."""
        noisy = a + size * noise
        order = min(k, noisy.cols)
        top = oracle.columns(oracle.eigenvectors(noisy.T * noisy)[1], range(order))
        tail = mp.sqrt(mp.fsum(x**2 for x in oracle.singular_values(a)[k:]))
        limit = 3 * tail + 2 * mp.sqrt(2 * k) * size * oracle.spectral_norm(noise)
        error = oracle.frobenius_norm(a - noisy * top * top.T)
        scale = 1 + oracle.frobenius_norm(a) + oracle.frobenius_norm(noise)
        return AtMost(error, limit, scale=scale, part="error of input perturbation")

    def tight(self) -> list[Any]:
        """Noise that makes two values nearly equal, so that the wrong one is kept; two such pairs; and a tail."""
        near, swap = np.diag([1.0, 0.0]), np.diag([-0.5 - 2.0**-30, 0.5])
        pairs = [(np.kron(near, np.eye(k)), np.kron(swap, np.eye(k)), k, 1.0) for k in (1, 2)]
        return [*pairs, (np.diag([5.0, 3.0]), np.diag([-1.0 - 2.0**-30, 1.0]), 1, 1.0)]

    def beyond(self) -> dict[str, AtMost]:
        """The second of two values is kept, although the first one is larger."""
        a = mp.diag([8, 0])
        limit = 2 * mp.sqrt(2) * mp.mpf(1) / 2
        return {
            "B is a best approximation": AtMost(
                oracle.frobenius_norm(a - mp.diag([0, mp.mpf(1) / 2])), limit, part="error of input perturbation"
            )
        }
