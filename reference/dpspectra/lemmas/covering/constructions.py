"""Nets that can be built: rounding for frames, equal angles in the plane, points of a sphere, and greedy packings.

Rounding every real coordinate of a frame to multiples of ``h`` and taking the nearest frame moves it by at most
``h sqrt(beta d k)``: rounding alone moves it by half of that, and the nearest frame is no farther from the rounded
matrix than the original one. Equal angles are best in the real plane. Lines of the complex plane are points of a
sphere, and their projectors have half the distance of the points in spectral norm; the covering radius of a set of
points is attained at a vertex of its Voronoi cells. A greedy packing covers the points that it was chosen from. Above
``h sqrt(beta d k) = 2`` the rounded matrix may be singular.
"""

import itertools
import math
from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import alignment, nets
from dpspectra.fast import linalg as fast
from dpspectra.ledger import AtMost, Equal, Parts, Slack, Verdict, statement
from dpspectra.lemmas.covering.orbit_cover import log_bound
from dpspectra.oracle import alignment as exact_alignment
from dpspectra.oracle import linalg as oracle
from dpspectra.oracle import nets as exact_nets
from dpspectra.strategies import dimensions, dyadics, fields, rectangular, spectra, st, unitaries

MESHES = [0.271, 0.137, 0.0613]
"""Widths of the rounding grid; no entry drawn below lies half-way between two multiples."""


RADII = [0.713, 0.291]
"""Separations of greedy packings; no distance drawn below equals one, so rounding errors decide nothing."""


@st.composite
def _generators(draw: st.DrawFn, d: int, field: Any, sizes: list[float]) -> Any:
    """A skew-Hermitian matrix, whose Cayley transform is a rotation."""
    matrix = draw(rectangular(d, d, field)) * draw(st.sampled_from(sizes))
    return matrix - matrix.conj().T


def _points(number: int) -> Any:
    """The octahedron for 0, else a spiral of ``number`` points."""
    return nets.fibonacci_sphere(number) if number else nets.OCTAHEDRON


def _packing(offers: Any, top: Any, field: str) -> Parts:
    """State how many points are kept, how far the others are from them, and how near those kept are to each other."""
    rotations, radius = offers
    d, k = len(rotations[0]), len(top)
    frames = [alignment.cayley(w)[:, :k] for w in rotations]
    points = [(w * top) @ fast.adjoint(w) / top[0] for w in frames]
    table = np.array([[fast.spectral_norm(a - b) for a in points] for b in points])
    kept = nets.greedy_packing(table, radius)
    apart = min((table[i, j] for i in kept for j in kept if i < j), default=radius)
    yield AtMost(np.log(len(kept)), log_bound(1.0, k, d, radius, field), part="size of a packing")
    yield AtMost(np.max(np.min(table[:, kept], axis=1)), radius, part="covering by a packing")
    yield AtMost(radius, apart, part="separation of a packing")


def _direction(p: Any) -> Any:
    """Point of the unit sphere that belongs to a projector of rank 1: its coefficients of the Pauli matrices."""
    return np.array([2 * p[0, 1].real, 2 * p[1, 0].imag, (p[0, 0] - p[1, 1]).real])


def _exact_packing(offers: Any, values: Any, dimension: int) -> Parts:
    """State the parts of `_packing` for distances in multiprecision."""
    k = len(values)
    frames = [oracle.columns(exact_alignment.cayley(oracle.exact(w)), range(k)) for w in offers[0]]
    weights, radius = mp.diag([v / values[0] for v in values]), mp.mpf(offers[1])
    points = [w * weights * w.H for w in frames]
    table = [[mp.mpf(0)] * len(points) for _ in points]
    for i, j in itertools.combinations(range(len(points)), 2):
        table[i][j] = table[j][i] = oracle.spectral_norm(points[i] - points[j])
    kept = exact_nets.greedy_packing(table, radius)
    apart = min((table[i][j] for i in kept for j in kept if i < j), default=radius)
    yield AtMost(mp.log(len(kept)), dimension * mp.log(1 + 2 / radius), part="size of a packing")
    yield AtMost(max(min(row[j] for j in kept) for row in table), radius, part="covering by a packing")
    yield AtMost(radius, apart, part="separation of a packing")


@statement
class Constructions:
    labels = ("MWKTV-NET",)
    given = (
        r"V=\mathrm{polar}(h\,\mathrm{round}(U/h)),\ N=\lceil\tfrac\pi{2\arcsin(\zeta/\lambda_1)}\rceil;\ "
        r"H_i\text{ kept if }\|H_i-H_j\|_2>\zeta\ \text{ for all }H_j\text{ kept before}"
    )
    claim = {
        "rounded frame": r"\|U-V\|_2\le h\sqrt{\beta_{\mathbb F}dk}",
        "image of the rounded frame": r"\|U\Lambda U^*-V\Lambda V^*\|_2\le\lambda_1h\sqrt{\beta_{\mathbb F}dk}",
        "size of a packing": r"\log n\le\beta_{\mathbb F}dk\log(1+\tfrac{2\lambda_1}\zeta)",
        "covering by a packing": r"\max_i\min_{j\text{ kept}}\|H_i-H_j\|_2\le\zeta",
        "separation of a packing": r"\zeta\le\min_{i<j\text{ kept}}\|H_i-H_j\|_2",
        "distance to equal angles": r"\min_{i\le n}|\sin(\alpha-\tfrac{\pi i}n)|\le\sin\tfrac\pi{2n}",
        "enough lines": r"\lambda_1\sin\tfrac\pi{2N}\le\zeta",
        "no fewer lines": r"N>1:\ \zeta\le\lambda_1\sin\tfrac\pi{2(N-1)}",
        "lines as points of a sphere": r"2\|\Pi-\Pi'\|_2=\|\sigma(\Pi)-\sigma(\Pi')\|",
        "distance to points of a sphere": r"\min_i\|y-y_i\|\le\max_{v}\min_i\|v-y_i\|",
        "radius of the octahedron": r"y_i=\pm e_j\text{ in }\mathbb R^3:\ \max_v\min_i\|v-y_i\|^2=2-\tfrac2{\sqrt3}",
    }
    where = {
        r"\mathrm{polar}": "polar factor: the nearest frame",
        r"\mathrm{round}": "rounding of every real coordinate to a whole number",
        "V": "frame of the net",
        "h": "step of the grid",
        "n": "number of points that are kept; number of lines of the net",
        "N": "smallest number of points of a net of the circle",
        "H_i": "points of the orbit on offer",
        r"\alpha": "angle of a line of the real plane",
        r"\Pi": "projector on a line of the complex plane",
        r"\Pi'": "another one",
        r"\sigma": "point of the unit sphere that belongs to the line: coefficients of the Pauli matrices",
        "y": "any point of the unit sphere",
        "y_i": "points of the unit sphere, not all in one half of it",
        "v": "corner of a Voronoi cell of these points",
        "e_i": "the unit vectors of the axes",
    }
    verdict = Verdict.NEW
    uses = ("MWKTV-L6.3X", "MWKTV-L8.1")
    note = "covering.md#nets-that-can-be-built"
    digits = 30
    examples = 15
    slack = {
        "rounded frame": Slack(
            0.491518,
            "the nearest frame takes back the part of the rounding along the frame, for one column to first order",
        ),
        "image of the rounded frame": Slack(
            0.491406, "it is that of the rounded frame itself, up to a Lipschitz constant"
        ),
        "size of a packing": Slack(
            0.259348, "the balls around frames fill little of the space of matrices, and few points are offered"
        ),
    }

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, Any, Any, Any, Any]:
        """One input for each construction.

        ``frame`` is the generator of a rotation, a unitary, the top of a spectrum and a mesh; ``offers`` generators of
        rotations and a separation; ``angle`` a share of a half-turn, a number of lines and a radius; ``lines`` two
        vectors of the complex plane; ``sphere`` a number of points and a direction.
        """
        d, field = draw(dimensions(2)), draw(fields())
        k = draw(st.integers(1, d))
        frame = (
            draw(_generators(d, field, [0.125, 2.0**-10, 1.0])),
            draw(unitaries(d, field)),
            draw(spectra(k).filter(lambda v: v[0] > 0)),
            draw(st.sampled_from([mesh for mesh in MESHES if nets.rounding_radius(d, k, mesh, "complex") < 2])),
        )
        count = draw(st.integers(2, 5))
        offers = [draw(_generators(d, field, [0.125, 0.0625])) for _ in range(count)], draw(st.sampled_from(RADII))
        angle = draw(dyadics(0, 1, 8)), draw(st.integers(1, 7)), draw(dyadics(2.0**-5, 1))
        lines = rectangular(2, 2, "complex").filter(lambda a: bool(np.all(np.any(a != 0, axis=1))))
        direction = draw(rectangular(1, 3).filter(lambda a: bool(np.any(a))))[0]
        return frame, offers, angle, draw(lines), (draw(st.sampled_from([0, 6, 7, 9])), direction)

    def fast(self, frame: Any, offers: Any, angle: Any, lines: Any, sphere: Any) -> Parts:
        skew, unitary, top, mesh = frame
        d, k, field = len(unitary), len(top), "complex" if np.iscomplexobj(unitary) else "real"
        u = (alignment.cayley(skew) @ unitary)[:, :k]
        v, reach = nets.rounded_frame(u, mesh), nets.rounding_radius(d, k, mesh, field)
        images = (u * top) @ fast.adjoint(u) - (v * top) @ fast.adjoint(v)
        turns, n, x = angle
        number = nets.circle_covering_number(x)
        off = abs(turns * n - np.round(turns * n)) * np.pi / n
        p, q = (fast.outer(w) / np.sum(np.abs(w) ** 2) for w in lines)
        points, direction = _points(sphere[0]), sphere[1] / np.linalg.norm(sphere[1])
        yield AtMost(fast.spectral_norm(u - v), reach, part="rounded frame")
        yield AtMost(fast.spectral_norm(images), top[0] * reach, scale=top[0], part="image of the rounded frame")
        yield from _packing(offers, top, field)
        yield AtMost(np.sin(off), nets.circle_radius(n), scale=1, part="distance to equal angles")
        yield AtMost(nets.circle_radius(number), x, scale=1, part="enough lines")
        yield AtMost(x, nets.circle_radius(number - 1) if number > 1 else 1.0, part="no fewer lines")
        between, apart = np.linalg.norm(_direction(p) - _direction(q)), 2 * fast.spectral_norm(p - q)
        nearest = np.min(np.linalg.norm(points - direction, axis=1))
        yield Equal(apart, between, scale=1, part="lines as points of a sphere")
        yield AtMost(nearest, nets.sphere_radius(points), scale=1, part="distance to points of a sphere")
        yield Equal(nets.sphere_radius(nets.OCTAHEDRON) ** 2, 2 - 2 / np.sqrt(3.0), part="radius of the octahedron")

    def oracle(self, frame: Any, offers: Any, angle: Any, lines: Any, sphere: Any) -> Parts:
        skew, unitary, top, mesh = frame
        d, k, parts = len(unitary), len(top), 2 if isinstance(unitary[0, 0].item(), complex) else 1
        dimension, mesh, values = d * k * parts, mp.mpf(mesh), [mp.mpf(t) for t in top]
        u = oracle.columns(exact_alignment.cayley(oracle.exact(skew)) * oracle.exact(unitary), range(k))
        v, reach = exact_nets.rounded_frame(u, mesh), mesh * mp.sqrt(dimension)
        images = u * mp.diag(values) * u.H - v * mp.diag(values) * v.H
        turns, n, x = angle
        turns, x = mp.mpf(turns), mp.mpf(x)
        number = exact_nets.circle_covering_number(x)
        off = min(abs(mp.sin(mp.pi * (turns - mp.mpf(i) / n))) for i in range(n))
        v1, v2 = (oracle.exact(w) for w in lines)
        overlap = abs((v1.H * v2)[0]) ** 2 / (oracle.inner(v1, v1) * oracle.inner(v2, v2))
        projectors = [oracle.outer(w) / oracle.inner(w, w) for w in (v1, v2)]
        between = mp.sqrt(max(2 - 2 * (2 * overlap - 1), 0))  # directions have the cosine 2 overlap - 1
        points, direction = _points(sphere[0]).tolist(), oracle.exact(sphere[1])
        direction = direction / oracle.frobenius_norm(direction)
        axes = [[sign * (i == j) for j in range(3)] for i in range(3) for sign in (1, -1)]
        nearest = min(mp.sqrt(mp.fsum((a - b) ** 2 for a, b in zip(point, direction, strict=True))) for point in points)
        yield AtMost(oracle.spectral_norm(u - v), reach, part="rounded frame")
        moved = oracle.spectral_norm(images)
        yield AtMost(moved, values[0] * reach, scale=values[0], part="image of the rounded frame")
        yield from _exact_packing(offers, values, dimension)
        yield AtMost(off, exact_nets.circle_radius(n), scale=1, part="distance to equal angles")
        yield AtMost(exact_nets.circle_radius(number), x, scale=1, part="enough lines")
        yield AtMost(x, exact_nets.circle_radius(number - 1) if number > 1 else mp.mpf(1), part="no fewer lines")
        apart = 2 * oracle.spectral_norm(projectors[0] - projectors[1])
        yield Equal(apart, between, scale=1, part="lines as points of a sphere")
        yield AtMost(nearest, exact_nets.sphere_radius(points), scale=1, part="distance to points of a sphere")
        yield Equal(exact_nets.sphere_radius(axes) ** 2, 2 - 2 / mp.sqrt(3), part="radius of the octahedron")

    def tight(self) -> list[Any]:
        """Rounding that moves a line far; separations just beside the distances; angles half-way between two lines.

        The radius is that of three lines, or just below it, or that of one line; the direction is the centre of a face
        of the octahedron.
        """
        turn, separation = np.array([[0.0, -1.0], [1.0, 0.0]]), RADII[0]
        frame = 1907 / 4096 * turn, np.eye(2), np.array([1.0]), MESHES[2]
        sines = separation * (1 - 2.0**-30), -separation * (1 + 2.0**-30)
        offers = [0 * turn, *(math.tan(math.asin(sine) / 2) * turn for sine in sines)]
        return [
            (frame, (offers, separation), (0.125, 4, radius), np.eye(2) + 0j, (0, np.ones(3)))
            for radius in (0.5, 0.5 - 2.0**-31, 1.0)
        ]

    def beyond(self) -> dict[str, AtMost]:
        """Two lines of the real plane at an angle of 60 degrees, and the one that is farthest from both."""
        farthest = AtMost(mp.sin(mp.pi / 3), exact_nets.circle_radius(2), part="distance to equal angles")
        return {"the lines have equal angles": farthest}
