"""The map from subspaces to the orbit: ``psi(P)`` turns axes to ``P``, ``Psi`` embeds it, ``phi(P) = Psi Lambda Psi*``.

``psi(P)`` has the aligned basis of ``P`` as its first ``i`` columns and that of the complement as its last ``m``. This
is the direct rotation: its diagonal blocks are positive semidefinite, the others negative adjoints of each other, and
no unitary that carries the axes to ``P`` is nearer to the identity. If the signs of the last ``m`` columns are flipped
it is a reflection, and signs do not change ``Psi Lambda Psi*``; so ``phi(P) - Lambda`` has rank at most
``2 min(i, m)``, half of it positive and half of it negative. At right angles there are several direct rotations. In
print the row indices of the lower blocks run too far.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.fast.alignment import direct_rotation, embedded_rotation, orbit_point
from dpspectra.ledger import AtMost, Equal, Matrix, Parts, Verdict, statement
from dpspectra.oracle import alignment as exact
from dpspectra.oracle import linalg as oracle
from dpspectra.strategies import dimensions, fields, spectra, st, unitaries
from dpspectra.strategies.matrices import DTYPES
from dpspectra.strategies.subspaces import subspaces

STEEP = 2.0**-13
"""Smallest cosine of an angle at which float64 finds the rotation."""

ZERO = 2.0**-36
"""Size up to which an eigenvalue counts as zero."""


@statement
class MapToOrbit:
    labels = ("MWKTV-M33",)
    given = (
        r"\psi(P)=\begin{pmatrix}C_1&T\\S&C_2\end{pmatrix},\ \phi(P)=\Psi\Lambda\Psi^*,\ VI_iV^*=P,\ "
        r"\mu_1\ge\dots\ge\mu_d\text{ eigenvalues of }\phi(P)-\Lambda"
    )
    claim = {
        "unitary rotation": r"\|\psi^*\psi-I\|_F=0",
        "image of the axes": r"\|\psi I_i\psi^*-P\|_F=0",
        "off-diagonal blocks": r"\|S+T^*\|_F=0",
        "Hermitian diagonal blocks": r"\|C_1-C_1^*\|_F=0,\ \|C_2-C_2^*\|_F=0",
        "embedding": r"\|e_l^\top(\Psi-I)\|=0\ (i<l\le d-m)",
        "positive diagonal blocks": r"\operatorname{tr}C_1=\|C_1\|_*,\ \operatorname{tr}C_2=\|C_2\|_*",
        "nearest to the identity": r"\|\psi-I\|_F\le\|V-I\|_F",
        "rank of the difference": r"\operatorname{rank}(\phi(P)-\Lambda)\le2\min(i,m)",
        "pairs of eigenvalues of either sign": r"\sum_l(\mu_l+\mu_{d+1-l})^2=0",
    }
    printed = r"$`\phi(M)=\Psi(M)\,\Lambda\,\Psi(M)^*`$."
    where = {
        "C_1": "block of cosines, of order $`i`$",
        "C_2": "block of cosines, of order $`m`$",
        "S": "block of sines, below",
        "V": "any unitary matrix that takes $`I_i`$ to $`P`$",
        r"\Psi": r"$`\psi(P)`$ on the first $`i`$ and the last $`m`$ coordinates, the identity on the others",
        "T": "block of sines, above",
        r"\mu_i": "the eigenvalues of the difference",
        "e_i": "the axes",
    }
    verdict = Verdict.DEFINITION
    uses = ("MWKTV-L8.3",)
    exact = ("embedding", "positive diagonal blocks")
    note = "packing.md#the-map-to-the-orbit"
    examples = 50

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, ...]:
        """A spectrum, an oblique basis at acute angles to the first axes, unitaries on both groups of coordinates."""
        d, field = draw(dimensions(2)), draw(fields())
        i = draw(st.integers(1, d - 1))
        m = draw(st.integers(1, d - i))
        axes: Any = np.eye(i + m, dtype=DTYPES[field])
        basis = draw(subspaces(axes, i, i).filter(lambda b: fast.singular_values(np.linalg.qr(b)[0][:i])[-1] > STEEP))
        turns = [draw(unitaries(size, field)) for size in (i, m)]
        return draw(spectra(d, signed=True)), basis, *turns

    def fast(self, spectrum: Any, basis: Any, first: Any, last: Any) -> Parts:
        q = np.linalg.qr(basis)[0]
        (d, i), length = q.shape, len(spectrum)
        psi, identity, embedded = direct_rotation(q), np.eye(d), embedded_rotation(q, length)
        corners, between = (psi[:i, :i], psi[i:, i:]), np.arange(i, length - d + i)
        other = psi @ np.block([[first, np.zeros((i, d - i))], [np.zeros((d - i, i)), last]])
        moved = fast.eigenvalues(orbit_point(q, spectrum) - np.diag(spectrum))
        size = 1 + np.max(np.abs(spectrum))
        zeros = (
            ("unitary rotation", fast.adjoint(psi) @ psi - identity),
            ("image of the axes", psi[:, :i] @ fast.adjoint(psi[:, :i]) - q @ fast.adjoint(q)),
            ("off-diagonal blocks", psi[i:, :i] + fast.adjoint(psi[:i, i:])),
            *(("Hermitian diagonal blocks", corner - fast.adjoint(corner)) for corner in corners),
            ("embedding", embedded[between] - np.eye(length)[between]),
        )
        for part, zero in zeros:
            yield Equal(fast.frobenius_norm(zero), 0.0, scale=1, part=part)
        for corner in corners:
            yield Equal(np.trace(corner).real, fast.nuclear_norm(corner), scale=1, part="positive diagonal blocks")
        near, far = (fast.frobenius_norm(turn - identity) for turn in (psi, other))
        yield AtMost(near, far, scale=1, part="nearest to the identity")
        yield AtMost(int(np.sum(np.abs(moved) > ZERO)), 2 * min(i, d - i), part="rank of the difference")
        yield Equal(np.linalg.norm(moved + moved[::-1]), 0.0, scale=size, part="pairs of eigenvalues of either sign")

    def oracle(self, spectrum: Any, basis: Matrix, first: Matrix, last: Matrix) -> Parts:
        with mp.workdps(2 * mp.dps):  # the inverse root of a small cosine costs digits
            q = exact.orthonormal(basis)
            d, i, length = q.rows, q.cols, len(spectrum)
            psi, identity, embedded = exact.direct_rotation(q), mp.eye(d), exact.embedded_rotation(q, length)
            corners = psi[:i, :i], psi[i:, i:]
            turn = mp.zeros(d)
            turn[:i, :i], turn[i:, i:] = first, last
            values = [mp.mpf(value) for value in spectrum]
            difference, size = exact.orbit_point(q, values) - mp.diag(values), 1 + max(map(abs, values))
            moved = oracle.singular_values(difference)
            traces = [oracle.inner(difference, difference**power) for power in range(0, length, 2)]  # of odd powers
            zeros = [
                ("unitary rotation", psi.H * psi - identity),
                ("image of the axes", psi[:, :i] * psi[:, :i].H - q * q.H),
                ("off-diagonal blocks", psi[i:, :i] + psi[:i, i:].H),
                *(("Hermitian diagonal blocks", corner - corner.H) for corner in corners),
            ]
            rest = mp.fsum(abs(embedded[a, b] - (a == b)) for a in range(i, length - d + i) for b in range(length))
            for part, zero in zeros:
                yield Equal(oracle.frobenius_norm(zero), 0, scale=1, part=part)
            yield Equal(rest, 0, scale=1, part="embedding")
            for corner in corners:
                trace = mp.fsum(mp.re(corner[x, x]) for x in range(corner.rows))
                yield Equal(trace, oracle.nuclear_norm(corner), scale=1, part="positive diagonal blocks")
            near, far = (oracle.frobenius_norm(x - identity) for x in (psi, psi * turn))
            yield AtMost(near, far, scale=1, part="nearest to the identity")
            yield AtMost(sum(value > ZERO for value in moved), 2 * min(i, d - i), part="rank of the difference")
            yield Equal(mp.norm(traces), 0, scale=size**length, part="pairs of eigenvalues of either sign")

    def tight(self) -> list[Any]:
        """A line and a plane in space with identity unitaries, so that both distances are the same."""
        line, plane = np.array([[1.0], [2.0], [2.0]]), np.array([[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]])
        return [
            (np.array([1.0, 0.0, -1.0]), line, np.eye(1), np.eye(2)),
            (np.array([2.0, 1.0, 0.0]), plane, np.eye(2), np.eye(1)),
        ]

    def beyond(self) -> dict[str, Equal | AtMost]:
        """A rotation of the plane that is not the direct one: it is composed with a turn of the line."""
        q = exact.orthonormal(oracle.exact(np.array([[1.0], [2.0]])))
        psi = exact.direct_rotation(q)
        other = psi * mp.diag([-1, 1])
        far, near = (oracle.frobenius_norm(x - mp.eye(2)) for x in (other, psi))
        return {
            "aligned bases": Equal(oracle.frobenius_norm(other[1:, :1] + other[:1, 1:].H), 0, scale=1),
            "nearest to the identity": AtMost(far, near),
        }
