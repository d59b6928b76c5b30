"""The linear exponential law on Gelfand-Tsetlin patterns by coupling from the past: any spectrum, temperature and ties.

Given its neighbours a cell ``(r, j)`` of the pattern has density proportional to ``exp(rate_r x)`` on the interval they
leave, and cells in rows of equal parity are independent. Drawing a cell by its inverse distribution function is
monotone in both ends of the interval. So the chains that start from the largest and the smallest pattern at time ``-T``
and use the same randomness enclose every other chain, and where they meet at time 0 they meet in an exact draw,
whatever ``T`` was. If they do not meet ``T`` is raised and the same randomness is used again at the same times:
fresh randomness would favour what meets quickly.

A chain may be replaced by a bound of it: most sweeps are in float32, rounded outwards, and the last ones in float64.

Inverse distribution functions shrink the gap geometrically but never close it. The last sweep therefore draws every
other row by another monotone map that gives both chains the very same number unless a random point falls in the gap
between them (`_search`); the remaining rows then have equal neighbours. The result carries no tolerance.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpspectra.fast.patterns import extremes, frozen
from dpspectra.ground.array_types import Array
from dpspectra.sampling.identity_plus_low_rank import Draw
from dpspectra.sampling.patterns import on_orbit, unit_levels

FLAT, STEEP = 1e-20, 1e30
"""Rates, per unit of spread, are kept in this range: beyond it they act as 0 or infinity up to rounding."""

BATCH = 2**16
"""Largest number of cells of both chains that are moved together, so that they stay in the cache."""

GROWTH = 1.5
"""Factor by which ``T`` grows for those that did not meet; any factor above 1 is exact."""

DOUBLE = 0.25
"""Share of the sweeps, the last ones, in float64: they close the gap that rounding in float32 leaves."""

OUTWARDS = np.array([[1], [-1]], dtype=np.float32)
"""Upwards for the chain from the largest pattern, downwards for the other one."""
RELATIVE, ABSOLUTE = OUTWARDS * np.float32(2.0**-20), OUTWARDS * np.float32(2.0**-24)
"""Margins for float32: 16 units of rounding for products and elementary functions, one for sums."""

DEPTH = 64
"""Points `_search` looks at before it lets the inverse distribution function finish."""


def sampler(values: Array, spectrum: Array, kappa: float) -> Draw:
    """Prepare draws of the complex orbit law, in the basis where ``M`` is ``diag(values)``, descending.

    ``spectrum`` is descending with any ties, ``kappa >= 0``.
    """
    levels, base, spread = unit_levels(spectrum)
    lattice = lay_out(levels, -kappa * spread * np.diff(values))
    return lambda size, rng: on_orbit(patterns(lattice, size, rng), base, spread, rng)


@dataclass(frozen=True, slots=True)
class Half:
    """Free cells in rows of one parity."""

    cells: slice
    above: Array
    """Places ``(2, cells)`` of the neighbours that bound them above."""
    below: Array
    rates: Array


@dataclass(frozen=True, slots=True)
class Lattice:
    """Where each cell of a pattern is kept in a state ``(places, 2, size)``; the second axis is top, bottom."""

    halves: tuple[Half, Half]
    """In the order of a sweep."""
    cells: int
    """Number of free cells; they are kept first."""
    place: NDArray[np.int_]
    """Place of each cell, ``(d, d)``; what is outside the pattern refers to a place that holds 0."""
    start: Array
    """The largest and the smallest pattern, ``(places, 2)``."""


def lay_out(levels: Array, rates: Array) -> Lattice:
    """Lattice for a spectrum in ``[0, 1]`` and the rates of rows 1 to ``d - 1``, none negative.

    Three places follow the cells: two hold the bounds of cells that lack a neighbour, one the 0 outside the pattern.
    """
    d = len(levels)
    inside, still = np.tri(d, dtype=bool), frozen(levels)
    late = (np.arange(d) % 2 == d % 2)[:, None]  # row d - 1 is long, so its parity comes last
    groups = [np.argwhere(group) for group in (inside & ~still & ~late, inside & ~still & late, inside & still)]
    row, entry = np.concatenate(groups).T
    total = len(row)
    frame = np.full((d + 2, d + 2), total + 1)  # place of entry j of row r, both counted from 1
    frame[:, 0] = total
    frame[row + 1, entry + 1] = np.arange(total)

    def half(start: int, r: Array, j: Array) -> Half:
        above = np.stack([frame[r + 2, j + 1], frame[r, j]])
        below = np.stack([frame[r + 2, j + 2], frame[r, j + 1]])
        return Half(slice(start, start + len(r)), above, below, np.clip(rates[r], FLAT, STEEP)[:, None, None])

    early = len(groups[0])
    place = np.where(inside, frame[1:-1, 1:-1], total + 2)
    start = np.stack([np.append(x[row, entry], [np.inf, -np.inf, 0.0]) for x in extremes(levels)], axis=1)
    return Lattice((half(0, *groups[0].T), half(early, *groups[1].T)), early + len(groups[1]), place, start)


def patterns(lattice: Lattice, size: int, rng: np.random.Generator, sweeps: int | None = None) -> Array:
    """Independent exact patterns ``(size, d, d)``; ``sweeps`` is the first ``T``.

    The gap between both chains falls by a factor of about ``e^10`` in ``d^2`` sweeps, for every spectrum and
    temperature tried, and most meet once it is some ``d^-3`` of the spread: by default ``T = 0.3 d^2 (1 + log d)``, at
    which at most one in thirty was seen to fail, ``d`` up to 45. Nothing ever breaks the loop off: that would favour
    what meets quickly.
    """
    d = len(lattice.place)
    out = np.zeros((size, d, d))
    key = rng.integers(2**63, size=4).tolist()
    step = max(1, BATCH // (2 * lattice.cells + 2))
    waiting, time = np.arange(size), sweeps or math.ceil(0.3 * d * d * (1 + math.log(d)))
    while len(waiting):
        missed = []
        for start in range(0, len(waiting), step):
            chosen = waiting[start : start + step]
            state = enclose(lattice, key, time, chosen)
            met = np.all(state[: lattice.cells, 0] == state[: lattice.cells, 1], axis=0)
            out[chosen[met]] = np.moveaxis(state[:, 0, met][lattice.place], -1, 0)
            missed.append(chosen[~met])
        waiting, time = np.concatenate(missed), math.ceil(GROWTH * time)
    return out


def enclose(lattice: Lattice, key: list[int], sweeps: int, chosen: Array) -> Array:
    """State of both chains started ``sweeps`` sweeps before the last one, for the samples ``chosen``, ascending."""
    state = np.repeat(lattice.start[:, :, None], len(chosen), axis=2)
    exact = math.ceil(DOUBLE * sweeps)
    state[: lattice.cells] = _bounds(lattice, key, range(DEPTH + 1 + sweeps, DEPTH + 1 + exact, -1), chosen)
    rooms = [_room(half, state) for half in lattice.halves]
    for time in range(DEPTH + 1 + exact, DEPTH + 1, -1):
        v = _uniforms(key, time, lattice.cells, chosen)
        for half, room in zip(lattice.halves, rooms, strict=True):
            _move(state, half, v[half.cells, None], room)
    _search(lattice, state, key, chosen)
    second = lattice.halves[1]
    _move(state, second, _uniforms(key, DEPTH + 1, lattice.cells, chosen)[second.cells, None], rooms[1])
    return state


def _bounds(lattice: Lattice, key: list[int], times: range, chosen: Array) -> Array:
    """Bounds in float32 of the free cells of both chains after the sweeps of these times, ``(cells, 2, chosen)``.

    A sweep is monotone, so a chain whose cells are rounded upwards stays above the one that is not rounded.
    """
    start = lattice.start.astype(np.float32)
    start[:, 0], start[:, 1] = np.nextafter(start[:, 0], np.float32(2)), np.nextafter(start[:, 1], np.float32(-1))
    state = np.repeat(start[:, :, None], len(chosen), axis=2)
    rooms = [_room(half, state) for half in lattice.halves]
    v = np.empty((lattice.cells, 1, len(chosen)), dtype=np.float32)
    for time in times:
        v[:, 0] = _uniforms(key, time, lattice.cells, chosen)
        for half, room in zip(lattice.halves, rooms, strict=True):
            _move_outwards(state, half, v[half.cells], room)
    return np.clip(
        state[: lattice.cells], lattice.start[: lattice.cells, 1:, None], lattice.start[: lattice.cells, :1, None]
    )


def _room(half: Half, state: Array) -> Array:
    return np.empty((3, half.cells.stop - half.cells.start, *state.shape[1:]), dtype=state.dtype)


def _uniforms(key: list[int], time: int, cells: int, chosen: Array) -> Array:
    """Uniforms ``(cells, chosen)`` of one time: every sample has its own place in the stream, whoever is chosen."""
    stream, rows, last = _randomness(key, time), np.empty((len(chosen), cells)), 0
    bits = stream.bit_generator
    assert isinstance(bits, np.random.PCG64)
    cuts = np.flatnonzero(np.diff(chosen) > 1) + 1
    for start, stop in itertools.pairwise([0, *cuts.tolist(), len(chosen)]):
        bits.advance((int(chosen[start]) - last) * cells)
        stream.random(out=rows[start:stop])
        last = int(chosen[stop - 1]) + 1
    return rows.T


def _randomness(key: list[int], time: int) -> np.random.Generator:
    """Return the stream of one time, made anew whenever that time is run again; `_search` uses the latest ones."""
    return np.random.Generator(np.random.PCG64([*key, time]))


def _interval(state: Array, half: Half, room: Array) -> tuple[Array, Array]:
    """Largest and smallest value the neighbours leave to each cell, ``(cells, 2, size)``; ``room`` holds three such."""
    high, low, spare = room
    for out, places, pick in ((high, half.above, np.minimum), (low, half.below, np.maximum)):
        np.take(state, places[0], axis=0, out=out, mode="clip")  # this mode needs no copy
        np.take(state, places[1], axis=0, out=spare, mode="clip")
        pick(out, spare, out=out)
    return high, low


def _move(state: Array, half: Half, v: Array, room: Array) -> None:
    """Draw the cells of one half anew in both chains from the uniforms ``(cells, 1, size)``."""
    high, low = _interval(state, half, room)
    _inverse(high, low, half.rates, v, room[2], state[half.cells])


def _move_outwards(state: Array, half: Half, v: Array, room: Array) -> None:
    """Draw in float32 what is not below, in the upper chain, or not above, in the lower one, the result of `_move`.

    Of ``v expm1`` and of ``log1p / rate`` the relative errors are covered by factors, those of both sums, at most 1, by
    one unit in the last place. Beyond -1 there is no logarithm: the cell is at its lower end.
    """
    high, low = _interval(state, half, room)
    x, factor = room[2], np.float32(1) - RELATIVE
    np.subtract(low, high, out=x)
    x *= half.rates.astype(np.float32)
    np.expm1(x, out=x)
    x *= v
    x *= factor
    np.maximum(x, np.float32(-1), out=x)
    with np.errstate(divide="ignore"):
        np.log1p(x, out=x)
    x *= (factor / half.rates).astype(np.float32)
    x += high
    x += ABSOLUTE
    np.maximum(x, low, out=x)
    np.minimum(x, high, out=state[half.cells])


def _inverse(high: Array, low: Array, rates: Array, v: Array, x: Array, out: Array) -> Array:
    """Quantile of the density ``exp(rate x)`` on ``[low, high]`` at ``1 - v``; accurate for every rate above 0.

    It is written to ``out``, by way of ``x``.
    """
    np.subtract(low, high, out=x)
    x *= rates
    np.expm1(x, out=x)
    x *= v
    np.log1p(x, out=x)
    x *= 1 / rates
    x += high
    return np.maximum(x, low, out=out)


def _search(lattice: Lattice, state: Array, key: list[int], chosen: Array) -> None:
    """Draw the cells of the first half so that both chains get the same number unless a point falls between them.

    Points follow the density on the widest range the cell can have, and a chain takes the first point inside its
    interval; what lies beyond an earlier point is never looked at again, so a point is drawn from the part of the range
    that is still open, and the number of points is the logarithm of what a plain search needs. If the intervals of
    two chains are in order, so are their points: a point one takes and the other leaves is on the right side of the
    other's interval. A chain that has seen ``DEPTH`` points may draw in any monotone way.
    """
    half = lattice.halves[0]
    high, low = _interval(state, half, _room(half, state))
    points = np.empty_like(high)
    cell, chain, sample = (index.ravel() for index in np.indices(high.shape))
    left, right = lattice.start[half.cells, 1][cell], lattice.start[half.cells, 0][cell]
    for depth in range(DEPTH + 1):
        if not len(cell):
            break
        open_still, place = np.unique(sample, return_inverse=True)
        v = _uniforms(key, depth, lattice.cells, chosen[open_still])[cell, place]
        up, down, rates = high[cell, chain, sample], low[cell, chain, sample], half.rates[cell, 0, 0]
        if depth == DEPTH:
            left, right = down, up
        point = np.empty_like(v)
        points[cell, chain, sample] = _inverse(right, left, rates, v, point, point)
        over, under = point > up, point < down
        left, right = np.where(under, point, left), np.where(over, point, right)
        go = over | under
        cell, chain, sample, left, right = (x[go] for x in (cell, chain, sample, left, right))
    state[half.cells] = points
