"""Known values of the definitions that statements share, each at instances where a weaker definition has another value.

A row holds the arguments and what they give by hand: complex numbers off the diagonal, distances that are exactly at a
threshold and those just beyond, lengths that differ, eigenvalues whose order is not that of their moduli.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from mpmath import mp

from dpspectra.fast import alignment as fast_alignment
from dpspectra.fast import betting as fast_betting
from dpspectra.fast import bingham_laws as fast_bingham_laws
from dpspectra.fast import caps as fast_caps
from dpspectra.fast import chi_square_profile as fast_chi_square
from dpspectra.fast import divergence as fast_divergence
from dpspectra.fast import divided_differences as fast_divided_differences
from dpspectra.fast import gaussian_profile as fast_gaussian
from dpspectra.fast import hciz as fast_hciz
from dpspectra.fast import leverages as fast_leverages
from dpspectra.fast import linalg as fast_linalg
from dpspectra.fast import neighbour_paths as fast_paths
from dpspectra.fast import nets as fast_nets
from dpspectra.fast import noisy_sketch_profile as fast_sketch
from dpspectra.fast import orbit_privacy_loss as fast_orbit_privacy_loss
from dpspectra.fast import packing as fast_packing
from dpspectra.fast import patterns as fast_patterns
from dpspectra.fast import power as fast_power
from dpspectra.fast import pruning as fast_pruning
from dpspectra.fast import quadratic_ratios as fast_quadratic_ratios
from dpspectra.fast import quadrature as fast_quadrature
from dpspectra.fast import renyi as fast_renyi
from dpspectra.fast import streaming as fast_streaming
from dpspectra.fast import wishart as fast_wishart
from dpspectra.matrices import orthonormal as fast_orthonormal
from dpspectra.oracle import (
    alignment,
    betting,
    bingham_laws,
    chi_square_profile,
    divergence,
    gaussian_profile,
    hciz,
    leverages,
    linalg,
    neighbour_paths,
    nets,
    noisy_sketch_profile,
    orbit_privacy_loss,
    packing,
    patterns,
    power,
    pruning,
    quadratic_ratios,
    renyi,
    streaming,
    symmetric_noise,
    top_eigenvalue,
    wishart,
)


class Matrix(NamedTuple):
    """Rows of a matrix; for the oracle an mpmath matrix."""

    entries: Any


class Column(NamedTuple):
    """A vector; for the oracle a matrix of one column."""

    entries: Any


class Numbers(NamedTuple):
    """A list of numbers, or a table of them."""

    entries: Any


Function = Callable[..., Any]
"""A definition, in either arithmetic."""

A = Matrix([[2, 1j], [-1j, 2]])
"""Eigenvalues 3 and 1."""
SIGNED = Matrix([[-5, 0], [0, 1]])
TURNED = Matrix([[3, 0], [4j, 0]])
"""The only singular value is 5."""
CROSSED = Matrix([[0, 2j], [1, 0]])
"""Singular values 2 and 1."""
NEAR, OTHER = Matrix([[3, 1j]]), Matrix([[0, -3j]])
"""Matrices that differ by ``(3, 4i)``."""
LINE = Matrix([[0.6], [0.8j]])
"""A unit vector."""
PLANE, TILTED = Matrix([[1, 0], [0, 1], [0, 0]]), Matrix([[1, 0], [0, 0.6], [0, 0.8j]])
"""Planes at the angles 0 and ``acos(0.6)``."""
ON_A_LINE = Numbers([[0.0, 1.0, 2.0], [1.0, 0.0, 1.0], [2.0, 1.0, 0.0]])
"""Distances of three points; those of neighbours are exactly 1."""
W = Matrix([[2.0, 1.0], [1.0, 3.0]])
COVARIANCE = Matrix([[2.0, 0.5], [0.5, 1.0]])
"""``det W = 5``, ``tr C^-1 W = 4``, ``det C = 7 / 4``."""
EVEN = math.sqrt(0.27 / 1.36)
"""Norm of a row at which zeroing one or both rows of ``(0.6, 0.8)`` costs the same."""
HALVES = Numbers([0.5, 0.5, 0.0, 0.0])
"""Leverages of four rows in a line."""
ANGLE = math.acos(0.6)
Q = Matrix([[0.6], [0.8j]])
LEVEL = math.log(1.5)


def _excess(epsilon: float, mu: float) -> float:
    """Integral of the positive part of the density at mean ``mu`` less ``exp(epsilon)`` times that at 0."""
    start = epsilon / mu + mu / 2
    return float(mp.quad(lambda x: mp.npdf(x, mu) - mp.exp(epsilon) * mp.npdf(x), [start, start + 4, start + 40]))


def _excess_of_four_degrees(epsilon: float, shift: float) -> float:
    """``F(x + shift) - exp(epsilon) F(x)`` at the ``x`` where the two densities are in that ratio."""
    x = shift / math.expm1(epsilon + shift / 2)
    below = [1 - math.exp(-y / 2) * (1 + y / 2) for y in (x + shift, x)]
    return below[0] - math.exp(epsilon) * below[1]


KNOWN: list[tuple[str, tuple[Any, ...], Any]] = [
    ("linalg.adjoint", (Matrix([[1, 2j, 3]]),), [1, -2j, 3]),
    ("linalg.gram", (Matrix([[1, 1j], [0, 2]]),), [1, -1j, 1j, 5]),
    ("linalg.outer", (Column([1, 2j]),), [1, -2j, 2j, 4]),
    ("linalg.inner", (Matrix([[1, 1j], [0, 2]]), Matrix([[2, 1j], [1, 3j]])), [3]),
    ("linalg.quadratic", (A, Column([1, 2j])), [6]),
    ("linalg.determinant", (Matrix([[1, 2j], [3, 4]]),), [4 - 6j]),
    ("linalg.eigenvalues", (A,), [3, 1]),
    ("linalg.eigenvalues", (SIGNED,), [1, -5]),
    ("linalg.eigenvectors", (A,), [3, 1, 2, 1j, -1j, 2, 1, 0, 0, 1]),
    ("linalg.eigenvectors", (SIGNED,), [1, -5, -5, 0, 0, 1, 1, 0, 0, 1]),
    ("linalg.top_projector", (A, 1), [0.5, 0.5j, -0.5j, 0.5]),
    ("linalg.top_projector", (SIGNED, 1), [0, 0, 0, 1]),
    ("linalg.singular_values", (TURNED,), [5, 0]),
    ("linalg.singular_values", (CROSSED,), [2, 1]),
    ("linalg.distance", (NEAR, OTHER), [5]),
    ("linalg.least_distance", (NEAR, OTHER), [5]),
    ("linalg.least_distance", (Matrix([[100, 0]]), NEAR, OTHER), [5]),
    ("linalg.spectral_norm", (TURNED,), [5]),
    ("linalg.spectral_norm", (SIGNED,), [5]),
    ("linalg.spectral_norm", (CROSSED,), [2]),
    ("linalg.frobenius_norm", (Matrix([[1, 2j], [2, 4]]),), [5]),
    ("linalg.nuclear_norm", (CROSSED,), [3]),
    ("linalg.nuclear_norm", (SIGNED,), [6]),
    ("linalg.upper_triangle", (Matrix([[1, 2j, 3], [0, 4, 5], [0, 0, 6]]),), [1, 2j, 3, 4, 5, 6]),
    ("linalg.mirror", (Column([1.0, 2.0, 3.0]), 2), [1, 2, 2, 3]),
    ("linalg.principal_angles", (LINE, Matrix([[0.6], [-0.8j]])), [math.acos(0.28)]),
    ("linalg.principal_angles", (PLANE, TILTED), [0, ANGLE]),
    ("linalg.principal_angles", (TILTED, Matrix([[0], [1], [0]])), [ANGLE]),
    ("linalg.polar_factor", (Matrix([[0, 2j], [1, 0], [0, 0]]),), [0, 1j, 1, 0, 0, 0]),
    ("linalg.orbit_projection", (A, Numbers([7.0, -1.0])), [3, 4j, -4j, 3]),
    ("linalg.larger_sum", (Numbers([3.0, 0.0, -1.0, -1.0]),), [3]),
    ("linalg.larger_sum", (Numbers([1.0, -4.0, -2.0]),), [6]),
    ("linalg.pairings", (Numbers([1.0, 2.0]), Numbers([3.0, 5.0])), [11, 13]),
    ("linalg.columns", (Matrix([[1, 2j, 3]]), [2, 1]), [3, 2j]),
    ("alignment.orthonormal", (Matrix([[0.6, 1], [0.8, 0]]),), [1, 0, 0, 1]),
    ("alignment.orthonormal", (Matrix([[1.2], [1.6]]),), [0.36, 0.48, 0.48, 0.64]),
    ("alignment.complex_orthonormal", (Matrix([[1.2], [1.6j]]),), [0.36, -0.48j, 0.48j, 0.64]),
    ("alignment.cayley", (Matrix([[1j]]),), [-1j]),
    ("alignment.cayley", (Matrix([[0, 0.5], [-0.5, 0]]),), [0.6, -0.8, 0.8, 0.6]),
    ("alignment.direct_rotation", (LINE,), [0.6, 0.8j, 0.8j, 0.6]),
    ("alignment.orbit_point", (LINE, Numbers([3.0, 1.0])), [1.72, -0.96j, 0.96j, 2.28]),
    ("gaussian_profile.cdf", (1.0,), [0.8413447460685429]),
    ("gaussian_profile.profile", (0.0, 2.0), [math.erf(2 / (2 * math.sqrt(2)))]),
    ("gaussian_profile.profile", (1.0, 0.75), [_excess(1.0, 0.75)]),
    ("gaussian_profile.mu_for", (1.0, _excess(1.0, 0.75)), [0.75]),
    ("gaussian_profile.largest_epsilon", (_excess(1.0, 0.75), 4 / 3), [1]),
    ("divergence.hockey_stick", (Numbers([0.5, 0.3, 0.2, 0.0]), Numbers([0.2, 0.3, 0.4, 0.1]), LEVEL), [0.2]),
    ("divergence.hockey_stick", (Numbers([0.5, 0.5]), Numbers([0.25, 0.75]), 0.0), [0.25]),
    ("divergence.privacy_loss", (Numbers([0.5, 0.5]), Numbers([0.2, 0.8])), [math.log(2.5)]),
    ("divergence.privacy_loss", (Numbers([0.2, 0.8, 0.0]), Numbers([0.5, 0.5, 0.0])), [math.log(2.5)]),
    ("divergence.privacy_loss", (Numbers([1.0, 0.0]), Numbers([0.5, 0.5])), [math.inf]),
    ("renyi.divergence", (Numbers([0.5, 0.5]), Numbers([0.25, 0.75]), 2.0), [math.log(4 / 3)]),
    ("renyi.divergence", (Numbers([0.5, 0.5]), Numbers([1.0, 0.0]), 2.0), [math.inf]),
    ("renyi.profile", (1.0, 2.0, 0.5), [math.exp(-0.5) / 4]),
    ("wishart.density", (Matrix([[3.0]]), 4, Matrix([[2.0]])), [1.5 * math.exp(-0.75) / 8]),
    ("wishart.density", (W, 3, Matrix([[1.0, 0.0], [0.0, 1.0]])), [math.exp(-2.5) / (4 * math.pi)]),
    ("wishart.density", (W, 4, COVARIANCE), [math.sqrt(5) * math.exp(-2) / (8 * math.pi * 1.75**2)]),
    ("wishart.density", (Matrix([[1.0, 2.0], [2.0, 1.0]]), 4, COVARIANCE), [0]),
    ("wishart.pair_profile", (Column([0.0]), Column([0.5]), 0.25, 0.125), [-math.expm1(-0.5)]),
    ("wishart.pair_profile", (Column([0.5]), Column([0.0]), 0.25, 0.125), [-math.expm1(-0.375)]),
    ("wishart.log_difference_density", (Matrix([[0.75]]), 0.25), [-1.5]),
    ("wishart.log_difference_density", (Matrix([[-0.75]]), 0.25), [-1.5]),
    ("chi_square_profile.excess_below", (0.5, 2, 2.0), [-math.expm1(-1)]),
    ("chi_square_profile.excess_above", (0.5, 2, 2.0), [-math.expm1(-0.5)]),
    ("chi_square_profile.excess_below", (0.5, 4, 2.0), [_excess_of_four_degrees(0.5, 2.0)]),
    ("chi_square_profile.profile", (0.5, 4, 2.0), [_excess_of_four_degrees(0.5, 2.0)]),
    ("chi_square_profile.profile", (0.5, 2, 2.0), [-math.expm1(-1)]),
    ("chi_square_profile.cdf", (3.0, 4), [1 - 2.5 * math.exp(-1.5)]),
    ("chi_square_profile.survival", (3.0, 4), [2.5 * math.exp(-1.5)]),
    ("chi_square_profile.log_cdf", (3.0, 4), [math.log(1 - 2.5 * math.exp(-1.5))]),
    ("chi_square_profile.log_density", (3.0, 4), [math.log(0.75) - 1.5]),
    ("packing.packing_number", (ON_A_LINE, 1.0), [2]),
    ("packing.packing_number", (ON_A_LINE, 0.9999), [3]),
    ("packing.packing_number", (ON_A_LINE, 2.0), [1]),
    ("packing.packing_number", (ON_A_LINE, 1.9999), [2]),
    ("packing.covering_number", (ON_A_LINE, 1.0), [1]),
    ("packing.covering_number", (ON_A_LINE, 0.9999), [3]),
    ("packing.tableaux", (2, 3), [5]),
    ("packing.tableaux", (3, 3), [42]),
    ("packing.ball_constant", (1, 5), [1]),
    ("packing.ball_constant", (2, 2), [2 ** (1 / 8) / math.sqrt(2)]),
    ("packing.ball_constant", (2, 3), [5 ** (1 / 12) / math.sqrt(2)]),
    ("packing.ball_measure", (1, 3, 1.0), [1 / 8]),
    ("packing.ball_measure", (2, 2, 1.0), [1 / 32]),
    ("packing.ball_measure", (1, 2, 1.5), [1]),
    ("packing.log_local_packing", (1, 1, 1.0, 0.5), [2 * math.log(2)]),
    ("packing.log_local_packing", (2, 2, 2.0, 0.5), [8 * math.log(math.sqrt(8) * 2 ** (1 / 8))]),
    ("packing.log_local_packing", (1, 2, 1.0, 0.5, "real"), [2 * math.log(2) + math.log(0.875) / 2]),
    ("packing.log_local_packing", (1, 2, 0.5, 0.5), [0]),
    ("packing.projectors", (Matrix([[3], [4j]]),), [0.36, -0.48j, 0.48j, 0.64]),
    ("leverages.leverages", (LINE,), [0.36, 0.64]),
    ("leverages.row_coherence", (Matrix([[3, 0], [0, 4j]]),), [1.28]),
    ("leverages.row_coherence", (Matrix([[0, 0], [0, 0]]),), [1]),
    ("leverages.range_coherence", (TILTED,), [1.5]),
    ("leverages.range_coherence", (LINE,), [1.28]),
    ("leverages.largest_entry", (Matrix([[0.6, -0.8], [0.8, 0.6]]),), [1.28]),
    ("leverages.projector", (Matrix([[3], [4j]]),), [0.36, -0.48j, 0.48j, 0.64]),
    ("leverages.exceedance", (Numbers([1.0, 0.0, 0.0]), 1, 0.75), [1, 1 / 3, 1 / 3]),
    ("leverages.exceedance", (Numbers([1.0, 0.0, 0.0]), 1, 1.0), [0, 0, 0]),
    ("leverages.exceedance", (HALVES, 1, 0.75), [1 - math.sqrt(x) for x in (0.5, 0.5, 0.75, 0.75)]),
    ("leverages.leverage_quantile", (HALVES, 1, 4 - 2 * math.sqrt(0.5) - 2 * math.sqrt(0.75)), [0.75]),
    ("leverages.leverage_quantile", (Numbers([0.0, 0.0, 1.0, 0.0]), 1, 0.5), [1]),
    ("leverages.leverage_quantile", (Numbers([0.0, 0.0, 0.0]), 2, 0.5), [35 / 36]),
    ("leverages.added_leverage", (3, 0, 2, 0.5), [35 / 36]),
    ("nets.circle_covering_number", (0.5,), [3]),
    ("nets.circle_covering_number", (0.4999,), [4]),
    ("nets.circle_covering_number", (1.0,), [1]),
    ("nets.circle_covering_number", (0.9999,), [2]),
    ("nets.real_dimension", (3, 2, "real"), [6]),
    ("nets.real_dimension", (3, 2, "complex"), [12]),
    ("power.angle", (Matrix([[0.0], [1.0], [0.0]]), Matrix([[1.0, 0.0], [0.0, 0.6], [0.0, 0.8]])), [0.6, 0.8]),
    ("power.tangent", (Matrix([[0.0], [1.0], [0.0]]), Matrix([[1.0, 0.0], [0.0, 0.6], [0.0, 0.8]])), [4 / 3]),
    ("power.tangent", (Matrix([[0.0], [1.0]]), Matrix([[1.0], [0.0]])), [math.inf]),
    ("power.shrunk", (Matrix([[3.0], [0.0]]), Matrix([[1.0], [0.0]]), 5.0, 2.0), [2, 0]),
    ("power.shrunk", (Matrix([[3.0], [4.0]]), Matrix([[1.0], [0.0]]), 2.5, 3.0), [1.5, 2]),
    ("power.shrunk", (Matrix([[1.0], [2.0]]), Matrix([[1.0], [0.0]]), 5.0, 3.0), [1, 2]),
    ("power.worst_step", (0.8, 0.6, 0.5, 0.0, 0.0), [0.375]),
    ("power.worst_step", (1.0, 0.0, 0.5, 0.6, 0.8), [0.75]),
    ("power.worst_step", (0.4, 0.0, 0.5, 0.25, 0.15), [0.8]),
    ("pruning.zero_entries", (Matrix([[0.5, -0.5], [0.5004, -0.625]]), 0.5), [0.5, -0.5, 0, 0]),
    ("pruning.zero_rows", (Matrix([[0.3, 0.4], [1.5, 2.0]]), 2.5), [0.3, 0.4, 1.5, 2.0]),
    ("pruning.zero_rows", (Matrix([[0.3, 0.4], [1.5, 2.0]]), 2.4999), [0.3, 0.4, 0, 0]),
    ("pruning.clip_rows", (Matrix([[0.3, 0.4], [3.0, 4.0]]), 2.5), [0.3, 0.4, 1.5, 2]),
    ("neighbour_paths.step_counts", (Numbers([2.0, 2.0005, -2.5, 0.0]),), [2, 3, 3, 0]),
    ("neighbour_paths.equal_norm_columns", (Matrix([[2], [0]]), 4), [4, 0, 0, 0, 1, 1, 1, 1]),
    ("streaming.spread", (Numbers([1.0, 8.0]), Numbers([1 - math.exp(-4), math.exp(-4)])), [2]),
    ("streaming.spread", (Numbers([1.0, 8.0]), Numbers([0.5, 0.5])), [8]),
    ("bingham_laws.trace_form", (Matrix([[3], [4j]]), Numbers([1.0, 2.0])), [1.64]),
    ("bingham_laws.log_gram", (Matrix([[3], [4j]]), Numbers([1.0, 2.0])), [math.log(1.64)]),
    ("bingham_laws.log_sphere_normaliser", (Numbers([1.0, 3.0]), 1), [math.log((math.exp(-1) - math.exp(-3)) / 2)]),
    ("bingham_laws.log_frame_normaliser", (Numbers([1.0, 3.0]), 1, 1), [math.log((math.exp(-1) - math.exp(-3)) / 2)]),
    ("quadratic_ratios.mean_ratio", (Numbers([1.0, 0.0]), Numbers([4.0, 1.0])), [1 / 6]),
    ("hciz.log_normaliser", (Numbers([3.0, 1.0]), Numbers([1.0, 0.0]), 0.5), [math.log(math.exp(1.5) - math.exp(0.5))]),
    (
        "hciz.log_mean_exponential",
        (Numbers([3.0, 1.0]), Numbers([1.0, 0.0]), 0.5),
        [math.log(math.e**1.5 - math.e**0.5)],
    ),
    ("orbit_privacy_loss.privacy_loss", (SIGNED, Matrix([[-5, 0], [0, 1]]), Numbers([1.0, 0.0]), 0.5), [0]),
    (
        "orbit_privacy_loss.privacy_loss",
        (Matrix([[0, 0], [0, 0]]), Matrix([[0, 0], [0, 2]]), Numbers([1.0, 0.0]), 0.5),
        [math.log(math.e - 1)],
    ),
    ("noisy_sketch_profile.profile", (0.0, 1.0, 2), [1 / math.sqrt(5)]),
    (
        "betting.log_wealth",
        (Numbers([1.0, 2.0, 1.0, 3.0]), math.log(2), 0.25, 0.5),
        [math.log1p(-1.25 * 2 / 9) + 2 * math.log1p(0.75 * 2 / 9) + math.log(0.5) + 3 * math.log1p(-0.25 * 2 / 9)],
    ),
    ("betting.pair_law", (0.25, math.log(2), 0.125, 1.0, 0.0), [0, 0.625, 0.25, 0.125]),
    ("betting.pair_law", (0.25, math.log(2), 0.125, 0.5, 1.0), [0.25, 0.0625, 0, 0.6875]),
    ("top_eigenvalue.wishart_cdf", (3.0, 4, 1), [1 - 2.5 * math.exp(-1.5)]),
    ("patterns.gamma_tail", (2, 1.0), [2 * math.exp(-1)]),
    ("patterns.gamma_tail", (0, 1.0), [0]),
    (
        "patterns.gap_tail",
        (Numbers([2.0, 0.0]), Numbers([1.0, 0.0]), 0.5, 1.0),
        [(math.exp(-0.5) - math.exp(-1)) / (1 - math.exp(-1))],
    ),
    ("patterns.normaliser", (Numbers([3.0, 1.0]), Numbers([1.0, 0.0]), 0.5), [math.exp(1.5) - math.exp(0.5)]),
    ("symmetric_noise.laplace_norm_tail", (1.5, 1), [math.exp(-1.5)]),
    ("symmetric_noise.gaussian_norm_tail", (1.959963984540054, 1), [0.05]),
    (
        "betting.factors",
        (math.log(2), 0.25, 0.5),
        [1 - 1.25 * 2 / 9, 1 + 0.75 * 2 / 9, 0.5, 1 - 0.25 * 2 / 9],
    ),
    ("caps.log_line_cap", (0.25, 3, "complex"), [2 * math.log(0.25)]),
    ("caps.log_line_cap", (0.75, 3, "real"), [math.log(0.5)]),
    (
        "caps.log_line_cap",  # a probability below every float
        (1e-10, 101, "real"),
        [50 * math.log(1e-10) + math.lgamma(50.5) - math.lgamma(51) - math.log(math.pi) / 2],
    ),
    ("leverages.range_basis", (Matrix([[3, 6], [4j, 8j]]),), [0.36, -0.48j, 0.48j, 0.64]),
    ("divided_differences.exponential_differences", (Numbers([0.0, 1.0]), 1.0), [1, math.e - 1]),
    ("divided_differences.exponential_differences", (Numbers([0.0, 1.0]), 1.0, 1), [0, math.e]),
    ("bingham_laws.highest_ratio", (0.0, 3.0, 1.0, 2.0), [4 / math.e]),
    ("bingham_laws.highest_ratio", (2.0, 3.0, 1.0, 2.0), [9 * math.exp(-2)]),
    ("bingham_laws.highest_ratio", (0.0, 0.5, 1.0, 2.0), [2.25 * math.exp(-0.5)]),
    ("bingham_laws.log_sphere_series", (Numbers([1.0, 3.0]), 1), [math.log((math.exp(-1) - math.exp(-3)) / 2)]),
    ("bingham_laws.log_frame_series", (Numbers([1.0, 3.0]), 1, 1), [math.log((math.exp(-1) - math.exp(-3)) / 2)]),
    ("patterns.factor", (1, 0.0, (0.0, 2.0)), [2]),
    ("patterns.factor", (2, 1.0, 3.0), [9 * math.exp(3)]),
    ("patterns.free_cells", (Numbers([1.0, 0.0, 0.0]),), [2, 0, 1, 0]),
    ("patterns.intervals", (Numbers([2.0, 1.0, 1.0]),), [1, 2, 1]),
    ("patterns.rates", (Numbers([3.0, 1.0, 0.0]), 0.5), [1, 0.5]),
    ("patterns.gap_density", (Numbers([1.0, 0.0, 0.0]), Numbers([1.0, 0.0, 0.0]), 0.5), [1]),
    ("patterns.minors", (A,), [2, 0, 3, 1]),
    ("patterns.signed_gaps", (Numbers([2.0, 1.0]), Numbers([1.0, 0.0])), [1, -1, 0, 1]),
    ("power.modulus", (Numbers([1.0, -5.0]), 1), [5]),
    ("power.modulus", (Numbers([1.0, -5.0]), 3), [0]),
    ("power.ratio", (Numbers([1.0, -5.0]), 1), [0.2]),
    ("power.worst_tangents", (0.75, 0.5, 0.0, 0.0, 2), [0.75, 0.375, 0.1875]),
    ("power.worst_tangents", (0.75, 0.5, 0.5, 0.14, 1), [0.75, 0.78 / 0.66]),
    ("power.start_tail", (1.0, 1, 1, 2), [0.5]),
    ("pruning.row_norms", (Matrix([[0.6, 0.8j], [3, 0]]),), [1, 3]),
    ("pruning.scale_rows", (Matrix([[1, 2j], [3, 4]]), Numbers([2.0, 0.5])), [2, 4j, 1.5, 2]),
    ("pruning.costs", (Matrix([[0.6], [0.8]]), 3, 2.0, 0.25), [0.48, 0.31, 0.125]),
    ("pruning.prune", (Matrix([[0.6], [0.8]]), 3, 2.0, 1.0005 * EVEN), [0.6, 0]),
    ("pruning.prune", (Matrix([[0.6], [0.8]]), 3, 2.0, 0.9995 * EVEN), [0, 0]),
    ("quadrature.gauss_legendre", (2,), [-math.sqrt(1 / 3), math.sqrt(1 / 3), 1, 1]),
    ("noisy_sketch_profile.exceedance", (0.0, 1.0, 2), [(1 + 1 / math.sqrt(5)) / 2]),
    ("noisy_sketch_profile.exceedance_by_parts", (0.0, 1.0, 2), [(1 + 1 / math.sqrt(5)) / 2]),
    ("noisy_sketch_profile.noise_for", (0.0, 1 / math.sqrt(5), 2), [1]),
]
"""Name, arguments, and the numbers that come out, row by row."""


def _frame(orthonormal: Function, product: Function) -> Function:
    """Projector on the span of an orthonormal basis: the basis itself is not unique."""
    return lambda basis: product(orthonormal(basis))


def _decomposed(eigenvectors: Function, product: Function) -> Function:
    """Eigenvalues, the matrix put together again, and the Gram matrix of the vectors, which has no other entries."""

    def numbers(a: Any) -> Any:
        values, vectors = eigenvectors(a)
        return values, product(vectors, values), product(vectors, [1] * len(values))

    return numbers


def _fast_product(x: Any, weights: Any = None) -> Any:
    return (x if weights is None else x * np.array(weights)) @ x.conj().T


def _exact_product(x: Any, weights: Any = None) -> Any:
    return (x if weights is None else x * mp.diag(list(weights))) * x.transpose_conj()


def _equal_columns(columns: Function, product: Function, squares: Function) -> Function:
    """The sum of ``x x*`` over the columns, and their squared norms."""

    def numbers(vectors: Any, count: int) -> Any:
        found = columns(vectors, count)
        return product(found), squares(found)

    return numbers


ADAPTED: dict[str, tuple[Function | None, Function | None]] = {
    "linalg.eigenvectors": (
        _decomposed(fast_linalg.eigenvectors, _fast_product),
        _decomposed(linalg.eigenvectors, _exact_product),
    ),
    "alignment.orthonormal": (
        _frame(fast_orthonormal.orthonormal, _fast_product),
        _frame(alignment.orthonormal, _exact_product),
    ),
    "alignment.complex_orthonormal": (None, _frame(alignment.orthonormal, _exact_product)),
    "linalg.least_distance": (
        lambda *points: fast_linalg.least_distance(np.array(points)),
        lambda *points: linalg.least_distance(points),
    ),
    "leverages.range_basis": (_frame(fast_leverages.range_basis, _fast_product), None),
    "pruning.costs": (lambda *given: fast_pruning.costs(*given)[0], pruning.costs),
    "noisy_sketch_profile.noise_for": (fast_sketch.noise_for, None),  # the oracle inverts its profile in seconds
    "wishart.density": (lambda *given: np.exp(fast_wishart.log_density(*given)), wishart.density),
    "packing.tableaux": (lambda k, l: np.exp(fast_packing.log_tableaux(k, l)), packing.tableaux),  # noqa: E741
    "neighbour_paths.step_counts": (
        fast_paths.step_counts,
        lambda values: [neighbour_paths.step_count(x) for x in values],
    ),
    "neighbour_paths.equal_norm_columns": (
        _equal_columns(fast_paths.equal_norm_columns, _fast_product, lambda x: np.sum(np.abs(x) ** 2, axis=0)),
        _equal_columns(
            neighbour_paths.equal_norm_columns, _exact_product, lambda x: [mp.norm(x[:, j]) ** 2 for j in range(x.cols)]
        ),
    ),
}
"""Definitions that differ in name or form, or whose value is not unique: what is compared, in both arithmetics."""
MODULES: dict[str, tuple[ModuleType | None, ModuleType | None]] = {
    "caps": (fast_caps, None),
    "divided_differences": (fast_divided_differences, None),
    "quadrature": (fast_quadrature, None),
    "alignment": (fast_alignment, alignment),
    "betting": (fast_betting, betting),
    "chi_square_profile": (fast_chi_square, chi_square_profile),
    "leverages": (fast_leverages, leverages),
    "divergence": (fast_divergence, divergence),
    "bingham_laws": (fast_bingham_laws, bingham_laws),
    "gaussian_profile": (fast_gaussian, gaussian_profile),
    "hciz": (fast_hciz, hciz),
    "linalg": (fast_linalg, linalg),
    "neighbour_paths": (fast_paths, neighbour_paths),
    "nets": (fast_nets, nets),
    "orbit_privacy_loss": (fast_orbit_privacy_loss, orbit_privacy_loss),
    "packing": (fast_packing, packing),
    "patterns": (fast_patterns, patterns),
    "power": (fast_power, power),
    "pruning": (fast_pruning, pruning),
    "quadratic_ratios": (fast_quadratic_ratios, quadratic_ratios),
    "renyi": (fast_renyi, renyi),
    "noisy_sketch_profile": (fast_sketch, noisy_sketch_profile),
    "streaming": (fast_streaming, streaming),
    "symmetric_noise": (None, symmetric_noise),
    "top_eigenvalue": (None, top_eigenvalue),
    "wishart": (fast_wishart, wishart),
}
"""The two modules of a definition."""


def function(name: str, room: str) -> Function | None:
    """Return a definition in ``fast`` or ``oracle``; None where this arithmetic has none."""
    place = ("fast", "oracle").index(room)
    if name in ADAPTED:
        return ADAPTED[name][place]
    module, own = name.split(".")
    return getattr(MODULES[module][place], own, None)


def given(argument: Any, room: str) -> Any:
    """Return an argument as this arithmetic takes it."""
    if not isinstance(argument, Matrix | Column | Numbers):
        return argument
    if room == "fast":
        return np.array(argument.entries)
    if isinstance(argument, Numbers):
        return [list(map(mp.mpmathify, x)) if isinstance(x, list) else mp.mpmathify(x) for x in argument.entries]
    return linalg.exact(argument.entries)


def numbers(value: Any) -> list[Any]:
    """Return all numbers of a value, row by row."""
    if isinstance(value, mp.matrix):
        return [value[i, j] for i in range(value.rows) for j in range(value.cols)]
    if isinstance(value, dict):
        return list(value.values())
    if isinstance(value, tuple | list):
        return [x for part in value for x in numbers(part)]
    return list(np.ravel(value))
