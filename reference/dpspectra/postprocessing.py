"""What may be done to a released matrix at no cost in privacy: it enters, and public numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpspectra import checks
from dpspectra.fast.linalg import eigenvectors

__all__ = ["best_rank"]


def best_rank(value: ArrayLike, k: int) -> NDArray[Any]:
    """The positive semidefinite matrix of rank at most ``k`` nearest to a Hermitian ``value``, in the Frobenius norm.

    The ``k`` largest eigenvalues are kept as far as they are positive. Raises ``ValueError`` for bad input.

    >>> best_rank(np.diag([3.0, 2.0, -1.0]), 1)
    array([[3., 0., 0.],
           [0., 0., 0.],
           [0., 0., 0.]])
    """
    m = checks.hermitian(value, "value")
    checks.integer(k, "k", 1, len(m))
    values, vectors = eigenvectors(m)
    top = vectors[:, :k]
    return np.asarray(top * np.maximum(values[:k], 0.0) @ top.conj().T)
