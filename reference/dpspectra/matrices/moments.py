"""The second-moment matrix of rows that may be anywhere: in memory, sparse, in chunks, or on a dask cluster."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from dpspectra import checks, extras
from dpspectra.matrices.kinds import Data

BLOCK = 2**20
"""Numbers of a dense array that are checked and multiplied at a time: few enough to stay in the cache."""


@dataclass(frozen=True, slots=True)
class Moments:
    """Second moments of some rows, not divided by their number."""

    gram: NDArray[Any]
    """The sum of ``x x'`` over rows ``x``, ``(d, d)``."""
    count: int

    def __add__(self, other: Moments) -> Moments:
        if len(self.gram) != len(other.gram):
            raise ValueError(f"chunks must have one width, got {len(self.gram)} and {len(other.gram)} columns")
        return Moments(self.gram + other.gram, self.count + other.count)


def second_moments(rows: Data, norm_bound: float, name: str = "X") -> Moments:
    """``X'X`` and the number of rows; every row must have Euclidean norm at most ``norm_bound`` (never clipped).

    ``rows`` is a real ``(n, d)`` array, a scipy sparse matrix, a dask array, or an iterator over chunks of rows of any
    of these kinds, which is gone through once. No copy of the whole is made. How rows are cut into chunks changes the
    result by rounding only. Raises ``ValueError`` for rows over the bound, numbers that are not finite or not real, no
    rows, and chunks of different widths; ``ImportError`` naming the extra for dask arrays without it.
    """
    checks.positive(norm_bound, "norm_bound")
    if not isinstance(rows, Iterator):
        return _of_chunk(rows, norm_bound, name, 0)
    total: Moments | None = None
    for chunk in rows:
        part = _of_chunk(chunk, norm_bound, name, total.count if total else 0)
        total = total + part if total else part
    if total is None:
        raise ValueError(f"{name} must not be empty, got no chunks")
    return total


def _of_chunk(rows: Any, norm_bound: float, name: str, start: int) -> Moments:
    if hasattr(rows, "dask"):
        return _of_dask(rows, norm_bound, name, start)
    if sparse.issparse(rows):
        return _of_sparse(rows, norm_bound, name, start)
    array = checks.plain(rows, name, start)
    if array.ndim != 2 or array.size == 0 or array.dtype.kind not in "buif":
        array = checks.rows(array, norm_bound, name, start)
    n, d = array.shape
    gram, step = np.zeros((d, d)), max(d, BLOCK // d)
    for first in range(0, n, step):
        block = np.ascontiguousarray(array[first : first + step], dtype=float)
        if not np.einsum("ij,ij->i", block, block).max() <= norm_bound**2:  # over the bound, by rounding or not, or NaN
            checks.rows(block, norm_bound, name, start + first)
        gram += block.T @ block
    return Moments(gram, n)


def _of_sparse(rows: Any, norm_bound: float, name: str, start: int) -> Moments:
    x = rows.tocsr()
    if x.ndim != 2 or 0 in x.shape or x.dtype.kind not in "buif":
        checks.rows(np.zeros(x.shape, dtype=x.dtype), norm_bound, name, start)
    x = x.astype(float)
    squares = np.asarray(x.multiply(x).sum(axis=1)).ravel()
    if not squares.max() <= norm_bound**2:
        worst = int(np.argmax(np.where(np.isnan(squares), np.inf, squares)))
        checks.rows(x[[worst]].toarray(), norm_bound, name, start + worst)
    return Moments((x.T @ x).toarray(), x.shape[0])


def _of_dask(rows: Any, norm_bound: float, name: str, start: int) -> Moments:
    """Each block is reduced where it lies, and the small matrices are added in pairs."""
    delayed = extras.load("dask", "outofcore", "dask arrays").delayed
    if rows.ndim != 2 or 0 in rows.shape:
        raise ValueError(f"{name} must be a (n, d) array and not empty, got shape {rows.shape}")
    rows = rows.rechunk({1: -1})
    if np.isnan(rows.shape[0]):
        raise ValueError(f"{name} must have known chunk sizes, got shape {rows.shape}")
    starts = start + np.cumsum([0, *rows.chunks[0][:-1]])
    blocks = rows.to_delayed().ravel()
    parts = [delayed(_of_chunk)(b, norm_bound, name, s) for b, s in zip(blocks, starts, strict=True)]
    while len(parts) > 1:
        parts = [delayed(_added)(parts[i : i + 2]) for i in range(0, len(parts), 2)]
    return parts[0].compute()


def _added(parts: list[Moments]) -> Moments:
    return parts[0] if len(parts) == 1 else parts[0] + parts[1]
