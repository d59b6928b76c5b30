"""K-norm noise on symmetric matrices: density proportional to ``exp(-max(tr Z_+, tr Z_-) / c)``.

``max(tr Z_+, tr Z_-) = (|Z|_* + |tr Z|) / 2`` is the norm whose unit ball is the convex hull of ``v v' - w w'`` for
unit vectors ``v`` and ``w`` and of what comes from shorter ones (DPS-KNORM).
"""

import numpy as np
from numpy.typing import NDArray

from dpspectra.fast.trace_noise import traces

BATCH = 64
"""Proposals that are made at a time."""


def draw(d: int, scale: float, rng: np.random.Generator) -> NDArray[np.float64]:
    """Draw one matrix by rejection from two tilted Wishart matrices.

    Given ``M = W - W'`` the density of ``V = W - M_+``, over positive semidefinite ``V``, has the same mass for every
    ``M``. So where it is positive semidefinite, ``M`` has the density ``exp(-|M|_* / 2 c)`` times the tilt.
    """
    while True:
        proposals, accepted = propose(d, BATCH, rng)
        if accepted.any():
            found: NDArray[np.float64] = scale * proposals[accepted][0]
            return found


def propose(d: int, size: int, rng: np.random.Generator) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Differences ``(size, d, d)`` of two tilted Wishart matrices of scale 1, and which of them are accepted.

    ``W - M_+ = (W + W' - |M|) / 2``.
    """
    larger, smaller = traces(d, size, rng)
    g = rng.standard_normal((2, size, d, d + 1))
    directions = g @ np.swapaxes(g, -1, -2) / np.sum(g**2, axis=(-1, -2))[..., None, None]
    one, other = directions[0] * larger[:, None, None], directions[1] * smaller[:, None, None]
    difference = one - other
    values, vectors = np.linalg.eigh(difference)
    modulus = vectors * np.abs(values)[:, None, :] @ np.swapaxes(vectors, 1, 2)
    accepted = np.linalg.eigvalsh(one + other - modulus)[:, 0] >= 0
    sign = 1 - 2 * rng.integers(2, size=(size, 1, 1))
    return sign * difference, accepted
