"""Sums of the numbers of each column and of their squares, in float64."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.ground import checks
from dpspectra.matrices.chunks import require_short, summed
from dpspectra.matrices.kinds import Data, is_sparse


@dataclass(frozen=True, slots=True)
class ColumnSums:
    """Sums over some rows, and how many there are."""

    vector: NDArray[Any]
    """Sum of the rows, ``(d,)``."""
    squares: NDArray[Any]
    """Sum of the squares of their entries, ``(d,)``."""
    count: int

    def __add__(self, other: ColumnSums) -> ColumnSums:
        one, two = len(self.vector), len(other.vector)
        if one != two:
            raise ValueError(f"chunks must have one width, got {one} and {two} columns")
        return ColumnSums(self.vector + other.vector, self.squares + other.squares, self.count + other.count)


def column_sums(rows: Data, norm_bound: float, name: str = "X") -> ColumnSums:
    """Sums over rows of Euclidean norm at most ``norm_bound`` (never clipped).

    Arguments and errors as for `dpspectra.matrices.moments.second_moments`.
    """
    checks.positive(norm_bound, "norm_bound")
    part = partial(_part, norm_bound, name)
    return summed(rows, name, part, part)


def _part(norm_bound: float, name: str, rows: Any, start: int) -> ColumnSums:
    if is_sparse(rows):
        require_short(rows, norm_bound, name, start)
        sums = (np.asarray(x.sum(axis=0)).ravel() for x in (rows, rows.multiply(rows)))
        return ColumnSums(*sums, rows.shape[0])
    x = checks.rows(rows, norm_bound, name, start)
    return ColumnSums(x.sum(axis=0, dtype=float), np.einsum("ij,ij->j", x, x), len(x))
