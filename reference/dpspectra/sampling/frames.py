"""Orthonormal frames of random subspaces: the leading eigenspace of a draw from the law on an orbit."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpspectra.fast.linalg import eigenvectors
from dpspectra.ground import checks, memory
from dpspectra.sampling.orbit import plan_in_eigenbasis


def frames(
    M: ArrayLike,
    k: int,
    kappa: float,
    *,
    size: int | None = None,
    field: str | None = None,
    method: str = "auto",
    rng: checks.Rng = None,
) -> NDArray[Any]:
    """Draw orthonormal frames ``X``, density proportional to ``exp(kappa Tr X*MX)`` under the Haar law.

    ``X X*`` has the law of `dpspectra.sampling.orbit` for ``k`` eigenvalues 1 and ``d - k`` eigenvalues 0, and ``X`` is
    uniform among the frames of its span.

    Parameters
    ----------
    M
        Hermitian ``(d, d)``.
    k
        Number of columns, from 1 to ``d``.
    kappa
        Inverse temperature, at least 0.
    size
        Number of draws; None for one without a leading axis.
    field, method
        As in `dpspectra.sampling.orbit`.
    rng
        A seed or a numpy Generator; None for fresh entropy.

    Returns
    -------
    array
        ``(d, k)``, or ``(size, d, k)``. No ``(d, d)`` matrix is formed by the methods ``bingham``, ``ball_chart``,
        ``macg`` and ``two_part`` for ``2 k <= d``.

    Raises
    ------
    ValueError
        As `dpspectra.sampling.orbit`, and for ``k`` that is not between 1 and ``d``.

    Examples
    --------
    >>> x = frames(np.diag([2.0, 1.0, 0.0, 0.0]), 2, kappa=1.0, size=5)
    >>> x.shape, np.allclose(x.swapaxes(1, 2) @ x, np.eye(2))
    ((5, 4, 2), True)

    """
    values, vectors = eigenvectors(checks.hermitian(M, "M"))
    checks.integer(k, "k", 1, len(values))
    spectrum = np.repeat([1.0, 0.0], [k, len(values) - k])
    plan = plan_in_eigenbasis(values, vectors, spectrum, kappa, field, method)
    count = 1 if size is None else checks.integer(size, "size", 0)
    memory.require(plan.vectors.itemsize * count * len(values) * k, "size", size)
    drawn = plan.frames(count, checks.generator(rng))
    return drawn[0] if size is None else drawn
