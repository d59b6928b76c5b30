"""A pair of data sets on which a leading eigenvector is traced, and the statistic that traces it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from dpspectra.ground import checks, memory
from dpspectra.ground.array_types import Floats


class TracedPair(NamedTuple):
    """Two data sets, one row replaced, and what to bet on: ``audit(mechanism, pair, ..., statistics=statistics)``."""

    pair: tuple[Floats, Floats]
    """Unit rows ``(n, d)`` each."""
    statistics: Mapping[str, Callable[[Any], float]]
    """How near a vector is to the row of the first data set, less how near it is to that of the second."""


def traced_pair(d: int, n: int, *, rng: Any = 0) -> TracedPair:
    """Make the pair by which fingerprinting shows that a private eigenvector needs many rows (AFTER-TRACE).

    Rows are ``(1, x / sqrt(d - 1)) / sqrt 2`` with ``d - 1`` random signs ``x``, whose means are uniform, so that the
    first eigenvalue stands alone, and its vector leans to every row. The first row is replaced by one more, or by one
    of the opposite signs if that is the same. The statistic of an output with first column ``(v_0, u)`` is
    ``v_0 <u, x - x'>``; the sign of the vector is no matter.

    Parameters
    ----------
    d
        Number of columns, at least 2.
    n
        Number of rows.
    rng
        A seed, a Generator or None.

    Returns
    -------
    TracedPair
        ``pair`` and ``statistics``.

    Raises
    ------
    ValueError
        For fewer than 2 columns or 1 row, or more than there is memory for.

    Examples
    --------
    >>> from dpspectra.audit import audit
    >>> pair, statistics = traced_pair(8, 6)
    >>> def noisy(X, rng):
    ...     return np.linalg.eigh(X.T @ X + rng.normal(scale=0.1) * np.eye(8))[1][:, -1]
    >>> audit(noisy, pair, 1.0, statistics=statistics).verdict
    'refuted'

    """
    checks.integer(d, "d", 2)
    checks.integer(n, "n", 1)
    memory.require(64 * d, "d", d)
    memory.require(32 * (n + 1) * d, "n", n)
    source = checks.generator(rng)
    means = source.uniform(-1, 1, d - 1)
    signs = np.where(source.random((n + 1, d - 1)) < (1 + means) / 2, 1.0, -1.0)
    if np.array_equal(signs[0], signs[-1]):
        signs[-1] *= -1
    made = np.hstack([np.ones((n + 1, 1)), signs / np.sqrt(d - 1)]) / np.sqrt(2)
    change = signs[0] - signs[-1]

    def traced(output: Any) -> float:
        first = np.reshape(output, (d, -1))[:, 0]
        return float(first[0] * (first[1:] @ change))

    return TracedPair((made[:-1], np.vstack([made[-1:], made[1:-1]])), {"traced row": traced})
