"""Monotone coupling from the past: chains from the top and the bottom pattern, with shared uniforms, bound every chain.

Given its neighbours a cell has density ``exp(rate x)`` on the interval they leave; its quantile at a fixed level
increases with both ends. So a Gibbs sweep with shared uniforms preserves the order of patterns. Chains from the top and
the bottom that start earlier, with the same uniforms at the same times, lie between those that start later. If they
agree at time 0, they agree with a chain that has run for ever, whatever the stopping rule. With fresh uniforms after
the starting time is doubled, this nesting is lost and the law is biased.
"""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import numpy as np
from mpmath import mp

from dpspectra.fast import patterns as fast
from dpspectra.ledger import OPEN, AtMost, Frequency, Slack, Statement, Verdict
from dpspectra.ledger.outcomes import Outcome
from dpspectra.lemmas.sampling.pattern_law import free_cells
from dpspectra.oracle import patterns as oracle
from dpspectra.strategies import seeds
from dpspectra.strategies.lazy import st
from dpspectra.strategies.orbits import levels, patterns

SWEEPS = 2
"""Sweeps from the later of the two starting times that are compared; the other has twice as many."""
DRAWS, LONG = 2000, 48
"""Runs, and sweeps in each: enough for the top and the bottom chain to agree up to rounding for ``d <= 3``."""


class Case(NamedTuple):
    """A pattern to start from, eigenvalues of ``M``, ``kappa``, a level of a cell, and a seed."""

    pattern: Any
    m: Any
    kappa: float
    share: float
    seed: int


@st.composite
def _instances(draw: st.DrawFn) -> Case:
    """Patterns of up to four rows, with ties of the spectrum; ``kappa`` times both spreads is at most 4."""
    d = draw(st.integers(2, 4))
    spectrum, m = draw(levels(d)), draw(levels(d))
    tilt = draw(st.sampled_from([4.0, 1.0, 2.0**-40]))
    kappa = float(2.0 ** np.floor(np.log2(tilt / (float(np.ptp(spectrum) * np.ptp(m)) or 1.0))))
    return Case(draw(patterns(spectrum)), m, kappa, draw(st.sampled_from([0.5, 0.25, 0.75])), draw(seeds()))


lemma = Statement(
    labels=("DPS-CFTP",),
    claim=r"B_T\le B_{2T}\le X\le A_{2T}\le A_T\text{ in every cell, for every chain }X\text{ with the same uniforms; }"
    r"A_T-B_T\to0,\ X\sim e^{\kappa\langle M,H\rangle}",
    verdict=Verdict.NEW,
    cases=_instances,
    uses=("DPS-GT",),
    note="sampling.md#sandwich-on-patterns",
    examples=60,
    slack={"probability at most one": Slack(0.205739, OPEN)},
)


def _cells_in_order(spectrum: Any) -> list[tuple[int, int]]:
    """Free cells in the order of a sweep: even rows, then odd rows."""
    return sorted(free_cells(spectrum), key=lambda cell: (cell[0] % 2, cell))


def _extremes(spectrum: Any) -> tuple[Any, Any]:
    """Top and bottom pattern, as nested lists."""
    d = len(spectrum)
    return (
        [[spectrum[j] for j in range(r)] for r in range(1, d + 1)],
        [[spectrum[j + d - r] for j in range(r)] for r in range(1, d + 1)],
    )


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


def _chains(pattern: Any, spectrum: Any, seed: int, sweep: Any) -> list[Any]:
    """Chains claimed to ascend: bottom started late, bottom started early, any start, top early, top late."""
    uniforms = np.random.default_rng(seed).random((2 * SWEEPS, len(free_cells(spectrum)))).tolist()
    top, bottom = _extremes(spectrum)
    start = [pattern[r][: r + 1] for r in range(len(spectrum))]
    late = uniforms[SWEEPS:]
    return [sweep(bottom, late), *(sweep(x, uniforms) for x in (bottom, start, top)), sweep(top, late)]


def quantile(low: Any, high: Any, rate: float, u: Any) -> Any:
    """Quantile at level ``u`` of the density ``exp(rate x)`` on ``[low, high]``; stable for small ``rate >= 0``."""
    if rate == 0:
        return low + (high - low) * u
    return high + np.log1p((1 - u) * np.expm1(-rate * (high - low))) / rate


@lemma.fast
def trapped(pattern: Any, m: Any, kappa: float, share: float, seed: int) -> tuple[Outcome, ...]:
    spectrum, rates, size = pattern[-1], -kappa * np.diff(m), 1 + np.max(np.abs(pattern[-1]))
    cells = free_cells(spectrum)

    def sweep(start: Any, uniforms: Any) -> Any:
        return _swept(start, uniforms, rates, quantile, np.minimum, np.maximum)

    chains = _chains(pattern, spectrum, seed, sweep)
    parts: list[Outcome] = [
        AtMost(a[r - 1][j], b[r - 1][j], scale=size, part="order of the chains")
        for a, b in itertools.pairwise(chains)
        for r, j in cells
    ]
    if not cells or len(m) > 3:
        return tuple(parts)
    (r, j), capped = cells[0], spectrum[:-1].copy()
    capped[j] = spectrum[j + 1] + share * (spectrum[j] - spectrum[j + 1])
    below, whole = (fast.tilted_mass(m, kappa, spectrum, spectrum[1:], top) for top in (capped, spectrum[:-1]))
    parts.append(AtMost(below / whole, 1.0, part="probability at most one"))
    uniforms = np.random.default_rng(seed).random((LONG, len(cells), DRAWS))
    for start in _extremes(spectrum):
        seen = sweep(start, uniforms)[r - 1][j] <= capped[j]
        parts.append(Frequency(int(np.sum(seen)), DRAWS, float(below / whole), part="law of a cell"))
    return tuple(parts)


@lemma.oracle
def exactly_trapped(pattern: Any, m: Any, kappa: float, share: float, seed: int) -> tuple[Outcome, ...]:
    rows = [[mp.mpf(x) for x in row] for row in pattern]
    spectrum, rates, cells, d = rows[-1], oracle.rates(m, kappa), free_cells(rows[-1]), len(m)

    def level(low: Any, high: Any, rate: Any, u: Any) -> Any:
        if rate == 0:
            return low + (high - low) * mp.mpf(u)
        start, end = mp.exp(rate * low), mp.exp(rate * high)
        return mp.log(start + mp.mpf(u) * (end - start)) / rate

    chains = _chains(rows, spectrum, seed, lambda start, uniforms: _swept(start, uniforms, rates, level, min, max))
    parts: list[Outcome] = [
        AtMost(a[r - 1][j], b[r - 1][j], scale=1 + max(map(abs, spectrum)), part="order of the chains")
        for a, b in itertools.pairwise(chains)
        for r, j in cells
    ]
    if not cells or d > 3:
        return tuple(parts)
    (_, j), below, places = cells[0], oracle.weight_below(rates, spectrum, d - 1), oracle.intervals(spectrum)
    whole, (low, high) = oracle.mass(below, places), places[j]
    places[j] = (low, low + mp.mpf(share) * (high - low))
    probability = oracle.mass(below, places) / whole
    return (
        *parts,
        AtMost(probability, 1, part="probability at most one"),
        *(AtMost(probability, probability, part="law of a cell") for _ in range(2)),
    )


@lemma.tight
def two_levels() -> list[Any]:
    pattern = np.array([[1.0, 0.0, 0.0], [1.5, 0.5, 0.0], [2.0, 1.0, 0.0]])
    return [Case(pattern, np.array([2.0, 1.0, 0.0]), 1.0, 0.5, 0)]
