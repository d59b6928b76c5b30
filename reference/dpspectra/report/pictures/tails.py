"""Bounds of the chapter on concentration, with the exact value beside them."""

import math

import numpy as np
from scipy.stats import binom

from dpspectra.fast.roots import root
from dpspectra.fast.top_eigenvalue import wishart_cdf
from dpspectra.formulas import laplace_norm, noise_norms
from dpspectra.lemmas.concentration import (
    input_noise,
    laplace_entries,
    matrix_average,
    projected_laplace,
    random_directions,
    spherical_isoperimetry,
    sums_of_bounded_terms,
    wishart_norm,
    wishart_tail,
)
from dpspectra.report.drawing import linear, logarithmic
from dpspectra.report.pictures.picture import Picture, curve

FAILURE = 0.05
PROBABILITY = "probability"


def quantile(degrees: int, d: int) -> float:
    """Return the exact norm that ``W_d(degrees, I)`` exceeds with probability `FAILURE`."""
    return root(lambda x: wishart_cdf(x, degrees, d) - 1 + FAILURE, 1e-3, 20.0 * (degrees + d))


def wishart_norms() -> Picture:
    """Draw the norm of Wishart noise against the dimension."""
    grid = range(1, 16)
    return Picture(
        f"Norm that a Wishart matrix of d + 1 degrees of freedom exceeds with probability {FAILURE:g}",
        linear("dimension d", 0, 15),
        linear("spectral norm (units of the scale)", 0, 120),
        [
            curve("bound", lambda d: wishart_norm.quantile(FAILURE, d), grid),
            curve("exact", lambda d: quantile(d + 1, d), grid),
        ],
        "The bound stays above the exact norm, by a smaller factor in higher dimension.",
    )


def wishart_largest() -> Picture:
    """Draw the printed tail of the largest eigenvalue."""
    grid = range(2, 16)
    return Picture(
        f"Largest eigenvalue of a Wishart matrix that is exceeded with probability at most {FAILURE:g}",
        linear("dimension d", 0, 15),
        logarithmic("eigenvalue (units of the scale)", 10, 1000),
        [
            curve("bound of the statement", lambda d: wishart_tail.radius(math.log(d / FAILURE), d + 1, d), grid),
            curve("bound with one square", lambda d: wishart_norm.radius(math.log(1 / FAILURE), d + 1, d), grid),
            curve("exact", lambda d: quantile(d + 1, d), grid),
        ],
        "The bound of the statement has a factor of the order log d that the exact law has not.",
    )


def input_noises() -> Picture:
    """Three kinds of noise against the dimension."""
    grid = range(1, 101)
    return Picture(
        f"Norms of unscaled noise that are exceeded with probability at most {FAILURE:g}",
        logarithmic("dimension d", 1, 100),
        logarithmic("spectral norm (units of the scale)", 1, 1000),
        [
            curve("Gaussian entries", lambda d: input_noise.gaussian_radius(FAILURE, d), grid),
            curve("Wishart", lambda d: noise_norms.wishart(FAILURE, d), grid),
            curve("difference of two Wishart matrices", lambda d: noise_norms.wishart_difference(FAILURE, d), grid),
        ],
        "At the same scale Gaussian noise grows like the root of d and Wishart noise like d.",
    )


def projections() -> Picture:
    """Draw the length of a random projection."""
    d, grid = 5, range(10, 201, 5)

    def exact(m: int) -> float:
        return math.sqrt(root(lambda y: random_directions.tail(y, d, m) - FAILURE, 1e-6, 1 - 1e-9))

    return Picture(
        f"Length of a uniform unit vector of R^m in {d} dimensions, exceeded with probability at most {FAILURE:g}",
        linear("dimension m", 0, 200),
        linear("length of the projection", 0, 1.4),
        [
            curve("bound", lambda m: random_directions.longest_projection(math.log(1 / FAILURE), d, m), grid),
            curve("exact", exact, grid),
            curve("root of d/m", lambda m: math.sqrt(d / m), grid),
        ],
        "Both fall like the root of d/m, and the bound stays above the exact length by a nearly constant factor.",
    )


def largest_entries() -> Picture:
    """Draw the largest entry of a random direction."""
    grid = range(5, 501, 15)

    def one(m: int, failure: float) -> float:
        return math.sqrt(root(lambda y: random_directions.tail(y, 1, m) - failure, 1e-9, 1 - 1e-12))

    return Picture(
        f"Largest entry of a uniform unit vector of R^m, exceeded with probability at most {FAILURE:g}",
        linear("dimension m", 0, 500),
        linear("modulus of the entry", 0, 1.2),
        [
            curve("bound for all entries", lambda m: random_directions.largest_entry(FAILURE, m), grid),
            curve("exact law of an entry at the share of 1/m", lambda m: one(m, FAILURE / m), grid),
            curve("exact law of one given entry", lambda m: one(m, FAILURE), grid),
        ],
        "The bound follows the exact law of one entry closely, at 1/m of the probability.",
    )


def sphere() -> Picture:
    """Lipschitz functions on a sphere, and the worst one of degree one."""
    d, grid = 100, np.linspace(0.01, 0.6, 60)
    return Picture(
        f"Probability that a function of slope 1 on the sphere of R^{d} is more than t from its median",
        linear("distance t from the median", 0, 0.6),
        logarithmic(PROBABILITY, 1e-9, 1),
        [
            curve("bound", lambda t: spherical_isoperimetry.bound(t, d), grid),
            curve("exact: a coordinate", lambda t: random_directions.tail(t * t, 1, d), grid),
        ],
        "A coordinate falls like the bound, as a Gaussian of variance 1/d does, and a little faster.",
    )


def gaussian_blocks() -> Picture:
    """Draw the norm of a Gaussian block by its number of columns."""
    k, grid = 5, range(1, 31)
    return Picture(
        f"Spectral norm of a standard normal matrix of {k} rows, exceeded with probability at most {FAILURE:g}",
        linear("columns p", 0, 30),
        linear("spectral norm (standard deviations)", 0, 12),
        [
            curve("bound", lambda p: noise_norms.gaussian_matrix(FAILURE, k, p, 1), grid),
            curve("exact", lambda p: math.sqrt(quantile(max(k, p), min(k, p))), grid),
        ],
        "The bound is exact for one column, and stays close to the exact law.",
    )


def laplace_combinations() -> Picture:
    """Draw the tail of combinations of Laplace variables."""
    grid = np.linspace(0.2, 12, 60)
    return Picture(
        "Probability that an entry of Laplace noise in a given direction exceeds t",
        linear("t (units of the scale)", 0, 12),
        logarithmic(PROBABILITY, 1e-6, 1),
        [
            curve("bound for every direction", laplace_entries.entry_tail, grid),
            curve("exact: an axis", lambda t: projected_laplace.combination_tail((1,), t), grid),
            curve("exact: direction (1, 2, 3)", lambda t: projected_laplace.combination_tail((1, 2, 3), t), grid),
        ],
        "An axis has the heaviest tail far out; mixing several entries makes it lighter.",
    )


def laplace_blocks() -> Picture:
    """Draw the spectral norm of projected Laplace noise."""
    grid = range(1, 61)
    return Picture(
        f"Spectral norm of Laplace noise in k directions, exceeded with probability at most {FAILURE:g}",
        linear("columns p", 0, 60),
        linear("spectral norm (units of the scale)", 0, 60),
        [curve(f"k = {k}", lambda p, k=k: projected_laplace.radius(FAILURE, k, p, 1), grid) for k in (1, 5, 20)],
        "The radius grows like the root of the larger number: up to p of them, more directions hardly cost more.",
    )


def laplace_matrices() -> Picture:
    """Draw the norm of symmetric Laplace noise."""
    grid = np.unique(np.geomspace(1, 1000, 40).astype(int))
    return Picture(
        "Spectral norm of symmetric Laplace noise that is exceeded with a small probability",
        logarithmic("dimension d", 1, 1000),
        logarithmic("spectral norm (units of the scale)", 1, 1000),
        [curve(f"probability {eta:g}", lambda d, eta=eta: laplace_norm.radius(eta, d), grid) for eta in (0.05, 1e-6)],
        "The radius grows about like the root of d, and only slowly as the probability falls.",
    )


def bounded_terms() -> Picture:
    """Draw sums of random signs."""
    n = 100
    grid = np.arange(2, 51, 2)
    return Picture(
        f"Probability that the sum of {n} random signs exceeds t in modulus",
        linear("t", 0, 50),
        logarithmic(PROBABILITY, 1e-7, 1),
        [
            curve("Bernstein's bound", lambda t: sums_of_bounded_terms.bernstein(t, n), grid),
            curve("Hoeffding's bound", lambda t: sums_of_bounded_terms.hoeffding(t, n), grid),
            curve("exact", lambda t: 2 * binom.sf((n + t) // 2, n, 0.5), grid),
        ],
        "Hoeffding's bound falls like the exact law of signs; Bernstein's knows only the variance, and is "
        "larger far out.",
    )


def averages() -> Picture:
    """Averages of matrices."""
    grid = np.unique(np.geomspace(50, 3000, 60).astype(int))
    return Picture(
        "Probability bound: an average of n matrices of norm 1 in d dimensions is 0.2 from its mean",
        logarithmic("terms n", 50, 3000),
        logarithmic(PROBABILITY, 1e-12, 1),
        [curve(f"d = {d:,}", lambda n, d=d: matrix_average.bound(0.2, n, d, d), grid) for d in (2, 100, 10_000)],
        "The bound falls exponentially in n; the dimension only multiplies it, which a few hundred terms "
        "more make good.",
    )


PICTURES = {
    "JXZ-L1-R": wishart_norms,
    "JXZ-L1": wishart_largest,
    "JXZ-Table1": input_noises,
    "HR-C5.10": projections,
    "HR-C5.9": largest_entries,
    "HR-TB.1": sphere,
    "HP-LA.2": gaussian_blocks,
    "HP-LA.3": laplace_combinations,
    "HP-LA.3P": laplace_blocks,
    "JXZ-A1-U": laplace_matrices,
    "HP-TA.1": bounded_terms,
    "HP-LA.4": averages,
}
