"""The second-moment matrix of rows, in float64."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.ground import checks
from dpspectra.matrices.chunks import require_short, summed
from dpspectra.matrices.kinds import Data

BLOCK = 2**20
"""Numbers of a dense array that are checked and multiplied at a time: few enough to stay in the cache."""


@dataclass(frozen=True, slots=True)
class Moments:
    """Second moments of some rows, not divided by their number."""

    gram: NDArray[Any]
    """The sum of ``x x'`` over rows ``x``, ``(d, d)``."""
    count: int

    @property
    def width(self) -> int:
        """Numbers in a row."""
        return len(self.gram)

    def __add__(self, other: Moments) -> Moments:
        if self.width != other.width:
            raise ValueError(f"chunks must have one width, got {self.width} and {other.width} columns")
        return Moments(self.gram + other.gram, self.count + other.count)


def second_moments(rows: Data, norm_bound: float, name: str = "X", *, empty: bool = False) -> Moments:
    """``X'X`` and the number of rows; every row must have Euclidean norm at most ``norm_bound`` (never clipped).

    ``rows`` is a real ``(n, d)`` array, a scipy sparse matrix, a dask array, or an iterator over chunks of rows of any
    of these kinds, which is gone through once. No copy of the whole is made. How rows are cut into chunks changes the
    result by rounding only. Raises ``ValueError`` for rows over the bound, numbers that are not finite or not real, no
    rows unless ``empty`` data are allowed, and chunks of different widths; ``ImportError`` naming the extra for dask
    arrays without it.
    """
    checks.positive(norm_bound, "norm_bound")
    return summed(rows, name, partial(_of_dense, norm_bound, name), partial(_of_sparse, norm_bound, name), empty=empty)


def _of_dense(norm_bound: float, name: str, rows: NDArray[Any], start: int) -> Moments:
    n, d = rows.shape
    gram, step = np.zeros((d, d)), max(d, BLOCK // d)
    for first in range(0, n, step):
        block = np.ascontiguousarray(rows[first : first + step], dtype=float)
        if not np.einsum("ij,ij->i", block, block).max() <= norm_bound**2:  # over the bound, by rounding or not, or NaN
            checks.rows(block, norm_bound, name, start + first)
        gram += block.T @ block
    return Moments(gram, n)


def _of_sparse(norm_bound: float, name: str, rows: Any, start: int) -> Moments:
    require_short(rows, norm_bound, name, start)
    return Moments((rows.T @ rows).toarray(), rows.shape[0])
