"""Paths of neighbouring data sets between two positive semidefinite matrices."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.fast.linalg import Array, eigenvectors

CUT = 1e-10
"""Eigenvalues below this are zero, and no step is taken for less than this above an integer.

No dyadic number, so that eigenvalues of drawn matrices are not at the threshold.
"""


def neighbour_path(start: Array, end: Array) -> tuple[NDArray[np.int64], Array]:
    """Signs ``(L,)`` and vectors ``(L, d)`` such that adding ``sign v v*`` one by one leads from ``start`` to ``end``.

    Vectors have norm at most 1. Additions come first, so every matrix on the way is at least ``start`` or at least
    ``end``. An eigenvalue ``mu`` of the difference takes ``ceil(|mu|)`` equal steps.
    """
    values, vectors = eigenvectors(end - start)
    counts = step_counts(values)
    scaled = vectors.T * np.sqrt(np.abs(values) / np.maximum(counts, 1))[:, None]
    return np.repeat(np.sign(values), counts).astype(np.int64), np.repeat(scaled, counts, axis=0)


def step_counts(values: Any) -> NDArray[np.int64]:
    """Return the number of steps for each eigenvalue of the difference."""
    return np.ceil(np.maximum(np.abs(values) - CUT, 0.0)).astype(np.int64)


def equal_norm_columns(vectors: Array, count: int) -> Array:
    """``count`` columns of equal norm with the same sum of ``x x*`` as the ``(d, r)`` columns, ``count >= r``.

    Two columns, one at least as long as the mean, one at most, are turned in their plane until one has the mean length;
    this is repeated for the others. It stays in the field of the input.
    """
    columns = np.concatenate([vectors, np.zeros((len(vectors), count - vectors.shape[1]))], axis=1)
    squares = np.sum(np.abs(columns) ** 2, axis=0)
    mean = np.sum(squares) / count
    for _ in range(count - 1):
        a, b = int(np.argmax(squares)), int(np.argmin(squares))
        long, short = columns[:, a].copy(), columns[:, b].copy()
        # |cos(t) long + sin(t) short|^2 = mean is a quadratic equation in tan(t)
        mixed = float(np.real(np.vdot(long, short)))
        above, below = squares[a] - mean, squares[b] - mean
        root = np.sqrt(max(mixed**2 - above * below, 0.0)) + abs(mixed)
        if root == 0:
            break
        tangent = (above / root) * (1 if mixed < 0 else -1)
        cosine = 1 / np.sqrt(1 + tangent**2)
        sine = tangent * cosine
        columns[:, a], columns[:, b] = cosine * long + sine * short, cosine * short - sine * long
        squares = np.sum(np.abs(columns) ** 2, axis=0)
        squares[a] = mean
    return columns
