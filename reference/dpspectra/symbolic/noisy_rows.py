"""Rows of numbers that hold noise: their coefficients as a sparse matrix, and what they are at given draws."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from dpspectra.ground.array_types import Floats
from dpspectra.symbolic.tape import Block, Rows, Tape


class Store:
    """Flat numbers of one tape: locations ``(n,)``, and ``k`` slots ``(k, n)`` of draws with their coefficients."""

    __slots__ = ("coefficient", "draw", "mu", "scalars", "tape")

    def __init__(self, tape: Tape, mu: Floats, draw: NDArray[np.int64], coefficient: Floats) -> None:
        self.tape, self.mu, self.draw, self.coefficient = tape, mu, draw, coefficient
        self.scalars: list[Any] = []
        """Weak references to single numbers that were taken out, which a write into an array must not change."""

    def widen(self, slots: int) -> None:
        """Make room for so many slots."""
        more = slots - len(self.draw)
        if more > 0:
            self.draw = np.concatenate([self.draw, np.zeros((more, len(self.mu)), dtype=np.int64)])
            self.coefficient = np.concatenate([self.coefficient, np.zeros((more, len(self.mu)))])


def matrix(rows: Rows, draws: int) -> sparse.csr_array:
    """Coefficients of rows, one column a draw; draws that cancel are gone."""
    n = len(rows)
    numbers = np.broadcast_to(np.arange(n), rows.draw.shape)
    kept = rows.coefficient != 0
    found = sparse.csr_array((rows.coefficient[kept], (numbers[kept], rows.draw[kept])), shape=(n, draws))
    found.eliminate_zeros()
    return found


def noisy_rows(rows: Rows, draws: int) -> NDArray[np.bool_]:
    """Which rows hold noise."""
    used = rows.coefficient != 0
    if len(rows.draw) <= 1 or (len(rows) == 1 and len(set(rows.draw[used].tolist())) == np.count_nonzero(used)):
        return np.any(used, axis=0)  # no draw occurs twice, so that none cancels
    return np.diff(matrix(rows, draws).indptr) > 0


def of_each_draw(blocks: Sequence[Block], fact: Callable[[Block], bool]) -> NDArray[np.bool_]:
    """Return a fact of blocks for each of their draws, in order."""
    return np.concatenate([np.zeros(0, dtype=bool), *(np.full(len(b.values), fact(b)) for b in blocks)])


def is_discrete(tape: Tape, rows: Rows) -> bool:
    """Whether any of the rows holds a draw of whole numbers, which may tie with others."""
    return bool(np.any(of_each_draw(tape.blocks, lambda b: b.law.discrete)[rows.draw[rows.coefficient != 0]]))


def picked(rows: Rows, which: Any) -> Rows:
    """Return some of the rows."""
    return Rows(rows.mu[which], rows.draw[:, which], rows.coefficient[:, which])


def joined(several: Sequence[Rows]) -> Rows:
    """Rows one after another."""
    if len(several) == 1:
        return several[0]
    slots, numbers = max(len(r.draw) for r in several), sum(len(r) for r in several)
    draw, coefficient = np.zeros((slots, numbers), dtype=np.int64), np.zeros((slots, numbers))
    start = 0
    for r in several:
        mine = slice(start, start + len(r))
        draw[: len(r.draw), mine], coefficient[: len(r.draw), mine] = r.draw, r.coefficient
        start = mine.stop
    return Rows(np.concatenate([r.mu for r in several]), draw, coefficient)


def evaluated(rows: Rows, omega: Floats) -> Floats:
    """Return the numbers that rows are at given draws."""
    return rows.mu + (rows.coefficient * omega[rows.draw]).sum(axis=0) if rows.draw.size else rows.mu.copy()
