"""Angles between subspaces."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpspectra.fast import linalg
from dpspectra.ground import checks

__all__ = ["principal"]

ORTHONORMALITY = 1e-10
"""Largest entry of ``U*U - I`` that still counts as rounding."""


def principal(U: ArrayLike, V: ArrayLike) -> NDArray[np.floating[Any]]:
    """Return the principal angles between the column spans of ``U`` and ``V``, ascending (HP-D2.1).

    Parameters
    ----------
    U, V
        ``(..., d, k)`` and ``(..., d, l)``, real or complex with orthonormal columns.

    Returns
    -------
    array
        ``(..., min(k, l))``, in radians. Tiny and near-right angles keep full relative accuracy.

    Raises
    ------
    ValueError
        Unless both have orthonormal columns and the same number of rows.

    Examples
    --------
    >>> principal([[1.0], [0.0]], [[1.0], [1e-12]]).tolist()
    [1e-12]

    """
    u, v = _frame(U, "U"), _frame(V, "V")
    if u.shape[-2] != v.shape[-2]:
        raise ValueError(f"U and V must have the same number of rows, got {u.shape[-2]} and {v.shape[-2]}")
    return linalg.principal_angles(u, v)


def _frame(frame: ArrayLike, name: str) -> NDArray[Any]:
    u = checks.plain(frame, name)
    if u.ndim < 2 or 0 in u.shape:
        raise ValueError(f"{name} must be a non-empty numeric array of shape (..., d, k), got {u.shape} of {u.dtype}")
    u = u.astype(complex if u.dtype.kind == "c" else float)
    excess = np.max(np.abs(linalg.adjoint(u) @ u - np.eye(u.shape[-1]))) if np.all(np.isfinite(u)) else np.inf
    if not excess <= ORTHONORMALITY:
        raise ValueError(f"{name} must have orthonormal columns, got others: take numpy.linalg.qr({name})[0]")
    return u
