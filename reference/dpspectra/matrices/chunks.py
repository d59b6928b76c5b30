"""Sums over rows that may be anywhere: in memory, sparse, in chunks, or on a dask cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Protocol, Self, TypeVar

import numpy as np

from dpspectra.ground import checks
from dpspectra.ground.foreign import Chunks, computed, refusing
from dpspectra.matrices.kinds import Data, is_sparse


class Sum(Protocol):
    """What is summed over rows."""

    @property
    def count(self) -> int:
        """The number of rows that it is summed over."""
        ...

    def __add__(self, other: Self, /) -> Self: ...


S = TypeVar("S", bound=Sum)
OfRows = Callable[[Any, int], S]
"""The sum over some rows that lie together, and the number of the first of them, for messages."""


def summed(rows: Data, name: str, of_dense: OfRows[S], of_sparse: OfRows[S], *, empty: bool = False) -> S:
    """The sum over all rows of what ``of_dense`` and ``of_sparse`` give for some of them.

    ``rows`` is a real ``(n, d)`` array, a scipy sparse matrix, a dask array, or an iterator over chunks of rows of any
    of these kinds, which is gone through once. ``of_dense`` is given real ``(n, d)`` arrays of any real type,
    ``of_sparse`` float64 matrices by compressed rows without duplicates; neither is empty unless ``empty`` data are
    data like others, of a known width. Raises ``ValueError`` for what is not rows of real numbers, and for no rows;
    ``ImportError`` naming the extra for dask arrays without it.
    """
    if not isinstance(rows, Iterator):
        return _of_chunk(rows, name, of_dense, of_sparse, 0, empty)
    total: S | None = None
    for chunk in Chunks.of(rows, name):
        part = _of_chunk(chunk, name, of_dense, of_sparse, total.count if total else 0, empty)
        total = total + part if total else part
    if total is None:
        raise ValueError(f"{name} must not be empty, got no chunks")
    return total


def _of_chunk(rows: Any, name: str, of_dense: OfRows[S], of_sparse: OfRows[S], start: int, empty: bool) -> S:
    if hasattr(rows, "dask"):
        return _of_dask(rows, name, of_dense, of_sparse, start, empty)
    if is_sparse(rows):
        return of_sparse(compressed_rows(rows, name, empty), start)
    array = checks.plain(rows, name, start)
    if array.ndim != 2 or _lacks(array.shape, empty) or array.dtype.kind not in "buif":
        checks.real_rows(array, name, start)
    return of_dense(array, start)


def _lacks(shape: tuple[int, ...], empty: bool) -> bool:
    return 0 in (shape[1:] if empty else shape)


def compressed_rows(rows: Any, name: str, empty: bool = False) -> Any:
    """A scipy sparse matrix of real rows as a float64 one by compressed rows without duplicates.

    Raises ``ValueError`` for what is not ``(n, d)``, not real or, unless told otherwise, empty.
    """
    if rows.ndim != 2 or _lacks(rows.shape, empty) or rows.dtype.kind not in "buif":
        checks.real_rows(np.zeros(rows.shape, dtype=rows.dtype), name)
    x = rows.astype(float).tocsr()  # duplicates of small integers would wrap around
    x.sum_duplicates()
    return x


def require_short(rows: Any, norm_bound: float, name: str, start: int) -> None:
    """Raise ``ValueError`` if a row of a matrix by compressed rows is over the norm bound, or not finite."""
    squares = np.asarray(rows.multiply(rows).sum(axis=1)).ravel()
    if len(squares) and not squares.max() <= norm_bound**2:  # over the bound, by rounding or not, or NaN
        worst = int(np.argmax(np.where(np.isnan(squares), np.inf, squares)))
        checks.rows(rows[[worst]].toarray(), norm_bound, name, start + worst)


def _of_dask(rows: Any, name: str, of_dense: OfRows[S], of_sparse: OfRows[S], start: int, empty: bool) -> S:
    """Each block is reduced where it lies, and the small sums are added in pairs."""
    from dpspectra.ground import extras  # other rows need none

    delayed = extras.load("dask", "outofcore", "dask arrays").delayed
    if rows.ndim != 2 or _lacks(rows.shape, empty):
        raise ValueError(f"{name} must be a (n, d) array and not empty, got shape {rows.shape}")
    rows = rows.rechunk({1: -1})
    if np.isnan(rows.shape[0]):
        raise ValueError(f"{name} must have known chunk sizes, got shape {rows.shape}")
    starts = start + np.cumsum([0, *rows.chunks[0][:-1]])
    blocks = rows.to_delayed().ravel()
    reduce = delayed(refusing)
    parts = [reduce(_of_chunk, b, name, of_dense, of_sparse, s, empty) for b, s in zip(blocks, starts, strict=True)]
    while len(parts) > 1:
        parts = [delayed(_added)(parts[i : i + 2]) for i in range(0, len(parts), 2)]
    total: S = computed(parts[0], name)
    return total


def _added(parts: list[S]) -> S:
    return parts[0] if len(parts) == 1 else parts[0] + parts[1]
