"""Sums of rows, in float64."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.ground import checks
from dpspectra.matrices.kinds import Data, is_sparse
from dpspectra.matrices.reading_rule import Reading
from dpspectra.matrices.sums_over_chunks import Block, require_short, summed

BLOCK = 2**20
"""Numbers of a dense array that are checked and added at a time."""


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


def total(rows: Data, reading: Reading | float, name: str = "X") -> Total:
    """Return the sum of rows that are read as ``reading`` says, and their number.

    Arguments and errors as for `dpspectra.matrices.float_moments.second_moments`.
    """
    reading = reading if isinstance(reading, Reading) else Reading(reading)
    part = partial(_part, reading, name)
    return summed(rows, name, part, part, total=reading.total)


def _part(reading: Reading, name: str, block: Block, start: int) -> Total:
    if is_sparse(block.rows):
        rows = reading.changed(block.rows, name, start, block.counts)
        require_short(rows, reading.norm_bound, name, start)
        return Total(np.asarray(rows.sum(axis=0)).ravel(), block.size)
    vector = np.zeros(d := block.rows.shape[1])
    for first, part in block.parts(max(1, BLOCK // d)):
        rows = reading.changed(part.rows, name, start + first, part.counts)
        vector += checks.rows(rows, reading.norm_bound, name, start + first).sum(axis=0, dtype=float)
    return Total(vector, block.size)
