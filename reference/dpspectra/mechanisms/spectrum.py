"""The leading eigenvalues of second moments, released with Laplace noise."""

from __future__ import annotations

from dataclasses import asdict
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dpspectra.formulas.spectrum_release import radius
from dpspectra.ground import checks
from dpspectra.matrices.kinds import Data
from dpspectra.matrices.summed_elsewhere import Matrix
from dpspectra.mechanisms import catalogue, plain_words
from dpspectra.mechanisms.claims import CONFIDENCE, Guarantee
from dpspectra.mechanisms.planning import reading_of
from dpspectra.mechanisms.private_data import foreseen
from dpspectra.mechanisms.randomness import Rng, begun, promised, randomness
from dpspectra.mechanisms.release import Release
from dpspectra.mechanisms.second_moments import require_scale, summed_in
from dpspectra.mechanisms.usefulness import of_laplace_spectrum
from dpspectra.relations import Relation, among

if TYPE_CHECKING:
    from dpspectra.certified.exact_moments import Moments
    from dpspectra.matrices.column_bounds import ColumnBounds

SPECTRUM = catalogue.get("private_spectrum")
EIGENVALUE = "largest error of an eigenvalue"
"""Quantity that the guarantee bounds."""


def private_spectrum(
    X: Data | Moments | Matrix,
    k: int,
    epsilon: float,
    *,
    norm_bound: float = 1.0,
    rows: str = "refuse",
    bad_rows: str = "refuse",
    bounds: ColumnBounds | None = None,
    relation: str = "replace",
    arithmetic: str | None = None,
    rng: Rng = None,
) -> Release[NDArray[np.float64]]:
    """Release the ``k`` largest eigenvalues of second moments, descending; ``epsilon``-DP (MWKTV-T7.1).

    Each value gets Laplace noise of scale ``2 norm_bound^2 / (n epsilon)``, half of that for ``k = 1``, and where a row
    is added or removed. Sorting and clipping at 0 come after the noise.

    Parameters
    ----------
    X
        Rows of people as in `laplace_covariance`: the values are those of ``X'X / n`` under ``relation="replace"``,
        where the number ``n`` of rows is public, and of ``X'X`` under ``"add_remove"``. Or a `Matrix` that somebody
        else summed, with values of the matrix itself. A square array is refused where it could be either.
    k
        Number of eigenvalues, from 1 to ``d``.
    epsilon
        Privacy loss in nats, above 0.
    norm_bound, rows, bad_rows, bounds, rng
        As in `laplace_covariance`.
    relation
        ``"replace"`` or ``"add_remove"``. The claim for a `Matrix` is for ``"matrix_replace"`` or
        ``"matrix_add_remove"``, whose neighbours differ exactly.
    arithmetic
        As in `laplace_covariance`. In certified arithmetic rows are rounded to a grid and summed exactly, and a matrix
        is taken exactly as it is given.

    Returns
    -------
    Release
        Its value has shape ``(k,)``. ``details``: ``scale`` of the noise, ``guarantee`` on the largest error, and
        ``step`` if the arithmetic is certified.

    Raises
    ------
    ValueError
        As `laplace_covariance`, for ``k`` out of range, and for a square array that could be rows or a matrix.

    Examples
    --------
    >>> from dpspectra import Matrix
    >>> release = private_spectrum(Matrix(np.diag([900.0, 50.0, 3.0])), 2, epsilon=1.0)
    >>> release.value.shape, release.details["scale"], bool(release.value[0] >= release.value[1] >= 0)
    ((2,), 2.0, True)

    """
    reading = reading_of(X, norm_bound, rows, bad_rows, bounds)
    plan = SPECTRUM.planned(epsilon=epsilon, relation=relation, X=X, **asdict(reading))
    neighbours, source = among(relation, SPECTRUM.relations), randomness(rng, arithmetic)
    number = foreseen(X, lambda d: checks.integer(k, "k", 1, d))
    require_scale(source, X, reading, checks.integer(k, "k", 1), Fraction(plan.epsilon), neighbours)
    sums = summed_in(source, X, reading, neighbours)
    values = number(sums.moments.width)
    value, details = sums.noisy_spectrum(values, Fraction(plan.epsilon), neighbours, begun(source))
    error = sums.person * float(radius(values, plan.epsilon, 1 - CONFIDENCE, neighbours))
    details["guarantee"] = Guarantee(EIGENVALUE, error, CONFIDENCE)
    details |= plain_words.moments(X, reading, plain_words.SPECTRUM.format(k=values))
    details |= of_laplace_spectrum(value, details["scale"])
    if neighbours is Relation.REPLACE:
        details["largest_possible"] = float(reading.square)
    return Release(value, promised(plan, source, SPECTRUM.labels, (*sums.exact, "DPS-RESIDUAL")), details)
