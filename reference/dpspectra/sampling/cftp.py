"""The linear exponential law on Gelfand-Tsetlin patterns by coupling from the past: any spectrum, temperature and ties.

Given its neighbours a cell ``(r, j)`` of the pattern has density proportional to ``exp(rate_r x)`` on the interval they
leave, and cells in rows of equal parity are independent. Drawing a cell by its inverse distribution function is
monotone in both ends of the interval. So the chains that start from the largest and the least pattern at time ``-T``
and use the same randomness enclose every other chain, and where they meet at time 0 they meet in an exact draw,
whatever ``T`` was. If they do not meet ``T`` is doubled and the same randomness is used again at the same times:
fresh randomness would favour what meets quickly.

Inverse distribution functions shrink the gap geometrically but never close it. The last sweep therefore draws every
other row by another monotone map that gives both chains the very same number unless a random point falls in the gap
between them (`_search`); the remaining rows then have equal neighbours. The result carries no tolerance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.sampling.patterns import extremes, frozen, on_orbit, unit_levels

Array = NDArray[Any]

FLAT = 1e-20
"""Rates are raised to this (per unit of spread), which changes no density by more than rounding and spares a case."""

BATCH = 2**17
"""Cells of both chains that are moved together, so that they stay in the cache."""


def draw(values: Array, spectrum: Array, kappa: float, size: int, rng: np.random.Generator) -> Array:
    """Matrices ``(size, d, d)`` of the complex orbit law, in the basis where ``M`` is ``diag(values)``, descending.

    ``spectrum`` is descending with any ties, ``kappa >= 0``.
    """
    levels, base, spread = unit_levels(spectrum)
    rates = np.maximum(-kappa * spread * np.diff(values), FLAT)
    lattice = Lattice.of(levels, rates)
    step = max(1, BATCH // (2 * max(1, lattice.cells)))
    parts = [patterns(lattice, min(step, size - done), rng) for done in range(0, size, step)]
    pattern = np.concatenate(parts) if parts else np.zeros((0, *lattice.place.shape))
    return on_orbit(pattern, base, spread, rng)


@dataclass(frozen=True, slots=True)
class Half:
    """Free cells in rows of one parity, and where their neighbours are kept."""

    cells: slice
    above: tuple[Array, Array]
    below: tuple[Array, Array]
    rates: Array


@dataclass(frozen=True, slots=True)
class Lattice:
    """Where every cell of the pattern is kept in a state ``(places, chains)``: free cells first, by parity."""

    halves: tuple[Half, Half]
    """In the order of a sweep. The last row but one is in the second half: that makes the first one the smaller."""
    place: NDArray[np.int_]
    """Place of row ``r - 1``, entry ``j``; the places outside the pattern hold 0."""
    top: Array
    bottom: Array

    @property
    def cells(self) -> int:
        """Number of free cells."""
        return self.halves[1].cells.stop

    @staticmethod
    def of(levels: Array, rates: Array) -> Lattice:
        """Lattice of a spectrum in ``[0, 1]`` and the rates of rows ``1`` to ``d - 1``."""
        d = len(levels)
        inside = np.tri(d, dtype=bool)
        free = inside & ~frozen(levels)
        row, entry = np.indices((d, d))
        second = (d - row) % 2 == 0
        groups = [free & ~second, free & second, inside & ~free]
        place = np.full((d + 1, d + 2), 0)
        order = [np.argwhere(group) for group in groups]
        listed = np.concatenate(order)
        total = len(listed)
        # places total, total + 1, total + 2 hold what bounds nothing above, nothing below, and 0
        framed = np.full((d + 2, d + 2), total + 1)
        framed[:, 0] = total
        framed[listed[:, 0] + 1, listed[:, 1] + 1] = np.arange(total)
        ends, halves = np.cumsum([0] + [len(o) for o in order]), []
        for number in (0, 1):
            r, j = order[number].T + 1
            halves.append(
                Half(
                    slice(int(ends[number]), int(ends[number + 1])),
                    (framed[r + 1, j], framed[r - 1, j - 1]),
                    (framed[r + 1, j + 1], framed[r - 1, j]),
                    rates[r - 1],
                )
            )
        extra = np.array([np.inf, -np.inf, 0.0])
        top, bottom = (np.append(x[listed[:, 0], listed[:, 1]], extra) for x in extremes(levels))
        place = np.where(inside, framed[1:-1, 1:-1], total + 2)
        return Lattice((halves[0], halves[1]), place, top, bottom)
