"""Sums over rows that may be anywhere: in memory, sparse, in chunks, or on a dask cluster."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Generic, NamedTuple, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from dpspectra.ground import checks
from dpspectra.ground.foreign_code import Chunks, refusing
from dpspectra.ground.progress import progress
from dpspectra.matrices.foreign_data import names_of, numbers, selected, unfit
from dpspectra.matrices.kinds import Data, is_sparse


class Sum(Protocol):
    """Type of a sum over rows."""

    @property
    def count(self) -> int:
        """The number of rows that it is summed over."""
        ...

    def __add__(self, other: Self, /) -> Self: ...


PIECE, SHORTEST = 2**24, 2**13
"""Numbers of an array that are read at a time, a fraction of a second, and rows at least, as each piece costs a sum."""
S = TypeVar("S", bound=Sum)
OfRows = Callable[["Block", int], S]
"""The sum over some rows that lie together, and the number of the first of them, for messages."""


class Block(NamedTuple):
    """Rows that lie together, and which of them count."""

    rows: Any
    """An array of any real type, or a float64 matrix by compressed rows."""
    counts: NDArray[np.bool_] | None = None
    """``None`` if all do."""

    @property
    def size(self) -> int:
        """The number of rows."""
        return int(self.rows.shape[0])

    def parts(self, step: int) -> Iterator[tuple[int, Block]]:
        """Parts of at most ``step`` rows, each with the place of its first row."""
        for first in range(0, self.size, step):
            last = first + step
            yield first, Block(self.rows[first:last], None if self.counts is None else self.counts[first:last])


class Kept(NamedTuple):
    """Rows in memory of which some count, as somebody gave them."""

    rows: Any
    counts: NDArray[np.bool_]


def summed(
    rows: Data,
    name: str,
    of_dense: OfRows[S],
    of_sparse: OfRows[S],
    *,
    empty: bool = False,
    total: bool = False,
    start: S | None = None,
) -> S:
    """Return the sum over all rows of what ``of_dense`` and ``of_sparse`` give for some of them, and of ``start``.

    ``rows`` is a real ``(n, d)`` array, a scipy sparse matrix, a data frame, a dask array or frame, `Kept` rows, or an
    iterator over chunks of rows of any of these kinds, which is gone through once. ``of_dense`` is given a `Block` of a
    real ``(n, d)`` array of any real type, ``of_sparse`` of a float64 matrix by compressed rows without duplicates,
    each perhaps without rows. An entry that is no number is NaN if ``total``, else refused. Raises ``ValueError`` for
    anything that is not rows of real numbers, and for no rows unless ``empty`` data are data like others;
    ``ImportError`` naming the extra for dask without it.
    """
    part = _Part(of_dense, of_sparse, name, total)
    found = start
    chunks, number = (by_name(rows, name), None) if isinstance(rows, Iterator) else _pieces(rows)
    with progress(number, f"parts of {name}") as bar, np.errstate(all="ignore"):  # no setting of a caller may refuse
        for chunk in chunks:
            more = part(chunk, found.count if found else 0)
            found = found + more if found else more
            bar.advance("read")
    if found is None:
        raise ValueError(f"{name} must not be empty, got no chunks")
    if not (found.count or empty):
        raise ValueError(f"{name} must not be empty, got no rows")
    return found


def by_name(chunks: Iterator[Any], name: str) -> Iterator[Any]:
    """Yield chunks, tables with the columns of the first table by name: by place, other orders would be mixed up.

    Raises ``ValueError`` for a table with other columns than the first one.
    """
    columns: tuple[str, ...] | None = None
    for chunk in Chunks.of(chunks, name):
        found = names_of(chunk)
        columns = columns or found
        if found is None or columns is None:
            yield chunk
            continue
        if other := set(found) ^ set(columns):
            raise ValueError(
                f"{name} must have the same columns in each chunk, which {min(other)!r} is not: "
                "select the columns of each chunk before"
            )
        yield selected(chunk, columns, name)


def _pieces(source: Any) -> tuple[Iterable[Any], int]:
    """Cuts of an array that is large, so that one sees how far it is, and their number; anything else as it is."""
    rows = source.rows if isinstance(source, Kept) else source
    if not isinstance(rows, np.ndarray) or rows.ndim != 2 or rows.size <= PIECE:
        return [source], 1
    step = max(SHORTEST, PIECE // rows.shape[1])
    if not isinstance(source, Kept):
        return (rows[first : first + step] for first in range(0, len(rows), step)), -(-len(rows) // step)
    require_ids(source.counts, len(rows))
    parts = (Kept(rows[i : i + step], source.counts[i : i + step]) for i in range(0, len(rows), step))
    return parts, -(-len(rows) // step)


def require_ids(counts: NDArray[np.bool_], number: int) -> None:
    """Raise ``ValueError`` unless there is an id for each row."""
    if len(counts) != number:
        raise ValueError("person must be ids, one for each row, got another number of them")


@dataclass(frozen=True, slots=True)
class _Part(Generic[S]):
    """The sum over a chunk of rows, wherever it lies."""

    of_dense: OfRows[S]
    of_sparse: OfRows[S]
    name: str
    total: bool

    def __call__(self, rows: Any, start: int) -> S:
        if hasattr(type(rows), "dask"):
            return self._of_dask(rows, start)
        source, counts = rows if isinstance(rows, Kept) else (rows, None)
        found = numbers(source, self.name, start, total=self.total, counts=counts)
        if counts is not None:
            require_ids(counts, found.shape[0])
        return (self.of_sparse if is_sparse(found) else self.of_dense)(Block(found, counts), start)

    def _of_dask(self, rows: Any, start: int) -> S:
        """Each block is reduced where it lies, and the small sums are added where they are."""
        from dpspectra.ground import extras  # other rows need none
        from dpspectra.matrices import cluster

        delayed = extras.load("dask", "outofcore", "dask arrays").delayed
        if words := unfit(rows, self.name):
            raise ValueError(words)
        if len(rows.shape) != 2 or rows.shape[1] == 0:
            raise ValueError(f"{self.name} must be a (n, d) array and not empty, got shape {rows.shape}")
        frame = not hasattr(rows, "rechunk")
        blocks = rows.to_delayed() if frame else rows.rechunk({1: -1}).to_delayed().ravel()
        lengths = [np.nan] if frame else rows.chunks[0][:-1]
        reduce = delayed(refusing)
        if np.isnan(sum(lengths)):  # of a frame, or of rows that were picked: places are told from each block's first
            named = [replace(self, name=f"block {number} of {self.name}") for number in range(len(blocks))]
            parts = [reduce(part, block, 0) for part, block in zip(named, blocks, strict=True)]
        else:
            starts = start + np.cumsum([0, *lengths])
            parts = [reduce(self, block, int(first)) for block, first in zip(blocks, starts, strict=True)]
        total: S = cluster.total(parts, operator.add, self.name)
        return total


def require_short(rows: Any, norm_bound: float, name: str, start: int) -> None:
    """Raise ``ValueError`` if a row of a matrix by compressed rows is over the norm bound, or not finite."""
    squares = np.asarray(rows.multiply(rows).sum(axis=1)).ravel()
    if len(squares) and not squares.max() <= norm_bound**2:  # over the bound, by rounding or not, or NaN
        worst = int(np.argmax(np.where(np.isnan(squares), np.inf, squares)))
        row = checks.real_rows(rows[[worst]].toarray(), name, start + worst, instead=checks.ZERO_ROWS)
        checks.rows(row, norm_bound, name, start + worst)
