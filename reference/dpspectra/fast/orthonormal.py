"""Orthonormal bases of tall matrices: Gram-Schmidt with a positive diagonal, by Cholesky factors where safe."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

TOLERANCE = {np.dtype(np.float64): 1e-12, np.dtype(np.float32): 1e-5}
"""Largest departure of ``X'X`` from the identity that is accepted from Cholesky factors."""


def orthonormal(y: NDArray[Any]) -> NDArray[Any]:
    """The Gram-Schmidt basis of the columns of ``y``, real ``(d, p)``, ``d >= p``, in its own precision.

    The triangular factor has a positive diagonal, so that the basis is a function of ``y``. Two rounds of Cholesky QR
    (all work is in matrix products), checked; Householder QR where the columns are too dependent for that.
    """
    x = y
    try:
        for _ in range(2):
            gram = (x.T @ x).astype(np.float64)
            factor = np.linalg.cholesky(gram).T
            x = x @ solve_triangular(factor, np.eye(len(factor))).astype(y.dtype)
    except (np.linalg.LinAlgError, ValueError):
        return householder(y)
    departure = np.max(np.abs(x.T @ x - np.eye(x.shape[1])))
    return x if departure <= TOLERANCE[y.dtype] else householder(y)


def householder(y: NDArray[Any]) -> NDArray[Any]:
    """The same from LAPACK, whose diagonal has any signs: columns are turned round where it is negative."""
    q, r = np.linalg.qr(y)
    return q * np.where(np.diagonal(r) < 0, -1, 1).astype(y.dtype)
