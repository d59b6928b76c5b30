"""Seen from its top vertex, a pattern under a linear exponent has independent exponential slacks, given interlacing.

The slacks ``s_j = x_{r+1,j} - x_{r,j}`` are a unit-triangular change of variables, and the exponent is a constant minus
the sum of ``kappa (m_j - m_{r+1}) s_j``. Slacks that a tie of the spectrum fixes are 0. Every other slack needs
``m_j > m_{r+1}``: at a tie of ``m`` its rate is 0 and there is no exponential law. Independent draws interlace only if
no entry falls below its other neighbour; for simple spectra the probability of that is a determinant.
"""

import itertools
import math
from typing import Any

import numpy as np
from mpmath import mp
from scipy.special import gammaincc

from dpspectra.fast import hciz
from dpspectra.ledger import AtMost, Equal, Frequency, Parts, Real, Reals, Verdict, statement
from dpspectra.lemmas.sampling.pattern_law import free_cells
from dpspectra.oracle import patterns as oracle
from dpspectra.oracle.hciz import log_normaliser
from dpspectra.oracle.linalg import determinant
from dpspectra.strategies import seeds, st
from dpspectra.strategies.orbits import levels, patterns

DRAWS = 4000
"""Random draws in a case."""


@statement
class VertexSlacks:
    labels = ("DPS-VERTEX",)
    given = (
        r"s_j^{(r)}=x_{r+1,j}-x_{r,j}\sim\operatorname{Exp}(\kappa(m_j-m_{r+1})),\ m_j>m_{r+1},\quad P=e^{-\kappa\sum_j"
        r"m_j\lambda_j}\,\mathbb E e^{\kappa\langle\operatorname{diag}m,H\rangle}\prod_{\lambda_i>\lambda_j}"
        r"\tfrac{\lambda_i-\lambda_j}{j-i}\prod_{(r,j)\text{ free}}\kappa(m_j-m_{r+1})"
    )
    claim = {
        "trace from the slacks": (
            r"\langle\operatorname{diag}m,H\rangle=\sum_jm_j\lambda_j-\sum_{j\le r<d}(m_j-m_{r+1})s_j^{(r)}"
        ),
        "accepted slacks": r"\Pr[\text{interlacing}]\le P",
        "law of the gap": (
            r"\Pr\big[\sum_{j\le r<d}\kappa(m_j-m_{r+1})s_j^{(r)}\ge\tfrac N2\mid\text{interlacing}\big]"
            r"\le\tfrac{\Gamma(N,N/2)}{\Gamma(N)}"
        ),
        "determinant of the acceptance": (
            r"\lambda_1>..>\lambda_d:\ P=\det[e^{\kappa m_i(\lambda_j-\lambda_i)}]_{i,j\le d}"
        ),
    }
    where = {
        "s_j^{(r)}": "slack: the entry of the row above less the entry of row $`r`$",
        r"\operatorname{Exp}": "exponential law of this rate",
        "P": "probability that independent slacks interlace",
        "N": "number of entries that no tie of the spectrum fixes",
    }
    verdict = Verdict.NEW
    uses = ("DPS-GT", "DPS-GTBOX", "MWKTV-HCIZ", "MWKTV-N1")
    exact = ("trace from the slacks",)
    note = "sampling.md#exponential-slacks-at-the-top-vertex"
    without_beyond = (
        "It is an identity for all values that differ; with equal values a rate is 0, and there is no "
        "such exponential law."
    )
    examples = 60

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, ...]:
        """A pattern, the eigenvalues of ``M``, ``kappa``, and a seed."""
        d = draw(st.integers(2, 4))
        spectrum, m = draw(levels(d)), draw(levels(d, distinct=draw(st.sampled_from([True, True, False]))))
        tilt = draw(st.sampled_from([16.0, 4.0, 64.0]))
        kappa = 2.0 ** np.floor(np.log2(tilt / (float(np.ptp(spectrum) * np.ptp(m)) or 1.0)))
        return draw(patterns(spectrum)), m, float(kappa), draw(seeds())

    def fast(self, pattern: Any, m: Any, kappa: float, seed: int) -> Parts:
        spectrum, d = pattern[-1], len(m)
        sums, best = np.concatenate([[0.0], np.sum(pattern, axis=1)]), float(m @ spectrum)
        lost = sum((m[j] - m[r]) * (pattern[r, j] - pattern[r - 1, j]) for r in range(1, d) for j in range(r))
        size = np.sum(np.abs(m)) * np.max(np.abs(spectrum))
        yield Equal(m @ np.diff(sums), best - lost, scale=size, part="trace from the slacks")
        rates = {(r, j): kappa * (m[j] - m[r]) for r, j in free_cells(spectrum)}
        if min(rates.values(), default=0.0) <= 0:
            return
        pairs = [(i, j) for i, j in itertools.combinations(range(d), 2) if spectrum[i] > spectrum[j]]
        volume = math.prod((spectrum[i] - spectrum[j]) / (j - i) for i, j in pairs)
        acceptance = np.exp(hciz.log_normaliser(m, spectrum, kappa) - kappa * best) * volume * math.prod(rates.values())
        rng, drawn = np.random.default_rng(seed), np.zeros((DRAWS, d, d))
        drawn[:, -1], fits, gap = spectrum, np.ones(DRAWS, dtype=bool), np.zeros(DRAWS)
        for r in range(d - 1, 0, -1):
            for j in range(r):
                slack = rng.exponential(1 / rates[r, j], DRAWS) if (r, j) in rates else 0.0
                drawn[:, r - 1, j] = drawn[:, r, j] - slack
                fits &= drawn[:, r - 1, j] >= drawn[:, r, j + 1]
                gap += rates.get((r, j), 0.0) * slack
        yield Frequency(int(np.sum(fits)), DRAWS, float(acceptance), part="accepted slacks")
        far, chance = int(np.sum(gap[fits] >= len(rates) / 2)), float(gammaincc(len(rates), len(rates) / 2))
        yield Frequency(far, int(np.sum(fits)), chance, part="law of the gap")
        if len(pairs) < d * (d - 1) // 2:
            return
        entries = np.exp(kappa * m[:, None] * (spectrum[None, :] - spectrum[:, None]))
        size = np.prod(np.sum(entries, axis=1))
        yield Equal(acceptance, np.linalg.det(entries), scale=size, part="determinant of the acceptance")

    def oracle(self, pattern: Any, m: Reals, kappa: Real, _: int) -> Parts:
        d = len(m)
        rows = [[], *([mp.mpf(x) for x in pattern[i, : i + 1]] for i in range(d))]
        spectrum, best = rows[-1], mp.fdot(m, rows[-1])
        lost = mp.fsum((m[j] - m[r]) * (rows[r + 1][j] - rows[r][j]) for r in range(1, d) for j in range(r))
        value = mp.fsum(v * (mp.fsum(b) - mp.fsum(a)) for v, (a, b) in zip(m, itertools.pairwise(rows), strict=True))
        size = mp.fsum(map(abs, m)) * max(map(abs, spectrum))
        yield Equal(value, best - lost, scale=size, part="trace from the slacks")
        rates = [kappa * (m[j] - m[r]) for r, j in oracle.free_cells(spectrum)]
        if not rates or min(rates) <= 0:
            return
        below = oracle.weight_below(oracle.rates(m, kappa), spectrum, d)
        integral = oracle.mass(below, spectrum) * mp.exp(kappa * m[-1] * mp.fsum(spectrum))
        pairs = [(i, j) for i, j in itertools.combinations(range(d), 2) if spectrum[i] > spectrum[j]]
        volume = mp.fprod((spectrum[i] - spectrum[j]) / (j - i) for i, j in pairs)
        stated = mp.exp(log_normaliser(m, spectrum, kappa) - kappa * best) * volume * mp.fprod(rates)
        whole, n = mp.fprod(1 / rate for rate in rates), len(rates)  # the integral over all slacks, interlacing or not
        acceptance = integral * mp.exp(-kappa * best) / whole
        yield AtMost(acceptance, stated, part="accepted slacks")
        tail = oracle.gap_tail(m, spectrum, kappa, n / (2 * kappa))
        yield AtMost(tail, oracle.gamma_tail(n, mp.mpf(n) / 2), part="law of the gap")
        if len(set(spectrum)) < d:
            return
        entries = mp.matrix([[mp.exp(kappa * v * (x - y)) for x in spectrum] for v, y in zip(m, spectrum, strict=True)])
        size = mp.fprod(mp.fsum(entries[i, :]) for i in range(d))
        yield Equal(acceptance, determinant(entries), scale=size, part="determinant of the acceptance")

    def tight(self) -> list[Any]:
        """A simple spectrum at two temperatures, at the lower of which all slacks interlace; and a projection."""
        simple = np.array([[1.0, 0.0, 0.0], [1.5, 0.5, 0.0], [2.0, 1.0, 0.0]])
        tied = np.array([[0.75, 0.0, 0.0, 0.0], [1.0, 0.5, 0.0, 0.0], [1.0, 1.0, 0.0, 0.0], [1.0, 1.0, 0.0, 0.0]])
        m = np.array([2.0, 1.0, 0.0])
        return [(simple, m, 2.0, 0), (simple, m, 64.0, 0), (tied, np.array([3.0, 2.0, 0.0, 0.0]), 2.0, 0)]
