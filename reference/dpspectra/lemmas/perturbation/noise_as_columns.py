"""Noise as extra columns: residuals of projectors and singular values of ``A' = [A | s I]``.

``|(I - P) A'|_F^2 = |(I - P) A|_F^2 + s^2 |I - P|_F^2`` because the columns stand side by side, and ``A' A'*`` is
``A A* + s^2 I``, so ``s_j(A') = sqrt(s_j(A)^2 + s^2)`` for ``j = 1, ..., m``. The published claims are ``<=`` for the
residual and ``s_j(A) + s`` for the singular values, which follow. ``P`` may be any orthogonal projector. If ``A`` has
fewer columns than rows, ``s_j(A') = s``, not 0, for ``j`` beyond the number of columns.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.ledger import AtMost, Equal, Matrix, Parts, Real, Verdict, statement
from dpspectra.oracle import linalg as oracle
from dpspectra.oracle.alignment import orthonormal
from dpspectra.strategies import fields, rectangular, st
from dpspectra.strategies.subspaces import independent_columns

NOISE = st.sampled_from([1.0, 0.0, 0.25, 16.0, 2.0**-20])
"""Noise levels of the cases."""


@st.composite
def _cases(draw: st.DrawFn) -> tuple[Any, float, Any]:
    """A matrix of any shape and rank up to 4, a noise level, and an oblique basis of the space projected on."""
    field, m, n = draw(fields()), draw(st.integers(1, 4)), draw(st.integers(1, 4))
    a = draw(rectangular(m, n, field))
    a[:, draw(st.integers(0, n)) :] = 0
    basis = draw(independent_columns(m, draw(st.integers(1, m)), field))
    return a, draw(NOISE), basis


def augmented_singular_values(values: Any, noise: Any, rows: int) -> Any:
    """Singular values of ``[A | noise I]`` with ``rows`` rows, from those of ``A``, descending."""
    return np.hypot(np.pad(values, (0, rows - len(values))), noise)


def _augmented(a: Any, noise: float) -> Any:
    """``[A | noise I]``."""
    return np.hstack([a, noise * np.eye(len(a))])


def _exactly_augmented(a: Any, noise: float) -> Any:
    wide = mp.zeros(a.rows, a.cols + a.rows)
    wide[:, : a.cols], wide[:, a.cols :] = a, noise * mp.eye(a.rows)
    return wide


@statement
class NoiseAsColumnsResidual:
    labels = ("HR-C4.3",)
    claim = {
        "residual from above": r"\|(I-P)A\|_F\le\|(I-P)[A\,|\,sI]\|_F",
        "squared residual": r"\|(I-P)[A\,|\,sI]\|_F^2=\|(I-P)A\|_F^2+s^2(m-\operatorname{rank}P)",
    }
    printed = r"$`\lVert(I-P)A\rVert_F\le\lVert(I-P)A'\rVert_F`$ for the augmented matrix $`A'=[A\mid sI]`$."
    where = {
        "P": "any orthogonal projector",
        "A": "rectangular matrix",
        "s": "number that is not negative",
        "m": "number of rows of $`A`$",
    }
    verdict = Verdict.VERIFIED
    note = "perturbation_low_rank.md#residual-of-the-augmented-matrix"
    cases = staticmethod(_cases)

    def fast(self, a: Any, noise: float, basis: Any) -> Parts:
        q = np.linalg.qr(basis)[0]
        wide = _augmented(a, noise)
        own, wider = (fast.frobenius_norm(x - q @ (fast.adjoint(q) @ x)) for x in (a, wide))
        size, outside = fast.frobenius_norm(wide), len(a) - q.shape[1]
        stated = own**2 + noise**2 * outside
        yield AtMost(own, wider, scale=size, part="residual from above")
        yield Equal(wider**2, stated, scale=size**2, part="squared residual")

    def oracle(self, a: Matrix, noise: Real, basis: Matrix) -> Parts:
        q = orthonormal(basis)
        wide, outside = _exactly_augmented(a, noise), mp.eye(a.rows) - q * q.H
        own, wider = oracle.frobenius_norm(outside * a), oracle.frobenius_norm(outside * wide)
        size = oracle.frobenius_norm(wide)
        stated = own**2 + noise**2 * (a.rows - q.cols)
        yield AtMost(own, wider, scale=size, part="residual from above")
        yield Equal(wider**2, stated, scale=size**2, part="squared residual")

    def tight(self) -> list[Any]:
        a, basis = np.array([[3.0, 0.0], [0.0, 4.0], [1.0, 1.0]]), np.array([[1.0], [1.0], [0.0]])
        return [(a, 0.0, basis), (a, 2.0, basis), (a, 0.0, np.eye(3)[:, :2])]

    def beyond(self) -> dict[str, AtMost | Equal]:
        """An oblique projector of the plane, applied to noise alone; and noise 1 added to the matrix -1, ``P = 0``."""
        outside = mp.eye(2) - mp.matrix([[1, 1], [0, 0]])
        return {
            "P is an orthogonal projector": Equal(oracle.inner(outside, outside), mp.mpf(1), part="squared residual"),
            "the noise stands beside A": AtMost(mp.mpf(1), mp.mpf(0), part="residual from above"),
        }


@statement
class NoiseAsColumnsSpectrum:
    labels = ("HR-C4.4",)
    given = r"j=1,\dots,m\quad(s_j(A)=0\text{ beyond the columns})"
    claim = {
        "rise of singular values": r"\max_j\big(s_j([A\,|\,sI])-s_j(A)\big)\le s",
        "augmented singular values": r"s_j([A\,|\,sI])=\sqrt{s_j(A)^2+s^2}",
    }
    printed = r"$`\sigma_j(A')\le\sigma_j(A)+s`$."
    where = {
        "A": "rectangular matrix",
        "s": "number that is not negative",
        "m": "number of rows of $`A`$",
    }
    verdict = Verdict.VERIFIED
    note = "perturbation_low_rank.md#singular-values-of-the-augmented-matrix"

    def cases(self) -> Any:
        return _cases().map(lambda case: case[:2])

    def fast(self, a: Any, noise: float) -> Parts:
        wide = _augmented(a, noise)
        own, wider, size = fast.singular_values(a), fast.singular_values(wide), fast.frobenius_norm(wide)
        rise = np.max(wider - augmented_singular_values(own, 0.0, len(a)))
        yield AtMost(rise, noise, scale=size, part="rise of singular values")
        for x, y in zip(wider, augmented_singular_values(own, noise, len(a)), strict=True):
            yield Equal(x, y, scale=size, part="augmented singular values")

    def oracle(self, a: Matrix, noise: Real) -> Parts:
        """By the eigenvalues of the larger Gram matrix, which do not use that ``A' A'*`` is ``A A* + s^2 I``."""
        wide, size = _exactly_augmented(a, noise), oracle.frobenius_norm(a) + noise * a.rows
        own = oracle.singular_values(a) + [mp.mpf(0)] * max(0, a.rows - a.cols)
        with mp.workdps(2 * mp.dps):  # the root of a zero keeps half the digits
            wider = [mp.sqrt(max(value, 0)) for value in oracle.eigenvalues(wide.H * wide)[: a.rows]]
        pairs = list(zip(wider, own, strict=True))
        yield AtMost(max(x - y for x, y in pairs), noise, scale=size, part="rise of singular values")
        for x, y in pairs:
            yield Equal(x, mp.hypot(y, noise), scale=size, part="augmented singular values")

    def tight(self) -> list[Any]:
        """Two matrices of rank 1, of two columns and of one."""
        return [(np.array([[3.0, 4.0], [6.0, 8.0]]), 2.0), (np.array([[3.0], [4.0]]), 1.0)]

    def beyond(self) -> dict[str, AtMost | Equal]:
        """Noise 1 added to the number 1; and the matrix 0 beside two columns of ones."""
        ones = oracle.singular_values(mp.ones(2, 2))[0]
        return {
            "the noise stands beside A": Equal(mp.mpf(2), mp.hypot(1, 1), part="augmented singular values"),
            "the further columns are orthogonal": AtMost(ones, mp.mpf(1), part="rise of singular values"),
        }
