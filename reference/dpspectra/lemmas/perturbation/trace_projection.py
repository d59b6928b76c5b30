"""DPS-PSDTRACE: a noisy matrix projected on positive semidefinite ones of trace at most ``T`` is within ``2 T |E|_2``.

That set is convex and holds the matrix ``A``, so ``<A + E - Y, A - Y> <= 0`` for the projection ``Y``: ``|Y - A|_F^2 <=
<E, Y - A> <= |E|_2 (tr Y + tr A)``. Where the trace is small beside the noise that is far below ``|E|_F^2``. If ``A``
lies outside of the set, ``Y`` misses it without any noise. The projection keeps the eigenvectors, and its eigenvalues
are those of ``A + E`` less a constant, as far as they are positive; the constant is 0 where their sum is at most ``T``.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.ledger import AtMost, Matrix, Outcome, Parts, Real, Verdict, statement
from dpspectra.oracle import linalg as oracle
from dpspectra.strategies import dyadics, fields, hermitian, psd, st


def bound(trace: Any, norm: Any) -> Any:
    """Largest squared Frobenius error for a bound on the trace and noise of this spectral norm."""
    return 2 * trace * norm


def projected(noisy: Matrix, trace: Any) -> Matrix:
    """Return the projection: the number of eigenvalues that stay positive is found by trying all."""
    values, vectors = oracle.eigenvectors(noisy)
    kept = [max(x, 0) for x in values]
    if mp.fsum(kept) > trace:
        levels = [(mp.fsum(values[:j]) - trace) / j for j in range(1, noisy.rows + 1)]
        kept = [max(x - max(levels), 0) for x in values]
    return sum((x * oracle.outer(vectors[:, i]) for i, x in enumerate(kept)), mp.zeros(noisy.rows))


@statement
class TraceProjection:
    labels = ("DPS-PSDTRACE",)
    given = r"A\in C=\{X\succeq0:\operatorname{tr}X\le T\},\ Y\in C\text{ nearest to }A+E\text{ in }\|\cdot\|_F"
    claim = {
        "nearest matrix": r"\|A+E-Y\|_F\le\|E\|_F",
        "never farther": r"\|Y-A\|_F\le\|E\|_F",
        "error by the spectral norm": r"\|Y-A\|_F^2\le2T\|E\|_2",
    }
    where = {
        "A": "positive semidefinite matrix of trace at most $`T`$, the data",
        "C": "positive semidefinite matrices of trace at most $`T`$",
        "X": "a matrix of that set",
        "T": "bound on the trace, a public number",
        "E": "noise, a Hermitian matrix",
        "Y": "projection of the noisy matrix",
    }
    verdict = Verdict.NEW
    note = "perturbation_low_rank.md#projection-on-a-bounded-trace"

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, Any, float]:
        """A matrix, noise, and a bound on the trace, which is often the trace itself."""
        d, field = draw(st.sampled_from([2, 3, 1, 4])), draw(fields())
        a, noise = draw(psd(d, field)), draw(hermitian(d, field)) * draw(st.sampled_from([1.0, 2.0**-4, 16.0]))
        return a, noise, float(np.real(np.trace(a))) + draw(st.just(0.0) | dyadics(0, 64))

    def fast(self, a: Any, noise: Any, trace: float) -> Parts:
        nearest = fast.trace_projection(a + noise, trace)
        size, noise_size = fast.frobenius_norm(a) + fast.frobenius_norm(noise), fast.frobenius_norm(noise)
        error = fast.frobenius_norm(nearest - a)
        yield AtMost(fast.frobenius_norm(a + noise - nearest), noise_size, scale=size, part="nearest matrix")
        yield AtMost(error, noise_size, scale=size, part="never farther")
        limit = bound(trace, fast.spectral_norm(noise))
        yield AtMost(error**2, limit, scale=size * size, part="error by the spectral norm")

    def oracle(self, a: Matrix, noise: Matrix, trace: Real) -> Parts:
        nearest, noise_size = projected(a + noise, trace), oracle.frobenius_norm(noise)
        size, error = oracle.frobenius_norm(a) + noise_size, oracle.frobenius_norm(nearest - a)
        yield AtMost(oracle.frobenius_norm(a + noise - nearest), noise_size, scale=size, part="nearest matrix")
        yield AtMost(error, noise_size, scale=size, part="never farther")
        limit = 2 * trace * max(map(abs, oracle.eigenvalues(noise)))
        yield AtMost(error**2, limit, scale=size * size, part="error by the spectral norm")

    def tight(self) -> list[Any]:
        """Noise that carries the whole trace over, or stays in the set, or leaves it at a right angle."""
        return [
            (np.diag([2.0, 0.0]), np.diag([-2.0, 2.0]), 2.0),
            (np.diag([3.0, 0.0, 2.0]), np.diag([0.0, 2.0, -1.0]), 8.0),
            (np.diag([3.0, 0.0]), np.diag([2.0, -3.0]), 3.0),
        ]

    def beyond(self) -> dict[str, Outcome]:
        """A larger trace, and a negative matrix, both without noise."""
        large, negative, zero = mp.diag([4, 0]), mp.diag([1, -1]), mp.zeros(2)
        *_, first = self.oracle(large, zero, mp.mpf(2))
        *_, second = self.oracle(negative, zero, mp.mpf(2))
        return {"a trace of at most T": first, "a positive semidefinite matrix": second}
