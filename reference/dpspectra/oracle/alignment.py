"""Bases aligned with the coordinate axes, and the rotation of smallest angles that carries one subspace to another.

The same names as `dpspectra.fast.alignment`, from the definitions.
"""

from collections.abc import Sequence
from typing import Any

from mpmath import mp

from dpspectra.oracle.linalg import Matrix, adjoint, columns, eigenvectors, outer


def orthonormal(basis: Matrix) -> Matrix:
    """Orthonormal basis of the span of independent columns, by Gram-Schmidt."""
    frame: list[list[Any]] = []
    for v in basis.T.tolist():
        for u in frame * 2:  # once more, for what rounding left of the earlier vectors
            along = mp.fdot(v, u, conjugate=True)
            v = [x - along * y for x, y in zip(v, u, strict=True)]
        length = mp.sqrt(mp.fsum(v, absolute=True, squared=True))
        frame.append([x / length for x in v])
    return mp.matrix(frame).T


def cayley(skew: Matrix) -> Matrix:
    """Unitary ``(I - K) (I + K)^(-1)`` of a skew-Hermitian ``K``."""
    identity = mp.eye(skew.rows)
    return (identity - skew) * mp.inverse(identity + skew)


def principal_bases(u: Matrix, v: Matrix) -> tuple[Matrix, Matrix]:
    """Orthonormal bases ``U'``, ``V'`` of two column spans of one dimension with ``U'* V'`` diagonal and ``>= 0``.

    Eigenvectors of ``U* V V* U``, and where the vectors of ``V`` in their directions point. Directions left at right
    angles (a cosine below the root of the precision) are filled up from the complement.
    """
    product = adjoint(u) * v
    a = eigenvectors(product * adjoint(product))[1]
    images: list[Matrix] = []
    for j in range(u.cols):
        image = adjoint(product) * a[:, j]
        cosine = mp.norm(image)
        if cosine > mp.sqrt(mp.eps):
            images.append(image / cosine)
    spare = mp.eye(v.cols)
    for b in images:
        spare -= outer(b)
    rest = eigenvectors(spare)[1]
    images += [rest[:, j] for j in range(v.cols - len(images))]
    return u * a, v * mp.matrix([[b[i] for b in images] for i in range(v.cols)])


def aligned_basis(basis: Matrix) -> Matrix:
    """Orthonormal basis of the span of orthonormal columns nearest to the first axes: principal vector to its axis."""
    axes = columns(mp.eye(basis.rows), range(basis.cols))
    of_axes, of_span = principal_bases(axes, basis)
    return of_span * adjoint(of_axes) * axes


def direct_rotation(basis: Matrix) -> Matrix:
    """Unitary nearest to the identity that carries the first axes onto the span, by Kato's formula in the projectors.

    ``(P E + P' E') (I - (P - E)^2)^(-1/2)``; no angle between the span and the axes may be right.
    """
    d = basis.rows
    identity, p = mp.eye(d), basis * adjoint(basis)
    e = mp.diag([1 if i < basis.cols else 0 for i in range(d)])
    values, vectors = eigenvectors(identity - (p - e) ** 2)
    root = vectors * mp.diag([1 / mp.sqrt(value) for value in values]) * adjoint(vectors)
    return (p * e + (identity - p) * (identity - e)) * root


def embedded_rotation(basis: Matrix, d: int) -> Matrix:
    """`direct_rotation` on the first ``k`` and the last coordinates of ``d``, the identity on those between."""
    rotation, k = direct_rotation(basis), basis.cols
    places = [*range(k), *range(d - rotation.rows + k, d)]
    out = mp.eye(d)
    for i, row in enumerate(places):
        for j, column in enumerate(places):
            out[row, column] = rotation[i, j]
    return out


def orbit_point(basis: Matrix, spectrum: Sequence[Any]) -> Matrix:
    """Carry ``diag(spectrum)`` along with the first ``k`` axes to the span of ``basis``; coordinates as above."""
    rotation = embedded_rotation(basis, len(spectrum))
    return rotation * mp.diag(list(spectrum)) * adjoint(rotation)
