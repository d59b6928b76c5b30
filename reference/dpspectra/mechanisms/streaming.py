"""The power method on a stream of rows, with memory for two blocks of columns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, DTypeLike
from scipy import sparse

from dpspectra.ground import checks, memory
from dpspectra.ground.array_types import Array
from dpspectra.ground.foreign_code import read
from dpspectra.ground.progress import progress
from dpspectra.matrices.kinds import SparseMatrix
from dpspectra.matrices.orthonormal import cholesky_qr, orthonormal
from dpspectra.matrices.tall_blocks import add_noise


class StreamingPowerMethod:
    """Run power iteration in which each round multiplies by the second moments of fresh rows (HP-F2); not private.

    A round takes ``rows_per_round`` rows ``z``, whatever the batches they come in: ``Y = mean of z (z' X)``, and then
    ``X = GS(Y)``. It holds the ``(d, width)`` blocks ``X`` and ``Y`` and nothing else, so the object itself is the
    state. A bad batch or an interrupted stream leaves the state before that batch, ready to go on.

    Parameters
    ----------
    dimension
        ``d``, the number of columns.
    k
        Rank of the target.
    rows_per_round
        Number of rows that a round takes.
    width
        Number of columns carried, ``k <= width <= d``; twice ``k`` by default.
    dtype
        float64 or float32, the type of products; batches of another type are converted.
    rng
        A seed or a numpy Generator; None for fresh entropy.

    Raises
    ------
    ValueError
        For a number out of its range, or another type.

    """

    def __init__(
        self,
        dimension: int,
        k: int,
        *,
        rows_per_round: int,
        width: int | None = None,
        dtype: DTypeLike = np.float64,
        rng: checks.Rng = None,
    ) -> None:
        d = checks.integer(dimension, "dimension", 1)
        checks.integer(k, "k", 1, d)
        p = checks.integer(min(2 * k, d) if width is None else width, "width", k, d)
        dtype = checks.real_type(dtype, "dtype")
        memory.require(2 * dtype.itemsize * d * p, "dimension", dimension)
        self.rows_per_round = checks.integer(rows_per_round, "rows_per_round", 1)
        self.basis: Array = orthonormal(add_noise(np.zeros((d, p), dtype), 1.0, checks.generator(rng)))
        """Orthonormal ``(d, width)``: the subspace after the last complete round."""
        self.rounds = 0
        """Complete rounds."""
        self.pending = 0
        """Rows of the round under way."""
        self._sum: Array = np.zeros((d, p), dtype)

    def partial_fit(self, batch: ArrayLike | SparseMatrix) -> Self:
        """Take in a batch of rows.

        Parameters
        ----------
        batch
            Real ``(b, d)`` array or scipy sparse matrix; ``b`` may be 0.

        Returns
        -------
        StreamingPowerMethod
            The object itself.

        Raises
        ------
        ValueError
            For another width and for numbers that are not finite; nothing of the batch is used then.

        """
        with np.errstate(over="ignore", invalid="ignore"):  # what overflows is not finite, and refused
            rows, d = _checked(_rows(batch).astype(self.basis.dtype, copy=False)), len(self.basis)
        if rows.shape[1] != d:
            raise ValueError(f"batch must have {d} columns, got {rows.shape[1]}")
        before = self.basis, self._sum, self.pending, self.rounds
        try:
            while rows.shape[0]:
                part = rows[: self.rows_per_round - self.pending]
                rows = rows[part.shape[0] :]
                self._add(part)
                if self.pending == self.rows_per_round:
                    self._turn()
        except ValueError:
            self.basis, self._sum, self.pending, self.rounds = before
            raise
        return self

    def _add(self, rows: Any) -> None:
        """Add the second moments of rows to the sum of the round."""
        with np.errstate(all="ignore"):  # what overflows is refused
            total = rows.T @ (rows @ self.basis)
            total += self._sum
        if not np.all(np.isfinite(total)):
            raise ValueError(f"batch must have second moments that are finite in {total.dtype}, got rows that overflow")
        self._sum, self.pending = total, self.pending + rows.shape[0]

    def _turn(self) -> None:
        """End a round. The basis of a sum is that of a mean, or of the sum over a power of two."""
        self._sum = np.ldexp(self._sum, -np.frexp(np.max(np.abs(self._sum)))[1])
        basis = cholesky_qr(self._sum)
        self.basis = self._completed() if basis is None else basis
        self._sum = np.zeros_like(self._sum)
        self.pending, self.rounds = 0, self.rounds + 1

    def _completed(self) -> Array:
        """Rows that add up to less than the rank leave the missing directions as they were."""
        y, size = self._sum, np.linalg.norm(self._sum)
        if size == 0:
            return self.basis
        if np.linalg.matrix_rank(y) < y.shape[1]:
            y = y + np.finfo(y.dtype).eps * size * self.basis
        return orthonormal(y)


def streaming_power_method(
    batches: Iterable[ArrayLike | SparseMatrix],
    k: int,
    *,
    rows_per_round: int,
    width: int | None = None,
    iterations: int | None = None,
    dtype: DTypeLike = np.float64,
    rng: checks.Rng = None,
) -> StreamingPowerMethod:
    """Run `StreamingPowerMethod` on any iterable of batches, for ``iterations`` rounds or to the end.

    To keep the state where an iterator may fail, feed a `StreamingPowerMethod` by hand.

    Parameters
    ----------
    batches
        Real ``(b, d)`` arrays or scipy sparse matrices. The dimension is that of the first one.
    k, rows_per_round, width, dtype, rng
        As in `StreamingPowerMethod`.
    iterations
        Number of rounds; None for as many as there are rows.

    Returns
    -------
    StreamingPowerMethod
        The method's state, whose ``basis`` is the subspace.

    Raises
    ------
    ValueError
        For bad batches, and where there are too few rows for one round.

    Examples
    --------
    >>> batches = [np.diag([4.0, 1.0, 0.0])] * 30
    >>> state = streaming_power_method(batches, 1, width=1, rows_per_round=3)
    >>> np.allclose(abs(state.basis[:, 0]), [1, 0, 0])
    True

    """
    if not isinstance(batches, Iterable) or isinstance(batches, (str, bytes, dict)):
        raise ValueError(
            f"batches must be an iterable of batches of rows, got an object of type {type(batches).__name__}"
        )
    if iterations is not None:
        checks.integer(iterations, "iterations", 1)
    options: dict[str, Any] = {"rows_per_round": rows_per_round, "width": width, "dtype": dtype, "rng": rng}
    state: StreamingPowerMethod | None = None
    with progress(iterations, "streaming power method") as bar:
        for batch in batches:
            rows = _rows(batch)
            if state is None:
                _checked(rows)
                state = StreamingPowerMethod(rows.shape[1], k, **options)
            if iterations is not None:  # rows beyond the last round are left alone
                rows = rows[: (iterations - state.rounds) * rows_per_round - state.pending]
            before = state.rounds
            state.partial_fit(rows)
            bar.advance(f"round {state.rounds}", state.rounds - before)
            if state.rounds == iterations:
                return state
    if state is None or state.rounds < (iterations or 1):
        rows_read = 0 if state is None else state.rounds * rows_per_round + state.pending
        wanted = rows_per_round * (iterations or 1)
        raise ValueError(f"batches must hold {wanted} rows or more, got {rows_read}")
    return state


def _rows(batch: Any) -> Any:
    """Return a batch as an array or a CSR matrix of real rows."""
    rows = read(batch.tocsr, "batch") if sparse.issparse(batch) else checks.plain(batch, "batch")
    if rows.ndim != 2 or rows.shape[1] == 0 or rows.dtype.kind not in "buif":
        raise ValueError(f"batch must be a real array of shape (b, d), got {rows.dtype} of shape {rows.shape}")
    return rows


def _checked(rows: Any) -> Any:
    if sparse.issparse(rows):
        checks.require_finite(rows.data, "the stored values of batch")
    else:
        checks.require_finite(rows, "batch")
    return rows
