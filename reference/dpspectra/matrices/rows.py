"""Rows made ready for a mechanism, each by itself, so that neighbours stay neighbours (DPS-UNITROWS).

Lengths are summed in an order that is the same for every row, and computed by operations that IEEE 754 defines, so that
a row that stays is the same to the last bit, whatever stands beside it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from dpspectra.ground import checks
from dpspectra.matrices.kinds import SparseMatrix

ROUNDING = 2.0**-52
"""Largest relative error of one operation, in any rounding mode."""
SPARE = 8
"""Operations on a row's length, beyond one for each entry, that its upper bound allows for."""

Floats = NDArray[np.float64]


@overload
def unit_rows(X: ArrayLike) -> Floats: ...
@overload
def unit_rows(X: SparseMatrix) -> sparse.csr_array: ...
def unit_rows(X: ArrayLike | SparseMatrix) -> Floats | sparse.csr_array:
    """Divide each row by its norm; zero rows stay zero (DPS-UNITROWS).

    ``X`` is real ``(n, d)``, an array or a scipy sparse matrix; the result is float64, sparse if ``X`` is. For an
    iterator over chunks of rows write ``map(unit_rows, chunks)``. Each row is a function of the same row alone, so that
    data sets of which one row is replaced, added, removed or zeroed stay such a pair, and every mechanism keeps its
    claim with ``norm_bound=1``, whatever the data: computed norms are at most 1 exactly, and less by ``2 d + 32`` times
    ``2**-52`` at most. No norm bound is needed, and for leading directions none is better (DPS-THRESHOLD). Raises
    ``ValueError`` for what is not rows of finite real numbers.

    >>> unit_rows([[3.0, 4.0], [0.0, 0.0], [1e300, 0.0]]).round(12)
    array([[0.6, 0.8],
           [0. , 0. ],
           [1. , 0. ]])
    """
    return _mapped(X, lambda values, lengths, exponents, spread: values / spread(lengths))


@overload
def clipped_rows(X: ArrayLike, norm_bound: float) -> Floats: ...
@overload
def clipped_rows(X: SparseMatrix, norm_bound: float) -> sparse.csr_array: ...
def clipped_rows(X: ArrayLike | SparseMatrix, norm_bound: float) -> Floats | sparse.csr_array:
    """Shorten each row whose norm exceeds ``norm_bound`` to that norm; other rows stay as they are.

    ``X`` as in `unit_rows`; also a function of each row alone, so that claims hold with this ``norm_bound``, which must
    be public (at least ``2**-900``). The smaller it is, the larger is the signal beside the noise (DPS-THRESHOLD), and
    the more the long rows lose. Rows of norm ``norm_bound``, up to rounding, may become shorter by rounding.

    >>> clipped_rows([[3.0, 4.0], [0.3, 0.4]], 1.0).round(12)
    array([[0.6, 0.8],
           [0.3, 0.4]])
    """
    bound = checks.positive(norm_bound, "norm_bound")

    def clip(values: Floats, lengths: Floats, exponents: NDArray[Any], spread: Callable[..., Any]) -> Floats:
        with np.errstate(over="ignore", under="ignore"):
            short = lengths <= np.ldexp(bound, -exponents)
        shortened = values / spread(lengths) * bound
        return np.where(spread(short), np.ldexp(values, spread(exponents)), shortened)

    return _mapped(X, clip)


def norms(X: Any, start: int = 0) -> Floats:
    """Upper bounds on the norms of rows, hardly larger, each a function of its row alone; ``inf`` above all floats.

    ``X`` as in `unit_rows`; ``start`` is the number of the first row, for messages.
    """
    rows = X if sparse.issparse(X) else checks.real_rows(X, "X", start)
    found: list[Floats] = []

    def measure(values: Floats, lengths: Floats, exponents: NDArray[Any], spread: Callable[..., Any]) -> Floats:
        with np.errstate(over="ignore"):
            found.append(np.ldexp(lengths, exponents))
        return values

    _mapped(rows, measure)
    largest = abs(rows).max(axis=1)
    zero = (largest.toarray().ravel() if sparse.issparse(rows) else largest) == 0
    return np.where(zero, 0.0, found[0])


def _mapped(X: Any, change: Callable[..., Floats]) -> Floats | sparse.csr_array:
    """Apply ``change(values, lengths, exponents, spread)`` to rows, over ``2**exponents`` that leave entries below 1.

    ``lengths`` are upper bounds on their norms (1 for a zero row); ``spread`` repeats a number of each row for its
    entries.
    """
    if not sparse.issparse(X):
        rows = checks.real_rows(X)
        return _changed(rows, rows.shape[1], _largest, _sums, lambda of_rows: of_rows[:, None], change)
    if X.ndim != 2 or 0 in X.shape or X.dtype.kind not in "buif":
        checks.real_rows(np.zeros(X.shape, dtype=X.dtype))
    rows = X.astype(float).tocsr()
    rows.sum_duplicates()
    checks.require_finite(rows.data, "the stored values of X")
    n, d = rows.shape
    place = np.repeat(np.arange(n), np.diff(rows.indptr))
    values = _changed(
        rows.data,
        d,
        lambda _: abs(rows).max(axis=1).toarray().ravel(),
        lambda squares: np.bincount(place, squares, n).astype(float),
        lambda of_rows: of_rows[place],
        change,
    )
    return sparse.csr_array((values, rows.indices, rows.indptr), rows.shape)


def _changed(
    values: Floats,
    d: int,
    largest: Callable[[Floats], Floats],
    sums: Callable[[Floats], Floats],
    spread: Callable[[Any], Any],
    change: Callable[..., Floats],
) -> Floats:
    exponents = np.frexp(largest(values))[1]
    values = np.ldexp(values, -spread(exponents))
    lengths = np.sqrt(sums(values * values)) * (1 + (d + SPARE) * ROUNDING)
    return change(values, np.where(lengths > 0, lengths, 1.0), exponents, spread)


def _largest(values: Floats) -> Floats:
    return np.asarray(np.max(np.abs(values), axis=1))


def _sums(squares: Floats) -> Floats:
    """Sums of rows by halves, in an order that depends on the width alone, not on where in memory a row lies."""
    while squares.shape[1] > 1:
        half = squares.shape[1] // 2
        folded = squares[:, :half] + squares[:, half : 2 * half]
        if squares.shape[1] % 2:
            folded[:, 0] += squares[:, -1]
        squares = folded
    return squares[:, 0]
