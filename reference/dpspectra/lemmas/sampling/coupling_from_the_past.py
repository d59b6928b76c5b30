"""Monotone coupling from the past: chains from the top and the bottom pattern, with shared uniforms, bound every chain.

Given its neighbours a cell has density ``exp(rate x)`` on the interval they leave; its quantile at a fixed level
increases with both ends. So a Gibbs sweep with shared uniforms preserves the order of patterns. Chains from the top and
the bottom that start earlier, with the same uniforms at the same times, lie between those that start later. If they
agree at time 0, they agree with a chain that has run for ever, whatever the stopping rule. With fresh uniforms after
the starting time is doubled, this nesting is lost and the law is biased.
"""

import itertools
from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import patterns as fast
from dpspectra.ledger import AtMost, Frequency, Parts, Real, Verdict, statement
from dpspectra.lemmas.sampling.pattern_law import free_cells, uniform_numbers
from dpspectra.oracle import patterns as oracle
from dpspectra.oracle.divided_differences import confluent
from dpspectra.sampling.cftp import lay_out
from dpspectra.sampling.cftp import patterns as released
from dpspectra.sampling.patterns import unit_levels
from dpspectra.strategies import seeds, st
from dpspectra.strategies.orbits import levels, patterns

SWEEPS = 2
"""Sweeps from the later of the two starting times that are compared; the other has twice as many."""


EARLIER = 2 * SWEEPS
"""Sweeps of the chains that start earlier."""


DRAWS, LONG = 2000, 48
"""Runs, and sweeps in each: enough for the top and the bottom chain to agree up to rounding for ``d <= 4``."""


SAMPLER = "law of a cell of the sampler"
"""The part that the sampler of the package is judged by."""


def _cells_in_order(spectrum: Any) -> list[tuple[int, int]]:
    """Free cells in the order of a sweep: even rows, then odd rows."""
    return sorted(free_cells(spectrum), key=lambda cell: (cell[0] % 2, cell))


def _extremes(spectrum: Any) -> tuple[Any, Any]:
    """Top and bottom pattern, row by row."""
    orders = range(1, len(spectrum) + 1)
    return [spectrum[:r] for r in orders], [spectrum[-r:] for r in orders]


def _swept(rows: Any, uniforms: Any, rates: Any, quantile: Any, smaller: Any, larger: Any) -> Any:
    """Pattern (nested lists of numbers or arrays) after sweeps with ``uniforms[time][cell]``, the latest time last.

    ``smaller`` and ``larger`` return the minimum and the maximum of two entries.
    """
    rows = [list(row) for row in rows]
    for now in uniforms:
        for (r, j), u in zip(_cells_in_order(rows[-1]), now, strict=True):
            high, low = rows[r][j], rows[r][j + 1]
            if j < r - 1:
                low = larger(low, rows[r - 2][j])
            if j > 0:
                high = smaller(high, rows[r - 2][j - 1])
            rows[r - 1][j] = quantile(low, high, rates[r - 1], u)
    return rows


def quantile(low: Any, high: Any, rate: float, u: Any) -> Any:
    """Quantile at level ``u`` of the density ``exp(rate x)`` on ``[low, high]``; stable for small ``rate >= 0``."""
    if rate == 0:
        return low + (high - low) * u
    return high + np.log1p((1 - u) * np.expm1(-rate * (high - low))) / rate


def _resampled(start: dict[tuple[int, int], Any], uniforms: Any, rates: Any) -> dict[tuple[int, int], Any]:
    """The pattern after sweeps over the even rows, then over the odd ones, each cell drawn given all the others."""
    cells = dict(start)
    d = max(r for r, _ in cells)
    free = sorted(oracle.free_cells([cells[d, j] for j in range(d)]))
    for now in uniforms:
        for (r, j), u in zip([c for parity in (0, 1) for c in free if c[0] % 2 == parity], now, strict=True):
            low = max(cells[c] for c in ((r + 1, j + 1), (r - 1, j)) if c in cells)
            high = min(cells[c] for c in ((r + 1, j), (r - 1, j - 1)) if c in cells)
            cells[r, j] = _level(low, high, rates[r - 1], mp.mpf(u))
    return cells


def _level(low: Any, high: Any, rate: Any, u: Any) -> Any:
    """Point of an interval below which the density ``exp(rate x)`` has the share ``u``."""
    if rate == 0:
        return low + (high - low) * u
    start, end = mp.exp(rate * low), mp.exp(rate * high)
    return mp.log(start + u * (end - start)) / rate


@statement
class CouplingFromThePast:
    labels = ("DPS-CFTP",)
    given = (
        r"A_T,B_T,X\text{ with the same uniforms at the same times},\ "
        r"F(t)=\Pr[x_{r,j}(H)\le t],\ H\sim e^{\kappa\langle M,H\rangle}\,d\mu_\Lambda"
    )
    claim = {
        "order of the chains": r"B_T\le B_{2T}\le X\le A_{2T}\le A_T\text{ in every cell}",
        "law of a cell": r"T\to\infty:\ \Pr[A_T\le t]\le F(t)\text{ and }\Pr[B_T\le t]\le F(t)\text{ in a cell}",
        SAMPLER: r"\Pr[\hat x_{r,j}\le t]\le F(t)",
    }
    where = {
        "T": "number of sweeps into the past",
        "A_i": "state now of the chain that started so many sweeps ago from the largest pattern",
        "B_i": "state now of the chain that started so many sweeps ago from the smallest pattern",
        "X": r"state now of a chain that started $`2T`$ sweeps ago from any pattern",
        "F": "distribution function of an entry of the pattern",
        "t": "place up to which the probability is taken",
        r"\hat x_{r,j}": "entry of the pattern that the sampler draws",
    }
    verdict = Verdict.NEW
    uses = ("DPS-GT",)
    note = "sampling.md#coupling-from-the-past-on-patterns"
    examples = 60

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, Any, float, float, int]:
        """A pattern to start from, eigenvalues of ``M``, ``kappa``, a level of a cell, and a seed.

        Patterns of up to four rows, with ties of the spectrum; ``kappa`` times both spreads is at most 4.
        """
        d = draw(st.integers(2, 4))
        spectrum, m = draw(levels(d)), draw(levels(d))
        tilt = draw(st.sampled_from([4.0, 1.0, 2.0**-40]))
        kappa = float(2.0 ** np.floor(np.log2(tilt / (float(np.ptp(spectrum) * np.ptp(m)) or 1.0))))
        return draw(patterns(spectrum)), m, kappa, draw(st.sampled_from([0.5, 0.25, 0.75])), draw(seeds())

    def fast(self, pattern: Any, m: Any, kappa: float, share: float, seed: int) -> Parts:
        spectrum, rates, size = pattern[-1], -kappa * np.diff(m), 1 + np.max(np.abs(pattern[-1]))
        cells = free_cells(spectrum)

        def sweep(start: Any, uniforms: Any) -> Any:
            return _swept(start, uniforms, rates, quantile, np.minimum, np.maximum)

        early, (top, bottom) = uniform_numbers(seed, EARLIER, len(cells)), _extremes(spectrum)
        late, start = early[SWEEPS:], [row[: r + 1] for r, row in enumerate(pattern)]
        chains = [sweep(bottom, late), *(sweep(x, early) for x in (bottom, start, top)), sweep(top, late)]
        for a, b in itertools.pairwise(chains):
            for r, j in cells:
                yield AtMost(a[r - 1][j], b[r - 1][j], scale=size, part="order of the chains")
        if not cells:
            return
        (r, j), capped = cells[0], spectrum[:-1].copy()
        capped[j] = spectrum[j + 1] + share * (spectrum[j] - spectrum[j + 1])
        below, whole = (fast.tilted_mass(m, kappa, spectrum, spectrum[1:], top) for top in (capped, spectrum[:-1]))
        rng = np.random.default_rng(seed)
        uniforms, (unit, base, spread) = rng.random((LONG, len(cells), DRAWS)), unit_levels(spectrum)
        drawn = base + spread * released(lay_out(unit, spread * rates), DRAWS, rng)
        seen = [sweep(end, uniforms)[r - 1][j] for end in (top, bottom)]
        for x, part in zip((*seen, drawn[:, r - 1, j]), ("law of a cell", "law of a cell", SAMPLER), strict=True):
            yield Frequency(int(np.sum(x <= capped[j])), DRAWS, float(below / whole), part=part)

    def oracle(self, pattern: Any, m: Any, kappa: Real, share: Real, seed: int) -> Parts:
        start = {(r, j): mp.mpf(pattern[r - 1, j]) for r in range(1, len(m) + 1) for j in range(r)}
        spectrum, rates, d = [start[len(m), j] for j in range(len(m))], oracle.rates(m, kappa), len(m)
        top, bottom = (
            {(r, j): spectrum[j + late * (d - r)] for r in range(1, d + 1) for j in range(r)} for late in (0, 1)
        )
        cells, early = oracle.free_cells(spectrum), uniform_numbers(seed, EARLIER, len(oracle.free_cells(spectrum)))
        late = early[SWEEPS:]
        runs = (bottom, late), (bottom, early), (start, early), (top, early), (top, late)
        chains = [_resampled(x, uniforms, rates) for x, uniforms in runs]
        for a, b in itertools.pairwise(chains):
            for cell in cells:
                yield AtMost(a[cell], b[cell], scale=1 + max(map(abs, spectrum)), part="order of the chains")
        if not cells:
            return
        (_, j), box = cells[0], oracle.intervals(spectrum)
        low, high = box[j]
        part = [*box[:j], (low, low + share * (high - low)), *box[j + 1 :]]
        with mp.workdps(4 * mp.dps):  # terms of the order of powers of 1/kappa cancel
            below = oracle.weight_below(rates, spectrum, d - 1)
            nodes = confluent([kappa * (v - m[-1]) for v in m[:-1]])
            integrated = oracle.mass(below, part) / oracle.mass(below, box)
            stated = oracle.transition(nodes, spectrum, part) / oracle.transition(nodes, spectrum, box)
        for name in ("law of a cell", "law of a cell", SAMPLER):
            yield AtMost(integrated, stated, part=name)

    def tight(self) -> list[Any]:
        """Equal steps in three and in four dimensions; in four, long rows have neighbours on both sides."""
        pattern = np.array([[1.0, 0.0, 0.0], [1.5, 0.5, 0.0], [2.0, 1.0, 0.0]])
        ladder = np.array([3.0, 2.0, 1.0, 0.0])
        longer = np.array([[1.0, 0.0, 0.0, 0.0], [2.0, 1.0, 0.0, 0.0], [2.5, 1.5, 0.5, 0.0], ladder])
        return [(pattern, np.array([2.0, 1.0, 0.0]), 1.0, 0.5, 0), (longer, ladder, 1.0, 0.5, 0)]

    def beyond(self) -> dict[str, AtMost]:
        """Other numbers at the same time, with which the earlier start does not stay below the later one."""
        top = {(1, 0): mp.mpf(1), (2, 0): mp.mpf(1), (2, 1): mp.mpf(0)}
        late, early = (_resampled(top, uniforms, [0])[1, 0] for uniforms in ([[0.25]], [[0.5], [0.75]]))
        return {"the same numbers at the same times": AtMost(early, late, part="order of the chains")}
