"""Paths of neighbouring data sets between two positive semidefinite matrices.

The same names as `dpspectra.fast.neighbour_paths`, from the definitions.
"""

from typing import Any

from mpmath import mp

from dpspectra.oracle.linalg import Matrix, adjoint, eigenvectors

CUT = 1e-10
"""Eigenvalues below this are zero, and no step is taken for less than this above an integer.

No dyadic number, so that eigenvalues of drawn matrices are not at the threshold.
"""


def neighbour_path(start: Matrix, end: Matrix) -> list[tuple[int, Matrix]]:
    """Signs and columns of norm at most 1 such that adding ``sign v v*`` one by one leads from ``start`` to ``end``.

    All additions come before all removals.
    """
    values, vectors = eigenvectors(end - start)
    steps = []
    for j, value in enumerate(values):
        count = step_count(value)
        sign = 1 if value > 0 else -1
        steps += [(sign, vectors[:, j] * mp.sqrt(abs(value) / max(count, 1)))] * count
    return steps


def step_count(value: Any) -> int:
    """Return the number of steps for an eigenvalue of the difference."""
    return max(int(mp.ceil(abs(value) - CUT)), 0)


def equal_norm_columns(vectors: Matrix, count: int) -> Matrix:
    """``count`` columns of equal norm with the same sum of ``x x*`` as the orthogonal columns given, at most as many.

    They are mixed by rows of the discrete Fourier matrix, whose entries have one modulus.
    """
    mixing = mp.matrix(vectors.cols, count)
    for a in range(vectors.cols):
        for b in range(count):
            mixing[a, b] = mp.expjpi(mp.mpf(-2 * a * b) / count) / mp.sqrt(count)
    return vectors * mixing


def total(columns: Matrix) -> Matrix:
    """Sum of ``x x*`` over the columns."""
    return columns * adjoint(columns)
