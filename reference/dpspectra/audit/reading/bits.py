"""Columns on the bits of float64 numbers, for audits that look at all bits of an output.

Every float64 number but 0 is an odd multiple of a power of two, that of its *least set bit*. A number lies on the grid
of multiples of ``2**-k`` exactly if this exponent is ``-k`` or more, so that one column tests all dyadic grids at once.
Noise that is added in floating point leaves numbers whose least set bits depend on what it was added to.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

ENTRIES = 64
"""Largest count of numbers of one output that are looked at one by one."""
ZERO = 2000.0
"""Stands for the exponent of the least set bit of 0, a multiple of every power of two."""

Column = NDArray[np.floating[Any]]


def least_set_bit(x: Column) -> Column:
    """Exponent ``e`` such that ``x`` is an odd multiple of ``2**e``; `ZERO` for 0, NaN unless it is finite."""
    words = np.ascontiguousarray(x).view(np.int64)
    exponent = words >> 52 & 0x7FF
    mantissa = words & (1 << 52) - 1 | np.where(exponent > 0, 1 << 52, 0)
    place = np.log2(np.maximum(mantissa & -mantissa, 1).astype(float))  # exact, of a power of two
    found = np.where(mantissa == 0, ZERO, place + np.maximum(exponent, 1) - 1075)
    return np.where(exponent == 0x7FF, np.nan, found)


def columns(x: NDArray[Any]) -> dict[str, Callable[[], Column]]:
    """Functions that compute the columns of outputs ``(n, *shape)`` as they came, by name."""
    flat = np.ascontiguousarray(x).reshape(len(x), int(np.prod(x.shape[1:])))
    flat = flat.view(np.float64)  # of a complex number, its two parts
    found: dict[str, Callable[[], Column]] = {
        "lowest of the least set bits": lambda: np.fmin.reduce(least_set_bit(flat), axis=1),
        "highest of the least set bits": lambda: np.fmax.reduce(least_set_bit(flat), axis=1),
    }
    if flat.shape[1] <= ENTRIES:
        for j, column in enumerate(flat.T):
            found[f"least set bit of number {j}"] = partial(least_set_bit, column)
            found[f"trailing zeros of number {j}"] = partial(_trailing_zeros, column)
            found[f"sign of number {j} where it is 0 or NaN"] = partial(_hidden_sign, column)
            found[f"payload of number {j} where it is NaN"] = partial(_payload, column)
    if x.ndim == 3 and x.shape[1] == x.shape[2] > 1:
        found["exponent of the relative asymmetry"] = lambda: _asymmetry(x)
    return found


def _trailing_zeros(x: Column) -> Column:
    """Zero bits below the least set bit, among the 53 of a number of this size."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return least_set_bit(x) - (np.frexp(x)[1] - 53)


def _hidden_sign(x: Column) -> Column:
    """Sign of zeros and NaN, twice that of the latter; 0 for other numbers."""
    sign = np.where(np.signbit(x), -1.0, 1.0)
    return np.where(np.isnan(x), 2 * sign, np.where(x == 0, sign, 0.0))


def _payload(x: Column) -> Column:
    """Return the last 52 bits of NaN; NaN for numbers."""
    words = np.ascontiguousarray(x).view(np.int64) & (1 << 52) - 1
    return np.where(np.isnan(x), words.astype(float), np.nan)


def _asymmetry(x: NDArray[Any]) -> Column:
    """Binary exponent of the largest difference from the adjoint, relative to the largest number; `ZERO` less if 0."""
    gap = np.max(np.abs(x - np.conj(np.swapaxes(x, 1, 2))), axis=(1, 2)) / np.max(np.abs(x), axis=(1, 2))
    return np.where(gap > 0, np.log2(np.where(gap > 0, gap, 1.0)), -ZERO)
