"""Tall blocks of columns, gone through a few rows at a time: quick, and nothing of their size is allocated."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from dpspectra.ground.array_types import Array

Key = NDArray[np.uint32]
PIECE = 2**16
"""Numbers in a piece: 512 KiB, so that what is done with a piece finds it in the second cache."""
ONE_THREAD = 2**18
"""Multiplications up to which OpenBLAS keeps a product on one thread; on blocks this thin two take twice the time."""
SHORT = 64
"""Rows of the shortest piece: below that, calls cost more than the work."""


def pieces(block: Array, *, products: bool = False) -> Iterator[slice]:
    """Slices of rows that make up a block ``(d, p)``; with ``products``, short ones, to be multiplied by matrices."""
    p = block.shape[1]
    rows = max(1, PIECE // p)
    if products:
        rows = min(rows, max(SHORT, ONE_THREAD // p**2))
    return (slice(first, first + rows) for first in range(0, len(block), rows))


def add_noise(block: Array, scale: float, rng: np.random.Generator, *, laplace: bool = False) -> Array:
    """Add normal or Laplace noise to a ``block`` in place, and return it.

    ``scale`` is the standard deviation of normal noise, the scale of Laplace noise. It is drawn in float64, row by row
    of the block, whatever the block's type.
    """
    buffer = np.empty((min(len(block), max(1, PIECE // block.shape[1])), block.shape[1]))
    for part in pieces(block):
        target = block[part]
        noise = buffer[: len(target)]
        if laplace:
            noise[:] = rng.laplace(size=noise.shape)
        else:
            _fill_normal(noise, rng)
        noise *= scale
        target += noise
    return block


def key_of(rng: np.random.Generator) -> Key:
    """Draw what numbers the streams of one run."""
    return rng.integers(2**32, size=4, dtype=np.uint32)


def stream(key: Key, number: int) -> np.random.Generator:
    """Return the generator of this number, the same each time."""
    return np.random.Generator(np.random.SFC64([*key, number]))


def _fill_normal(out: NDArray[np.float64], rng: np.random.Generator) -> None:
    """Overwrite a contiguous array by independent standard normal numbers, twice as fast as numpy draws them.

    Polar coordinates of pairs: a squared length that is exponential of mean 2, and an angle ``2 a`` with ``a`` uniform
    between ``-pi/2`` and ``pi/2``, whose cosine and sine are ``2 / (1 + t^2) - 1`` and ``2 t / (1 + t^2)``,
    ``t = tan a``: functions that numpy runs on whole vectors. In place, as fresh memory would cost more than they do.
    """
    numbers = out.reshape(-1)
    half = numbers.size // 2
    length, tangent = numbers[:half], numbers[half : 2 * half]
    rng.random(out=numbers)
    np.log(np.subtract(1, length, out=length), out=length)
    np.sqrt(np.multiply(length, -2, out=length), out=length)
    tangent -= 0.5
    np.tan(np.multiply(tangent, np.pi, out=tangent), out=tangent)
    twice = tangent * tangent
    twice += 1
    np.divide(length, twice, out=twice)
    twice *= 2
    tangent *= twice
    np.subtract(twice, length, out=length)
    if numbers.size % 2:
        numbers[-1] = rng.standard_normal()


def gram(x: Array) -> NDArray[np.float64]:
    """``X'X`` in float64."""
    total = np.zeros((x.shape[1], x.shape[1]))
    for part in pieces(x, products=True):
        piece = x[part].astype(np.float64, copy=False)
        total += piece.T @ piece
    return total


def largest_rows(x: Array, *, l1: bool = False) -> NDArray[np.float64]:
    """Return the two largest squared norms of rows, or l1 norms, in float64; one if there is one row."""
    sizes, ones = np.empty(len(x)), np.ones(x.shape[1])
    for part in pieces(x):
        piece = x[part].astype(np.float64, copy=False)
        sizes[part] = (np.abs(piece) if l1 else piece * piece) @ ones
    return np.partition(sizes, -2)[-2:] if len(x) > 1 else sizes


def largest_entry(x: Array) -> float:
    """Largest modulus of an entry."""
    return max(float(np.max(x)), -float(np.min(x)))
