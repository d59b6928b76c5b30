"""Points of an orbit from a greedy packing: how many, how far apart, how many steps from the first."""

import functools
from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.lemmas.lower_bounds.neighbour_path import shorter
from dpspectra.lemmas.packing.grassmann_packing import exact_witness, witness
from dpspectra.lemmas.packing.images import exact_images, images
from dpspectra.oracle import linalg as oracle
from dpspectra.oracle import neighbour_paths as exact_paths

POINTS = 20
"""Number of points of a packing whose distances and paths are computed."""


@functools.cache
def measured(
    spectrum: tuple[float, ...], i: int, m: int, reach: float, separation: float, field: str, seed: int
) -> tuple[int, Any, float]:
    """Return the number of points, the smallest squared distance of two of the first, and their longest path."""
    bases = witness(i, m, reach, separation, field, seed)
    points = images(bases[:POINTS], spectrum)
    a, b = np.triu_indices(len(points), 1)
    lengths = [shorter(values) for values in fast.eigenvalues(points[1:] - np.diag(spectrum))]
    return len(bases), np.min(fast.frobenius_norm(points[a] - points[b])) ** 2, float(max(lengths))


@functools.cache
def exactly_measured(
    spectrum: tuple[float, ...], i: int, m: int, reach: float, separation: float, field: str, seed: int, count: bool
) -> tuple[int, Any, Any]:
    """Return the same of the same points; they are counted, in integers, if ``count`` says so."""
    values = [mp.mpf(float(x)) for x in spectrum]
    points = exact_images(witness(i, m, reach, separation, field, seed)[:POINTS], spectrum)
    least = oracle.least_distance(points)
    lengths = [_steps(oracle.eigenvalues(point - mp.diag(values))) for point in points[1:]]
    number = len(exact_witness(i, m, reach, separation, field, seed)) if count else 0
    return number, least**2, mp.mpf(max(lengths))


def _steps(values: list[Any]) -> int:
    """Number of steps, by vectors of equal length, along a difference with these eigenvalues."""
    parts = ([sign * x for x in values if sign * x > exact_paths.CUT] for sign in (1, -1))
    return sum(max(len(part), exact_paths.step_count(mp.fsum(part))) for part in parts)
