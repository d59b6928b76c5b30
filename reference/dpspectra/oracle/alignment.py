"""Bases aligned with the coordinate axes, and the rotation of least angles that carries one subspace to another.

The same names as `dpspectra.fast.alignment`, from the definitions.
"""

from __future__ import annotations

from mpmath import mp

from dpspectra.oracle.linalg import Matrix, adjoint


def orthonormal(basis: Matrix) -> Matrix:
    """Orthonormal basis of the span of independent columns, by Gram-Schmidt."""
    found = mp.zeros(basis.rows, basis.cols)
    for j in range(basis.cols):
        v = basis[:, j]
        for _ in range(2):  # once more, for what rounding left of the earlier vectors
            for i in range(j):
                v -= found[:, i] * (adjoint(found[:, i]) * v)[0]
        found[:, j] = v / mp.sqrt(mp.re((adjoint(v) * v)[0]))
    return found
