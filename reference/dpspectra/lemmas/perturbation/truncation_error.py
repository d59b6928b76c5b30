"""A noisy matrix cut to rank ``k`` is at most ``2 |E|_2`` worse than the best one, and ``|W|_2`` if ``W >= 0``.

``|A - B_k|_2 <= |E|_2 + s_{k+1}(B)`` for ``B = A + E``, and Weyl moves ``s_{k+1}`` by at most ``|E|_2``. If noise and
``B`` are PSD, ``A - B_k`` is a difference of two PSD matrices, ``B - B_k`` and ``W``, so its norm is at most the larger
of the two norms, not their sum. If ``B`` is indefinite, a PSD ``W`` may be as bad as any other noise. At a tie every
choice of ``B_k`` obeys the bound.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.ledger import AtMost, Matrix, Reals, Verdict, statement
from dpspectra.oracle import linalg as oracle
from dpspectra.strategies import fields, hermitian, psd, spectra, st, unitaries


def bound(following: Any, noise: Any, positive: bool) -> Any:
    """Largest ``|A - B_k|_2`` for ``s_{k+1}(A) = following`` and noise of this norm; ``positive`` if both are PSD."""
    return following + noise * (1 if positive else 2)


@statement
class TruncationError:
    labels = ("JXZ-T9",)
    given = "B=A+E"
    claim = {
        "error after truncation": (
            r"\|A-B_k\|_2\le s_{k+1}(A)+2\|E\|_2;\ "
            r"B,E\succeq0:\ \|A-B_k\|_2\le\max\{\lambda_{k+1}(A),0\}+\|E\|_2"
        ),
    }
    printed = (
        r"Not at hand; read as: $`\lVert A-\hat A_k\rVert_2\le\lambda_{k+1}+\lVert W\rVert_2`$ for "
        r"$`A=XX^\top`$, with $`\lVert W\rVert_2`$ of order $`\frac{d\log d}\varepsilon`$ with high "
        "probability."
    )
    where = {
        "A": "Hermitian matrix, the data",
        "E": "noise, a Hermitian matrix",
        "B": "noisy matrix",
        "B_k": "best approximation of rank $`k`$ of the noisy matrix",
    }
    verdict = Verdict.VERIFIED
    uses = ("JXZ-L4",)
    note = "perturbation_low_rank.md#low-rank-approximation-of-a-noisy-matrix"

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, Any, Any, int, bool]:
        """Spectrum and eigenvectors of a noisy matrix, the noise, ``k``, and whether both matrices are PSD.

        The noisy matrix is drawn rather than ``A``, so its eigenvectors are fixed at a tie; ``A`` need not be PSD.
        """
        d, field, positive = draw(st.sampled_from([3, 2, 4, 1])), draw(fields()), draw(st.booleans())
        u, spectrum = draw(unitaries(d, field)), draw(spectra(d, signed=not positive))
        noise = draw(psd(d, field) if positive else hermitian(d, field)) * draw(
            st.sampled_from([2.0**-8, 2.0**-20, 1.0])
        )
        return spectrum + draw(st.sampled_from([0.0, 16.0])), u, noise, draw(st.integers(1, d)), positive

    def fast(self, spectrum: Any, u: Any, noise: Any, k: int, positive: bool) -> AtMost:
        noisy = (u * spectrum) @ fast.adjoint(u)
        kept = np.argsort(-np.abs(spectrum), kind="stable")[:k]
        cut = (u[:, kept] * spectrum[kept]) @ fast.adjoint(u[:, kept])
        a = noisy - noise
        values = fast.eigenvalues(a).clip(0) if positive else fast.singular_values(a)
        stated = bound([*values, 0.0][k], fast.spectral_norm(noise), positive)
        size = fast.frobenius_norm(noisy)
        return AtMost(fast.spectral_norm(a - cut), stated, scale=size, part="error after truncation")

    def oracle(self, spectrum: Reals, u: Matrix, noise: Matrix, k: int, positive: bool) -> AtMost:
        order = sorted(range(u.cols), key=lambda i: -abs(spectrum[i]))
        terms = [spectrum[i] * oracle.outer(u[:, i]) for i in order]
        noisy, lost = sum(terms, mp.zeros(u.rows)), sum(terms[k:], mp.zeros(u.rows))
        values = [max(value, 0) if positive else abs(value) for value in oracle.eigenvalues(noisy - noise)]
        size = max(map(abs, oracle.eigenvalues(noise)))
        stated = [*sorted(values, reverse=True), 0][k] + (size if positive else 2 * size)
        error = max(map(abs, oracle.eigenvalues(lost - noise)))
        return AtMost(error, stated, scale=oracle.frobenius_norm(noisy), part="error after truncation")

    def tight(self) -> list[Any]:
        """Noisy eigenvalues tied in modulus, of which the wrong one is kept.

        The second and third instance have PSD noise; in the third ``A`` is indefinite.
        """
        swapped, tie = np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([2.0, 2.0])
        return [
            (tie, swapped, np.diag([-1.0, 1.0]), 1, False),
            (tie, swapped, np.diag([0.0, 1.0]), 1, True),
            (np.array([2.0, -2.0]), np.eye(2), np.eye(2), 1, False),
            (np.array([-2.0, 2.0]), np.eye(2), -np.eye(2), 1, False),
            (np.full(4, 2.0), np.kron(swapped, np.eye(2)), np.diag([-1.0, -1.0, 1.0, 1.0]), 2, False),
        ]

    def beyond(self) -> dict[str, AtMost]:
        """PSD noise on ``diag(1, -3)``, which then has eigenvalues tied in modulus, costs as much as other noise."""
        return {"a PSD matrix": self.oracle(np.array([2.0, -2.0]), np.eye(2), np.eye(2), 1, True)}
