"""Points of an orbit from a greedy packing: how many, how far apart, how many steps from the first."""

import functools
from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.lemmas.lower_bounds.neighbour_path import exactly_shorter, shorter
from dpspectra.lemmas.packing.grassmann_packing import exact_witness, witness
from dpspectra.lemmas.packing.images import exact_images, images
from dpspectra.oracle import linalg as oracle

POINTS = 20
"""Number of points of a packing whose distances and paths are computed."""


@functools.cache
def measured(
    spectrum: tuple[float, ...], i: int, m: int, reach: float, separation: float, field: str, seed: int
) -> tuple[int, Any, float]:
    """Return the number of points, the smallest squared distance of two of the first, and their longest path."""
    bases = witness(i, m, reach, separation, field, seed)
    points = images(bases[:POINTS], spectrum)
    lengths = [shorter(values) for values in fast.eigenvalues(points[1:] - np.diag(spectrum))]
    return len(bases), fast.least_distance(points) ** 2, float(max(lengths))


@functools.cache
def exactly_measured(
    spectrum: tuple[float, ...], i: int, m: int, reach: float, separation: float, field: str, seed: int, count: bool
) -> tuple[int, Any, Any]:
    """Return the numbers of `measured` in mpmath; the points are counted, in integers, if ``count`` says so."""
    centre = mp.diag([mp.mpf(float(x)) for x in spectrum])
    points = exact_images(witness(i, m, reach, separation, field, seed)[:POINTS], spectrum)
    lengths = [exactly_shorter(oracle.eigenvalues(point - centre)) for point in points[1:]]
    number = len(exact_witness(i, m, reach, separation, field, seed)) if count else 0
    return number, oracle.least_distance(points) ** 2, mp.mpf(max(lengths))
