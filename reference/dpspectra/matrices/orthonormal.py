"""Orthonormal bases of tall matrices: Gram-Schmidt with a positive diagonal, by Cholesky factors where safe."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.matrices.tall_blocks import gram, pieces

TOLERANCE = {np.dtype(np.float64): 2e-14, np.dtype(np.float32): 1e-6}
"""Largest departure of ``X'X`` from the identity that is accepted from Cholesky factors."""
ROUNDING = 8 * np.finfo(np.float64).eps
"""Largest departure seen in practice, per unit of the condition number of the Gram matrix divided out."""


def orthonormal(y: NDArray[Any], *, overwrite: bool = False) -> NDArray[Any]:
    """Return the Gram-Schmidt basis of the columns of ``y``, real ``(d, p)``, ``d >= p``, in its own precision.

    The triangular factor has a positive diagonal, so that the basis is a function of ``y``. By `cholesky_qr`, and by
    Householder QR where the columns are too dependent for that. With ``overwrite`` the basis takes the place of ``y``
    if it can, and nothing of that size is allocated.
    """
    x = cholesky_qr(y, overwrite=overwrite)
    return householder(y) if x is None else x


def cholesky_qr(y: NDArray[Any], *, overwrite: bool = False) -> NDArray[Any] | None:
    """`orthonormal` by one or two rounds of Cholesky QR (all work is in matrix products); ``None`` if they fail.

    A round leaves columns that are orthonormal up to rounding times the condition number of ``Y'Y``, the columns of
    ``Y`` scaled to length 1, and a second round mends that. Arithmetic is in float64 whatever the type of ``y``. After
    ``overwrite`` the columns of ``y`` span the same space, also where the result is ``None``.
    """
    x, source = y if overwrite else np.empty_like(y), y
    try:
        with np.errstate(all="ignore"):  # what overflows does not pass the check
            for _ in range(2):
                inner = gram(source)
                _divide(source, inner, x)
                lengths = np.sqrt(np.diagonal(inner))
                if ROUNDING * np.linalg.cond(inner / np.outer(lengths, lengths)) <= TOLERANCE[y.dtype]:
                    return x
                source = x
    except (np.linalg.LinAlgError, ValueError):
        pass
    return None


def _divide(y: NDArray[Any], inner: NDArray[np.float64], out: NDArray[Any]) -> None:
    """Write ``Y R^-1`` with ``R'R = inner``, ``R`` upper triangular, into ``out`` (may be ``y``)."""
    inverse = np.tril(np.linalg.inv(np.linalg.cholesky(inner))).T
    for part in pieces(y, products=True):
        out[part] = y[part].astype(np.float64, copy=False) @ inverse


def householder(y: NDArray[Any]) -> NDArray[Any]:
    """`orthonormal` by Householder QR from LAPACK; columns whose diagonal entry is negative change sign."""
    q, r = np.linalg.qr(y)
    q *= np.where(np.diagonal(r) < 0, -1, 1).astype(y.dtype)
    return q


def triangular(y: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the triangular factor of ``y``, or of blocks of rows whose own factors are stacked in ``y``."""
    return np.asarray(np.linalg.qr(y, mode="r"))


def divisor(triangle: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Return the inverse of a triangular factor with a positive diagonal; ``None`` if there is none in float64."""
    try:
        inverse = np.triu(np.linalg.inv(triangle * np.where(np.diagonal(triangle) < 0, -1, 1)[:, None]))
    except np.linalg.LinAlgError:
        return None
    return inverse if np.all(np.isfinite(inverse)) else None


def is_divided(triangle: NDArray[np.float64]) -> bool:
    """Whether columns with this triangular factor, times its `divisor`, are orthonormal up to usual rounding."""
    scaled = triangle / np.linalg.norm(triangle, axis=0)
    return bool(ROUNDING * np.linalg.cond(scaled) <= TOLERANCE[np.dtype(np.float64)])
