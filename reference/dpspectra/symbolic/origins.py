"""Where computed draws come from: functions of other draws, and how these are found again."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dpspectra.symbolic.noisy_numbers import Noisy, rows_of
from dpspectra.symbolic.tape import Block, Tape

MOST = 1000
"""Numbers of one array that are computed one by one."""


@dataclass(frozen=True)
class Origin:
    """Where a computed draw comes from: a function of other draws, its roots."""

    key: tuple[object, ...]
    """Key of the function: two origins of one key and the same roots are the same function of these."""
    roots: tuple[int, ...]
    forward: Callable[..., float]
    """The draw, from the values of its roots."""
    backward: Callable[[float], tuple[float, ...]]
    """Values of the roots that give a value of the draw; the only ones if there is one root."""
    rising: bool | None = None
    """Whether the draw grows with its only root; ``None`` if there are several."""
    image: tuple[float, float] = (-math.inf, math.inf)
    inner: Origin | None = None
    """Where the number that it is a function of comes from, if that is computed from the root, too."""


def of_number(outer: Origin, inner: Origin) -> Origin:
    """Return the origin of a function of a number that is computed itself; both have one root, and are monotone."""
    return Origin(
        (outer.key, inner.key),
        inner.roots,
        lambda value: outer.forward(inner.forward(value)),
        lambda value: inner.backward(*outer.backward(value)),
        outer.rising == inner.rising,
        inner=inner,
    )


def law_of(tape: Tape, draw: int) -> Block:
    """Return the block that a draw belongs to."""
    starts = [b.start for b in tape.blocks]
    return tape.blocks[int(np.searchsorted(starts, draw, side="right")) - 1]


def single(tape: Tape, x: Noisy) -> list[tuple[Block, int, float, float]] | None:
    """Block, number, location and coefficient of the draw of each number; ``None`` unless each has one draw."""
    rows = rows_of(x)
    if not 0 < x.size <= MOST or np.any(np.count_nonzero(rows.coefficient, axis=0) != 1):
        return None
    slot, numbers = np.argmax(rows.coefficient != 0, axis=0), np.arange(x.size)
    draws, factors = rows.draw[slot, numbers], rows.coefficient[slot, numbers]
    return [(law_of(tape, int(j)), int(j), float(m), float(f)) for j, m, f in zip(draws, rows.mu, factors, strict=True)]
