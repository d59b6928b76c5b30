"""Hermitian matrices known by few of their eigenvectors: ``base I + X diag(weights) X*``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dpspectra.fast.linalg import adjoint
from dpspectra.ground.array_types import Array
from dpspectra.sampling.rejection import BATCH


@dataclass(frozen=True, slots=True)
class Decomposition:
    """Matrices of one spectrum: eigenvectors of all eigenvalues that differ from ``base``."""

    base: float
    weights: NDArray[np.float64]
    """How far these eigenvalues are above ``base``, ``(n,)``."""
    vectors: Array
    """Orthonormal columns, ``(size, d, n)``."""

    def in_basis(self, basis: Array) -> Decomposition:
        """Return the same matrices where the coordinates of these belong to the columns of ``basis``, ``(d, d)``."""
        return replace(self, vectors=basis @ self.vectors)

    def reversed(self) -> Decomposition:
        """Return minus these matrices, with their coordinates in the opposite order."""
        return Decomposition(-self.base, -self.weights, self.vectors[..., ::-1, :])

    def leading(self, k: int) -> Array | None:
        """Frames ``(size, d, k)`` of the ``k`` largest eigenvalues, if the other ones are ``base``."""
        return self.vectors if len(self.weights) == k and np.all(self.weights > 0) else None

    def matrices(self) -> Array:
        """All matrices, ``(size, d, d)``, each exactly Hermitian."""
        size, d, _ = self.vectors.shape
        return self.write(np.empty((size, d, d), dtype=self.vectors.dtype))

    def write(self, out: Array) -> Array:
        """Write `matrices` into an array, and return it."""
        size, d, _ = out.shape
        share = max(1, BATCH // d**2)
        for start in range(0, size, share):
            x = self.vectors[start : start + share]
            h = (0.5 * self.weights * x) @ adjoint(x)
            h += adjoint(h)
            np.einsum("...ii->...i", h)[...] += self.base
            out[start : start + share] = h
        return out


Draw = Callable[[int, np.random.Generator], Decomposition]
"""Draws so many matrices."""
