"""Sums of rows, in float64."""

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
class Total:
    """A sum of rows, and how many there are."""

    vector: NDArray[Any]
    """Sum of the rows, of shape ``(d,)``."""
    count: int

    @property
    def width(self) -> int:
        """Numbers in a row."""
        return len(self.vector)

    def __add__(self, other: Total) -> Total:
        if self.width != other.width:
            raise ValueError(f"chunks must have one width, got {self.width} and {other.width} columns")
        return Total(self.vector + other.vector, self.count + other.count)


def total(rows: Data, norm_bound: float, name: str = "X") -> Total:
    """The sum of rows of Euclidean norm at most ``norm_bound`` (never clipped), and their number.

    Arguments and errors as for `dpspectra.matrices.moments.second_moments`.
    """
    checks.positive(norm_bound, "norm_bound")
    part = partial(_part, norm_bound, name)
    return summed(rows, name, part, part)


def _part(norm_bound: float, name: str, rows: Any, start: int) -> Total:
    if is_sparse(rows):
        require_short(rows, norm_bound, name, start)
        return Total(np.asarray(rows.sum(axis=0)).ravel(), rows.shape[0])
    return Total(checks.rows(rows, norm_bound, name, start).sum(axis=0, dtype=float), len(rows))
