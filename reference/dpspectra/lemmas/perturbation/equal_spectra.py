"""For equal spectra sin-Theta has constant 1 in every unitarily invariant norm: ``|P - Q| gap <= |M - N|``.

Both off-diagonal blocks of ``M - N``, from the top space of one matrix to the lower space of the other, solve a
Sylvester equation with separated spectra, so their sum has norm at least ``gap |P - Q|``; and that sum is half the
difference of ``M - N`` and a reflection of it. If only one block is bounded, the constant is not 1.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.fast.alignment import cayley
from dpspectra.ledger import AtMost, Matrix, Parts, Reals, Verdict, statement
from dpspectra.oracle import linalg as oracle
from dpspectra.oracle.alignment import cayley as exact_cayley
from dpspectra.strategies import dimensions, fields, rectangular, spectra, st, unitaries

DISTANCES = "Frobenius distance", "spectral distance", "nuclear distance"


def bound(difference: Any, spectrum: Any, k: int) -> Any:
    """Largest distance of the top-``k`` projectors, for matrices of equal ``spectrum`` at distance ``difference``.

    Both distances are in the same unitarily invariant norm; the spectrum must have a gap after place ``k``.
    """
    return difference / (spectrum[k - 1] - spectrum[k])


@statement
class EqualSpectra:
    labels = ("MWKTV-E13",)
    given = r"\lambda(M)=\lambda(N)=(\lambda_1,\dots,\lambda_d),\ \lambda_k>\lambda_{k+1}"
    claim = {
        "Frobenius distance": r"\|P-Q\|_F\le\frac{\|M-N\|_F}{\lambda_k-\lambda_{k+1}}",
        "spectral distance": r"\|P-Q\|_2\le\frac{\|M-N\|_2}{\lambda_k-\lambda_{k+1}}",
        "nuclear distance": r"\|P-Q\|_*\le\frac{\|M-N\|_*}{\lambda_k-\lambda_{k+1}}",
    }
    printed = (
        r"$`\lVert\phi(P)-\phi(P')\rVert_F=\lVert U\Lambda U^*-U'\Lambda "
        r"U'^*\rVert_F\ge(\lambda_i-\lambda_{i+1})\lVert P-P'\rVert_F`$."
    )
    where = {
        r"\lambda(": (r"\lambda(M)", "eigenvalues of the matrix, in descending order"),
        r"\lambda_i": "the common eigenvalues of the two matrices, in descending order",
    }
    verdict = Verdict.VERIFIED
    uses = ("MWKTV-L8.2S",)
    note = "perturbation.md#sin-theta-for-equal-spectra"
    examples = 85

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, ...]:
        """A spectrum with a gap after place ``k``, ``k``, a unitary, a skew matrix that turns it by little or much."""
        d, field = draw(dimensions(2)), draw(fields())
        k = draw(st.integers(1, d - 1))
        spectrum = draw(spectra(d, signed=True))
        spectrum[:k] += draw(st.sampled_from([1.0, 0.25, 2.0**-10]))
        g = draw(rectangular(d, d, field)) * draw(st.sampled_from([0.125, 2.0**-8, 2.0**-20]))
        return spectrum, k, draw(unitaries(d, field)), g - g.conj().T

    def fast(self, spectrum: Any, k: int, u: Any, skew: Any) -> Parts:
        turned = cayley(skew) @ u
        m, n = ((v * spectrum) @ fast.adjoint(v) for v in (u, turned))
        move, difference = fast.top_projector(m, k) - fast.top_projector(n, k), m - n
        size, norms = fast.frobenius_norm(m), (fast.frobenius_norm, fast.spectral_norm, fast.nuclear_norm)
        for norm, part in zip(norms, DISTANCES, strict=True):
            yield AtMost(norm(move), bound(norm(difference), spectrum, k), scale=size, part=part)

    def oracle(self, spectrum: Reals, k: int, u: Matrix, skew: Matrix) -> Parts:
        turned = exact_cayley(skew) * u
        m, n = (v * mp.diag(spectrum) * v.H for v in (u, turned))
        p, q = (oracle.columns(v, range(k)) * oracle.columns(v, range(k)).H for v in (u, turned))
        gap, size = spectrum[k - 1] - spectrum[k], oracle.frobenius_norm(m)
        moved, changed = oracle.singular_values(p - q), oracle.singular_values(m - n)
        for norm, part in zip((mp.norm, max, mp.fsum), DISTANCES, strict=True):
            yield AtMost(norm(moved), norm(changed) / gap, scale=size, part=part)

    def tight(self) -> list[Any]:
        """Turns of two vectors, by which the matrices differ by the gap times the projectors."""
        turn = np.array([[0.0, -1.0], [1.0, 0.0]])
        skew = np.zeros((4, 4), dtype=complex)
        skew[1, 2], skew[2, 1] = -0.5 - 0.25j, 0.5 - 0.25j
        return [
            (np.array([1.0, 0.0]), 1, np.eye(2), turn),
            (np.array([3.0, 3.0, 1.0, 0.0]), 2, np.eye(4), skew),
        ]

    def beyond(self) -> dict[str, AtMost]:
        """The axes change places although the second matrix is near the middle; the gap, of the first one, is 1."""
        m, n = mp.diag([1, 0]), mp.diag([mp.mpf(7) / 16, mp.mpf(9) / 16])
        move = oracle.top_projector(m, 1) - oracle.top_projector(n, 1)
        return {"equal spectra": AtMost(oracle.frobenius_norm(move), oracle.frobenius_norm(m - n))}
