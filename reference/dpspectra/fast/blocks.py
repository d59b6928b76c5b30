"""Tall blocks of columns, gone through a few rows at a time: quick, and nothing of their size is allocated."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.fast.linalg import Real

Block = NDArray[Any]
PIECE = 2**18
"""Numbers in a piece: 2 MiB, little beside the caches, and much beside the start of a matrix product on threads."""


def pieces(block: Block) -> Iterator[slice]:
    """Slices of rows that make up a block ``(d, p)``."""
    rows = max(1, PIECE // block.shape[1])
    return (slice(first, first + rows) for first in range(0, len(block), rows))


def add_noise(block: Block, scale: float, rng: np.random.Generator, *, laplace: bool = False) -> Block:
    """Add noise of deviation ``scale`` (normal) or scale ``scale`` (Laplace) to a ``block`` in place, and return it.

    It is drawn in float64, row by row of the block, whatever the block's type.
    """
    buffer = np.empty((min(len(block), max(1, PIECE // block.shape[1])), block.shape[1]))
    for part in pieces(block):
        target = block[part]
        noise = buffer[: len(target)]
        if laplace:
            noise[:] = rng.laplace(size=noise.shape)
        else:
            rng.standard_normal(out=noise)
        noise *= scale
        target += noise
    return block


def gram(x: Block) -> Real:
    """``X'X`` in float64."""
    total = np.zeros((x.shape[1], x.shape[1]))
    for part in pieces(x):
        piece = x[part].astype(np.float64, copy=False)
        total += piece.T @ piece
    return total


def largest_rows(x: Block, *, l1: bool = False) -> Real:
    """The two largest squared norms of rows, or l1 norms, in float64; one if there is one row."""
    sizes, ones = np.empty(len(x)), np.ones(x.shape[1])
    for part in pieces(x):
        piece = x[part].astype(np.float64, copy=False)
        sizes[part] = (np.abs(piece) if l1 else piece * piece) @ ones
    return np.partition(sizes, -2)[-2:] if len(x) > 1 else sizes


def largest_entry(x: Block) -> float:
    """Largest modulus of an entry."""
    return max(float(np.max(x)), -float(np.min(x)))
