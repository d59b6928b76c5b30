"""The private power method on the second moments of rows, by exact steps row by row (DPS-ROWSTEP).

Rows are read in each round where they lie, in memory or on a cluster; only blocks ``(d, k)`` come to the caller.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.certified import calibrate, grid, noise_on_grid
from dpspectra.certified.entropy import Source
from dpspectra.certified.integer_rows import exponent
from dpspectra.certified.row_step import BITS, row_product
from dpspectra.formulas import row_step
from dpspectra.ground.array_types import Floats
from dpspectra.ground.progress import progress
from dpspectra.matrices.orthonormal import orthonormal
from dpspectra.matrices.reading_rule import Reading
from dpspectra.matrices.tall_blocks import pieces
from dpspectra.mechanisms.added_noise import FINE
from dpspectra.mechanisms.claims import Claim
from dpspectra.mechanisms.covariance import SUMS, exact_in
from dpspectra.mechanisms.randomness import begun, promised
from dpspectra.mechanisms.release import Release
from dpspectra.mechanisms.usefulness import of_products


def directions_of_rows(
    X: Any, k: int, iterations: int, plan: Claim, reading: Reading, source: Source
) -> Release[NDArray[np.float64]]:
    """``k`` orthonormal directions near the leading ones of ``X'X``, by so many rounds under the claim planned.

    Rows are read once before anything is drawn, so that refusals come first. Noise of ``details`` is of ``X'X /
    norm_bound**2``, in each round.
    """
    width = exact_in(X, reading, order=1).width
    square = Fraction(reading.norm_bound) ** 2 * Fraction(4) ** exponent(reading.norm_bound)
    claim = promised(plan, source, ("HP-L4.5", "DPS-ROWSTEP"), SUMS)
    draw = begun(source, depth=2)
    assert not isinstance(draw, np.random.Generator)
    x, scales = orthonormal(noise_on_grid.Normals((width, k), draw).values, overwrite=True), []
    with progress(iterations, "private power method by rows") as bar:
        for number in range(1, iterations + 1):
            cut = np.trunc(np.ldexp(x, BITS))
            scale = _scale(np.ldexp(cut, -BITS), square, iterations, plan)
            y = _noisy(row_product(X, cut, reading), scale, plan.gdp_mu, draw)
            if number == iterations:
                stated = of_products(y, k, scale, laplace=plan.gdp_mu is None, unit=float(square))
            x = orthonormal(y, overwrite=True)
            scales.append(scale)
            bar.advance(f"round {number}")
    unit = float(square)
    steps = tuple(math.ldexp(1.0, grid.step_exponent(scale, FINE)) / unit for scale in scales)
    details = {"noise": tuple(scale / unit for scale in scales), "mu": plan.gdp_mu, "step": steps, **stated}
    return Release(x, claim, details)


def _scale(v: Floats, square: Fraction, rounds: int, plan: Claim) -> float:
    """Return the noise of a round, rounded upward, if the squared norm of a row of integers is at most ``square``."""
    moved = row_step.squared(v, square, plan.relation, l1=plan.gdp_mu is None)
    if plan.gdp_mu is None:
        return calibrate.at_least_root(rounds**2 * moved, plan.epsilon)
    return calibrate.at_least_root(rounds * moved, plan.gdp_mu)


def _noisy(exact: grid.Integers, scale: float, mu: float | None, draw: Source) -> Floats:
    """Return a sum of integers with normal noise, or Laplace noise without a ``mu``, correctly rounded to a grid."""
    step, y = grid.step_exponent(scale, FINE), np.empty(exact.shape)
    law = noise_on_grid.laplace if mu is None else noise_on_grid.gaussian
    for part in pieces(y):
        drawn = law(grid.Steps.of(exact[part].ravel(), -step), math.ldexp(scale, -step), draw)
        y[part] = grid.over(drawn, step, 1).reshape(y[part].shape)
    return y
