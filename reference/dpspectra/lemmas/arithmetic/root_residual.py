"""DPS-ROOT: a positive semidefinite matrix is near to a root if its square is, and projectors are if frames are.

With ``S`` the root of a positive definite ``C`` and ``R`` positive semidefinite, ``R**2 - C = R (R - S) + (R - S) S``;
in eigenbases of ``R`` and ``S`` an entry of this is one of ``R - S`` times a sum of eigenvalues. How ``R`` was found
does not matter. ``X X* - Z Z*`` is ``X (X - Z)* + (X - Z) Z*``. Leading minors decide whether ``C`` is positive
definite; the last alone does not. A square near to ``C`` says nothing of an ``R`` with negative eigenvalues.
"""

from typing import Any

import flint
import numpy as np
from mpmath import mp

from dpspectra.certified import ball_chart
from dpspectra.ledger import AtMost, Equal, Matrix, Outcome, Parts, Verdict, statement
from dpspectra.oracle import linalg
from dpspectra.strategies import fields, rectangular, st, unitaries

BITS = 400
"""Bits of balls, enough for the minors of all instances."""


@statement
class RootResidual:
    labels = ("DPS-ROOT",)
    claim = {
        "positive definite": r"\mathbf 1[C\succ0]=\mathbf 1[\det C_m>0\text{ for all }m\le k]",
        "projectors": r"\|XX^*-ZZ^*\|_F\le(\|X\|_2+\|Z\|_2)\|X-Z\|_F",
        "roots": (
            r"C\succ0,\ R\succeq0:\ "
            r"\|R-\sqrt C\|_F\le\frac{\|R^2-C\|_F}{\sqrt{\lambda_{\min}(C)}+\lambda_{\min}(R)}"
        ),
    }
    where = {
        "C": "Hermitian matrix",
        "C_m": "its first $`m`$ rows and columns",
        "k": "order of the matrix",
        "m": "order of a leading minor",
        "R": "approximate root, positive semidefinite",
        r"\lambda_{\min}": "smallest eigenvalue",
        "X": "any matrix",
        "Z": "matrix near it",
    }
    verdict = Verdict.NEW
    exact = ("positive definite",)
    note = "arithmetic.md#roots-from-a-residual"
    examples = 60

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, Any, Any, Any]:
        """A Hermitian matrix, a positive semidefinite one, and two frames, close as often as not.

        Squares of exact matrices beside their roots, near or far, of one eigenbasis or of two; small minors.
        """
        k, field = draw(st.integers(1, 4)), draw(fields())
        sizes = st.sampled_from([1.0, 0.75, 2.0, 0.5, 2.0**-10, 2.0**-20])
        roots = np.array(draw(st.lists(sizes, min_size=k, max_size=k)))
        signs = np.array(draw(st.lists(st.sampled_from([1.0, 1.0, -1.0]), min_size=k, max_size=k)))
        u = draw(unitaries(k, field))
        basis = draw(st.just(u) | unitaries(k, field))
        change = draw(st.sampled_from([0.0, 1.0, 2.0**-9, 2.0**-30]))
        near = roots + change * np.array(draw(st.lists(st.integers(0, 3), min_size=k, max_size=k)))
        x = draw(rectangular(k + 1, k, field, 3))
        z = draw(st.sampled_from([x, 0 * x])) + draw(st.sampled_from([1.0, 2.0**-20])) * draw(
            rectangular(k + 1, k, field, 2)
        )
        return (u * (signs * roots**2)) @ u.conj().T, (basis * near) @ basis.conj().T, x, z

    def fast(self, c: Any, r: Any, x: Any, z: Any) -> Parts:
        """LAPACK's eigenvalues; the decision of the program, in balls."""
        values, vectors = np.linalg.eigh(c)
        with flint.ctx.workprec(BITS):
            found = ball_chart.positive(flint.acb_mat(c.tolist()))
        size = float(np.linalg.norm(x, 2) + np.linalg.norm(z, 2))
        product = float(np.linalg.norm(x @ x.conj().T - z @ z.conj().T))
        yield Equal(int(found is True), int(values[0] > 0), part="positive definite")
        yield AtMost(product, float(size * np.linalg.norm(x - z)), float(np.linalg.norm(x) ** 2), part="projectors")
        if not values[0] > 0:
            return
        root = (vectors * np.sqrt(values)) @ vectors.conj().T
        least = float(np.sqrt(values[0]) + max(np.linalg.eigvalsh(r)[0], 0))
        distance, residual = float(np.linalg.norm(r - root)), float(np.linalg.norm(r @ r - c))
        # The root and the residual round relative to C, over its least eigenvalue, which rounds itself.
        lost = max(1.0, 1e-6 * float(np.linalg.norm(c)) / values[0])
        scale = lost * float(np.linalg.norm(c) + np.linalg.norm(r) ** 2) / least
        yield AtMost(distance, residual / least, scale, part="roots")

    def oracle(self, c: Matrix, r: Matrix, x: Matrix, z: Matrix) -> Parts:
        """Eigenvalues with many digits decide, and make the root."""
        values, vectors = linalg.eigenvectors(c)
        minors = [linalg.determinant(c[:m, :m]) for m in range(1, c.rows + 1)]
        by_minors = all(mp.re(minor) > 0 for minor in minors)
        size = linalg.spectral_norm(x) + linalg.spectral_norm(z)
        product = linalg.frobenius_norm(x * linalg.adjoint(x) - z * linalg.adjoint(z))
        yield Equal(int(values[-1] > 0), int(by_minors), part="positive definite")
        yield AtMost(product, size * linalg.frobenius_norm(x - z), linalg.frobenius_norm(x) ** 2, part="projectors")
        if not values[-1] > 0:
            return
        root = vectors * mp.diag([mp.sqrt(value) for value in values]) * linalg.adjoint(vectors)
        least = mp.sqrt(values[-1]) + max(linalg.eigenvalues(r)[-1], 0)
        scale = (linalg.frobenius_norm(c) + linalg.frobenius_norm(r) ** 2) / least
        distance, residual = linalg.frobenius_norm(r - root), linalg.frobenius_norm(r * r - c)
        yield AtMost(distance, residual / least, scale, part="roots")

    def tight(self) -> list[Any]:
        """Multiples of the identity, eigenvalues off their roots by most, a longer and a zero column."""
        e, f = np.eye(2)[:, :1], np.eye(3)[:, :2]
        return [
            (0.25 * np.eye(1), 0.75 * np.eye(1), e, 1.5 * e),
            (np.diag([4.0, 0.25]), np.diag([2.0, 0.75]), f, f * 2),
            (np.diag([4.0, -0.25]), np.eye(2), f, f + np.eye(3)[:, 1:] * 0.5),
            (0.25 * np.eye(1), 0.75 * np.eye(1), 0 * e, e),
        ]

    def beyond(self) -> dict[str, Outcome]:
        """``R = -1`` has the square of the root 1; near 0 roots move by more than squares; ``-I`` has determinant 1."""
        return {
            "R is positive semidefinite": AtMost(2.0, 0.0),
            "the least eigenvalues": AtMost(0.125, (0.25**2 - 0.125**2) / 1.0),
            "all leading minors": Equal(int(np.linalg.det(-np.eye(2)) > 0), 0),
        }
