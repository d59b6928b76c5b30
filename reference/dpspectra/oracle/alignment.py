"""Bases aligned with the coordinate axes, and the rotation of smallest angles that carries one subspace to another.

The same names as `dpspectra.fast.alignment`, from the definitions.
"""

from collections.abc import Sequence
from typing import Any

from flint import acb_mat
from mpmath import mp

from dpspectra.oracle.linalg import Matrix, adjoint, balls, columns, eigenvectors, numbers, outer
from dpspectra.oracle.quadrature import working


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
    with working():
        span = balls(basis)
        p, identity, e = span * span.conjugate().transpose(), _diagonal(d, d), _diagonal(d, basis.cols)
        rotation = (p * e + (identity - p) * (identity - e)) * _inverse_root(identity - (p - e) * (p - e))
    return numbers(rotation)


def _diagonal(d: int, ones: int) -> Any:
    """Return a diagonal matrix of balls, ones first and then zeros."""
    return acb_mat(d, d, [int(i == j < ones) for i in range(d) for j in range(d)])


def _inverse_root(a: Any) -> Any:
    """Return ``a^(-1/2)`` of a positive definite matrix of balls that is at most the identity.

    The iteration of Denman and Beavers converges quadratically: a step that changes less than half of the digits is
    the last one. Raises ``ValueError`` if ``a`` is singular.
    """
    root, inverse, small = a.mid(), _diagonal(a.nrows(), a.nrows()), mp.sqrt(mp.eps)
    for _ in range(mp.prec):  # an octave of the smallest eigenvalue takes half a step
        root, before, inverse = (root + inverse.inv()).mid() / 2, inverse, (inverse + root.inv()).mid() / 2
        if all(abs(x) < small for x in (inverse - before).entries()):
            return inverse
    raise ValueError("no angle between the span and the axes may be right")


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
