"""Errors against epsilon: what is guaranteed, and what is impossible."""

from typing import Any

import numpy as np

from dpspectra import bounds
from dpspectra.formulas import (
    low_rank_mean_error,
    lower_bound_any_epsilon,
    lower_bound_explicit,
    orbit_utility_gap,
    private_low_rank_error,
    spectrum_release,
)
from dpspectra.lemmas.lower_bounds import counting, pure_low_rank_covariance, reconstruction_of_bits, whole_orbit
from dpspectra.lemmas.orbit import optimum
from dpspectra.report.drawing import linear, logarithmic
from dpspectra.report.pictures.picture import EPSILON, Dots, Picture, curve, level

D, K, LARGEST = 20, 5, 1000.0
"""The matrix of the pictures: ``K`` eigenvalues ``LARGEST`` in ``D`` dimensions, the others 0."""
VALUES = np.repeat([LARGEST, 0.0], [K, D - K])
PROJECTOR = VALUES / LARGEST
GRID = np.geomspace(0.01, 10, 46)
SQUARE = "squared error (rows², norm ≤ 1)"
FAILURE = 0.05


def utility_gap() -> Picture:
    """How far the orbit mechanism misses the best score."""
    worst = float(optimum.bound(VALUES, PROJECTOR) - VALUES[::-1] @ PROJECTOR)
    x = logarithmic(EPSILON, 0.01, 10)
    silent = next((e for e in GRID if orbit_utility_gap.bound(PROJECTOR, e, FAILURE) < worst), GRID[-1])
    return Picture(
        f"Utility gap of the orbit mechanism for {K} of {D} directions, each with {LARGEST:g} rows",
        x,
        logarithmic("OPT − ⟨M, H⟩ (rows, norm ≤ 1)", 10, 1e5),
        [
            curve(
                f"exceeded with probability at most {FAILURE:g}",
                lambda e: orbit_utility_gap.bound(PROJECTOR, e, FAILURE),
                GRID,
            ),
            curve("mean at most", lambda e: orbit_utility_gap.mean_bound(PROJECTOR, e), GRID),
            level("largest gap that there is", worst, x),
        ],
        "The guarantee falls like 1/ε, and says something only where it is below the dotted line: from about "
        f"ε = {silent:.2f} on.",
    )


def possible(lower: Any, title: str, above: str) -> Picture:
    """Draw the error of the orbit mechanism, and a lower bound on that of every mechanism that sees the matrix only."""
    x = logarithmic(EPSILON, 0.01, 10)
    return Picture(
        f"Error on the orbit of {K} eigenvalues {LARGEST:g} in {D} dimensions: {title}",
        x,
        logarithmic(SQUARE, 1e-3, 1e8),
        [
            curve(
                "no mechanism stays here half of the time on every matrix", lambda e: lower(VALUES, e), GRID, area=True
            ),
            curve("lower bound", lambda e: lower(VALUES, e), GRID),
            curve(
                "orbit mechanism, half of the time at most", lambda e: 2 * orbit_utility_gap.bound(VALUES, e, 0.5), GRID
            ),
            level("largest error that there is", float(optimum.squared_diameter(VALUES)), x),
        ],
        above,
    )


def explicit_lower_bound() -> Picture:
    """Draw the lower bound with explicit constants."""
    return possible(
        lower_bound_explicit.bound,
        "impossible and guaranteed",
        "The shaded errors are impossible; the lower bound falls like 1/ε², and is 0 once ε is too large for it.",
    )


def sharp_lower_bound() -> Picture:
    """Draw the lower bound for every epsilon."""
    return possible(
        lower_bound_any_epsilon.bound,
        "impossible for every ε, and guaranteed",
        "The shaded errors are impossible at every ε; the gap between both lines is what is not known.",
    )


def whole_orbit_bound() -> Picture:
    """Draw the bound from a packing of the whole orbit, and the one from balls."""
    values = np.repeat([4.0, 0.0], [K, D - K])
    grid = np.geomspace(0.1, 30, 46)
    return Picture(
        f"Lower bounds on the orbit of {K} eigenvalues 4 in {D} dimensions",
        logarithmic(EPSILON, 0.1, 30),
        logarithmic(SQUARE, 1e-6, 100),
        [
            curve("from the whole orbit", lambda e: whole_orbit.whole_bound(values, K, D - K, e), grid),
            curve("from the best ball", lambda e: lower_bound_any_epsilon.bound(values, e), grid),
        ],
        "Paths across the whole orbit are long, so that its bound collapses as ε grows, while balls of the "
        "right size do not.",
    )


def low_rank_error() -> Picture:
    """Draw the low-rank mechanism's error: in probability and in the mean."""
    return Picture(
        f"Error of the private low-rank matrix for {K} eigenvalues {LARGEST:g} in {D} dimensions",
        logarithmic(EPSILON, 0.01, 10),
        logarithmic(SQUARE, 1e4, 1e9),
        [
            curve(
                f"exceeded with probability at most {FAILURE:g}",
                lambda e: private_low_rank_error.bound(VALUES, K, e / 2, e / 2, FAILURE, "replace"),
                GRID,
            ),
            curve("mean at most", lambda e: low_rank_mean_error.bound(VALUES, K, e / 2, e / 2, "replace"), GRID),
        ],
        "With half of ε for each stage the error is of the order λ₁/ε, and of the order 1/ε² where ε is small.",
    )


def split_of_epsilon() -> Picture:
    """Draw the mean error by the share of the eigenvalues."""
    epsilon, grid = 1.0, np.linspace(0.02, 0.98, 97)

    def mean(share: float) -> float:
        values = np.append(LARGEST, np.zeros(D - 1))
        return float(low_rank_mean_error.bound(values, K, share * epsilon, (1 - share) * epsilon, "replace"))

    best = bounds.best_split(D, K, LARGEST, epsilon)
    return Picture(
        f"Mean error of the private low-rank matrix by the share of ε = {epsilon:g} that the eigenvalues get",
        linear("share of ε for the eigenvalues", 0, 1),
        logarithmic(SQUARE, 1e5, 1e8),
        [curve("mean at most", mean, grid)],
        f"The bound is flat near its smallest value, at a share of {best:.2f}: most of ε is for the eigenvectors.",
        [Dots("best share", [(best, mean(best))])],
    )


def eigenvalue_radius() -> Picture:
    """How far noisy eigenvalues are off, by their number."""
    numbers = np.unique(np.geomspace(1, 1000, 40).astype(int))
    return Picture(
        "Error of k noisy eigenvalues at ε = 1 that the largest exceeds with probability β",
        logarithmic("eigenvalues k", 1, 1000),
        linear("largest error (rows, norm ≤ 1)", 0, 35),
        [
            curve(f"β = {b:g}", lambda k, b=b: spectrum_release.radius(k, 1.0, b, "replace"), numbers)
            for b in (0.5, 0.05, 0.001)
        ],
        "The radius is exact and grows like the logarithm of the number of eigenvalues.",
    )


def wrong_bits() -> Picture:
    """How many bits a private output hides."""
    grid = np.linspace(0, 8, 81)
    return Picture(
        "Share of random bits that are guessed wrong, at least, from a private output",
        linear(EPSILON, 0, 8),
        linear("share of wrong bits", 0, 0.5),
        [curve(f"δ = {d:g}", lambda e, d=d: reconstruction_of_bits.wrong_bits(e, d), grid) for d in (0.0, 0.1, 0.5)],
        "At ε = 0 half of the bits that δ does not reveal are wrong; every guess, and so every accurate "
        "output, stays above its line.",
    )


def right_answers() -> Picture:
    """How often a private answer can be right."""
    grid = np.linspace(0, 20, 81)
    return Picture(
        "Probability that a private answer is right on all of n distant data sets, at most",
        linear("ε L: epsilon times the steps between data sets (nats)", 0, 20),
        linear("probability of a right answer", 0, 1),
        [curve(f"n = {n:,}", lambda x, n=n: counting.bound(n, x, 1), grid) for n in (2, 100, 10_000, 1_000_000)],
        "The answer can be right half of the time only once ε L reaches log(n − 1), which is how packings "
        "become lower bounds.",
    )


def pure_lower_bound() -> Picture:
    """Draw the lower bound for covariance matrices of low rank."""
    grid = np.geomspace(0.01, 10, 46)
    return Picture(
        "Error in spectral norm that no purely private mechanism beats on matrices of rank 1",
        logarithmic(EPSILON, 0.01, 10),
        logarithmic("mean error (rows, norm ≤ 1)", 1e-3, 1e4),
        [curve(f"d = {d}", lambda e, d=d: pure_low_rank_covariance.bound(d, 1, e), grid) for d in (4, 20, 100)],
        "The bound is of the order (d − k)/ε while many rows are needed to hide a direction, and vanishes for large ε.",
    )


PICTURES = {
    "MWKTV-T2.2": utility_gap,
    "MWKTV-T2.4R": explicit_lower_bound,
    "MWKTV-T2.4S": sharp_lower_bound,
    "MWKTV-E11": whole_orbit_bound,
    "MWKTV-T2.3R": low_rank_error,
    "MWKTV-T2.3": split_of_epsilon,
    "MWKTV-T7.1": eigenvalue_radius,
    "HR-P1.3R": wrong_bits,
    "MWKTV-COUNT": right_answers,
    "JXZ-T10": pure_lower_bound,
}
