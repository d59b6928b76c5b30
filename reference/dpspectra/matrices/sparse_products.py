"""Products of a sparse matrix with a block of columns, at the speed of memory (extra ``fast``: numba).

Each nonzero needs a row of the tall block, and a row that is not in the cache costs its latency, unless it was asked
for early: the rows that nonzeros further ahead will need are. The transposed product goes through the same rows and
scatters; no second copy of the matrix is made. Threads share out rows, or columns where it scatters: sums run in the
order of the plain loops, whatever their number.
"""

import math
from collections.abc import Iterator
from functools import partial
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

from dpspectra.ground.compiling import compiled

AHEAD = 48
"""Nonzeros by which rows are asked for ahead of their use: what memory is late by, and well within the first cache."""
LINE = 64
"""Bytes of a cache line."""
WIDE = 8
"""Columns from which this pays; scipy is as quick below, or quicker."""
CACHED = 3 * 2**21
"""Bytes of a tall block that caches hold: scipy is up to ten times as quick there. The number of threads is no matter,
as the last bits may differ.
"""
PIECE = 2**20
"""Nonzeros whose values are converted at a time, if they are of another type than the block."""
SAMPLE = 2**16
"""Nonzeros from which the shares of the columns are made of even size."""


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


@compiled
def _gather(starts: Any, places: Any, values: Any, block: Any, reach: int, out: Any, first: int, last: int) -> None:
    """Rows ``first`` to ``last`` of the product: four nonzeros at a time, added in their order."""
    width, step, nonzeros = block.shape[1], LINE // block.itemsize, len(places)
    for row in range(first, last):
        start, stop = starts[row], starts[row + 1]
        fours = start + (stop - start) // 4 * 4
        for i in range(start, fours, 4):
            for ahead in range(i + AHEAD, min(i + AHEAD + 4, nonzeros)):
                for j in range(0, reach, step):
                    _fetch(block, np.intp(places[ahead]), np.intp(min(j, width - 1)))
            a, b, c, d = values[i], values[i + 1], values[i + 2], values[i + 3]
            w, x, y, z = places[i], places[i + 1], places[i + 2], places[i + 3]
            for j in range(width):
                out[row, j] = out[row, j] + a * block[w, j] + b * block[x, j] + c * block[y, j] + d * block[z, j]
        for i in range(fours, stop):
            if i + AHEAD < nonzeros:
                for j in range(0, reach, step):
                    _fetch(block, np.intp(places[i + AHEAD]), np.intp(min(j, width - 1)))
            a, w = values[i], places[i]
            for j in range(width):
                out[row, j] += a * block[w, j]


@compiled
def _cut(starts: Any, places: Any, edges: Any, out: Any) -> None:
    """``out[share, row]``: first entry of the row in column ``edges[share]`` or later; columns ascend within a row."""
    for row in range(len(starts) - 1):
        entry = np.intp(starts[row])
        for share in range(len(edges)):
            entry += np.searchsorted(places[entry : starts[row + 1]], edges[share])
            out[share, row] = entry


@compiled
def _scatter(cuts: Any, places: Any, values: Any, block: Any, out: Any, reach: int, share: int) -> None:
    """Those rows of the transposed product that are columns of the share.

    A scout goes through the same entries ahead of the sums, two steps to one until it is `AHEAD` of them.
    """
    width, step, rows = block.shape[1], LINE // block.itemsize, len(block)
    starts, stops = cuts[share], cuts[share + 1]
    scout_row, scout, lead = 0, starts[0], 0
    for row in range(rows):
        for entry in range(starts[row], stops[row]):
            strides = 2 if lead < AHEAD else 1
            lead += strides - 1
            for _ in range(strides):
                while scout == stops[scout_row] and scout_row + 1 < rows:
                    scout_row += 1
                    scout = starts[scout_row]
                if scout < stops[scout_row]:
                    for j in range(0, reach, step):
                        _fetch(out, np.intp(places[scout]), np.intp(min(j, width - 1)))
                    scout += 1
            a, w = values[entry], places[entry]
            for j in range(width):
                out[w, j] += a * block[row, j]


@compiled
def _mirrored(starts: Any, places: Any, values: Any, cursors: Any) -> bool:
    """Whether each entry beside the diagonal has its twin beyond it.

    Rows are gone through in order, and columns ascend in each, so that in row ``j`` the twins of rows ``0, 1, ...`` are
    met in the order in which they are stored: ``cursors[j]`` is at the first entry that was not met. An entry
    left of the diagonal that was not met has no twin: that would have met it, or ended the search.
    """
    nonzeros = len(places)
    for row in range(len(starts) - 1):
        for entry in range(cursors[row, 0], starts[row + 1]):
            if entry + AHEAD < nonzeros:
                ahead = cursors[places[entry + AHEAD, 0], 0]
                _fetch(places, ahead, np.intp(0))
                _fetch(values, ahead, np.intp(0))
            column = places[entry, 0]
            if column == row:
                continue
            twin = cursors[column, 0]
            if twin == starts[column + 1] or places[twin, 0] != row or values[twin, 0] != values[entry, 0]:
                return False
            cursors[column, 0] = twin + 1
    return True


@partial(compiled, parallel=True)
def _gather_shared(starts: Any, places: Any, values: Any, block: Any, reach: int, out: Any, shares: Any) -> None:
    for share in numba.prange(len(shares) - 1):
        _gather(starts, places, values, block, reach, out, shares[share], shares[share + 1])


@partial(compiled, parallel=True)
def _scatter_shared(cuts: Any, places: Any, values: Any, block: Any, out: Any, reach: int) -> None:
    for share in numba.prange(len(cuts) - 1):
        _scatter(cuts, places, values, block, out, reach, share)


def pays(rows: int, block: NDArray[Any]) -> bool:
    """Whether a product is quicker here than by scipy, if so many rows as wide as the block are read in any order."""
    return block.shape[1] >= WIDE and rows * block.shape[1] * block.itemsize >= CACHED


def multiply(a: Any, block: NDArray[Any]) -> NDArray[Any]:
    """Return ``a @ block`` for CSR ``a`` ``(m, n)`` and floats ``(n, p)``, in their type, on numba's number of threads.

    Entries of ``a`` are of that type, or integers.
    """
    block = np.ascontiguousarray(block)
    threads, out = numba.get_num_threads(), _zeros((a.shape[0], block.shape[1]), block.dtype)
    for rows, starts, places, values in _pieces(a, block.dtype):
        part = out[rows]
        if threads == 1:
            _gather(starts, places, values, block, _reach(block), part, 0, len(part))
        else:
            shares = 8 * threads
            inner = np.searchsorted(starts, np.arange(1, shares) * (len(values) / shares))
            _gather_shared(starts, places, values, block, _reach(block), part, np.array([0, *inner, len(part)]))
    return out


def multiply_transposed(a: Any, block: NDArray[Any]) -> NDArray[Any]:
    """Return ``a.T @ block`` for a block of shape ``(m, p)``; columns must ascend in each row (``sorted_indices``)."""
    block = np.ascontiguousarray(block)
    n, threads = a.shape[1], numba.get_num_threads()
    out = _zeros((n, block.shape[1]), block.dtype)
    sample = a.indices[:: max(1, a.nnz // SAMPLE)]
    inner = np.quantile(sample, np.arange(1, threads) / threads) if len(sample) else [0] * (threads - 1)
    edges = np.array([0, *inner, n], dtype=np.int64)
    for rows, starts, places, values in _pieces(a, block.dtype):
        part, cuts = block[rows], np.empty((threads + 1, len(starts) - 1), dtype=np.int64)
        _cut(starts, places, edges, cuts)
        if threads == 1:
            _scatter(cuts, places, values, part, out, _reach(out), 0)
        else:
            _scatter_shared(cuts, places, values, part, out, _reach(out))
    return out


def is_symmetric(a: Any) -> bool:
    """Whether a square CSR matrix equals its transpose; columns ascend in each row, no entry is twice there or zero."""
    cursors = a.indptr[:-1].astype(np.intp)
    return bool(_mirrored(a.indptr, *(x.reshape(-1, 1) for x in (a.indices, a.data, cursors))))


def _pieces(a: Any, dtype: Any) -> Iterator[tuple[slice, NDArray[Any], NDArray[Any], NDArray[Any]]]:
    """Rows of a CSR matrix with their starts, places and values, always of the types that kernels are compiled for.

    A matrix of these types is one piece. Of any other one `PIECE` nonzeros are converted at a time, or those of a row.
    """
    place = np.int32 if a.shape[1] < 2**31 else np.int64
    starts, whole, first = a.indptr.astype(np.int64), len(a.indptr) - 1, 0
    converted = a.data.dtype != dtype or a.indices.dtype != place
    while first < whole:
        last = max(first + 1, int(np.searchsorted(starts, starts[first] + PIECE, "right")) - 1) if converted else whole
        those = slice(starts[first], starts[last])
        places, values = a.indices[those].astype(place, copy=False), a.data[those].astype(dtype, copy=False)
        yield slice(first, last), starts[first : last + 1] - starts[first], places, values
        first = last


def _reach(block: NDArray[Any]) -> int:
    """Columns in the cache lines that a row touches at most: of all rows, none starts nearer to the end of a line."""
    size = block.shape[1] * block.itemsize
    grain = math.gcd(size, block.ctypes.data, LINE)
    return -(-(size + LINE - grain) // LINE) * LINE // block.itemsize


def _zeros(shape: tuple[int, int], dtype: Any) -> NDArray[Any]:
    """Zeros that start at a cache line, so that no row touches more lines than it must."""
    size = shape[0] * shape[1]
    items = LINE // np.dtype(dtype).itemsize
    raw = np.zeros(size + items, dtype)
    first = -raw.ctypes.data % LINE // raw.itemsize
    return raw[first : first + size].reshape(shape)
