"""The orbit map ``phi(P) = Psi(P) Lambda Psi(P)*`` of subspaces keeps distances, up to factors, in both directions.

The range of ``P``, of rank ``i``, lies in the span of the first ``i`` and the last ``m`` of ``d`` axes; ``Psi(P)`` is
the rotation by the smallest angles that takes the first ``i`` axes to it. Images of distant subspaces are distant, by
sin-Theta with both gaps; ``phi(P)`` is near ``Lambda`` because a commutator with ``Lambda`` depends only on its spread.
``Psi`` is unique if no angle is a right one, and with any choice at a right angle the bounds still hold. Without a gap
between eigenvalues ``i`` and ``d - m + 1`` distant ``P`` can have equal images.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import alignment
from dpspectra.fast import linalg as fast
from dpspectra.ledger import AtMost, Equal, Matrix, Parts, Reals, Verdict, statement
from dpspectra.oracle import alignment as exact_alignment
from dpspectra.oracle import linalg as oracle
from dpspectra.strategies import dimensions, dyadics, fields, st
from dpspectra.strategies.matrices import DTYPES
from dpspectra.strategies.subspaces import subspaces

STEEP = 2.0**-13
"""Cosine below which an angle is too close to a right one for the rotation to be computed in float64."""


@st.composite
def _cases(draw: st.DrawFn) -> tuple[Any, Any, Any]:
    """A spectrum of spread 1 or 0 that is not below minus its largest value, and oblique bases of two subspaces.

    The subspaces are at acute angles to the first axes, and of every dimension for which there is room.
    """
    d, field = draw(dimensions(2)), draw(fields())
    i = draw(st.integers(1, d - 1))
    m = draw(st.integers(1, d - i))
    axes: Any = np.eye(i + m, dtype=DTYPES[field])

    def acute(basis: Any) -> bool:
        return bool(fast.singular_values(np.linalg.qr(basis)[0][:i])[-1] > STEEP)

    p, q = (draw(subspaces(axes, i, i).filter(acute)) for _ in range(2))
    inner = dyadics(0, 1, 4) | st.sampled_from([0.0, 1.0])
    spectrum = np.sort([1.0, 0.0, *draw(st.lists(inner, min_size=d - 2, max_size=d - 2))])[::-1]
    return draw(st.sampled_from([spectrum, spectrum + 1, spectrum - 0.5, np.ones(d)])), p, q


def bound(spectrum: Any, distance: Any) -> Any:
    """Largest ``|phi(P) - Lambda|_F`` for ``|P - I_i|_F = distance``."""
    return (spectrum[0] - spectrum[-1]) * distance


@statement
class OrbitMapSeparated:
    labels = ("MWKTV-E34",)
    claim = {
        "distance of the images": r"(\lambda_i-\lambda_{d-m+1})\,\|P-P'\|_F\le\|\phi(P)-\phi(P')\|_F",
    }
    printed = r"$`\lVert\phi(M)-\phi(M')\rVert_F\ge(\lambda_i-\lambda_j)\lVert M-M'\rVert_F`$."
    where = {
        "i": "rank of the projectors",
        r"\phi": "map from projectors to points of the orbit (MWKTV-M33)",
        "P": "projector of rank $`i`$ on the first $`i`$ and the last $`m`$ coordinates",
        "P'": "another such projector",
        r"\lambda_i": "the values of the spectrum, in descending order",
        "m": "number of the last coordinates on which the projectors act",
    }
    verdict = Verdict.VERIFIED
    uses = ("MWKTV-L8.2S",)
    note = "perturbation.md#the-orbit-map-keeps-separations"
    examples = 70
    cases = staticmethod(_cases)

    def fast(self, spectrum: Any, p: Any, q: Any) -> AtMost:
        p, q = np.linalg.qr(p)[0], np.linalg.qr(q)[0]
        apart = fast.frobenius_norm(p @ fast.adjoint(p) - q @ fast.adjoint(q))
        images = fast.frobenius_norm(alignment.orbit_point(p, spectrum) - alignment.orbit_point(q, spectrum))
        gap = spectrum[p.shape[1] - 1] - spectrum[p.shape[1] - len(p)]
        return AtMost(gap * apart, images, scale=1, part="distance of the images")

    def oracle(self, spectrum: Reals, p: Matrix, q: Matrix) -> AtMost:
        with mp.workdps(2 * mp.dps):  # the inverse root of a small cosine costs digits
            p, q = map(exact_alignment.orthonormal, (p, q))
            gap = spectrum[p.cols - 1] - spectrum[p.cols - p.rows]
            images = exact_alignment.orbit_point(p, spectrum) - exact_alignment.orbit_point(q, spectrum)
            separated = gap * oracle.frobenius_norm(p * p.H - q * q.H)
            return AtMost(separated, oracle.frobenius_norm(images), scale=1, part="distance of the images")

    def tight(self) -> list[Any]:
        """Two lines, and two planes, at 45 degrees to each other."""
        one, other = np.array([[1.0], [1.0]]), np.array([[1.0], [0.0]])
        return [(np.repeat([1.0, 0.0], k), np.kron(one, np.eye(k)), np.kron(other, np.eye(k))) for k in (1, 2)]

    def beyond(self) -> dict[str, AtMost]:
        """A line turns between two axes of one value: in the spectra ``(0, 1, 0)`` and ``(1, 1, 0)``, ``m = 1``."""
        first, turned = (exact_alignment.orthonormal(mp.matrix(x)) for x in ([1, 0, 0], [1, 1, 0]))
        values = [mp.mpf(x) for x in (1, 1, 0)]
        moved = oracle.frobenius_norm(exact_alignment.orbit_point(turned, values) - mp.diag(values))
        apart = oracle.frobenius_norm(turned * turned.H - first * first.H)
        one, other = np.eye(3)[:, :2], np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
        return {
            "the spectrum descends": self.oracle(np.array([0.0, 1.0, 0.0]), one, other),
            "P in the span of the first i and the last m axes": AtMost(
                (values[0] - values[2]) * apart, moved, scale=1, part="distance of the images"
            ),
        }


@statement
class OrbitMapRotated:
    labels = ("MWKTV-E35",)
    claim = {
        "image by largest eigenvalue": r"\lambda_d\ge-\lambda_1:\ \|\phi(P)-\Lambda\|_F\le2\lambda_1\,\|\psi(P)-I\|_F",
        "image by spread": r"\|\phi(P)-\Lambda\|_F\le(\lambda_1-\lambda_d)\,\|\psi(P)-I\|_F",
        "rotation by cosines": r"\|\psi(P)-I\|_F^2=4\sum_\ell(1-\cos\theta_\ell)",
        "rotation by projector distance": r"\|\psi(P)-I\|_F\le\sqrt2\,\|P-I_i\|_F",
    }
    printed = (
        r"$`\lVert\phi(M)-\Lambda\rVert_F\le2\lambda_1\lVert\psi(M)-I\rVert_F`$, for any real diagonal "
        r"$`\Lambda`$ as in the theorem."
    )
    where = {
        r"\phi": "map from projectors to points of the orbit (MWKTV-M33)",
        r"\psi": "unitary matrix that takes $`I_i`$ to the projector along aligned bases (MWKTV-M33)",
        "P": "projector of rank $`i`$",
        r"\Lambda": "diagonal matrix of the spectrum",
        r"\lambda_i": "the values of the spectrum, in descending order",
        "I_i": "projector on the first $`i`$ axes",
        r"\theta_i": "the principal angles between the range of $`P`$ and the first $`i`$ axes",
    }
    verdict = Verdict.REPAIRED
    uses = ("MWKTV-L8.3", "MWKTV-E29")
    note = "perturbation.md#the-orbit-map-and-the-rotation"
    examples = 70

    def cases(self) -> Any:
        return _cases().map(lambda case: case[:2])

    def fast(self, spectrum: Any, p: Any) -> Parts:
        p = np.linalg.qr(p)[0]
        axes = np.eye(*p.shape)
        moved = fast.frobenius_norm(alignment.orbit_point(p, spectrum) - np.diag(spectrum))
        turned = fast.frobenius_norm(alignment.direct_rotation(p) - np.eye(len(p)))
        distance = fast.frobenius_norm(p @ fast.adjoint(p) - axes @ axes.T)
        cosines = np.cos(fast.principal_angles(axes, p))
        yield AtMost(moved, 2 * spectrum[0] * turned, scale=1, part="image by largest eigenvalue")
        yield AtMost(moved, bound(spectrum, turned), scale=1, part="image by spread")
        yield Equal(turned**2, 4 * np.sum(1 - cosines), scale=1, part="rotation by cosines")
        yield AtMost(turned, np.sqrt(2.0) * distance, scale=1, part="rotation by projector distance")

    def oracle(self, spectrum: Reals, p: Matrix) -> Parts:
        with mp.workdps(4 * mp.dps):
            p = exact_alignment.orthonormal(p)
            axes = oracle.columns(mp.eye(p.rows), range(p.cols))
            moved = oracle.frobenius_norm(exact_alignment.orbit_point(p, spectrum) - mp.diag(spectrum))
            turned = oracle.frobenius_norm(exact_alignment.direct_rotation(p) - mp.eye(p.rows))
        angles = oracle.principal_angles(axes, p)
        distance = mp.sqrt(2 * mp.fsum(mp.sin(angle) ** 2 for angle in angles))
        yield AtMost(moved, 2 * spectrum[0] * turned, scale=1, part="image by largest eigenvalue")
        yield AtMost(moved, (spectrum[0] - spectrum[-1]) * turned, scale=1, part="image by spread")
        yield Equal(turned**2, 4 * mp.fsum(1 - mp.cos(angle) for angle in angles), scale=1, part="rotation by cosines")
        yield AtMost(turned, mp.sqrt(2) * distance, scale=1, part="rotation by projector distance")

    def tight(self) -> list[Any]:
        """A small angle attains the first two bounds, with eigenvalues of both signs; an almost right one the last."""
        return [
            (np.array([1.0, -1.0]), np.array([[1.0], [2.0**-12]])),
            (np.array([1.0, 1.0, -1.0, -1.0]), np.kron(np.array([[1.0], [2.0**-12]]), np.eye(2))),
            (np.array([1.0, 0.0]), np.array([[2.0**-20], [1.0]])),
        ]

    def beyond(self) -> dict[str, AtMost]:
        image, *_ = self.oracle(np.array([1.0, -3.0]), np.array([[1.0], [2.0**-12]]))
        assert isinstance(image, AtMost)
        return {"smallest eigenvalue at least minus the largest": image}

    def as_printed(self, depth: float, cosine: Any) -> AtMost:
        """Compare squares for ``diag(1, -depth)`` and the line at this cosine: ``phi(P) - Lambda = s (P - I_1)``."""
        return AtMost((1 + mp.mpf(depth)) ** 2 * 2 * (1 - cosine**2), 4 * 4 * (1 - cosine), part="printed form")

    def hypotheses(self, depth: float, cosine: Any) -> dict[str, AtMost]:
        """Printed for every real diagonal matrix and every subspace."""
        return {
            "the values descend": AtMost(-mp.mpf(depth), mp.mpf(1)),
            "the angle is acute": AtMost(mp.mpf(0), cosine),
        }

    def counterexample(self) -> Any:
        return (15.0, mp.mpf(4) / 5)

    certificate = (
        "diag(1, -15), the line of (4/5, 3/5): |phi(P) - Lambda|^2 = 16^2 18/25, (2 lambda_1)^2 |psi(P) - I|^2 = 16/5",
        ["div", ["mul", "256", "18"], "25"],
        "16/5",
    )


@statement
class OrbitMapSharp:
    labels = ("MWKTV-E35R",)
    claim = {
        "image by projector distance": r"\|\phi(P)-\Lambda\|_F\le(\lambda_1-\lambda_d)\,\|P-I_i\|_F",
    }
    where = {
        r"\phi": "map from projectors to points of the orbit (MWKTV-M33)",
        "P": "projector of rank $`i`$",
        r"\Lambda": "diagonal matrix of the spectrum",
        r"\lambda_i": "the values of the spectrum, in descending order",
        "I_i": "projector on the first $`i`$ axes",
    }
    verdict = Verdict.NEW
    note = "perturbation.md#the-orbit-map-stays-near"

    cases = OrbitMapRotated.cases

    def fast(self, spectrum: Any, p: Any) -> AtMost:
        p = np.linalg.qr(p)[0]
        axes = np.eye(*p.shape)
        moved = fast.frobenius_norm(alignment.orbit_point(p, spectrum) - np.diag(spectrum))
        distance = fast.frobenius_norm(p @ fast.adjoint(p) - axes @ axes.T)
        return AtMost(moved, bound(spectrum, distance), scale=1, part="image by projector distance")

    def oracle(self, spectrum: Reals, p: Matrix) -> AtMost:
        with mp.workdps(2 * mp.dps):
            p = exact_alignment.orthonormal(p)
            moved = oracle.frobenius_norm(exact_alignment.orbit_point(p, spectrum) - mp.diag(spectrum))
            lower = oracle.singular_values(p[p.cols :, :])
            distance = mp.sqrt(2 * mp.fsum(sine**2 for sine in lower))
            return AtMost(moved, (spectrum[0] - spectrum[-1]) * distance, scale=1, part="image by projector distance")

    def tight(self) -> list[Any]:
        """A spectrum that is constant on both sides of its gap, and a plane at two angles to the first two axes."""
        return [(np.array([2.0, 2.0, 2.0, 1.0, 1.0]), np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, 2.0]]))]

    def beyond(self) -> dict[str, AtMost]:
        """``P = I_1``, and yet the other two axes are exchanged; and the largest value between two smaller ones."""
        before, after = mp.diag([2, 1, 0]), mp.diag([2, 0, 1])
        moved = oracle.frobenius_norm(after - before)
        return {
            "the smallest rotation": AtMost(moved, mp.mpf(0), part="image by projector distance"),
            "the spectrum descends": self.oracle(np.array([0.0, 1.0, 0.0]), np.array([[1.0], [1.0], [0.0]])),
        }
