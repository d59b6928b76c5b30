"""Differences of rows, which need no common centre, and rows about a private one; in blocks, as rows are many."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import vstack

from dpspectra.ground import checks
from dpspectra.ground.foreign_code import Chunks, refusing
from dpspectra.matrices.foreign_data import compressed_rows, numbers
from dpspectra.matrices.kinds import is_sparse
from dpspectra.matrices.prepared_rows import by_blocks, clipped_rows, unit_rows
from dpspectra.matrices.reading_rule import Reading
from dpspectra.matrices.sums_over_chunks import by_name

BLOCK = 2**20
"""Numbers of an array that are changed at a time."""


def in_memory(X: Any) -> Any:
    """Finite real rows ``(n, d)`` as an array, or as a sparse matrix by compressed rows; ``ValueError`` for others.

    An array of float64 numbers is not copied.
    """
    if not is_sparse(X):
        given = checks.plain(X, "X")
        if given.ndim != 2 or given.size == 0 or given.dtype != np.float64:
            return checks.real_rows(given, "X", instead=checks.ZERO_ROWS)
        checks.require_finite(given, "X", instead=checks.ZERO_ROWS)
        return given
    rows = compressed_rows(X, "X")
    if not np.isfinite(rows.data).all():
        place = int(np.searchsorted(rows.indptr, np.flatnonzero(~np.isfinite(rows.data))[0], side="right")) - 1
        checks.real_rows(rows[[place]].toarray(), "X", place, instead=checks.ZERO_ROWS)
    return rows


def held(chunks: Iterator[Any], reading: Reading, name: str = "X") -> Any:
    """Rows of all chunks of an iterator, changed as ``reading`` says: in one array, sparse if all chunks are.

    Raises ``ValueError`` for what is not such rows, for none, and for chunks of different widths.
    """
    blocks: list[Any] = []
    for chunk in by_name(chunks, name):
        start = sum(block.shape[0] for block in blocks)
        blocks.append(reading.changed(numbers(chunk, name, start, total=reading.total), name, start))
    if len(widths := {block.shape[1] for block in blocks}) != 1:
        found = f"got chunks of {len(widths)} widths" if widths else "got no chunks"
        raise ValueError(f"{name} must have chunks of rows of one width, {found}")
    if all(map(is_sparse, blocks)):
        return vstack(blocks, format="csr")
    return np.vstack([block.toarray() if is_sparse(block) else block for block in blocks])


def about_by_blocks(rows: Any, mean: NDArray[np.float64], length: float, reading: Reading, name: str = "X") -> Any:
    """`about` for a dask array whose rows are read so: a dask array that is changed where its blocks lie."""

    def changed(block: Any) -> Any:
        found = reading.changed(numbers(block, name, total=reading.total), name)
        return np.vstack([*about(found, mean, length), np.empty((0, len(mean)))])

    return by_blocks(rows, changed)


def about(rows: Any, mean: NDArray[np.float64], length: float) -> Iterator[NDArray[np.float64]]:
    """Yield rows about a mean over ``sqrt(|row|^2 + length^2)``, in blocks: each is a function of one row alone.

    They are unit rows less an entry of this length (DPS-UNITROWS), so that rows near the mean stay short. Halves are
    subtracted, so that nothing overflows.
    """
    for part in _blocks(rows.shape):
        block = rows[part].toarray() if is_sparse(rows) else np.asarray(rows[part], dtype=float)
        halves = np.column_stack([block / 2 - mean / 2, np.full(len(block), length / 2)])
        yield unit_rows(halves)[:, :-1]


def differences(rows: Any, order: NDArray[np.intp], longest: float | None = None) -> Iterator[Any]:
    """Yield differences of rows that follow each other in a cyclic order, in blocks.

    They are of unit length (DPS-PAIRS), or those above ``longest`` are shortened to it (DPS-SHORTPAIRS). Each is a
    function of two rows alone, and a row is in two of them. Halves are subtracted, so that nothing overflows.
    """
    following = np.roll(order, -1)
    for part in _blocks(rows.shape):
        halves = _half(rows[order[part]]) - _half(rows[following[part]])
        yield unit_rows(halves) if longest is None else 2 * clipped_rows(halves, longest / 2)


def rings(chunks: Any, reading: Reading, seed: list[int], longest: float | None = None, name: str = "X") -> Any:
    """Return `differences` of rows that follow each other in a ring, for each chunk of an iterator or dask array.

    The order within a chunk follows from the seed and the number of the chunk, so that a chunk that is read again gives
    the same. A row is in two differences of its ring, as one ring of all rows has them (DPS-PAIRS).
    """
    ring = partial(_ring, reading, seed, longest, name)
    if isinstance(chunks, Iterator):
        return Chunks((ring(chunk, number) for number, chunk in enumerate(by_name(chunks, name))), name, ours=True)
    rows = chunks if hasattr(chunks, "rechunk") else chunks.to_dask_array()
    if rows.ndim != 2:
        raise ValueError(f"{name} must be a (n, d) array and not empty, got shape {rows.shape}")
    whole = rows.rechunk({1: -1})
    return whole.map_blocks(partial(_ring_of_block, ring), dtype=float, meta=np.empty((0, 0)))


def _ring_of_block(ring: Callable[[Any, int], Any], block: Any, block_id: tuple[int, int]) -> Any:
    return refusing(ring, block, block_id[0])


def _ring(reading: Reading, seed: list[int], longest: float | None, name: str, chunk: Any, number: int) -> Any:
    rows = reading.changed(numbers(chunk, name, total=reading.total), name)
    if not rows.shape[0]:
        return rows
    order = np.random.default_rng([*seed, number]).permutation(rows.shape[0])
    blocks = list(differences(rows, order, longest))
    return blocks[0] if len(blocks) == 1 else vstack(blocks) if is_sparse(rows) else np.vstack(blocks)


def _half(rows: Any) -> Any:
    return rows / 2 if is_sparse(rows) else np.asarray(rows, dtype=float) / 2


def _blocks(shape: tuple[int, int]) -> Iterator[slice]:
    step = max(1, BLOCK // shape[1])
    return (slice(first, first + step) for first in range(0, shape[0], step))
