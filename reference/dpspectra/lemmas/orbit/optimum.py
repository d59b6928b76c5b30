"""The best point of an orbit has the eigenvectors of ``M`` in the same order, the worst one in reverse order.

``<M, U L U*>`` is a mean of ``<gamma, lambda permuted>`` over permutations, since the squared moduli ``|U_ij|^2`` are
doubly stochastic, and a permutation is best when both sequences descend. All points of an orbit have the same norm, so
the best point is the nearest one. It is not unique if ``gamma`` has ties. With both spectra equal the distance from the
worst point is the diameter of the orbit; its square is at most ``2 sum lambda^2`` if no eigenvalue is negative.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.ledger import AtMost, Equal, Matrix, Parts, Reals, Verdict, all_parts, statement
from dpspectra.oracle import linalg as oracle
from dpspectra.strategies import dimensions, fields, spectra, st, unitaries


def bound(gamma: Any, spectrum: Any) -> Any:
    """Largest ``<M, H>`` on the orbit of a descending ``spectrum``, for descending eigenvalues ``gamma`` of ``M``."""
    return gamma @ spectrum


def squared_diameter(spectrum: Any) -> Any:
    """Largest squared Frobenius distance on the orbit of a descending real ``spectrum``."""
    return np.sum((spectrum - spectrum[::-1]) ** 2)


@statement
class Optimum:
    labels = ("MWKTV-P2.1",)
    given = r"H\in\mathcal O_\Lambda,\ M=V\Gamma V^*,\ H_0=V\Lambda V^*"
    claim = {
        "largest score": r"\langle M,H\rangle\le\sum_i\lambda_i\gamma_i",
        "smallest score": r"\sum_i\lambda_i\gamma_{d+1-i}\le\langle M,H\rangle",
        "score of the optimum": r"\langle M,H_0\rangle=\sum_i\lambda_i\gamma_i",
        "nearest point": r"\|M-H_0\|_F\le\|M-H\|_F",
    }
    printed = (
        r"Not at hand; read as: given a Hermitian $`M`$ and $`\lambda_1\ge\dots\ge\lambda_d`$, find "
        r"$`H\in\mathcal O_\Lambda`$ with the largest $`\langle M,H\rangle`$; the optimum has the "
        "eigenvectors of $`M`$, in descending order."
    )
    where = {
        "H_0": "best point of the orbit, with the eigenvectors of $`M`$",
        "V": "unitary matrix of eigenvectors of $`M`$",
        r"\Gamma": "diagonal matrix of the eigenvalues of $`M`$",
    }
    verdict = Verdict.VERIFIED
    exact = ("score of the optimum",)
    note = "orbit.md#optimum-on-an-orbit"

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, ...]:
        """Two spectra of one length and two unitary matrices: eigenvectors of ``M`` and of a point."""
        d, field = draw(dimensions()), draw(fields())
        return draw(spectra(d, True)), draw(spectra(d, True)), draw(unitaries(d, field)), draw(unitaries(d, field))

    def fast(self, gamma: Any, spectrum: Any, v: Any, u: Any) -> Parts:
        m, h = (v * gamma) @ fast.adjoint(v), (u * spectrum) @ fast.adjoint(u)
        best, size = fast.orbit_projection(m, spectrum), fast.frobenius_norm(m) * fast.frobenius_norm(h)
        seen = fast.eigenvalues(m)
        yield AtMost(fast.inner(m, h), bound(seen, spectrum), scale=size, part="largest score")
        yield AtMost(bound(seen, spectrum[::-1]), fast.inner(m, h), scale=size, part="smallest score")
        yield Equal(fast.inner(m, best), bound(seen, spectrum), scale=size, part="score of the optimum")
        nearest, distance = fast.frobenius_norm(m - best), fast.frobenius_norm(m - h)
        yield AtMost(nearest, distance, scale=fast.frobenius_norm(m) + 1, part="nearest point")

    def oracle(self, gamma: Reals, spectrum: Reals, v: Matrix, u: Matrix) -> Parts:
        m, h, best = v * mp.diag(gamma) * v.H, u * mp.diag(spectrum) * u.H, v * mp.diag(spectrum) * v.H
        worst, highest = oracle.pairings(gamma, spectrum)
        size = oracle.frobenius_norm(m) * oracle.frobenius_norm(h)
        yield AtMost(oracle.inner(m, h), highest, scale=size, part="largest score")
        yield AtMost(worst, oracle.inner(m, h), scale=size, part="smallest score")
        yield Equal(oracle.inner(m, best), highest, scale=size, part="score of the optimum")
        nearest, distance = oracle.frobenius_norm(m - best), oracle.frobenius_norm(m - h)
        yield AtMost(nearest, distance, scale=oracle.frobenius_norm(m) + 1, part="nearest point")

    def tight(self) -> list[Any]:
        """Equal order, reverse order, and a tie of ``gamma`` that leaves two best points."""
        swap = np.eye(3)[[1, 0, 2]]
        return [
            (np.array([3.0, 2.0, 1.0]), np.array([2.0, 1.0, 0.0]), np.eye(3), np.eye(3)[::-1]),
            (np.array([3.0, 2.0, 1.0]), np.array([2.0, 1.0, 0.0]), np.eye(3), np.eye(3)),
            (np.array([2.0, 2.0, 1.0]), np.array([2.0, 1.0, 0.0]), np.eye(3), swap),
        ]

    def beyond(self) -> dict[str, AtMost]:
        """Values paired in the order in which they stand, and a point of another orbit."""
        gamma, h = [mp.mpf(1), mp.mpf(0)], mp.diag([2, 0])
        return {
            "both spectra descending": AtMost(oracle.inner(mp.diag(gamma), mp.diag([1, 0])), mp.fdot(gamma, [0, 1])),
            "a point of the orbit": AtMost(oracle.inner(mp.diag(gamma), h), mp.fdot(gamma, [1, 0])),
        }


@statement
class OrbitDiameter:
    labels = ("MWKTV-S3d",)
    given = r"M,H\in\mathcal O_\Lambda,\ \lambda_d\ge0"
    claim = {
        "diameter": r"\|M-H\|_F^2\le\sum_i(\lambda_i-\lambda_{d+1-i})^2",
        "bound by the norm": r"\sum_i(\lambda_i-\lambda_{d+1-i})^2\le2\sum_i\lambda_i^2",
    }
    printed = r"$`\lVert M-H\rVert_F^2\le2\sum_\ell\lambda_\ell^2`$ for $`M,H\in\mathcal O_\Lambda`$."
    where = {
        "M": "point of the orbit",
        "H": "another point of the orbit",
    }
    verdict = Verdict.VERIFIED
    uses = ("MWKTV-P2.1",)
    note = "orbit.md#diameter-of-an-orbit"

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, ...]:
        d, field = draw(dimensions()), draw(fields())
        return draw(spectra(d)), draw(unitaries(d, field)), draw(unitaries(d, field))

    def fast(self, spectrum: Any, v: Any, u: Any) -> Parts:
        m, h = ((x * spectrum) @ fast.adjoint(x) for x in (v, u))
        largest = squared_diameter(spectrum)
        yield AtMost(fast.frobenius_norm(m - h) ** 2, largest, scale=spectrum @ spectrum, part="diameter")
        yield AtMost(largest, 2 * spectrum @ spectrum, part="bound by the norm")

    def oracle(self, spectrum: Reals, v: Matrix, u: Matrix) -> Parts:
        difference = v * mp.diag(spectrum) * v.H - u * mp.diag(spectrum) * u.H
        _, largest = oracle.pairings(spectrum, spectrum, lambda a, b: (a - b) ** 2)
        square = mp.fdot(spectrum, spectrum)
        yield AtMost(oracle.inner(difference, difference), largest, scale=square, part="diameter")
        yield AtMost(largest, 2 * square, part="bound by the norm")

    def tight(self) -> list[Any]:
        """A spectrum in its own order and in the reverse one."""
        return [(np.array([3.0, 1.0, 0.0, 0.0]), np.eye(4), np.eye(4)[::-1])]

    def beyond(self) -> dict[str, AtMost]:
        """The spectrum ``(1, -1)``: two points at the squared distance 8, where twice the squared norm is 4."""
        _, bound_by_norm = all_parts(self.oracle(np.array([1.0, -1.0]), np.eye(2), np.eye(2)[::-1]))
        return {"no negative value": bound_by_norm}
