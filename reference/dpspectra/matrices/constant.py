"""Rows with a constant entry in front, so that their second moments hold the sum of the rows too (DPS-AUGMENTED)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from dpspectra.ground import checks
from dpspectra.ground.foreign import Chunks, refusing
from dpspectra.matrices.chunks import compressed_rows, require_short
from dpspectra.matrices.kinds import Data, is_sparse

BLOCK = 2**20
"""Numbers of an array that are changed at a time."""


def with_constant(rows: Data, constant: float, norm_bound: float, name: str = "X") -> Data:
    """Rows ``(constant, x)`` for rows ``x``, in blocks; sparse rows stay sparse, a dask array stays one.

    Raises ``ValueError``, as blocks are read, for a row of norm over ``norm_bound`` and for what is no row of numbers.
    """
    if hasattr(rows, "dask"):
        return _of_dask(rows, constant, norm_bound, name, 0)
    chunks = Chunks.of(rows, name) if isinstance(rows, Iterator) else iter([rows])
    return Chunks(_stream(chunks, constant, norm_bound, name), name, ours=True)


def _of_dask(rows: Any, constant: float, norm_bound: float, name: str, start: int) -> Any:
    if rows.ndim != 2:
        return rows
    whole = rows.rechunk({1: -1})

    def wider(block: Any, block_info: Any) -> Any:
        place = int(block_info[0]["array-location"][0][0])
        return refusing(_wider, block, constant, norm_bound, name, start + place)

    chunks = whole.chunks[0], (whole.shape[1] + 1,)
    return whole.map_blocks(wider, dtype=float, chunks=chunks, meta=np.empty((0, 0)))


def _stream(chunks: Iterable[Any], constant: float, norm_bound: float, name: str) -> Iterator[Any]:
    start = 0
    for chunk in chunks:
        if hasattr(chunk, "dask"):
            yield _of_dask(chunk, constant, norm_bound, name, start)
            start += int(chunk.shape[0])
            continue
        for block in _blocks(chunk if is_sparse(chunk) else checks.plain(chunk, name, start)):
            yield _wider(block, constant, norm_bound, name, start)
            start += block.shape[0]


def _blocks(chunk: Any) -> Iterator[Any]:
    if is_sparse(chunk) or chunk.ndim != 2 or not chunk.size:
        yield chunk
        return
    step = max(1, BLOCK // chunk.shape[1])
    yield from (chunk[first : first + step] for first in range(0, len(chunk), step))


def _wider(block: Any, constant: float, norm_bound: float, name: str, start: int) -> Any:
    if not is_sparse(block):
        rows = checks.rows(block, norm_bound, name, start)
        return np.hstack([np.full((len(rows), 1), constant), rows])
    from scipy import sparse  # loaded by whoever has such rows

    rows = compressed_rows(block, name)
    require_short(rows, norm_bound, name, start)
    return sparse.hstack(
        [sparse.csr_array(np.full((rows.shape[0], 1), constant)), sparse.csr_array(rows)], format="csr"
    )
