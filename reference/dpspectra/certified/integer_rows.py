"""Rows as integers: each is moved onto a public grid, and stays in the ball that calibrates the noise (DPS-QUANTISER).

The unit is ``2**-p`` with ``norm_bound * 2**p <= 2**20``. Scaling by it is exact, sums of squares are integers below
``2**53`` wherever a decision depends on them, and the square of the bound is a fraction; so all decisions are exact.

Do not change lightly: `BITS` fixes the grid of the rows, on which the proofs of exact sums and the bits of all
certified releases depend.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.ground import checks
from dpspectra.matrices.kinds import is_sparse
from dpspectra.matrices.reading_rule import Reading
from dpspectra.matrices.sums_over_chunks import Block

BITS = 20
"""Base-2 logarithm of the largest norm of a row, in units of the grid."""
EXTREME = 900
"""Base-2 logarithm of the largest bound, and minus that of the smallest: no scale overflows or is subnormal."""


def exponent(norm_bound: float) -> int:
    """Return the largest ``p`` with ``norm_bound * 2**p <= 2**20``: rows are stored in units of ``2**-p``.

    Raises ``ValueError`` unless ``2**-900 < norm_bound < 2**900``.
    """
    bound = checks.positive(norm_bound, "norm_bound")
    if not math.ldexp(1.0, -EXTREME) < bound < math.ldexp(1.0, EXTREME):
        raise ValueError(f"norm_bound must lie between 2**-{EXTREME} and 2**{EXTREME}, got {bound:g}")
    mantissa, e = math.frexp(bound)
    return BITS + (mantissa == 0.5) - e


def quantised(rows: NDArray[Any], norm_bound: float, p: int, name: str = "X", start: int = 0) -> NDArray[np.float64]:
    """Real ``(n, d)`` rows as integers (in float64) in units of ``2**-p``, where ``p = exponent(norm_bound)``.

    Entries go to the nearest integer, in rows that would leave the ball of radius ``norm_bound * 2**p`` toward zero. So
    each integer row lies in this ball, exactly, and depends on the same row of ``rows`` only. A row that is over the
    bound by rounding (relative 1e-12) comes one unit nearer to zero in each entry. Entries that are not float64 are
    rounded to it first. Raises ``ValueError`` for a row that is still farther outside, or not finite; the error names
    the row, counted from ``start``, and no number of it.
    """
    with np.errstate(over="ignore"):
        scaled = np.multiply(rows, math.ldexp(1.0, p), dtype=np.float64)
    return _inside(
        scaled,
        Fraction(norm_bound) ** 2 * Fraction(4) ** p,
        lambda values: np.einsum("ij,ij->i", values, values),
        lambda of_rows: of_rows[:, None],
        lambda place: _refusal(rows[place : place + 1], norm_bound, name, start + place),
    )


def integers(block: Block, reading: Reading, p: int, name: str = "X", start: int = 0) -> Any:
    """Return the integers of a block of rows by the whole rule: `Reading.changed`, then `quantised`.

    They are float64 for an array, an int64 matrix for compressed rows. ``p`` and errors are those of `quantised`.
    """
    rows = reading.prepared(block.rows, name, start, block.counts)
    if is_sparse(rows):
        return quantised_sparse(reading.fitted(rows), reading.norm_bound, p, name, start)
    if reading.rows == "clip":
        return _clipped(rows, reading, p, name, start)
    return quantised(reading.fitted(rows), reading.norm_bound, p, name, start)


def _clipped(rows: NDArray[np.float64], reading: Reading, p: int, name: str, start: int) -> NDArray[np.float64]:
    """Return the integers of prepared rows; those that may be long are clipped.

    Integers of norm at most ``R`` are of a row of norm at most ``R + sqrt(d) / 2`` units. `clipped_rows` leaves what is
    below its bound by a relative ``(d + 64) 2**-50``, and `quantised` then takes the nearest integers, as here.
    """
    d = rows.shape[1]
    with np.errstate(all="ignore"):
        whole = np.multiply(rows, math.ldexp(1.0, p))
        np.rint(whole, out=whole)
        squares = np.einsum("ij,ij->i", whole, whole)
    sure = math.ldexp(reading.norm_bound, p) * (1 - (d + 64) * 2.0**-50) - math.sqrt(d) / 2
    unsure = ~(squares <= max(sure, 0.0) ** 2)
    if unsure.any():
        whole[unsure] = quantised(reading.fitted(rows[unsure]), reading.norm_bound, p, name, start)
    return whole


def quantised_sparse(rows: Any, norm_bound: float, p: int, name: str = "X", start: int = 0) -> Any:
    """Return what `quantised` gives for a float64 matrix by compressed rows without duplicates, as an int64 matrix."""
    from scipy import sparse  # loaded by whoever has such rows

    lengths, ones = np.diff(rows.indptr), np.ones(rows.shape[1])
    with np.errstate(over="ignore"):
        scaled = rows.data * math.ldexp(1.0, p)
    values = _inside(
        scaled,
        Fraction(norm_bound) ** 2 * Fraction(4) ** p,
        lambda values: sparse.csr_array((values * values, rows.indices, rows.indptr), rows.shape) @ ones,
        lambda of_rows: np.repeat(of_rows, lengths),
        lambda place: _refusal(rows[[place]].toarray(), norm_bound, name, start + place),
    )
    return sparse.csr_array((values.astype(np.int64), rows.indices, rows.indptr), rows.shape)


def _inside(
    scaled: NDArray[np.float64],
    square: Fraction,
    squared_norms: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    spread: Callable[[NDArray[np.bool_]], NDArray[np.bool_]],
    refusal: Callable[[int], ValueError],
) -> NDArray[np.float64]:
    """Integers near ``scaled`` (overwritten), of squared norm at most ``square`` in each row.

    How rows lie in the array is known to ``squared_norms`` alone, and to ``spread``, which repeats a number of each row
    for its entries.
    """
    limit = math.floor(square)
    with np.errstate(over="ignore", invalid="ignore"):
        whole = np.rint(scaled)
        over = ~(squared_norms(whole) <= limit)  # also where it is not a number
        if not over.any():
            return whole
        np.copyto(whole, np.trunc(scaled, out=scaled), where=spread(over))
        squares = squared_norms(whole)
    over = ~(squares <= limit)
    if over.any():
        refused = over & ~(squares <= math.floor(square * Fraction(1 + checks.RELATIVE_ROUNDING) ** 2))
        if refused.any():
            raise refusal(int(np.argmax(refused)))
        # The excess is at most 3 of about 2**40, and the step takes away at least the norm, about 2**20.
        np.copyto(whole, whole - np.sign(whole), where=spread(over))
    return whole


def _refusal(row: NDArray[Any], norm_bound: float, name: str, place: int) -> ValueError:
    checks.real_rows(row, name, place, instead=checks.ZERO_ROWS)
    return checks.too_long(norm_bound, name, place)
