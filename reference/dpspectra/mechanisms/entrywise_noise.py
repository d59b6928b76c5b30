"""The baseline of low-rank approximation: noise on every entry, then the singular value decomposition."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from dpspectra.ground import checks
from dpspectra.matrices.low_rank import LowRank
from dpspectra.mechanisms.catalogue import get
from dpspectra.mechanisms.noisy_products import measured, readable
from dpspectra.mechanisms.private_data import shown
from dpspectra.mechanisms.randomness import Rng, begun, promised
from dpspectra.mechanisms.range_finding import PRODUCTS
from dpspectra.mechanisms.release import Release
from dpspectra.mechanisms.usefulness import of_singular_values

RESPONSE = get("randomized_response_low_rank")


def randomized_response_low_rank(
    A: ArrayLike,
    k: int,
    epsilon: float,
    delta: float,
    *,
    row_change: float = 1.0,
    arithmetic: str | None = None,
    rng: Rng = None,
) -> Release[LowRank]:
    """Release the best approximation of rank ``k`` of ``A`` plus normal noise; ``(epsilon, delta)``-DP, exactly.

    It is the baseline: every entry gets noise (HR-T2.6R).

    Parameters
    ----------
    A
        Dense real ``(m, n)`` array.
    k
        Rank of the value.
    epsilon, delta, row_change, arithmetic, rng
        As in `private_range_finder`.

    Returns
    -------
    Release
        Its value is a `LowRank`. ``details``: ``noise``, and ``step`` of the noisy matrix.

    Raises
    ------
    ValueError
        As `private_range_finder`.

    Examples
    --------
    >>> release = randomized_response_low_rank(np.eye(8), 2, epsilon=1.0, delta=1e-6)
    >>> release.value.right.shape
    (2, 8)

    """
    plan = RESPONSE.planned(A=A, epsilon=epsilon, delta=delta, row_change=row_change)
    source = readable(A, rng, arithmetic)
    shown(A, lambda shape: checks.integer(k, "k", 1, min(shape)))
    matrix = measured(A, plan.unit.size, source)
    checks.integer(k, "k", 1, min(matrix.shape))
    assert plan.gdp_mu is not None
    noise = matrix.noise(np.ones((1, 1)), plan.gdp_mu)
    left, values, right = np.linalg.svd(matrix.entries(noise, begun(source)), full_matrices=False)
    value = LowRank(left[:, :k], values[:k, None] * right[:k])
    claim = promised(plan, source, RESPONSE.labels, PRODUCTS)
    stated = of_singular_values(values[:k], matrix.shape, noise)
    return Release(value, claim, {"noise": noise, **matrix.grid(noise), **stated})
