"""Each entry of a tilted pattern, given the row above and the entries before it, increases stochastically with them.

The weight of a pattern is the exponential of a linear function of its entries times the indicator of interlacing, and
patterns are closed under entrywise maximum and minimum: so the weight is log-supermodular, and stays so when entries
are integrated out (Karlin and Rinott). Hence the conditional density at larger conditions over that at smaller ones is
increasing, distribution functions decrease and quantiles increase. So quantiles rounded down at every step and
quantiles rounded up at every step enclose the exact pattern. Nothing follows if one condition increases and another
decreases.
"""

from typing import Any, NamedTuple

import numpy as np
from mpmath import mp

from dpspectra.fast import patterns as fast
from dpspectra.ledger import AtMost, Parts, Reals, Verdict, statement
from dpspectra.lemmas.sampling.pattern_law import free_cells, uniform_numbers
from dpspectra.lemmas.sampling.transition_kernel import places
from dpspectra.oracle import patterns as oracle
from dpspectra.sampling.gelfand_tsetlin import patterns as sampled
from dpspectra.strategies import seeds, st
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


def _parts(rows: Any, points: Any, j: int, ends: Any, weights: Any) -> Parts:
    """Distribution functions at the first level, and the quotients of the densities at both levels."""
    (first, second), below, density = ends, [], []
    for row, drawn, weight in zip(rows, points, weights, strict=True):
        whole, part, *exact = (
            weight(places(row, drawn, j, middle))
            for middle in ((row[j + 1], row[j]), (row[j + 1], first), (first, first), (second, second))
        )
        below.append(part / whole)
        density.append([x / whole for x in exact])
    quotients = [b / a for a, b in zip(*density, strict=True)]
    yield AtMost(below[1], below[0], scale=1, part="distribution functions")
    yield AtMost(*quotients, part="quotient of the densities")


def _law(m: Any, kappa: float, row: list[Any], drawn: list[Any], ends: list[Any]) -> list[Any]:
    """Distribution function of the next entry at the first level, and its density at both, given those ``drawn``."""
    function, j = oracle.weight_below(oracle.rates(m, kappa), row, len(m) - 1), len(drawn)
    low, high = row[j + 1], row[j]
    rest = oracle.intervals(row)[j + 1 :]
    whole, *parts = (oracle.mass(function, [*drawn, place, *rest]) for place in ((low, high), (low, ends[0]), *ends))
    return [part / whole for part in parts]


@statement
class MonotoneQuantiles:
    labels = ("DPS-GTMONO",)
    given = r"F(t\mid y)=\Pr[x_{r,j}\le t\mid y],\ y=(x_{r+1},x_{r,1},\dots,x_{r,j-1}),\ y\le y',\ t\le t'"
    claim = {
        "distribution functions": r"F(t\mid y')\le F(t\mid y)",
        "quotient of the densities": r"\frac{p(t\mid y')}{p(t\mid y)}\le\frac{p(t'\mid y')}{p(t'\mid y)}",
        "order of the patterns": (
            r"\Lambda\le\Lambda',\ \lambda_d=\lambda'_d\text{ and the same ties}:\ "
            r"x_{r,j}(\Lambda,u)\le x_{r,j}(\Lambda',u)"
        ),
    }
    where = {
        "F": "distribution function of an entry, given the row above and the entries before it",
        "t": "place up to which the probability is taken",
        "t'": "another place",
        "p(": (r"p(t\mid y)", "density of an entry, given the row above and the entries before it"),
        "y": "row above and entries before",
        "y'": "row above and entries before, each at least as large",
        "u": "uniform random numbers, one for each entry",
        r"\Lambda'": "another spectrum",
        r"\lambda'_i": "its values, in descending order",
    }
    verdict = Verdict.NEW
    uses = ("DPS-GT", "DPS-GTKERNEL")
    note = "sampling.md#monotone-quantiles"
    digits = 30
    examples = 40

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> Case:
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

    def fast(self, m: Any, kappa: float, rows: Any, points: Any, j: int, ends: Any, seed: int) -> Parts:
        low, high = rows
        if low[j] == low[j + 1]:
            return
        weights = [lambda x, row=row: fast.tilted_mass(m, kappa, row, *np.array(x).T) for row in rows]
        yield from _parts(rows, points, j, ends, weights)
        if low[-1] != high[-1] or free_cells(low) != free_cells(high):  # the sampler pairs such rows only
            return
        spread = high[0] - high[-1]
        below, above = (
            row[-1] + spread * sampled(kappa * spread * m, (row - row[-1]) / spread)(1, np.random.default_rng(seed))[0]
            for row in rows
        )
        scale = np.max(np.abs(high)) + spread
        for r, i in free_cells(low):
            yield AtMost(below[r - 1, i], above[r - 1, i], scale=scale, part="order of the patterns")

    def oracle(self, m: Any, kappa: float, rows: Any, points: Any, j: int, ends: Reals, seed: int) -> Parts:
        low, high = ([mp.mpf(x) for x in row] for row in rows)
        if low[j] == low[j + 1]:
            return
        laws = [
            _law(m, kappa, row, [mp.mpf(x) for x in x[:j]], ends) for row, x in ((low, points[0]), (high, points[1]))
        ]
        yield AtMost(laws[1][0], laws[0][0], scale=1, part="distribution functions")
        yield AtMost(laws[1][1] / laws[0][1], laws[1][2] / laws[0][2], part="quotient of the densities")
        cells = oracle.free_cells(low)
        if low[-1] != high[-1] or cells != oracle.free_cells(high):
            return
        uniforms = [[0.5] * r for r in range(1, len(m))]
        for (r, i), u in zip(cells, uniform_numbers(seed, len(cells)), strict=True):
            uniforms[r - 1][i] = u
        below, above = (oracle.quantiles(m.tolist(), row, kappa, uniforms) for row in (low, high))
        scale = max(map(abs, high)) + high[0] - high[-1]
        for r, i in cells:
            yield AtMost(below[r - 1][i], above[r - 1][i], scale=scale, part="order of the patterns")

    def tight(self) -> list[Any]:
        """Rows of two numbers, where densities have a constant quotient; an entry that no longer matters.

        If that entry is far away, the whole pattern hardly depends on it, except in its first places.
        """
        rows = np.array([2.0, 0.0]), np.array([3.0, 1.0])
        points = rows[0][1:] + 1, rows[1][1:] + 1
        inner = np.array([1.5, 0.5])
        longer, m = (np.array([2.0, 1.0, 0.0]), np.array([3.0, 1.0, 0.0])), np.array([2.0, 1.0, 0.0])
        far = np.array([2.0**19, 1.0, 0.0]), np.array([2.0**20, 1.0, 0.0])
        return [
            Case(np.array([1.0, 0.0]), 1.0, rows, points, 0, np.array([1.25, 1.75]), 0),
            Case(m, 1.0, longer, (inner, inner), 1, np.array([0.25, 0.75]), 0),
            Case(m, 2.0**-26, far, (inner, inner), 1, np.array([0.25, 0.75]), 1),
        ]

    def beyond(self) -> dict[str, AtMost]:
        """One end of the interval rises and the other falls: the distribution function may rise too."""
        inner, outer = ([mp.mpf(x) for x in row] for row in ((2, 0), (3, -1)))
        at = [_law([1.0, 0.0], 0.0, row, [], [mp.mpf(1) / 2] * 2)[0] for row in (inner, outer)]
        return {"conditions in order": AtMost(at[1], at[0], part="distribution functions")}
