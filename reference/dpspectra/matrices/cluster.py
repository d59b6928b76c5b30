"""Products of a dask array with a thin block of the client: no worker holds more than a few blocks of either.

Each block is multiplied where it lies, what is to be added is added there, and results come to the client a few at a
time. The order of additions depends on the chunks alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.ground import extras
from dpspectra.ground.array_types import Array
from dpspectra.ground.foreign_code import computed
from dpspectra.ground.progress import progress

Cell = tuple[int, range]
"""A chunk of rows, and some chunks of columns."""
BRANCHES = 8
"""Results that one task adds."""
TRAVEL = 2**26
"""Bytes of thin blocks that are on their way at a time."""
MOST = 250
"""Blocks that a scheduler is given at a time: enough for many workers, and few enough to tell how far it is."""


def times(a: Any, x: Array, name: str) -> Array:
    """Return ``A x`` for a dask array ``A``, of the type of ``x``; ``ValueError`` if a block cannot be read."""
    rows, columns = (np.cumsum([0, *lengths]) for lengths in a.chunks)
    out = np.zeros((a.shape[0], x.shape[1]), x.dtype)
    blocks, bytes_of_row = a.to_delayed(), x.dtype.itemsize * x.shape[1]
    with progress(blocks.size, f"blocks of {name}") as bar:
        for batch in _batches(np.diff(rows) * bytes_of_row, np.diff(columns) * bytes_of_row):
            for (i, _), part in zip(batch, _multiplied(blocks, x, columns, batch, name), strict=True):
                out[rows[i] : rows[i + 1]] += part
            bar.advance("product", sum(len(run) for _, run in batch))
    return out


def _multiplied(blocks: Any, x: Array, columns: NDArray[Any], batch: list[Cell], name: str) -> list[Array]:
    """Products of each row of blocks of a batch with its part of ``x``."""
    delayed = _delayed()
    multiply = delayed(_product)
    thin = {
        j: delayed(x[columns[j] : columns[j + 1]], traverse=False) for j in sorted({j for _, run in batch for j in run})
    }
    cells = [tree([multiply(blocks[i, j], thin[j]) for j in run], np.add) for i, run in batch]
    return computed(cells, name)


def _delayed() -> Any:
    return extras.load("dask", "outofcore", "dask arrays").delayed


def _product(block: Any, x: Array) -> Array:
    return np.asarray(block @ x)


def total(parts: list[Any], add: Callable[[Any, Any], Any], name: str) -> Any:
    """Return the value of the sum of dask values; a scheduler is given `MOST` of them at a time."""
    found: list[Any] = []
    with progress(len(parts), f"blocks of {name}") as bar:
        for first in range(0, len(parts), MOST):
            some = parts[first : first + MOST]
            found = [_added(add, [*found, computed(tree(some, add), name)])]
            bar.advance("sum", len(some))
    return found[0]


def tree(parts: list[Any], add: Callable[[Any, Any], Any]) -> Any:
    """Return the sum of dask values, added where they lie, `BRANCHES` at a time, in an order fixed by their number."""
    together = _delayed()(_added)
    while len(parts) > 1:
        parts = [together(add, parts[first : first + BRANCHES]) for first in range(0, len(parts), BRANCHES)]
    return parts[0]


def _added(add: Callable[[Any, Any], Any], parts: list[Any]) -> Any:
    total = parts[0]
    for part in parts[1:]:
        total = add(total, part)
    return total


def _batches(tall: NDArray[Any], wide: NDArray[Any]) -> Iterator[list[Cell]]:
    """Cells in the order of the rows, cut so that the thin blocks of a batch take about `TRAVEL` bytes at most."""
    batch: list[Cell] = []
    size = number = 0
    for i, result in enumerate(tall):
        for run in _runs(wide):
            cost, more = int(result + np.sum(wide[run.start : run.stop])), len(run)
            if batch and (size + cost > TRAVEL or number + more > MOST):
                yield batch
                batch, size, number = [], 0, 0
            batch.append((i, run))
            size, number = size + cost, number + more
    yield batch


def _runs(sizes: NDArray[Any]) -> Iterator[range]:
    """Ranges of chunks of at most `TRAVEL` bytes together, or of one chunk, and of at most `MOST` chunks."""
    first = 0
    while first < len(sizes):
        last, size = first + 1, int(sizes[first])
        while last < len(sizes) and last - first < MOST and size + int(sizes[last]) <= TRAVEL:
            size, last = size + int(sizes[last]), last + 1
        yield range(first, last)
        first = last
