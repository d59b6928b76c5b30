"""The private range finder: draw ``Omega`` and ``N``, form ``Y = A Omega + s N``, release an orthonormal basis.

``A`` is ``(m, n)``, ``Omega`` is ``(n, k')`` and ``N`` is ``(m, k')``, both standard normal, ``k' <= m``. HR-L4.1R
gives the noise ``s`` that privacy needs; the width for rank ``k`` is ``k' = 2 k + 1`` unless stated otherwise. Only the
span of the basis matters, onto which ``Q Q'`` projects. Without noise and with ``k'`` above the rank of ``A``, ``Y``
has dependent columns and the basis is arbitrary.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast.linalg import frobenius_norm
from dpspectra.ledger import Equal, Matrix, Parts, Real, Relation, Verdict, statement
from dpspectra.matrices.orthonormal import orthonormal
from dpspectra.oracle import leverages as exact
from dpspectra.oracle import linalg as oracle
from dpspectra.strategies import rectangular, st

NOISE = (1.0, 0.25, 4.0, 2.0**-6)
"""Noise scales ``s`` of the cases."""


@st.composite
def draws(draw: st.DrawFn, m: int, n: int, width: int) -> tuple[Any, float, Any, Any]:
    """Integer ``A``, ``Omega`` and ``N`` and a power of two ``s`` for which ``Y`` has independent columns.

    ``A`` may have rows or columns of zeros. ``width`` is at most ``m``.
    """
    a = draw(rectangular(m, n))
    a[draw(st.integers(0, m)) :] = 0
    a[:, draw(st.integers(0, n)) :] = 0
    s = draw(st.sampled_from(NOISE))
    omega, noise = draw(rectangular(n, width, entries=3)), draw(rectangular(m, width, entries=3))
    if np.linalg.matrix_rank(a @ omega + s * noise) < width:
        omega, noise = np.zeros_like(omega), np.eye(m, width)
    return a, s, omega, noise


@statement
class PrivateRangeFinder:
    labels = ("HR-Fig2",)
    given = (
        r"Y=A\Omega+sN,\ \Omega\sim N(0,1)^{n\times k'},\ N\sim N(0,1)^{m\times k'},\ "
        r"Q=\mathrm{orth}(Y),\ QQ^\top=Y(Y^\top Y)^{-1}Y^\top"
    )
    claim = {
        "noise of the sketch": r"\|Y-A\Omega\|_F=s\,\|N\|_F",
        "orthonormal basis": r"\|QQ^\top\|_F^2=k'",
        "span of the sketch": r"\|QQ^\top Y\|_F=\|Y\|_F",
        "squared residual": r"\|A-QQ^\top A\|_F^2=\|A\|_F^2-\|QQ^\top A\|_F^2",
    }
    printed = (
        r"Not at hand; read as: $`Y=A\Omega+N`$ with noise of standard deviation of order "
        r"$`\frac{\sqrt{k'}\log(k'/\delta)}\varepsilon`$, and $`Q`$ an orthonormal basis of its range."
    )
    where = {
        "N(0,1)": "standard normal law",
    }
    verdict = Verdict.DEFINITION
    relation = (Relation.ROW,)
    uses = ("HR-L4.1R",)
    exact = ("noise of the sketch",)
    note = "range_finding.md#the-private-range-finder"
    without_beyond = (
        "It defines a mechanism; the identity for the projector holds wherever the noisy sketch has "
        "full rank, which has probability 1."
    )

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, ...]:
        m, n = draw(st.integers(1, 6)), draw(st.integers(1, 4))
        return draw(draws(m, n, draw(st.integers(1, min(m, 3)))))

    def fast(self, a: Any, s: float, omega: Any, noise: Any) -> Parts:
        """``Y`` has the noise; the basis is orthonormal and spans ``Y``; the residual of ``A`` is the projector's."""
        y = a @ omega + s * noise
        q = orthonormal(y)
        size, kept = np.sum(a**2), frobenius_norm(q.T @ a) ** 2
        moved, whole = frobenius_norm(y - a @ omega), frobenius_norm(y)
        yield Equal(moved, s * frobenius_norm(noise), scale=whole, part="noise of the sketch")
        yield Equal(np.sum((q.T @ q) ** 2), float(q.shape[1]), part="orthonormal basis")
        yield Equal(frobenius_norm(q.T @ y), frobenius_norm(y), part="span of the sketch")
        yield Equal(frobenius_norm(a - q @ (q.T @ a)) ** 2, size - kept, scale=size, part="squared residual")

    def oracle(self, a: Matrix, s: Real, omega: Matrix, noise: Matrix) -> Parts:
        y = a * omega + s * noise
        p, size = exact.projector(y), oracle.inner(a, a)
        moved, whole = oracle.frobenius_norm(y - a * omega), oracle.frobenius_norm(y)
        yield Equal(moved, s * oracle.frobenius_norm(noise), scale=whole, part="noise of the sketch")
        yield Equal(oracle.inner(p, p), mp.mpf(y.cols), part="orthonormal basis")
        yield Equal(oracle.frobenius_norm(p * y), oracle.frobenius_norm(y), part="span of the sketch")
        kept = oracle.frobenius_norm(p * a) ** 2
        yield Equal(oracle.frobenius_norm(a - p * a) ** 2, size - kept, scale=size, part="squared residual")

    def tight(self) -> list[Any]:
        """A sketch of two columns whose span leaves a residual of every row."""
        a = np.array([[3.0, 1.0], [0.0, 2.0], [1.0, 1.0]])
        return [(a, 0.5, np.array([[1.0, 2.0], [0.0, 1.0]]), np.array([[1.0, 0.0], [2.0, 1.0], [0.0, 1.0]]))]
