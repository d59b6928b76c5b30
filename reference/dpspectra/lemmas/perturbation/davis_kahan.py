"""Davis-Kahan: ``|P - Q|_2 <= |A - B|_2 / (lambda_k(A) - lambda_{k+1}(B))`` for top-``k`` projectors.

A half-line separates the upper spectrum of ``A`` from the lower one of ``B``, so the block of ``A - B`` between those
eigenspaces has a norm of at least the gap times their largest sine, and ``|P - Q|_2`` is that sine. In Frobenius norm
there is a factor ``sqrt(2 min(k, d - k))``: that many sines, each of which occurs twice in ``P - Q``. Without the gap
the spaces can be far apart.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.ledger import AtMost, Matrix, Parts, Verdict, all_parts, statement
from dpspectra.oracle import linalg as oracle
from dpspectra.strategies import fields, hermitian, psd, spectra, st, unitaries

UNCLEAR = 2.0**-20
"""Gap, relative to the size of the matrices, below which float64 cannot determine a projector."""


@st.composite
def _changes(draw: st.DrawFn) -> tuple[Any, Any, int]:
    """A matrix with a gap after place ``k``, a change of any rank and size, and ``k``."""
    d, field = draw(st.sampled_from([3, 4, 2])), draw(fields())
    k = draw(st.integers(1, d - 1))
    spectrum, u = draw(spectra(d, signed=True)), draw(unitaries(d, field))
    spectrum[:k] += draw(st.sampled_from([16.0, 4.0, 1.0]))
    change = draw(hermitian(d, field) | psd(d, field))
    return (u * spectrum) @ u.conj().T, change * draw(st.sampled_from([2.0**-6, 2.0**-4, 2.0**-8, 2.0**-20])), k


def bound(difference: Any, gap: Any) -> Any:
    """Largest ``|P - Q|_2`` for ``|A - B|_2 = difference`` and one-sided ``gap > 0``; also the largest sine."""
    return difference / gap


def exact_distances(a: Any, b: Any, k: int) -> tuple[Any, Any]:
    """Spectral and Frobenius distance of the top-``k`` projectors of two matrices.

    By the sines of the angles between the top space of the second matrix and the lower one of the first.
    """
    (_, vectors), (_, others) = oracle.eigenvectors(a), oracle.eigenvectors(b)
    sines = oracle.singular_values(oracle.columns(vectors, range(k, a.rows)).H * oracle.columns(others, range(k)))
    return max(sines), mp.sqrt(2 * mp.fsum(s**2 for s in sines))


@statement
class DavisKahan:
    labels = ("JXZ-L3",)
    given = r"\lambda_k(A)>\lambda_{k+1}(B)"
    claim = {
        "spectral distance": r"\|P-Q\|_2\le\frac{\|A-B\|_2}{\lambda_k(A)-\lambda_{k+1}(B)}",
        "Frobenius distance": r"\|P-Q\|_F\le\frac{\sqrt{2\min(k,d-k)}\,\|A-B\|_2}{\lambda_k(A)-\lambda_{k+1}(B)}",
    }
    printed = (
        r"Not at hand; read as Davis and Kahan's theorem: $`\lVert P_k-\hat P_k\rVert_2\le\frac{\lVert A-\hat "
        r"A\rVert_2}{\lambda_k(A)-\lambda_{k+1}(\hat A)}`$."
    )
    where = {
        "B": "Hermitian matrix, thought of as near the first one",
    }
    verdict = Verdict.VERIFIED
    note = "perturbation.md#davis-kahan"

    def cases(self) -> st.SearchStrategy[Any]:
        """Changes that leave positive gaps, large enough for float64 to determine the projectors."""

        def clear(case: tuple[Any, Any, int]) -> bool:
            a, change, k = case
            values, others = fast.eigenvalues(a), fast.eigenvalues(a + change)
            size = fast.frobenius_norm(a) + fast.frobenius_norm(change)
            return bool(min(values[k - 1] - others[k], others[k - 1] - others[k]) > UNCLEAR * size)

        return _changes().filter(clear)

    def fast(self, a: Any, change: Any, k: int) -> Parts:
        b = a + change
        gap = fast.eigenvalues(a)[k - 1] - fast.eigenvalues(b)[k]
        size = fast.frobenius_norm(a) + fast.frobenius_norm(change)
        move, most = fast.top_projector(a, k) - fast.top_projector(b, k), bound(fast.spectral_norm(change), gap)
        yield AtMost(fast.spectral_norm(move), most, scale=size / gap, part="spectral distance")
        blocks = np.sqrt(2.0 * min(k, len(a) - k))
        yield AtMost(fast.frobenius_norm(move), blocks * most, scale=size / gap, part="Frobenius distance")

    def oracle(self, a: Matrix, change: Matrix, k: int) -> Parts:
        spectral, frobenius = exact_distances(a, a + change, k)
        size = oracle.frobenius_norm(a) + oracle.frobenius_norm(change)
        gap = oracle.eigenvalues(a)[k - 1] - oracle.eigenvalues(a + change)[k]
        most = oracle.spectral_norm(change) / gap
        yield AtMost(spectral, most, scale=size / gap, part="spectral distance")
        yield AtMost(frobenius, mp.sqrt(2 * min(k, a.rows - k)) * most, scale=size / gap, part="Frobenius distance")

    def tight(self) -> list[Any]:
        """Two axes of five that fall below the others; and the second axis of three, below the third."""
        return [
            (np.diag([1.0, 1.0, 0.5, 0.5, -2.0]), np.diag([-1.0, -1.0, 0.0, 0.0, 0.0]), 2),
            (np.diag([2.0, 1.0, 0.5]), np.diag([0.0, -1.0, 0.0]), 2),
        ]

    def beyond(self) -> dict[str, AtMost]:
        """Top eigenvectors that are different axes, at the gap -9; and a small change far from Hermitian, at the gap 1.

        In the second instance ``e_1`` and ``(10, 10, 1)`` are the top eigenvectors, both of eigenvalue 1, all others
        are 0.
        """
        a = mp.matrix([[1, 0, 0], [0, 0, 10], [0, 0, 0]])
        change, top = mp.matrix([[0, 0, 0], [0, 0, 0], [mp.mpf(1) / 10, 0, 0]]), mp.matrix([10, 10, 1])
        assert oracle.frobenius_norm((a + change) * top - top) < mp.mpf(2) ** -40
        sine = mp.sqrt(1 - top[0] ** 2 / oracle.inner(top, top))
        return {
            "the gap is positive": all_parts(self.oracle(np.diag([1.0, 0.0]), np.diag([9.0, 11.0]), 1))[0],
            "both matrices are Hermitian": AtMost(sine, oracle.spectral_norm(change), part="spectral distance"),
        }
