"""Finite sets of points that come near every point: nets of frames, lines and spheres, and greedy packings.

A set is a net of radius ``r`` if every point is within ``r`` of it, and a packing at ``r`` if its points are more than
``r`` apart; a packing that cannot be enlarged is a net.
"""

import math

import numpy as np
from scipy.spatial import SphericalVoronoi

from dpspectra.fast.linalg import Array, Real, polar_factor

OCTAHEDRON = np.concatenate([np.eye(3), -np.eye(3)])
"""Net of the sphere with six points; squared radius ``2 - 2 / sqrt(3)``."""


def real_dimension(d: int, k: int, field: str) -> int:
    """Real numbers in a ``d`` by ``k`` matrix over the field."""
    return d * k * (2 if field == "complex" else 1)


def rounded_frame(frame: Array, mesh: float) -> Array:
    """Nearest frame to ``(..., d, k)`` with every real coordinate rounded to a multiple of ``mesh``.

    Finitely many frames arise. They are a net of the frames, in spectral norm, of radius `rounding_radius`.
    """
    return polar_factor(np.round(frame / mesh) * mesh)


def rounding_radius(d: int, k: int, mesh: float, field: str) -> float:
    """How far `rounded_frame` moves a frame at most, where this is below 2.

    Rounding moves it by half of that, and the nearest frame is no farther from the rounded matrix than the old one.
    """
    return mesh * math.sqrt(real_dimension(d, k, field))


def circle_radius(n: int) -> float:
    """Radius of the net of ``n`` equally spaced lines of the real plane, in spectral norm of projectors."""
    return math.sin(math.pi / (2 * n))


def circle_covering_number(radius: float) -> int:
    """Fewest lines of the real plane, as projectors, within ``radius > 0`` of all of them in spectral norm."""
    if radius >= 1:
        return 1
    return math.ceil(math.pi / (2 * math.asin(radius)) - 1e-12)  # the only exact case, radius 1/2, may round up


def fibonacci_sphere(n: int) -> Real:
    """Points ``(n, 3)`` of the unit sphere, on a spiral of equal steps in height and golden steps in longitude."""
    i = np.arange(n)
    height, turn = 1 - (2 * i + 1) / n, np.pi * (3 - np.sqrt(5.0)) * i
    across = np.sqrt(1 - height**2)
    return np.stack([across * np.cos(turn), across * np.sin(turn), height], axis=-1)


def sphere_radius(points: Real) -> float:
    """Radius (length of chords) of a set of points of the unit sphere as a net: attained at a corner of its cells.

    The points must not lie in a closed half of the sphere, and there are at least four.
    """
    corners = SphericalVoronoi(points).vertices
    return float(np.max(np.min(np.linalg.norm(corners[:, None] - points, axis=-1), axis=1)))


def greedy_packing(distances: Real, radius: float) -> list[int]:
    """Points more than ``radius`` apart, in order of appearance, so many that each other one is within ``radius``.

    ``distances`` is the ``(n, n)`` table between all points on offer.
    """
    kept: list[int] = []
    for i, row in enumerate(distances):
        if all(row[j] > radius for j in kept):
            kept.append(i)
    return kept
