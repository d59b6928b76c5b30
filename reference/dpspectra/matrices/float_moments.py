"""The second-moment matrix of rows, in float64."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.ground import checks
from dpspectra.matrices.kinds import Data
from dpspectra.matrices.reading_rule import Reading
from dpspectra.matrices.sums_over_chunks import Block, require_short, summed

BLOCK = 2**20
"""Numbers of a dense array that are checked and multiplied at a time: few enough to stay in the cache."""


@dataclass(frozen=True, slots=True)
class FloatMoments:
    """Second moments of some rows, not divided by their number."""

    gram: NDArray[Any]
    """The sum of ``x x'`` over rows ``x``, ``(d, d)``."""
    count: int

    @property
    def width(self) -> int:
        """Numbers in a row."""
        return len(self.gram)

    def __add__(self, other: FloatMoments) -> FloatMoments:
        if self.width != other.width:
            raise ValueError(f"chunks must have one width, got {self.width} and {other.width} columns")
        return FloatMoments(self.gram + other.gram, self.count + other.count)


def second_moments(rows: Data, reading: Reading | float, name: str = "X", *, empty: bool = False) -> FloatMoments:
    """``X'X`` and the number of rows, read as ``reading`` says; a number is a bound over which rows are refused.

    ``rows`` as for `dpspectra.matrices.sums_over_chunks.summed`. No copy of the whole is made. How rows are cut into
    chunks changes the result by rounding only. Raises ``ValueError`` for rows over the bound, numbers that are not
    finite or not real, no rows unless ``empty`` data are allowed, and chunks of different widths; ``ImportError``
    naming the extra for dask arrays without it.
    """
    reading = reading if isinstance(reading, Reading) else Reading(reading)
    of_dense, of_sparse = partial(_of_dense, reading, name), partial(_of_sparse, reading, name)
    return summed(rows, name, of_dense, of_sparse, empty=empty, total=reading.total)


def _of_dense(reading: Reading, name: str, block: Block, start: int) -> FloatMoments:
    gram = np.zeros((d := block.rows.shape[1],) * 2)
    for first, part in block.parts(max(d, BLOCK // d)):
        rows = np.ascontiguousarray(reading.changed(part.rows, name, start + first, part.counts), dtype=float)
        if not np.einsum("ij,ij->i", rows, rows).max() <= reading.norm_bound**2:  # by rounding or not
            checks.rows(rows, reading.norm_bound, name, start + first)
        gram += rows.T @ rows
    return FloatMoments(gram, block.size)


def _of_sparse(reading: Reading, name: str, block: Block, start: int) -> FloatMoments:
    rows = reading.changed(block.rows, name, start, block.counts)
    require_short(rows, reading.norm_bound, name, start)
    return FloatMoments((rows.T @ rows).toarray(), block.size)
