"""Numbers as statistics see them: finite, of moderate size, and rounded to a grid for each coordinate."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.audit.reading.labels import NOTHING, label

LARGEST_NUMBER = 1e150
"""Size at which numbers are clipped, so that squares stay finite."""

Labels = NDArray[np.uint64]


def constant(label: int, n: int) -> Labels:
    """Return a column of one label; it takes no memory, and cannot be written to."""
    return np.ndarray((n,), np.uint64, np.uint64(label).tobytes(), strides=(0,))


def within(numbers: NDArray[np.floating[Any]], limit: float) -> bool:
    """Whether all numbers are finite and none exceeds the limit in size."""
    return numbers.size == 0 or bool(-limit <= np.min(numbers) and np.max(numbers) <= limit)


def tamed(stack: NDArray[Any]) -> tuple[NDArray[Any], Labels]:
    """Numbers with NaN as 0 and infinities clipped, and for each row a label of which they were."""
    pattern = constant(NOTHING, len(stack))
    flat = np.ascontiguousarray(stack).reshape(len(stack), -1)
    real = flat.view(float) if flat.dtype.kind == "c" else flat
    if not within(real, LARGEST_NUMBER):
        pattern = pattern.copy()
        for i in np.flatnonzero(~np.isfinite(real).all(axis=1)).tolist():
            codes = np.select([np.isnan(real[i]), real[i] == np.inf, real[i] == -np.inf], [1, 2, 3], 0)
            shown = " ".join(("finite", "nan", "inf", "-inf")[code] for code in codes[:8])
            pattern[i] = label(codes.astype(np.uint8).tobytes(), shown)
        real = np.clip(np.where(np.isnan(real), 0.0, real), -LARGEST_NUMBER, LARGEST_NUMBER)
    return (real.view(complex) if flat.dtype.kind == "c" else real).reshape(stack.shape), pattern


def grid_of(stack: NDArray[Any], snap: int) -> NDArray[np.float64]:
    """``2**-snap`` of the scale of each coordinate: the median modulus of its nonzero numbers, 1 if there are none.

    Of a square matrix the two coordinates across the diagonal have one step, which keeps symmetric ones symmetric.
    """
    size = np.abs(stack)
    with np.errstate(all="ignore"):
        scale = np.array([np.median(c[c > 0]) if np.any(c > 0) else 1.0 for c in size.reshape(len(size), -1).T])
    grid = np.ldexp(1.0, np.maximum(np.frexp(scale)[1] - snap, -1000)).reshape(stack.shape[1:])
    square = grid.ndim == 2 and grid.shape[0] == grid.shape[1]
    return np.minimum(grid, grid.T) if square else grid


def snapped(stack: NDArray[Any], grid: NDArray[np.float64] | None) -> NDArray[Any]:
    """Round to multiples of a power of two. A number too large to have digits below it is on the grid already."""
    if grid is None:
        return stack
    if stack.dtype.kind == "c":
        return snapped(stack.real, grid) + 1j * snapped(stack.imag, grid)
    with np.errstate(over="ignore"):
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


def mixed(columns: Sequence[Labels]) -> Labels:
    """Return a hash of each row of labels."""
    mixed = np.zeros(len(columns[0]), dtype=np.uint64)
    for column in columns:
        mixed = (mixed ^ (mixed >> np.uint64(29))) * np.uint64(0x9E3779B97F4A7C15) + column
    return mixed
