"""Numbers as statistics see them: finite, of moderate size, and rounded to a grid for each coordinate."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.audit.reading.as_floats import EXACT
from dpspectra.audit.reading.labels import NOTHING, label
from dpspectra.ground.array_types import Bits

LARGEST_NUMBER = 1e150
"""Size at which numbers are clipped, so that squares stay finite."""

FINEST = 44
"""Binary digits of the size of numbers below which no difference is looked at."""

USUAL = np.array(np.nan).view(np.uint64)
"""Bits of the usual NaN."""


def constant(label: int, n: int) -> Bits:
    """Return a column of one label; it takes no memory, and cannot be written to."""
    return np.ndarray((n,), np.uint64, np.uint64(label).tobytes(), strides=(0,))


def within(numbers: NDArray[np.floating[Any]], limit: float) -> bool:
    """Whether all numbers are finite and none exceeds the limit in size."""
    return numbers.size == 0 or bool(-limit <= np.min(numbers) and np.max(numbers) <= limit)


def tamed(stack: NDArray[Any]) -> tuple[NDArray[Any], Bits]:
    """Numbers with NaN as 0 and infinities clipped, and for each row a label of which they were."""
    pattern = constant(NOTHING, len(stack))
    flat = np.ascontiguousarray(stack).reshape(len(stack), -1)
    real = flat.view(float) if flat.dtype.kind == "c" else flat
    if not within(real, LARGEST_NUMBER):
        pattern = pattern.copy()
        for i in np.flatnonzero(~np.isfinite(real).all(axis=1)).tolist():
            codes = np.select([np.isnan(real[i]), real[i] == np.inf, real[i] == -np.inf], [1, 2, 3], 0)
            shown = " ".join(("finite", "nan", "inf", "-inf")[code] for code in codes[:8])
            data = codes.astype(np.uint8).tobytes()
            payloads = real[i][codes == 1].view(np.uint64)
            if np.any(payloads != USUAL):
                data += payloads.tobytes()
                shown += f" with {payloads[0]:x}"
            pattern[i] = label(data, shown)
        real = np.clip(np.where(np.isnan(real), 0.0, real), -LARGEST_NUMBER, LARGEST_NUMBER)
    return (real.view(complex) if flat.dtype.kind == "c" else real).reshape(stack.shape), pattern


def grid_of(stack: NDArray[Any], snap: int) -> NDArray[np.float64]:
    """Step to which each coordinate is rounded (`steps_of`).

    Of a square matrix the two coordinates across the diagonal have one step, which keeps symmetric ones symmetric.
    """
    flat = stack.reshape(len(stack), -1)
    parts = [flat.real, flat.imag] if flat.dtype.kind == "c" else [flat]
    grid = np.asarray(steps_of(parts, snap).reshape(stack.shape[1:]))
    square = grid.ndim == 2 and grid.shape[0] == grid.shape[1]
    return np.minimum(grid, grid.T) if square else grid


def steps_of(parts: Sequence[NDArray[np.float64]], snap: int) -> NDArray[np.float64]:
    """Step of each column, of real numbers or of their real and imaginary parts: ``2**-snap`` of their spread.

    It is at least ``2**-FINEST`` of their size, as smaller differences may be the rounding of sums, and at most 1 if
    all are whole numbers. The spread is no more than the size: the middle modulus of what is not 0, 1 if all is.
    """
    known = [np.clip(np.where(np.isfinite(part), part, np.nan), -LARGEST_NUMBER, LARGEST_NUMBER) for part in parts]
    size = _middle(np.abs(known[0]) if len(known) == 1 else np.hypot(known[0], known[1]), 1.0)
    spread = np.max([4 * _gap(part) for part in known], axis=0)
    finest = np.frexp(size)[1] - FINEST
    power = np.where(spread > 0, np.maximum(np.frexp(np.minimum(spread, size))[1] - snap, finest), finest)
    whole = np.all([_whole(part) for part in known], axis=0)
    return np.ldexp(1.0, np.maximum(np.where(whole, np.minimum(power, 0), power), -1000))


def _middle(columns: NDArray[np.float64], missing: float) -> NDArray[np.float64]:
    """Return the middle one of the numbers of each column that are not 0 or NaN; ``missing`` if there is none."""
    there = columns > 0
    ordered = np.sort(np.where(there, columns, np.inf), axis=0)
    count = there.sum(axis=0)
    found = np.take_along_axis(ordered, np.minimum(count // 2, len(columns) - 1)[None], axis=0)[0]
    return np.where(count > 0, found, missing)


def _gap(columns: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the middle distance of numbers of a column between which an eighth of them lie, so that clusters count."""
    ordered = np.sort(columns, axis=0)  # what is missing comes last
    if len(ordered) < 2:
        return np.zeros(columns.shape[1:])
    far = _middle(ordered[(lag := max(1, len(ordered) // 8)) :] - ordered[:-lag], 0.0)
    return np.where(far > 0, far, _middle(ordered[1:] - ordered[:-1], 0.0))


def _whole(columns: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which columns hold whole numbers alone, most of them below `EXACT`: beyond it all float64 numbers are whole."""
    there = ~np.isnan(columns)
    exact = (np.abs(columns) <= EXACT).sum(axis=0)
    return np.asarray(np.all(~there | (columns == np.rint(columns)), axis=0) & (2 * exact >= there.sum(axis=0)))


def snapped(stack: NDArray[Any], grid: NDArray[np.float64] | None) -> NDArray[Any]:
    """Round to multiples of a power of two. A number too large to have digits below it is on the grid already."""
    if grid is None:
        return stack
    if stack.dtype.kind == "c":
        return snapped(stack.real, grid) + 1j * snapped(stack.imag, grid)
    with np.errstate(over="ignore", invalid="ignore"):  # of NaN that signals
        steps = stack * (1 / grid)  # powers of two
        if within(steps, 2.0**52):
            np.rint(steps, out=steps)
            steps *= grid
            steps += 0.0  # one zero
            return steps
        return np.where(np.abs(steps) <= 2.0**52, np.rint(steps) * grid + 0.0, stack)


def words(stack: NDArray[Any]) -> NDArray[np.uint64]:
    """Return the bits of the numbers of each row; shape ``(n, words)``."""
    return np.ascontiguousarray(stack).reshape(len(stack), int(np.prod(stack.shape[1:]))).view(np.uint64)


def mixed(columns: Sequence[Bits]) -> Bits:
    """Return a hash of each row of labels."""
    mixed = np.zeros(len(columns[0]), dtype=np.uint64)
    for column in columns:
        mixed = (mixed ^ (mixed >> np.uint64(29))) * np.uint64(0x9E3779B97F4A7C15) + column
    return mixed
