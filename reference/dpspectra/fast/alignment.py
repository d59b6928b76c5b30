"""Bases aligned with the coordinate axes, and the rotation of smallest angles that carries one subspace to another."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.fast.linalg import adjoint, polar_factor

Array = NDArray[np.inexact[Any]]


def cayley(skew: Array) -> Array:
    """Unitary ``(I - K) (I + K)^(-1)`` of a skew-Hermitian ``K``: about ``I - 2 K`` when ``K`` is small."""
    identity = np.eye(skew.shape[-1])
    return np.linalg.solve(identity + skew, identity - skew)


def principal_bases(u: Array, v: Array) -> tuple[Array, Array]:
    """Orthonormal bases ``U'``, ``V'`` of two column spans with ``U'* V'`` diagonal: the cosines, descending.

    ``u`` and ``v`` are ``(..., d, k)`` with orthonormal columns.
    """
    left, _, right = np.linalg.svd(adjoint(u) @ v)
    return u @ left, v @ adjoint(right)


def aligned_basis(basis: Array) -> Array:
    """Orthonormal basis of a ``k``-space nearest to the first ``k`` axes, from any orthonormal ``(..., d, k)`` of it.

    Singular vectors find it, so right angles to the axes do no harm; several bases are then equally near.
    """
    k = basis.shape[-1]
    return basis @ polar_factor(adjoint(basis[..., :k, :]))


def direct_rotation(basis: Array) -> Array:
    """Unitary nearest to the identity that carries the first ``k`` axes onto the span of ``basis``, ``(..., d, k)``.

    Its columns are the aligned bases of the span and of its complement; both diagonal blocks are positive semidefinite.
    """
    k = basis.shape[-1]
    complement = np.linalg.qr(basis, mode="complete")[0][..., k:]
    return np.concatenate([aligned_basis(basis), aligned_basis(complement[..., ::-1, :])[..., ::-1, ::-1]], axis=-1)


def embedded_rotation(basis: Array, d: int) -> Array:
    """`direct_rotation` on the first ``k`` and the last coordinates of ``d``, the identity on those between."""
    rotation, k = direct_rotation(basis), basis.shape[-1]
    places = np.r_[:k, d - rotation.shape[-1] + k : d]
    out = np.broadcast_to(np.eye(d, dtype=rotation.dtype), (*rotation.shape[:-2], d, d)).copy()
    out[..., places[:, None], places] = rotation
    return out


def orbit_point(basis: Array, spectrum: Array) -> Array:
    """Carry ``diag(spectrum)`` along with the first ``k`` axes to the span of ``basis``; coordinates as above."""
    rotation = embedded_rotation(basis, len(spectrum))
    return (rotation * spectrum) @ adjoint(rotation)
