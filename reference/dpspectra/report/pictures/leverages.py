"""Leverages of a private basis, and what a sketch misses."""

import math

import numpy as np

from dpspectra.fast import leverages
from dpspectra.lemmas.incoherence import leverages_with_random_directions, ratings, row_norm_error
from dpspectra.lemmas.range_finding import leverages as private_leverages
from dpspectra.lemmas.range_finding import leverages_without_rank, residual
from dpspectra.report.drawing import linear, logarithmic
from dpspectra.report.pictures.picture import Picture, curve

FAILURE = 0.05
LEVERAGE = f"leverage at a risk of {FAILURE:g}"


def added() -> Picture:
    """Leverages after directions are added."""
    m, rank, grid = 200, 5, range(1, 61, 3)
    uneven = np.linspace(0, 2 * rank / m, m)
    return Picture(
        f"Largest leverage of a subspace of {rank} dimensions among {m} rows, with random directions added",
        linear("random directions added", 0, 60),
        linear("leverage", 0, 1),
        [
            curve(
                "bound from the largest leverage",
                lambda w: leverages_with_random_directions.uniform_level(uneven.max(), m, rank, w, FAILURE),
                grid,
            ),
            curve("level from all leverages", lambda w: leverages.leverage_quantile(uneven, w, FAILURE), grid),
            curve("mean at most", lambda w: leverages.mean_largest_leverage(uneven, w), grid),
        ],
        "Random directions raise the largest leverage slowly, and the largest leverage before says nearly as "
        "much as all of them.",
    )


def private_basis() -> Picture:
    """Leverages of the private basis against the number of rows."""
    rank, width, grid = 5, 11, np.unique(np.geomspace(50, 20000, 30).astype(int))
    return Picture(
        f"Largest leverage of a private basis of {width} columns, for a flat range of {rank} dimensions",
        logarithmic("rows m", 50, 20000),
        logarithmic(LEVERAGE, 0.001, 2),
        [
            curve("bound of the statement", lambda m: private_leverages.level(rank, 1.0, m, width, FAILURE), grid),
            curve(
                "exact quantile, by the row",
                lambda m: leverages.leverage_quantile(np.full(int(m), rank / m), width, FAILURE),
                grid,
            ),
        ],
        "Both fall like 1/m up to a logarithm: noise keeps a flat range flat.",
    )


def without_rank() -> Picture:
    """Leverages from the lengths of rows alone."""
    m, grid = 2000, np.geomspace(0.5, 100, 50)
    return Picture(
        f"Largest leverage of a private basis among {m} rows of norm at most 10, whatever the rank",
        logarithmic("noise (same units as the rows)", 0.5, 100),
        linear(LEVERAGE, 0, 1),
        [
            curve(f"{w} columns", lambda s, w=w: leverages_without_rank.level(10.0, s, m, w, FAILURE), grid)
            for w in (5, 11, 41)
        ],
        "Once the noise is as long as the longest row, no row can have a large leverage.",
    )


def missed() -> Picture:
    """Draw the mean squared residual with 2 k + 1 columns, against the noise."""
    values, grid = np.array([20.0, 10.0, 1.0, 0.5, 0.2, 0.1]), np.geomspace(0.01, 30, 50)
    k = (len(values) - 1 - 1) // 2
    tail = math.sqrt(float(np.sum(values[k:] ** 2)))
    return Picture(
        f"Mean squared residual of the private range finder with {2 * k + 1} columns for {len(values)} rows",
        logarithmic("noise s (same units as the matrix)", 0.01, 30),
        logarithmic("mean squared residual", 0.01, 10000),
        [
            curve("bound", lambda s: residual.mean_square(tail, len(values), s), grid),
            curve("exact", lambda s: residual.mean_residual(values, s), grid),
        ],
        "With little noise the residual is that of the small singular values, and with much noise the whole "
        "matrix is missed.",
    )


def by_width() -> Picture:
    """Draw the mean squared residual against the number of columns."""
    first, rest, m, noise = 50.0, 1.0, 100, 2.0
    values, grid = np.array([first] + [rest] * (m - 1)), range(2, 100, 4)
    return Picture(
        f"Mean squared residual for one large singular value among {m}, by the columns of the sketch",
        linear("columns of the sketch", 0, 100),
        logarithmic("mean squared residual", 1, 10000),
        [
            curve("smallest bound", lambda w: residual.bound(values, m, w, noise), grid),
            curve(
                "exact",
                lambda w: residual.mean_residual_of_two(residual.TwoValues(first, rest, m, int(w)), noise),
                grid,
            ),
        ],
        "A few columns find the large value; each further one removes only its share of the others, which "
        "the bound does not see.",
    )


def long_rows() -> Picture:
    """Draw the error by the row norm and the noise."""
    m, n, k, tail = 2000, 500, 5, 30.0
    grid = np.geomspace(0.1, 100, 50)
    return Picture(
        f"Mean squared error of find, prune, project for {m} × {n} matrices, k = {k}",
        logarithmic("longest row ρ (units of an entry’s change)", 0.1, 100),
        logarithmic("mean squared error, at most", 1000, 1e6),
        [
            curve(f"μ = {mu:g}", lambda r, mu=mu: row_norm_error.mean_square(tail, (m, n), k, 3.0, mu, r), grid)
            for mu in (0.25, 1.0)
        ],
        "Short rows cost nothing beyond what the sketch misses; from some length on the error grows with the "
        "longest row.",
    )


def table_of_ratings() -> Picture:
    """Draw the coherence of a table of ratings from counts."""
    grid = np.unique(np.geomspace(200, 100_000, 40).astype(int))
    return Picture(
        "Coherence of a table of 10,000 titles and a million ratings, from counts alone",
        logarithmic("ratings of the fullest row", 200, 100_000),
        logarithmic("coherence, at most", 1, 100_000),
        [
            curve("ratings from 1 to 5", lambda f: ratings.bound(10_000, 1_000_000, f, 1.0, 5.0), grid),
            curve("ratings from 3 to 5", lambda f: ratings.bound(10_000, 1_000_000, f, 3.0, 5.0), grid),
        ],
        "A title with few of all ratings has a small share of the table, whatever its ratings are.",
    )


PICTURES = {
    "HR-L5.8R": added,
    "HR-L5.11": private_basis,
    "HR-L5.11b": without_rank,
    "HR-T4.2R": missed,
    "HR-T4.2RR": by_width,
    "HR-T6.2R": long_rows,
    "HR-AC": table_of_ratings,
}
