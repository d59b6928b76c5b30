"""The lower bound in spectral norm: that in Frobenius norm gives it only up to the square root of the rank.

The order is ``sqrt(d / epsilon)``; printed was ``d / epsilon``, which the mechanism with a constant output refutes.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.ledger import AtMost, Matrix, Parts, Reals, Verdict, statement
from dpspectra.oracle import linalg as oracle
from dpspectra.strategies import dimensions, fields, spectra, st, unitaries


@statement
class SpectralNorm:
    labels = ("MWKTV-R2.3c",)
    given = r"\operatorname{rank}M\le k,\ \operatorname{rank}H\le k,\ \operatorname{rank}P=\operatorname{rank}Q=k"
    claim = {
        "spectral norm": r"\frac{\|M-H\|_F^2}{\min(2k,d)}\le\|M-H\|_2^2",
        "spectral norm of projectors": r"\|P-Q\|_F^2\le2\min(k,d-k)\|P-Q\|_2^2",
    }
    printed = r"$`\lVert M-H\rVert_2\ge\Omega(\frac d\varepsilon)`$ if $`\lambda_1\varepsilon>\Omega(\sqrt d)`$."
    where = {
        "M": "matrix of rank at most $`k`$",
        "H": "another one",
        "k": "rank",
        "P": "projector of rank $`k`$",
        "Q": "projector of rank $`k`$",
    }
    verdict = Verdict.REPAIRED
    note = "lower_bounds.md#the-spectral-norm"

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, ...]:
        """Two unitaries, a rank ``k`` and a spectrum, from which each matrix takes ``k`` values."""
        d, field = draw(dimensions(2)), draw(fields())
        return draw(unitaries(d, field)), draw(unitaries(d, field)), draw(st.integers(1, d)), draw(spectra(d))

    def fast(self, u: Any, v: Any, k: int, spectrum: Any) -> Parts:
        d, top = len(u), np.arange(len(u)) < k
        difference = (u * (spectrum * top)) @ fast.adjoint(u) - (v * (spectrum[::-1] * top)) @ fast.adjoint(v)
        flat = (u * top) @ fast.adjoint(u) - (v * top) @ fast.adjoint(v)
        mean, size = fast.frobenius_norm(difference) ** 2 / min(2 * k, d), np.sum(spectrum**2)
        yield AtMost(mean, fast.spectral_norm(difference) ** 2, scale=size, part="spectral norm")
        square, most = fast.frobenius_norm(flat) ** 2, 2 * min(k, d - k) * fast.spectral_norm(flat) ** 2
        yield AtMost(square, most, scale=d, part="spectral norm of projectors")

    def oracle(self, u: Matrix, v: Matrix, k: int, spectrum: Reals) -> Parts:
        d = u.rows

        def cut(frame: Any, diagonal: list[Any]) -> Any:
            return frame * mp.diag([x if a < k else 0 for a, x in enumerate(diagonal)]) * frame.H

        difference, flat = cut(u, spectrum) - cut(v, spectrum[::-1]), cut(u, [1] * d) - cut(v, [1] * d)
        mean, size = oracle.inner(difference, difference) / min(2 * k, d), mp.fsum(x**2 for x in spectrum)
        yield AtMost(mean, oracle.spectral_norm(difference) ** 2, scale=size, part="spectral norm")
        most = 2 * min(k, d - k) * oracle.spectral_norm(flat) ** 2
        yield AtMost(oracle.inner(flat, flat), most, scale=d, part="spectral norm of projectors")

    def tight(self) -> list[Any]:
        """Planes that are orthogonal, planes both of whose angles have the sine 3/5, and the rest of two axes."""
        turn = np.kron(np.array([[0.8, -0.6], [0.6, 0.8]]), np.eye(2))
        planes = [(np.eye(5), np.eye(5)[:, [2, 3, 0, 1, 4]], 2, np.ones(5)), (np.eye(4), turn, 2, np.ones(4))]
        return [*planes, (np.eye(4), np.eye(4)[:, [1, 2, 3, 0]], 3, np.ones(4))]

    def beyond(self) -> dict[str, AtMost]:
        """The identity against 0 for ``k = 1`` in three dimensions; ``2 P - P`` for rank 3 in four."""
        whole, most = mp.eye(3), mp.diag([1, 1, 1, 0])
        return {
            "the ranks are at most k": AtMost(
                oracle.inner(whole, whole) / 2, oracle.spectral_norm(whole) ** 2, part="spectral norm"
            ),
            "both are multiples by the same value": AtMost(
                oracle.inner(most, most), 2 * oracle.spectral_norm(most) ** 2, part="spectral norm of projectors"
            ),
        }

    def as_printed(self, c: float, constant: float, d: int, epsilon: float) -> AtMost:
        """Compare ``c d / epsilon`` with the error of a constant output for ``lambda_1 = C sqrt(d) / epsilon``."""
        epsilon = mp.mpf(epsilon)
        return AtMost(c * d / epsilon, constant * mp.sqrt(d) / epsilon, part="printed form")

    def hypotheses(self, c: float, constant: float, d: int, epsilon: float) -> dict[str, AtMost]:
        """``lambda_1 epsilon = C sqrt d``, and rank ``k = d / 2``."""
        return {
            "c, C and epsilon are positive": AtMost(0, min(c, constant, epsilon)),
            "lambda_1 epsilon is at least of the order of sqrt d": AtMost(mp.sqrt(d), constant * mp.sqrt(d)),
        }

    def counterexample(self) -> Any:
        return (0.125, 2.0, 1024, 1.0)

    certificate = (
        "d = 1024, epsilon = 1, c = 1/8, lambda_1 = 2 sqrt(d): no two points of the orbit are farther apart",
        ["mul", "1/8", "1024"],
        ["mul", "2", ["sqrt", "1024"]],
    )
