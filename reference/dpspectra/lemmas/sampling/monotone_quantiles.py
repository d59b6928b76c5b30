"""Each entry of a tilted pattern, given the row above and the entries before it, increases stochastically with them.

The weight of a pattern is the exponential of a linear function of its entries times the indicator of interlacing, and
patterns are closed under entrywise maximum and minimum: so the weight is log-supermodular, and stays so when entries
are integrated out (Karlin and Rinott). Hence the conditional density at larger conditions over that at smaller ones is
increasing, distribution functions decrease and quantiles increase. So quantiles rounded down at every step and
quantiles rounded up at every step enclose the exact pattern. Nothing follows if one condition increases and another
decreases.
"""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import numpy as np
from mpmath import mp

from dpspectra.fast import patterns as fast
from dpspectra.ledger import OPEN, AtMost, Slack, Statement, Verdict
from dpspectra.lemmas.sampling.pattern_law import free_cells
from dpspectra.oracle import patterns as oracle
from dpspectra.sampling.gelfand_tsetlin import patterns as sampled
from dpspectra.strategies import seeds
from dpspectra.strategies.lazy import st
from dpspectra.strategies.orbits import levels


class Case(NamedTuple):
    """Nodes ``m``, ``kappa``, two ordered rows, two ordered rows below them, a place, two levels there, and a seed."""

    m: Any
    kappa: float
    rows: tuple[Any, Any]
    points: tuple[Any, ...]
    place: int
    ends: Any
    seed: int


@st.composite
def _instances(draw: st.DrawFn) -> Case:
    """Rows of up to four entries, with ties; the upper row may equal the lower one."""
    d = draw(st.sampled_from([3, 4, 2]))
    m, low = draw(levels(d)), draw(levels(d))

    def shares(choices: list[int], size: int) -> Any:
        return np.array(draw(st.lists(st.sampled_from(choices), min_size=size, max_size=size)), dtype=float) / 8

    lifts = np.append(shares([4, 1, 2, 3, 5, 6, 7, 0], d - 1), draw(st.sampled_from([0.0, 0.0, 0.5])))
    lifts *= draw(st.sampled_from([1.0, 0.0]))  # equal rows show the effect of the entries before
    high = low + (np.append(low[0] + 1, low[:-1]) - low) * lifts
    size = float(np.ptp(m) * (high[0] - low[-1])) or 1.0
    kappa = float(2.0 ** np.floor(np.log2(draw(st.sampled_from([4.0, 1.0, 2.0**-4])) / size)))
    inside = shares([4, 1, 2, 3, 5, 6, 7], d - 1)
    more = np.maximum(inside, shares([4, 1, 2, 3, 5, 6, 7], d - 1))
    points = tuple(row[1:] + (row[:-1] - row[1:]) * share for row, share in ((low, inside), (high, more)))
    j = draw(st.sampled_from([j for j in reversed(range(d - 1)) if low[j] > low[j + 1]] or [0]))
    ends = high[j + 1] + (low[j] - high[j + 1]) * np.array(draw(st.sampled_from([(4, 6), (1, 7), (2, 5)]))) / 8
    return Case(m, kappa, (low, high), points, j, ends, draw(seeds()))


lemma = Statement(
    labels=("DPS-GTMONO",),
    claim=r"F\big(t\mid x_{r+1},x_{r,1},\dots,x_{r,j-1}\big)=\Pr[x_{r,j}\le t\mid x_{r+1},x_{r,1},\dots,x_{r,j-1}]"
    r"\text{ does not increase in any condition, }\frac{p(t\mid y')}{p(t\mid y)}\text{ not decrease in }t\text{ for }"
    r"y\le y';\ \text{pattern}(\Lambda,u)\le\text{pattern}(\Lambda',u)\text{ for }\Lambda\le\Lambda'",
    verdict=Verdict.NEW,
    cases=_instances,
    uses=("DPS-GT", "DPS-GTKERNEL"),
    note="sampling.md#monotone-quantiles",
    digits=30,  # quantiles are roots
    examples=40,
    slack={"distribution functions": Slack(0.114051, OPEN)},
)


def _places(row: Any, points: Any, j: int, middle: Any) -> list[tuple[Any, Any]]:
    """Ends of the interval of every entry below ``row``: points before place ``j``, ``middle`` at ``j``."""
    rest = [(b, a) for a, b in itertools.pairwise(row)]
    return [*((x, x) for x in points[:j]), middle, *rest[j + 1 :]]


def _parts(rows: Any, points: Any, j: int, ends: Any, weights: Any) -> tuple[AtMost, ...]:
    """Distribution functions at the first level, and the quotients of the densities at both levels."""
    (first, second), below, density = ends, [], []
    for row, drawn, weight in zip(rows, points, weights, strict=True):
        whole, part, *exact = (
            weight(_places(row, drawn, j, middle))
            for middle in ((row[j + 1], row[j]), (row[j + 1], first), (first, first), (second, second))
        )
        below.append(part / whole)
        density.append([x / whole for x in exact])
    quotients = [b / a for a, b in zip(*density, strict=True)]
    return AtMost(below[1], below[0], scale=1, part="distribution functions"), AtMost(
        *quotients, part="quotient of the densities"
    )


def _alike(rows: Any) -> bool:
    """Whether the same cells are free below both rows and their last values agree, as the float sampler requires."""
    return bool(rows[0][-1] == rows[1][-1]) and free_cells(rows[0]) == free_cells(rows[1])


@lemma.fast
def order(m: Any, kappa: float, rows: Any, points: Any, j: int, ends: Any, seed: int) -> tuple[AtMost, ...]:
    low, high = rows
    if low[j] == low[j + 1]:
        return ()
    weights = [lambda places, row=row: fast.tilted_mass(m, kappa, row, *np.array(places).T) for row in rows]
    parts = _parts(rows, points, j, ends, weights)
    if not _alike(rows):
        return parts
    spread = high[0] - high[-1]
    below, above = (
        row[-1] + spread * sampled(kappa * spread * m, (row - row[-1]) / spread, 1, np.random.default_rng(seed))[0]
        for row in rows
    )
    scale = np.max(np.abs(high)) + spread
    return *parts, *(
        AtMost(below[r - 1, i], above[r - 1, i], scale=scale, part="order of the patterns") for r, i in free_cells(low)
    )


@lemma.oracle
def exact_order(m: Any, kappa: float, rows: Any, points: Any, j: int, ends: Any, seed: int) -> tuple[AtMost, ...]:
    low, high = rows
    if low[j] == low[j + 1]:
        return ()
    functions = [oracle.weight_below(oracle.rates(m, kappa), row.tolist(), len(m) - 1) for row in rows]
    weights = [
        lambda places, f=f: oracle.mass(f, [mp.mpf(x) if x == y else (mp.mpf(x), mp.mpf(y)) for x, y in places])
        for f in functions
    ]
    parts = _parts(rows, points, j, ends, weights)
    if not _alike(rows):
        return parts
    cells, uniforms = free_cells(low), [[0.5] * r for r in range(1, len(m))]
    for (r, i), u in zip(cells, np.random.default_rng(seed).random(len(cells)).tolist(), strict=True):
        uniforms[r - 1][i] = u
    below, above = (oracle.quantiles(m.tolist(), row.tolist(), kappa, uniforms) for row in rows)
    scale = max(map(abs, high)) + high[0] - high[-1]
    return *parts, *(
        AtMost(below[r - 1][i], above[r - 1][i], scale=scale, part="order of the patterns") for r, i in cells
    )


@lemma.tight
def one_interval() -> list[Any]:
    """Rows of two numbers, below which the densities have a constant quotient."""
    rows = np.array([2.0, 0.0]), np.array([3.0, 1.0])
    points = rows[0][1:] + 1, rows[1][1:] + 1
    return [Case(np.array([1.0, 0.0]), 1.0, rows, points, 0, np.array([1.25, 1.75]), 0)]
