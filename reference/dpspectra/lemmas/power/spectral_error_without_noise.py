"""Without noise ``L`` rounds give the spectral error ``sigma_(k+1)`` over the ``L``-th root of the cosine of the start.

A power of the error is at most the error of the power, and the range of ``A^L X_0`` misses of ``A^L`` no more than
``sigma_(k+1)^L / cos(theta_0)``. A random start has a cosine of the order ``1 / d`` at least, so ``log(d) / epsilon``
rounds are enough for the factor ``1 + epsilon``. A start at right angles to the target finds nothing.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg, power
from dpspectra.ledger import AtMost, Verdict, statement
from dpspectra.matrices.orthonormal import orthonormal
from dpspectra.oracle import linalg as exact
from dpspectra.oracle import power as oracle
from dpspectra.oracle.alignment import orthonormal as exactly_orthonormal
from dpspectra.strategies import st
from dpspectra.strategies.power import STEEP, WideStart, wide_starts


@statement
class SpectralErrorWithoutNoise:
    labels = ("HP-E1",)
    given = r"p\ge k,\ L\ge1,\ \cos\theta_0>0"
    claim = {"spectral error": r"\|A-X_LX_L^\top A\|\le(\cos\theta_0)^{-1/L}\sigma_{k+1}"}
    printed = (
        r"Not at hand; read as: $`\lVert A-X_LX_L^\top A\rVert\le(1+\epsilon)\sigma_{k+1}`$ after "
        r"$`L=O(\frac{\log d}\epsilon)`$ rounds without noise from a random start, which is said to be known."
    )
    where = {"X_i": r"the iterates without noise, $`X_L=\mathrm{GS}(A^LX_0)`$"}
    verdict = Verdict.VERIFIED
    uses = ("HP-F1", "HP-L2.5P")
    note = "power.md#spectral-error-without-noise"
    digits = 30
    examples = 60

    def cases(self) -> Any:
        return st.tuples(wide_starts(), st.integers(1, 12))

    def fast(self, instance: Any, rounds: int) -> AtMost | tuple[()]:
        frame, values, k, _, basis, _ = instance
        cosine, _ = power.angle(frame[:, :k], orthonormal(basis))
        if cosine < STEEP:
            return ()
        a = (frame * values) @ frame.T
        x = power.iterates(a, basis, [np.zeros(basis.shape)] * rounds)[-1]
        limit = cosine ** (-1 / rounds) * abs(values[k])
        return AtMost(linalg.spectral_norm(a - x @ (x.T @ a)), limit, scale=1, part="spectral error")

    def oracle(self, instance: Any, rounds: int) -> AtMost | tuple[()]:
        """The power of the matrix in one product, and one orthonormalization at the end."""
        frame, values, k, _, basis, _ = instance
        start, frame = exactly_orthonormal(exact.exact(basis)), exact.exact(frame)
        cosine, _ = oracle.angle(exact.columns(frame, range(k)), start)
        if cosine < STEEP:
            return ()
        x = exactly_orthonormal(frame * mp.diag([mp.mpf(v) ** rounds for v in values]) * frame.T * start)
        a = frame * mp.diag([mp.mpf(v) for v in values]) * frame.T
        limit = abs(mp.mpf(values[k])) / mp.root(cosine, rounds)
        return AtMost(exact.spectral_norm(a - x * (x.T * a)), limit, scale=1, part="spectral error")

    def tight(self) -> list[Any]:
        """One round, and a first value that is very large; the same twice."""
        basis, values = np.array([[1.0], [3.0]]), np.array([2.0**12, 1.0])
        pairs = ((k, np.kron(basis, np.eye(k))) for k in (1, 2))
        return [(WideStart(np.eye(2 * k), np.repeat(values, k), k, k, start, []), 1) for k, start in pairs]

    def beyond(self) -> dict[str, AtMost]:
        """A start at right angles to the first eigenvector stays there, and misses all of it."""
        return {"the start is not at right angles": AtMost(mp.mpf(2), mp.mpf(1), part="spectral error")}
