"""Leading eigenvectors of a large real symmetric matrix, where all of them would cost several times as much."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.fast.linalg import eigenvectors, is_definite
from dpspectra.ground.progress import progress

WIDE = 1000
"""Dimension from which the leading ones are computed alone."""
FEW = 1 / 20
"""Part of all eigenvectors that is few enough for that."""
SURE = 1e-10
"""Part of the largest eigenvalue by which residuals may be off, and up to which no eigenvalue may be missed."""

Real = NDArray[Any]


def leading_eigenvectors(a: Real, k: int) -> tuple[Real, Real]:
    """Eigenvalues, descending, and eigenvectors as columns: the ``k`` leading ones, or all, whichever is sooner.

    The few of a wide matrix are found by Lanczos iterations. They are taken if residuals are small and none of the
    other eigenvalues is larger, which a Cholesky factor shows, once their own are lowered.
    """
    d = len(a)
    found = _by_iterations(a, k) if d >= WIDE and k <= FEW * d else None
    return eigenvectors(a) if found is None else found


def _by_iterations(a: Real, k: int) -> tuple[Real, Real] | None:
    from scipy.linalg.blas import dsymv  # most matrices are small
    from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh

    start = np.random.default_rng(0).standard_normal(len(a))  # any vector, the same for all
    with progress(None, "products for eigenvectors") as bar:

        def times(x: Real) -> Real:
            bar.advance("multiplied")
            return dsymv(1.0, a.T, x)  # reads one half, which takes half as long

        try:
            values, vectors = eigsh(LinearOperator(a.shape, times, dtype=float), k, which="LA", v0=start)
        except ArpackError:
            return None
    values, vectors = values[::-1], vectors[:, ::-1]
    return (values, vectors) if _are_leading(a, values, vectors) else None


def _are_leading(a: Real, values: Real, vectors: Real) -> bool:
    """Whether these are orthonormal eigenvectors, and no other eigenvalue of ``a`` is larger than the last one."""
    slack, last = SURE * float(np.max(np.abs(values))), values[-1]
    skewness = float(np.linalg.norm(vectors.T @ vectors - np.eye(len(values))))
    if not (float(np.linalg.norm(a @ vectors - vectors * values)) <= slack and skewness <= SURE):
        return False
    rest = (vectors * (values - last)) @ vectors.T
    rest -= a
    np.fill_diagonal(rest, np.diagonal(rest) + (last + slack))
    return is_definite(rest)
