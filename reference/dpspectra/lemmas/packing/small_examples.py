"""Two warnings: unitaries far apart can have the same image, and close subspaces can have images far apart.

A swap inside an eigenspace changes nothing (``Lambda = diag(1, 1, 0)``, unitaries at distance 2). A swap of two
eigenvectors of different eigenvalues, followed by a small rotation, almost keeps the sum of their eigenspaces and moves
the matrix by ``sqrt(2) (lambda_1 - lambda_2)`` in the limit. So distances on the orbit are not those of unitaries, nor
of a single subspace, and packings need the map that aligns bases.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.ledger import Equal, Parts, Verdict, statement
from dpspectra.oracle import linalg as oracle
from dpspectra.strategies import st

SWAP = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])


def _turned(tangent: float) -> Any:
    """Swap of the first two axes, followed by a rotation of the second and third by an angle of this tangent."""
    cosine = 1 / np.sqrt(1 + tangent**2)
    sine = tangent * cosine
    return np.array([[1.0, 0.0, 0.0], [0.0, cosine, -sine], [0.0, sine, cosine]]) @ SWAP


@statement
class SmallExamples:
    labels = ("MWKTV-S4.3",)
    given = r"U\text{ swaps }e_1,e_2,\ \Lambda=\operatorname{diag}(1,1,0),\ \Lambda'=\operatorname{diag}(2,1,0)"
    claim = {
        "distance of the unitaries": r"\|U-I\|_F=2",
        "image under the swap": r"\|U\Lambda U^*-\Lambda\|_F=0",
        "distance of the images": r"\|U_\theta\Lambda'U_\theta^*-\Lambda'\|_F^2=2+4\sin^2\theta",
        "distance of the subspaces": r"\|P_2(U_\theta)-P_2(I)\|_F=\sqrt2\,|\sin\theta|",
    }
    printed = (
        r"$`\Lambda=\mathrm{diag}(1,1,0)`$: $`U=I`$ and the exchange of the first two axes have the same "
        r"image, although they are far apart. $`\Lambda=\mathrm{diag}(2,1,0)`$: the images of close subspaces, "
        r"$`\lVert U_1U_1^*-U_1'U_1'^*\rVert_F=\eta`$ for a rotation by $`\eta`$, are far apart."
    )
    where = {
        "U": "unitary matrix",
        r"U_\theta": r"swap of the first two axes, then a rotation of the second and third axis by $`\theta`$",
        r"\theta": "angle",
        "e_i": "the axes",
        "P_2": "projector on the span of the first two columns",
        r"\Lambda'": "spectrum of three different values",
    }
    verdict = Verdict.VERIFIED
    exact = ("distance of the unitaries", "image under the swap")
    note = "packing.md#small-examples"

    def cases(self) -> Any:
        return st.tuples(st.sampled_from([0.0, 2.0**-40, 2.0**-12, 0.25, 1.0, -1.0, 2.0**10, 3.0]))

    def fast(self, tangent: float) -> Parts:
        u, flat, ladder = _turned(tangent), np.diag([1.0, 1.0, 0.0]), np.diag([2.0, 1.0, 0.0])
        sine = tangent / np.sqrt(1 + tangent**2)
        yield Equal(fast.frobenius_norm(SWAP - np.eye(3)), 2.0, part="distance of the unitaries")
        yield Equal(fast.frobenius_norm(SWAP @ flat @ SWAP.T - flat), 0.0, scale=1, part="image under the swap")
        yield Equal(fast.frobenius_norm(u @ ladder @ u.T - ladder) ** 2, 2 + 4 * sine**2, part="distance of the images")
        near = fast.frobenius_norm(u @ flat @ u.T - flat)
        yield Equal(near, np.sqrt(2.0) * np.abs(sine), scale=1, part="distance of the subspaces")

    def oracle(self, tangent: float) -> Parts:
        """Apply only the rotation, to the images ``diag(1, 2, 0)`` and ``diag(1, 1, 0)`` under the swap."""
        angle = mp.atan(tangent)
        turn = mp.matrix([[1, 0, 0], [0, mp.cos(angle), -mp.sin(angle)], [0, mp.sin(angle), mp.cos(angle)]])
        flat, ladder, swap = mp.diag([1, 1, 0]), mp.diag([2, 1, 0]), oracle.columns(mp.eye(3), [1, 0, 2])
        moved = turn * mp.diag([1, 2, 0]) * turn.T - ladder
        yield Equal(oracle.frobenius_norm(swap - mp.eye(3)), 2, part="distance of the unitaries")
        yield Equal(oracle.frobenius_norm(swap * flat * swap.T - flat), 0, scale=1, part="image under the swap")
        yield Equal(oracle.inner(moved, moved), 4 - 2 * mp.cos(2 * angle), part="distance of the images")
        near = oracle.frobenius_norm(turn * flat * turn.T - flat)
        yield Equal(near, mp.sqrt(2) * abs(mp.sin(angle)), scale=1, part="distance of the subspaces")

    def tight(self) -> list[Any]:
        """A tiny angle, and one of half a right angle, where all four distances are of the order of 1."""
        return [(2.0**-40,), (1.0,)]

    def beyond(self) -> dict[str, Equal]:
        """A swap of two different values moves the matrix; without it the image moves as little as the subspace."""
        swap, ladder = oracle.exact(SWAP), mp.diag([2, 1, 0])
        moved = swap * ladder * swap.T - ladder
        turn = oracle.exact(np.array([[5.0, 0.0, 0.0], [0.0, 4.0, -3.0], [0.0, 3.0, 4.0]])) / 5
        turned = turn * ladder * turn.T - ladder
        return {
            "equal values, for the same image": Equal(oracle.frobenius_norm(moved), 0, scale=1),
            "a swap, for distant images": Equal(oracle.inner(turned, turned), 2 + 4 * mp.mpf(9) / 25),
        }
