"""Product of a sparse matrix with a block of columns, at the speed of memory (extra ``fast``: numba).

Each nonzero needs a row of the block, and a row that is not in the cache costs its latency. Asking for the rows of
nonzeros further ahead hides it; otherwise the loop is the plain one, row by row of the result.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

AHEAD = 16
"""Nonzeros by which rows are asked for ahead of their use."""
LINE = 64
"""Bytes of a cache line."""
WIDE = 12
"""Columns from which fetching ahead pays; scipy is as quick below."""


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


@numba.njit(nogil=True, cache=False)  # type: ignore[untyped-decorator]
def _rows(starts: Any, places: Any, values: Any, block: Any, out: Any, first: int, last: int) -> None:
    width, step, nonzeros = block.shape[1], LINE // block.itemsize, len(places)
    for row in range(first, last):
        total = out[row]
        total[:] = 0
        for entry in range(starts[row], starts[row + 1]):
            if entry + AHEAD < nonzeros:
                for column in range(0, width, step):
                    _fetch(block, np.intp(places[entry + AHEAD]), np.intp(column))
            weight, source = values[entry], block[places[entry]]
            for column in range(width):
                total[column] += weight * source[column]


@numba.njit(parallel=True, cache=False)  # type: ignore[untyped-decorator]
def _shared(starts: Any, places: Any, values: Any, block: Any, out: Any, cuts: Any) -> None:
    for part in numba.prange(len(cuts) - 1):
        _rows(starts, places, values, block, out, cuts[part], cuts[part + 1])


def multiply(a: Any, block: NDArray[Any]) -> NDArray[Any]:
    """``a @ block`` for CSR ``a`` ``(m, n)`` and ``(n, p)``, in the type of ``a``, on numba's number of threads."""
    block = np.ascontiguousarray(block, dtype=a.dtype)
    if block.shape[1] < WIDE:
        return np.asarray(a @ block)
    out = np.empty((a.shape[0], block.shape[1]), dtype=a.dtype)
    threads = numba.get_num_threads()
    if threads == 1:
        _rows(a.indptr, a.indices, a.data, block, out, 0, a.shape[0])
        return out
    shares = np.linspace(0, a.nnz, 8 * threads + 1)
    cuts = np.concatenate([[0], np.searchsorted(a.indptr, shares[1:-1]), [a.shape[0]]]).astype(np.int64)
    _shared(a.indptr, a.indices, a.data, block, out, cuts)
    return out
