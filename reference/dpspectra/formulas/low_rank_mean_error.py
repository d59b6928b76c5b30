"""Mean error of the repaired Algorithm 2 of MWKTV (MWKTV-T2.3)."""

from typing import Any

import numpy as np

from dpspectra.formulas.orbit_accounting import CHANGES
from dpspectra.formulas.private_low_rank_error import largest_shape
from dpspectra.formulas.spectrum_release import scale


def bound(values: Any, k: int, first: Any, second: Any, relation: str) -> Any:
    """Largest mean of ``|M - H|_F^2`` for an exact sampler on complex orbits.

    ``values`` are the eigenvalues of ``M``; ``first`` and ``second`` are epsilon for the eigenvalues and eigenvectors.
    """
    b, change = scale(k, first, relation), CHANGES[relation]
    vectors = 2 * change * largest_shape(len(values), k) / second * largest_mean(values[0], k, b)
    return np.sum(values[k:] ** 2) + 2 * k * b**2 + vectors


def largest_mean(largest: Any, k: int, b: Any) -> Any:
    """Mean of the largest of ``k`` values ``largest`` with Laplace noise of scale ``b``, clipped at 0."""
    j = np.arange(1, k + 1)
    return largest + b * (np.sum((1 - 0.5**j) / j) + np.expm1(-k * largest / b) / (k * 2.0**k))
