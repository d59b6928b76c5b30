"""Nets and packings by definition, under the names of `dpspectra.fast.nets`."""

import itertools
from collections.abc import Sequence
from typing import Any

from mpmath import mp

from dpspectra.oracle.linalg import Matrix, polar_factor


def rounded_frame(frame: Matrix, mesh: Any) -> Matrix:
    """Nearest frame to the matrix whose real coordinates are rounded to multiples of ``mesh``."""

    def rounded(z: Any) -> Any:
        return mp.mpc(mp.nint(mp.re(z) / mesh), mp.nint(mp.im(z) / mesh)) * mesh

    return polar_factor(frame.apply(rounded))


def circle_radius(n: int) -> Any:
    """Half the angle between neighbours is ``pi / 2n``, and projectors at an angle differ by its sine."""
    return mp.sin(mp.pi / (2 * n))


def circle_covering_number(radius: Any) -> int:
    """Arcs of ``2 arcsin(radius)`` needed for the angles in ``[0, pi)``, counted."""
    tiny, number = mp.mpf(10) ** (-mp.dps // 2), 1
    while circle_radius(number) > radius + tiny:
        number += 1
    return number


def sphere_radius(points: Sequence[Sequence[Any]]) -> Any:
    """Largest circle through three points with no other point inside, among all triples, as the length of a chord."""
    best, tiny = mp.mpf(0), mp.mpf(10) ** (-mp.dps // 2)
    for a, b, c in itertools.combinations(points, 3):
        p, q = ([y - x for x, y in zip(a, other, strict=True)] for other in (b, c))
        normal = [p[(i + 1) % 3] * q[(i + 2) % 3] - p[(i + 2) % 3] * q[(i + 1) % 3] for i in range(3)]
        length = mp.sqrt(mp.fdot(normal, normal))
        for centre in ([x / length for x in normal], [-x / length for x in normal]):
            height = mp.fdot(centre, a)
            if all(mp.fdot(centre, other) <= height + tiny for other in points):
                best = max(best, mp.sqrt(2 - 2 * height))
    return best


def greedy_packing(distances: Sequence[Sequence[Any]], radius: Any) -> list[int]:
    """Points more than ``radius`` apart, each taken that is far from those taken before."""
    kept: list[int] = []
    for i in range(len(distances)):
        if min((distances[i][j] for j in kept), default=mp.inf) > radius:
            kept.append(i)
    return kept
