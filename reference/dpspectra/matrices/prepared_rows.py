"""Rows made ready for a mechanism, each by itself, so that neighbours stay neighbours (DPS-UNITROWS).

Lengths are summed in an order that is the same for every row, and computed by operations that IEEE 754 defines, so that
a row that stays is the same to the last bit, whatever stands beside it.
"""

from collections.abc import Callable
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from dpspectra.ground import checks
from dpspectra.ground.array_types import Floats
from dpspectra.ground.foreign_code import refusing
from dpspectra.matrices.foreign_data import compressed_rows
from dpspectra.matrices.kinds import SparseMatrix

ROUNDING = 2.0**-52
"""Largest relative error of one operation, in any rounding mode."""
EASY = 2.0**500
"""Bounds between this and its inverse have squares that neither overflow nor lose bits."""
BLOCK = 2**16
"""Numbers of an array that are changed at a time: few enough to stay in the cache."""
CROWDED = 0.5
"""Share of long rows in a block above which it is quicker not to look for them in the next ones."""
POWERS = 1000
"""Largest exponent of a power of two that is taken for a normal number."""
SPARE = 8
"""Operations on a row's length, beyond one for each entry, that its upper bound allows for."""


@overload
def unit_rows(X: ArrayLike) -> Floats: ...
@overload
def unit_rows(X: SparseMatrix) -> sparse.csr_array: ...
def unit_rows(X: ArrayLike | SparseMatrix) -> Floats | sparse.csr_array:
    """Divide each row by its norm; zero rows stay zero (DPS-UNITROWS).

    Each row is a function of the same row alone. So if one row of a data set is replaced, added, removed or zeroed, one
    row of the result is, and every mechanism keeps its claim with ``norm_bound=1``, whatever the data. No norm bound is
    needed, and for leading directions none is better (DPS-THRESHOLD).

    Parameters
    ----------
    X
        Real rows ``(n, d)``: an array, a scipy sparse matrix, or a dask array, which stays one. For an iterator over
        chunks of rows write ``map(unit_rows, chunks)``.

    Returns
    -------
    array or csr_array
        Float64 rows ``(n, d)``, sparse if ``X`` is, and of a dask array not yet computed. Computed norms are at most 1
        exactly, and less by ``2 d + 32``
        times ``2**-52`` at most.

    Raises
    ------
    ValueError
        For anything but rows of finite real numbers.

    Examples
    --------
    >>> unit_rows([[3.0, 4.0], [0.0, 0.0], [1e300, 0.0]]).round(12)
    array([[0.6, 0.8],
           [0. , 0. ],
           [1. , 0. ]])

    """
    if hasattr(X, "dask"):
        return by_blocks(X, unit_rows)
    return _mapped(X, lambda values, lengths, exponents, spread: values / spread(lengths))


@overload
def clipped_rows(X: ArrayLike, norm_bound: float) -> Floats: ...
@overload
def clipped_rows(X: SparseMatrix, norm_bound: float) -> sparse.csr_array: ...
def clipped_rows(X: ArrayLike | SparseMatrix, norm_bound: float) -> Floats | sparse.csr_array:
    """Shorten each row whose norm exceeds ``norm_bound`` to that norm; other rows stay as they are.

    It is a function of each row alone, so claims hold with this ``norm_bound``.

    Parameters
    ----------
    X
        Real rows ``(n, d)`` as in `unit_rows`.
    norm_bound
        Public bound, at least ``2**-900``. The smaller it is, the larger is the signal beside the noise
        (DPS-THRESHOLD), and the more the long rows lose.

    Returns
    -------
    array or csr_array
        Float64 rows ``(n, d)``, sparse if ``X`` is, and of a dask array not yet computed. Rows of norm
        ``norm_bound``, up to rounding, may become shorter by
        rounding.

    Raises
    ------
    ValueError
        For anything but rows of finite real numbers, and for a smaller ``norm_bound``.

    Examples
    --------
    >>> clipped_rows([[3.0, 4.0], [0.3, 0.4]], 1.0).round(12)
    array([[0.6, 0.8],
           [0.3, 0.4]])

    """
    bound = checks.positive(norm_bound, "norm_bound")
    if hasattr(X, "dask"):
        return by_blocks(X, lambda block: clipped_rows(block, bound))

    def clip(values: Floats, lengths: Floats, exponents: NDArray[Any], spread: Callable[..., Any]) -> Floats:
        with np.errstate(over="ignore", under="ignore"):
            short = lengths <= np.ldexp(bound, -exponents)
        shortened = values / spread(lengths)
        shortened *= bound
        return np.where(spread(short), _times_power(values, exponents, spread), shortened) if short.any() else shortened

    return _mapped(X, clip, bound if 1 / EASY < bound < EASY else None)


def by_blocks(X: Any, change: Callable[[Any], Any]) -> Any:
    """Return a dask array whose rows are changed when they are computed, block by block where they lie."""
    if len(X.shape) != 2 or X.shape[1] == 0:
        raise ValueError(f"X must be a (n, d) array and not empty, got shape {X.shape}")

    def changed(block: Any) -> Any:
        return refusing(change, block) if len(block) else np.asarray(block, dtype=float)

    rows = X if hasattr(X, "rechunk") else X.to_dask_array()
    return rows.rechunk({1: -1}).map_blocks(changed, dtype=float, meta=np.empty((0, 0)))


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
    return np.where(zero, 0.0, np.concatenate(found))


def _mapped(X: Any, change: Callable[..., Floats], bound: float | None = None) -> Floats | sparse.csr_array:
    """Apply ``change(values, lengths, exponents, spread)`` to rows, over ``2**exponents``.

    The exponents are 0 where the sum of squares loses no bits; else they leave entries below 1. Each is of its own row.
    ``lengths`` are upper bounds on their norms (1 for a zero row); ``spread`` repeats a number of each row for its
    entries. With a ``bound``, rows that are surely shorter stay as they are.
    """
    if sparse.issparse(X):
        return _sparse(X, change, bound)
    rows = checks.plain(X, "X")
    if rows.ndim != 2 or not rows.size or rows.dtype.kind not in "buif":
        checks.real_rows(rows)
    out, step, crowded = np.empty(rows.shape), max(1, BLOCK // rows.shape[1]), False
    for first in range(0, len(rows), step):
        block = checks.real_rows(rows[first : first + step], "X", first)
        long = crowded or _perhaps_long(lambda x: np.einsum("ij,ij->i", x, x), block, rows.shape[1], bound)
        crowded = bool(np.mean(long) > CROWDED)
        if np.all(long):
            block = _dense(block, change)
        elif np.any(long):
            block[long] = _dense(block[long], change)
        out[first : first + step] = block
    return out


def _dense(rows: Floats, change: Callable[..., Floats]) -> Floats:
    return _changed(rows, rows.shape[1], _largest, _sums, lambda of_rows: of_rows[:, None], change)


def _sparse(X: Any, change: Callable[..., Floats], bound: float | None) -> sparse.csr_array:
    if 0 in X.shape:
        checks.real_rows(np.zeros(X.shape, dtype=X.dtype))
    rows = compressed_rows(X, "X")
    checks.require_finite(rows.data, "the stored values of X")
    n, d = rows.shape
    place = np.repeat(np.arange(n), np.diff(rows.indptr))
    long = np.broadcast_to(_perhaps_long(lambda x: np.bincount(place, x * x, n), rows.data, d, bound), n)
    some = rows if long.all() else rows[long]
    at = np.repeat(np.arange(some.shape[0]), np.diff(some.indptr))
    values = _changed(
        some.data,
        d,
        lambda _: abs(some).max(axis=1).toarray().ravel(),
        lambda squares: sums_by_halves(squares, at, some.indices, some.shape),
        lambda of_rows: of_rows[at],
        change,
    )
    data = rows.data.copy()
    data[long[place]] = values
    return sparse.csr_array((data, rows.indices, rows.indptr), rows.shape)


def _perhaps_long(squares: Callable[[Floats], Any], values: Floats, d: int, bound: float | None) -> Any:
    """Which rows are not surely within a bound, up to more than the rounding of squared norms; all without a bound."""
    if bound is None:
        return True
    with np.errstate(over="ignore"):
        return ~(squares(values) <= (bound * (1 - (d + 64) * 2.0**-50)) ** 2)


def _changed(
    values: Floats,
    d: int,
    largest: Callable[[Floats], Floats],
    sums: Callable[[Floats], Floats],
    spread: Callable[[Any], Any],
    change: Callable[..., Floats],
) -> Floats:
    with np.errstate(over="ignore", under="ignore"):
        squares = sums(values * values)
    usual = (squares >= 1 / EASY) & (squares <= EASY)
    if usual.all():
        exponents = np.zeros(len(squares), dtype=np.int64)
    else:
        exponents = np.where(usual, 0, np.frexp(largest(values))[1])
        values = _times_power(values, -exponents, spread)
        squares = sums(values * values)
    lengths = np.sqrt(squares) * (1 + (d + SPARE) * ROUNDING)
    return change(values, np.where(lengths > 0, lengths, 1.0), exponents, spread)


def _times_power(values: Floats, exponents: NDArray[Any], spread: Callable[[Any], Any]) -> Floats:
    """Return values times powers of two, one for each row; a product is rounded as ``ldexp`` rounds, and is quicker."""
    if not exponents.any():
        return values
    if np.all(np.abs(exponents) <= POWERS):
        return values * spread(np.ldexp(1.0, exponents))
    return np.ldexp(values, spread(exponents))


def _largest(values: Floats) -> Floats:
    return np.asarray(np.max(np.abs(values), axis=1))


def _sums(squares: Floats) -> Floats:
    """Return sums of rows by halves, in an order that depends on the width alone, not on where in memory a row lies."""
    while squares.shape[1] > 1:
        half = squares.shape[1] // 2
        folded = squares[:, :half] + squares[:, half : 2 * half]
        if squares.shape[1] % 2:
            folded[:, 0] += squares[:, -1]
        squares = folded
    return squares[:, 0]


def sums_by_halves(squares: Floats, place: NDArray[Any], columns: NDArray[Any], shape: tuple[int, int]) -> Floats:
    """Return sums of entries by compressed rows, in the very order in which `_sums` adds those of dense rows.

    Where two columns are added is told by their codes: two bits for each halving, the last one first, say whether a
    column is in the first half, in the second, or the odd one at the end. Columns whose codes differ last in some bit
    are together after that step, and zeros change no sum. So entries are sorted by code, and neighbours are merged step
    by step.
    """
    codes = _codes(shape[1])[columns]
    order = np.lexsort((codes, place))
    values, codes, place = squares[order], codes[order], place[order]
    begins, ends = np.arange(len(values)), np.arange(len(values))  # of the run that an entry is the last, the first of
    steps = np.where(place[1:] == place[:-1], _bit_length(codes[1:] ^ codes[:-1]), 0)
    merges = np.argsort(steps, kind="stable")
    for merge in np.split(merges, np.flatnonzero(np.diff(steps[merges])) + 1):
        if not len(merge) or not steps[merge[0]]:
            continue
        first, last = begins[merge], ends[merge + 1]
        values[first] += values[merge + 1]
        begins[last], ends[first] = first, last
    heads = np.flatnonzero(np.diff(place, prepend=-1))
    sums = np.zeros(shape[0])
    sums[place[heads]] = values[heads]
    return sums


def _codes(d: int) -> NDArray[np.int64]:
    codes, at, step = np.zeros(d, dtype=np.int64), np.arange(d), 0
    while d > 1:
        half = d // 2
        digit = at // half if half else at
        codes |= digit << step
        at, d, step = np.where(digit < 2, at % half, 0), half, step + 2
    return codes


def _bit_length(x: NDArray[np.int64]) -> NDArray[Any]:
    high = x >> 32
    return np.asarray(np.where(high, 32 + np.frexp(high)[1], np.frexp(x & (2**32 - 1))[1]))
