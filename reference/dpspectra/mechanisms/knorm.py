"""Input perturbation by K-norm noise: its density falls with the norm of which replacements fill the unit ball.

Among densities of pure noise whose logarithm is Lipschitz in this norm it has the smallest mean of the norm
(DPS-KNORM). Other pure noise may have a smaller one: in one dimension that of the staircase mechanism, .083 against .2
at epsilon 5.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dpspectra.matrices.kinds import Data
from dpspectra.mechanisms import catalogue
from dpspectra.mechanisms.covariance import released
from dpspectra.mechanisms.noises import knorm
from dpspectra.mechanisms.planning import reading_of
from dpspectra.mechanisms.randomness import Rng
from dpspectra.mechanisms.release import Release

if TYPE_CHECKING:
    from dpspectra.certified.exact_moments import Moments
    from dpspectra.matrices.column_bounds import ColumnBounds

KNORM = catalogue.get("knorm_covariance")


def knorm_covariance(
    X: Data | Moments,
    epsilon: float,
    *,
    norm_bound: float = 1.0,
    rows: str = "refuse",
    bad_rows: str = "refuse",
    bounds: ColumnBounds | None = None,
    relation: str = "replace",
    denoise: str | None = None,
    arithmetic: str | None = None,
    rng: Rng = None,
) -> Release[NDArray[np.float64]]:
    """Release ``X'X / n`` with K-norm noise; ``epsilon``-DP when one row is replaced, exactly (DPS-KNORM).

    The noise has a density proportional to ``exp(-max(tr Z_+, tr Z_-) / c)`` with ``c = norm_bound^2 / (n epsilon)``;
    ``Z_+`` and ``Z_-`` are the positive and the negative part. That is the norm whose unit ball is the convex hull of
    the changes ``v v' - w w'``.

    Parameters
    ----------
    X
        Rows as in `laplace_covariance`, of at most 6 numbers, as the exact sampler is one of rejection.
    epsilon
        Privacy loss in nats, above 0.
    norm_bound, rows, bad_rows, bounds, relation, denoise, arithmetic, rng
        As in `laplace_covariance`.

    Returns
    -------
    Release
        Its value is symmetric ``(d, d)``. ``details``: ``scale`` (``c``); ``guarantee`` on the Frobenius error (the
        norm of the noise is Gamma distributed, and ``|Z|_F^2`` at most twice its square); ``postprocessing``; and
        ``step`` if the arithmetic is certified.

    Raises
    ------
    ValueError
        As `laplace_covariance`, and for rows of more than 6 numbers.

    Notes
    -----
    The mean square is 0.82 of that of `symmetric_wishart_covariance` at ``d = 2`` and 0.84 at 5. In one dimension both
    are Laplace noise. In certified arithmetic all numbers are computed in balls, which takes milliseconds up to
    ``d = 3`` and most of a second at 6.

    Examples
    --------
    >>> release = knorm_covariance(np.eye(3), epsilon=1.0)
    >>> release.value.shape, release.claim.delta, round(release.details["scale"], 6)
    ((3, 3), 0.0, 0.333333)

    """
    reading = reading_of(X, norm_bound, rows, bad_rows, bounds)
    plan = KNORM.planned(epsilon=epsilon, relation=relation, X=X, **asdict(reading))
    return released(X, plan, knorm.sized, reading, denoise, rng, arithmetic)
