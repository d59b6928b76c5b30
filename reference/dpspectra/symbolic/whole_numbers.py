"""Whole numbers that hold noise: sums of whole multiples of discrete draws, asked about half-way between two of them.

So no comparison is a tie, and a comparison that lets a tie pass differs from one that does not. Whoever looks at such a
number decides which it is.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dpspectra.symbolic.noisy_numbers import PROTOCOLS, Noisy, rows_of
from dpspectra.symbolic.noisy_rows import evaluated, of_each_draw, picked
from dpspectra.symbolic.tape import WHOLE, Event, Rows, Tape, current

TIED = 1e-9
"""Relative difference of an edge from a whole number that is rounding."""
MOST_DECIDED = 20
"""Whole numbers that are decided at one look; more are looked at as others are."""


def of_discrete(rows: Rows, tape: Tape) -> NDArray[np.bool_]:
    """Which rows hold noise, and discrete draws only."""
    if not rows.draw.size or not any(b.law.discrete for b in tape.blocks):
        return np.zeros(len(rows), dtype=bool)
    discrete = of_each_draw(tape.blocks, lambda b: b.law.discrete)
    used = rows.coefficient != 0
    return np.asarray(np.any(used, axis=0) & np.all(discrete[rows.draw] | ~used, axis=0))


def are_whole(rows: Rows, tape: Tape) -> NDArray[np.bool_]:
    """Which rows hold noise, and are whole numbers."""
    with np.errstate(invalid="ignore"):
        whole = np.isfinite(rows.mu) & (rows.mu == np.round(rows.mu))
        whole &= np.all(rows.coefficient == np.round(rows.coefficient), axis=0)
    return of_discrete(rows, tape) & whole


def half_way(rows: Rows, tape: Tape, ties: bool) -> Rows:
    """Move the edge at 0 of multiples of whole numbers to the middle between two; 0 is positive if ``ties`` says so."""
    chosen = of_discrete(rows, tape)
    if not np.any(chosen):
        return rows
    size = np.max(np.abs(rows.coefficient), axis=0)
    unit = np.where(chosen, size, 1.0)
    factors = rows.coefficient / unit
    chosen &= np.all(factors == np.round(factors), axis=0) & np.isfinite(rows.mu)
    edge = -rows.mu / unit
    near = np.round(edge)
    tied = np.abs(edge - near) <= TIED * np.maximum(np.abs(edge), 1.0)
    middle = np.where(tied, near + (-0.5 if ties else 0.5), np.floor(edge) + 0.5)
    return Rows(np.where(chosen, -unit * middle, rows.mu), rows.draw, rows.coefficient)


def outcome(asked: Rows, tape: Tape) -> int:
    """Return the whole number that a row is in this run."""
    return round(float(evaluated(asked, tape.omega())[0]))


def around(k: int) -> tuple[float, float]:
    """Return the ends of the interval around a whole number."""
    return k - 0.5, k + 0.5


def decided(values: Sequence[Noisy], where: str) -> None:
    """Decide which whole numbers those of some values are that hold noise; they are plain from then on."""
    tape = current()
    found: list[tuple[Noisy, NDArray[np.bool_]]] = [(v, are_whole(rows_of(v), tape)) for v in values]
    if sum(int(np.sum(whole)) for _, whole in found) > MOST_DECIDED:
        return
    for value, whole in found:
        at, rows = value.at.ravel(), rows_of(value)
        for k in np.flatnonzero(whole):
            asked = picked(rows, [k])
            event = Event(WHOLE, where, asked, edges=around)
            value.store.mu[at[k]] = tape.look(event, lambda asked=asked: outcome(asked, tape))  # type: ignore[misc]
            value.store.coefficient[:, at[k]] = 0.0


PROTOCOLS["decided"] = decided

__all__ = ["are_whole", "decided", "half_way", "of_discrete", "outcome"]
