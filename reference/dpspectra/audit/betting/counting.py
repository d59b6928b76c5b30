"""Count pairs of calls by how many of their rows are in an event on each side."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Hits = NDArray[np.bool_]
"""Which rows are in an event."""
Grades = NDArray[np.int64]
"""Gains or losses of rows, in parts of the largest."""
WORD = 8
"""Truth values in a word of 64 bits."""
Cells = dict[tuple[int, int, int], int]
"""Pairs of calls by what they showed: rows of a call, those in the event on the favoured side, on the other side.

A call without rows was lost: it counts as if only rows of the other side were in the event. Where rows are graded, sums
of grades stand in place of the rows in the event.
"""


def counted(favoured: Sequence[Hits], other: Sequence[Hits], rows: int) -> Cells:
    """Count pairs of calls of so many rows each, from which rows were in the event on the two sides, piece by piece."""
    if rows == 1:
        first, second = (sum(int(np.count_nonzero(piece)) for piece in hits) for hits in (favoured, other))
        both = sum(int(np.count_nonzero(one & another)) for one, another in zip(favoured, other, strict=True))
        neither = sum(map(len, favoured)) - first - second + both
        single = {(1, 1, 1): both, (1, 1, 0): first - both, (1, 0, 1): second - both, (1, 0, 0): neither}
        return {cell: pairs for cell, pairs in single.items() if pairs}
    one, another = (np.concatenate([_in_calls(piece, rows) for piece in hits]) for hits in (favoured, other))
    codes = (rows + 1) * one + another
    if (rows + 1) ** 2 <= len(codes):  # counted faster than sorted
        calls = np.bincount(codes)
        codes = np.flatnonzero(calls)
        calls = calls[codes]
    else:
        codes, calls = np.unique(codes, return_counts=True)
    return {
        (rows, code // (rows + 1), code % (rows + 1)): pairs
        for code, pairs in zip(codes.tolist(), calls.tolist(), strict=True)
    }


def _in_calls(hits: Hits, rows: int) -> NDArray[np.int_]:
    """Count the rows of each call that are in the event."""
    if rows % WORD == 0 and rows <= 255 * WORD:  # eight counters in a word, none of which overflows
        counters = hits.view(np.uint64).reshape(-1, rows // WORD).sum(axis=1)
        return counters.view(np.uint8).reshape(-1, WORD).sum(axis=1, dtype=int)
    weights = np.ones(rows, dtype=np.float32)  # whose products count much faster than sums of truth values
    return (hits.reshape(-1, rows).astype(np.float32) @ weights).astype(int)


def summed(favoured: Sequence[Grades], other: Sequence[Grades], rows: int) -> Cells:
    """Count pairs of calls of so many rows each by the sums of the grades of their rows, piece by piece."""
    one, another = (
        np.concatenate([piece.reshape(-1, rows).sum(axis=1) for piece in side]) for side in (favoured, other)
    )
    (first, i), (second, j) = (np.unique(sums, return_inverse=True) for sums in (one, another))
    codes, calls = np.unique(i * len(second) + j, return_counts=True)
    pairs = zip(first[codes // len(second)].tolist(), second[codes % len(second)].tolist(), calls.tolist(), strict=True)
    return {(rows, won, lost): count for won, lost, count in pairs}
