"""Look for outputs that the running program cannot give, bit for bit, on the other data set.

Everything else here is about exact arithmetic, in which Laplace noise reaches every number. numpy's sampler is a
monotone function of one whole number below ``2**53``, and rounding leaves gaps between its values, at other places on
each data set. That whole number is bisected in plain runs on the other data set, which are handed out its draw; between
two neighbours with outputs below and above it, an output is in a gap.

Gaps are a fixed set of numbers, so "the output is in a gap" is an event like any other, which fresh runs with nothing
replaced confirm or not. No verdict rests on the bisection, or on how this machine computes a logarithm: where they are
wrong the event is not rarer on one data set than on the other.
"""

import bisect
import math
from collections.abc import Callable
from dataclasses import dataclass
from math import exp, isfinite, log

from dpspectra.symbolic.canonical_output import is_noise
from dpspectra.symbolic.faithful_runs import value_of
from dpspectra.symbolic.fresh_runs import Event, Leaves
from dpspectra.symbolic.laws import LAPLACE
from dpspectra.symbolic.noisy_rows import matrix
from dpspectra.symbolic.one_run import Run
from dpspectra.symbolic.replaced_sources import followed_sources
from dpspectra.symbolic.runner import Runner

LATTICE = 2**53
"""Uniform numbers of numpy are multiples of one over this."""


def laplace(k: int) -> float:
    """Return numpy's Laplace draw at location 0 and scale 1 of the uniform number ``k / LATTICE``."""
    u = k / LATTICE
    return log(u + u) if u < 0.5 else -log(2.0 - u - u)


def reached(y: float, output: Callable[[int], float], near: int) -> bool:
    """Whether a monotone function that rises on ``1, ..., LATTICE - 1`` takes a value, first sought near a place."""
    low = high = near
    step = 1
    while low > 1 and output(low) >= y:
        low, step = max(1, low - step), 2 * step
    step = 1
    while high < LATTICE - 1 and output(high) < y:
        high, step = min(LATTICE - 1, high + step), 2 * step
    first = bisect.bisect_left(range(low, high), y, key=output) + low
    return output(first) == y


@dataclass(frozen=True)
class Single:
    """A number of an output that holds one Laplace draw, ``location + scale * draw`` in exact arithmetic."""

    path: str
    draw: int
    location: float
    scale: float
    """Negative if the number falls as the draw rises."""

    def near(self, y: float) -> int:
        """Whole number at whose draw the number of the output is about this one."""
        z = (y - self.location) / self.scale
        u = exp(-abs(z)) / 2
        k = int(u * LATTICE) if (z < 0) is (self.scale > 0) else LATTICE - int(u * LATTICE)
        return min(max(k, 1), LATTICE - 1)

    def at(self, k: int) -> float:
        """Return the draw of a whole number, so numbered that the number of the output rises."""
        return laplace(k if self.scale > 0 else LATTICE - k)


def singles(record: Run) -> dict[str, Single]:
    """Return the numbers of the output that hold one draw and a Laplace one, by path, if nothing else was looked at."""
    if record.rows is None or record.hidden or record.roots:
        return {}
    of_laplace = {b.start + i for b in record.tape.blocks if b.law is LAPLACE for i in range(len(b.values))}
    coefficients, found = matrix(record.rows, record.tape.size), {}
    paths = [path for path, leaf in record.leaves.items() if is_noise(leaf)]
    for n, path in enumerate(paths):
        row = coefficients[[n]]
        if row.nnz == 1 and int(row.indices[0]) in of_laplace:
            found[path] = Single(path, int(row.indices[0]), float(record.rows.mu[n]), float(row.data[0]))
    return found


def gap(it: Runner, side: int) -> Event | None:
    """Return the event that a number of an output is in a gap of the other data set.

    ``None`` if no number of the output holds a single Laplace draw, at another location or scale on each data set.
    """
    with followed_sources():
        own, record = singles(it.record(side)), it.record(1 - side)
    different = [other for path, other in singles(record).items() if path in own and own[path] != other]
    if not different:
        return None
    number = different[0]
    omega = record.tape.omega()

    def output(k: int) -> float:
        omega[number.draw] = number.at(k)
        value = value_of(it.plain(1 - side, record.tape, omega).leaves[number.path])
        return math.nan if value is None else value

    def in_gap(runs: list[Leaves]) -> list[bool]:
        values = [value_of(leaves.get(number.path)) for leaves in runs]
        with followed_sources():
            return [y is not None and isfinite(y) and not reached(y, output, number.near(y)) for y in values]

    return f"{number.path} is a number that no draw gives, bit for bit, on the other data set", in_gap
