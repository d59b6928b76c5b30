"""Products of a sparse matrix with a block of columns, at the speed of memory (extra ``fast``: numba).

Each nonzero needs a row of the tall block, and a row that is not in the cache costs its latency. So the matrix is
walked in tiles of columns whose rows of the block fit in the cache, as long as its rows have enough nonzeros in a tile,
and the rows that nonzeros further ahead will need are asked for early. The transposed product walks the same tiles and
scatters; no second copy of the matrix is made. Sums run in the order of the plain loops, whatever the tiles or threads.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

AHEAD = 48
"""Nonzeros by which rows are asked for ahead of their use: what memory is late by, and well within the first cache."""
LINE = 64
"""Bytes of a cache line."""
WIDE = 12
"""Columns from which this pays; scipy is as quick below."""
TILE = 8 * 2**20
"""Bytes of the tall block that a tile touches: a share of the last cache."""
FILLED = 32
"""Nonzeros of a row in a tile, on average, from which tiles pay."""


@intrinsic  # type: ignore[untyped-decorator]
def _fetch(typing_context: Any, block: Any, row: Any, column: Any) -> Any:
    """Ask the processor to bring ``block[row, column]`` into its cache."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = cgutils.create_struct_proxy(signature.args[0])(context, builder, arguments[0])
        pointer = cgutils.get_item_pointer(context, builder, signature.args[0], array, list(arguments[1:]))
        address = builder.bitcast(pointer, ir.IntType(8).as_pointer())
        integer = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [ir.IntType(8).as_pointer(), integer, integer, integer])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        builder.call(function, [address, integer(0), integer(3), integer(1)])
        return context.get_dummy_value()

    return types.void(block, types.intp, types.intp), generate


def _compiled(function: Callable[..., None], parallel: bool = False) -> Callable[..., None]:
    """Compile on first use; later processes read the result where there is a place to keep it."""
    options = {"nogil": True, "parallel": parallel}
    try:
        return numba.njit(function, cache=True, **options)
    except RuntimeError:  # no such place can be written to
        return numba.njit(function, **options)


@_compiled
def _cut(starts: Any, places: Any, edges: Any, out: Any) -> None:
    """``out[t, row]``: first entry of the row in column ``edges[t]`` or later; columns ascend within a row."""
    for row in range(len(starts) - 1):
        entry = np.intp(starts[row])
        for tile in range(len(edges)):
            entry += np.searchsorted(places[entry : starts[row + 1]], edges[tile])
            out[tile, row] = entry


@_compiled
def _gather(cuts: Any, places: Any, values: Any, block: Any, out: Any, first: int, last: int) -> None:
    """Rows ``first`` to ``last`` of the product: four nonzeros at a time, added in their order."""
    width, step, nonzeros = block.shape[1], LINE // block.itemsize, len(places)
    for tile in range(len(cuts) - 1):
        for row in range(first, last):
            start, stop = cuts[tile, row], cuts[tile + 1, row]
            fours = start + (stop - start) // 4 * 4
            for i in range(start, fours, 4):
                for ahead in range(i + AHEAD, min(i + AHEAD + 4, nonzeros)):
                    for j in range(0, width, step):
                        _fetch(block, np.intp(places[ahead]), np.intp(j))
                a, b, c, d = values[i], values[i + 1], values[i + 2], values[i + 3]
                w, x, y, z = places[i], places[i + 1], places[i + 2], places[i + 3]
                for j in range(width):
                    out[row, j] = out[row, j] + a * block[w, j] + b * block[x, j] + c * block[y, j] + d * block[z, j]
            for i in range(fours, stop):
                if i + AHEAD < nonzeros:
                    for j in range(0, width, step):
                        _fetch(block, np.intp(places[i + AHEAD]), np.intp(j))
                a, w = values[i], places[i]
                for j in range(width):
                    out[row, j] += a * block[w, j]


@_compiled
def _scatter(cuts: Any, places: Any, values: Any, block: Any, out: Any, tile: int) -> None:
    """Those rows of the transposed product that are columns of the tile."""
    width, step, nonzeros = block.shape[1], LINE // block.itemsize, len(places)
    for row in range(len(block)):
        source = block[row]
        for entry in range(cuts[tile, row], cuts[tile + 1, row]):
            if entry + AHEAD < nonzeros:
                for column in range(0, width, step):
                    _fetch(out, np.intp(places[entry + AHEAD]), np.intp(column))
            weight, total = values[entry], out[places[entry]]
            for column in range(width):
                total[column] += weight * source[column]


@partial(_compiled, parallel=True)
def _gather_shared(cuts: Any, places: Any, values: Any, block: Any, out: Any, shares: Any) -> None:
    for part in numba.prange(len(shares) - 1):
        _gather(cuts, places, values, block, out, shares[part], shares[part + 1])


@partial(_compiled, parallel=True)
def _scatter_shared(cuts: Any, places: Any, values: Any, block: Any, out: Any) -> None:
    for tile in numba.prange(len(cuts) - 1):
        _scatter(cuts, places, values, block, out, tile)


def multiply(a: Any, block: NDArray[Any]) -> NDArray[Any]:
    """``a @ block`` for CSR ``a`` ``(m, n)`` and floats ``(n, p)``, in their type, on numba's number of threads.

    Entries of ``a`` are of that type, or integers; column numbers must ascend within each row (``sorted_indices``).
    """
    block = np.ascontiguousarray(block)
    if block.shape[1] < WIDE:
        return np.asarray(a @ block, dtype=block.dtype)
    m, threads = a.shape[0], numba.get_num_threads()
    cuts, out = _tiles(a, block, 1), _zeros((m, block.shape[1]), block.dtype)
    if threads == 1:
        _gather(cuts, a.indices, a.data, block, out, 0, m)
        return out
    parts = 8 * threads
    inner = np.searchsorted(a.indptr, np.arange(1, parts) * (a.nnz / parts))
    _gather_shared(cuts, a.indices, a.data, block, out, np.array([0, *inner, m]))
    return out


def multiply_transposed(a: Any, block: NDArray[Any]) -> NDArray[Any]:
    """``a.T @ block`` for the same ``a`` and ``(m, p)``."""
    block = np.ascontiguousarray(block)
    if block.shape[1] < WIDE:
        return np.asarray(a.T @ block, dtype=block.dtype)
    threads = numba.get_num_threads()
    cuts = _tiles(a, block, 8 * threads if threads > 1 else 1)
    out = _zeros((a.shape[1], block.shape[1]), block.dtype)
    if threads == 1 or len(cuts) == 2:
        for tile in range(len(cuts) - 1):
            _scatter(cuts, a.indices, a.data, block, out, tile)
    else:
        _scatter_shared(cuts, a.indices, a.data, block, out)
    return out


def _zeros(shape: tuple[int, int], dtype: Any) -> NDArray[Any]:
    """Zeros that start at a cache line, so that no row touches more lines than it must."""
    size = shape[0] * shape[1]
    items = LINE // np.dtype(dtype).itemsize
    raw = np.zeros(size + items, dtype)
    first = -raw.ctypes.data % LINE // raw.itemsize
    return raw[first : first + size].reshape(shape)


def _tiles(a: Any, block: NDArray[Any], parts: int) -> NDArray[Any]:
    """Where each row enters each tile of columns, and where it ends: ``(tiles + 1, m)``; ``parts`` tiles are wanted."""
    m, n = a.shape
    wanted = max(parts, -(-n * block.shape[1] * block.itemsize // TILE))
    tiles = max(1, min(wanted, a.nnz // (FILLED * m), n))
    cuts = np.empty((tiles + 1, m), dtype=np.int64)
    _cut(a.indptr, a.indices, np.linspace(0, n, tiles + 1).astype(np.int64), cuts)
    return cuts
