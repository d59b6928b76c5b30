"""A matrix known by two thin factors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from dpspectra.matrices.kinds import SparseMatrix
from dpspectra.matrices.products import product


@dataclass(frozen=True, slots=True)
class LowRank:
    """``left @ right``, which is never formed unless asked for; ``left`` ``(m, r)``, ``right`` ``(r, n)``."""

    left: Any
    """An array, or a dask array where it stays on a cluster."""
    right: NDArray[Any]

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the product."""
        return len(self.left), self.right.shape[1]

    def __matmul__(self, x: ArrayLike) -> NDArray[Any]:
        return np.asarray(self.left @ (self.right @ x))

    def __getitem__(self, rows: Any) -> NDArray[Any]:
        """Rows of the product, by number, slice or mask."""
        return np.asarray(self.left[rows] @ self.right)

    def toarray(self) -> NDArray[Any]:
        """Return the whole ``(m, n)`` product."""
        return np.asarray(self.left @ self.right)

    def truncated(self, k: int) -> LowRank:
        """Best approximation of rank ``k``, where ``left`` has orthonormal columns."""
        values, vectors = np.linalg.eigh(self.right @ self.right.T)
        top = vectors[:, np.argsort(values)[::-1][:k]]
        return LowRank(self.left @ top, top.T @ self.right)

    def frobenius_distance(self, a: ArrayLike | SparseMatrix) -> float:
        """Return ``|A - left @ right|_F`` for an array or sparse ``a``: no release, as it looks at the data.

        Through ``|A|^2 - 2 <left' A, right> + |left @ right|^2``, so half of the digits are lost where it is small.
        """
        entries: Any = a
        if sparse.issparse(a):
            entries = entries.tocsr()
            if not entries.has_canonical_format:
                entries = entries.copy()
                entries.sum_duplicates()
            entries = entries.data
        square = np.sum(np.square(entries, dtype=float))
        both = np.sum((self.left.T @ self.left) * (self.right @ self.right.T))
        return float(np.sqrt(max(0.0, square - 2 * np.sum(product(a).backward(self.left).T * self.right) + both)))
