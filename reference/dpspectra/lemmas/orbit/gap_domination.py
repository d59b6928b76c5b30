"""On a complex orbit the utility gap of the exponential law is at most a Gamma variable of shape ``n`` and rate kappa.

``n`` counts the pairs of distinct values of the spectrum. The gap is an affine function on the polytope of patterns, on
which the Haar law is uniform, and is 0 at one of its points; shrinking towards that point shows that the density of the
gap at ``t``, divided by ``t^(n-1)``, decreases. So with the factor ``exp(-kappa t)`` its law is below the Gamma law in
likelihood ratio order. The trace of ``M`` does not enter. Over the reals the law of the pattern is not uniform, and the
statement is a conjecture.
"""

import itertools
from typing import Any

import numpy as np
from mpmath import mp
from scipy.special import gammaincc

from dpspectra.fast.hciz import log_normaliser
from dpspectra.fast.patterns import signed_gaps
from dpspectra.formulas.utility_gap_domination import shape
from dpspectra.ledger import AtMost, Frequency, Parts, Real, Reals, Verdict, statement
from dpspectra.oracle import hciz as exact_hciz
from dpspectra.oracle import patterns as oracle
from dpspectra.sampling.haar import haar
from dpspectra.strategies import dimensions, seeds, st
from dpspectra.strategies.orbits import levels

DRAWS = 4000
"""Haar points of the orbit in a case."""
LARGEST_TILT = 8.0
"""Largest product of ``kappa`` and both spreads at which the law is sampled by thinning Haar points."""
FEW = 4
"""Largest dimension in which the law of the gap is summed over permutations, and the normaliser found in two ways."""
APART = 0.4999
"""Product of ``kappa`` and both smallest gaps from which float64 can take the alternating sums.

No product of drawn numbers is near it, so that rounding decides nothing.
"""
HEIGHTS = (3 / 4, 3 / 8)
"""Shares of the largest gap at which its density over ``t^(n-1)`` is compared."""


def separated(m: Any, spectrum: Any, kappa: float) -> bool:
    """Whether the product of ``kappa`` and the smallest gaps of both is at least `APART`."""
    return bool(kappa * np.min(-np.diff(m), initial=np.inf) * np.min(-np.diff(spectrum), initial=np.inf) >= APART)


def exactly_separated(m: Any, spectrum: Any, kappa: Any) -> bool:
    """`separated`, every pair of values against every pair."""
    differences = ([a - b for a, b in itertools.combinations(values, 2)] for values in (m, spectrum))
    return all(kappa * x * y >= APART for x, y in itertools.product(*differences))


@statement
class GapDomination:
    labels = ("MWKTV-N1",)
    given = (
        r"H\sim\nu_M,\ n=\#\{i<j:\lambda_i>\lambda_j\},\ Q_n(x)=e^{-x}\sum_{j<n}\frac{x^j}{j!},\ "
        r"z(\kappa)=\int e^{-\kappa\,\mathrm{gap}}d\mu_\Lambda,\ f(s)/s^{n-1}\to a\ (s\to0)"
    )
    claim = {
        "ratio of normalisers": r"\log\frac{z(\kappa)}{z(2\kappa)}\le n\log2",
        "tail of the gap": (
            r"\kappa\min_{i<d}(\gamma_i-\gamma_{i+1})\min_{i<d}(\lambda_i-\lambda_{i+1})\ge\tfrac12:\ "
            r"\Pr[\mathrm{gap}\ge\tau]\le Q_n(\kappa\tau)"
        ),
        "decreasing density": r"s<t:\ \frac{f(t)}{a\,t^{n-1}}\le\frac{f(s)}{a\,s^{n-1}}",
        "tail of sampled gaps": (
            r"\kappa(\gamma_1-\gamma_d)(\lambda_1-\lambda_d)\le8:\ \Pr[\mathrm{gap}\ge\tau]\le Q_n(\kappa\tau)"
        ),
    }
    where = {
        r"\tau": "loss of utility",
        "Q_n": "tail of the Gamma law of shape $`n`$ and rate 1",
        "x": r"loss of utility in units of $`1/\kappa`$",
        "z": "normaliser, relative to the optimum",
        r"d\mu_\Lambda": "element of the uniform law",
        "f": "density of the gap under the uniform law",
        "a": "its limit at 0, relative to a power",
        "s": "loss of utility",
        "t": "a larger loss of utility",
    }
    verdict = Verdict.NEW
    uses = ("DPS-GT", "MWKTV-HCIZ")
    note = "orbit.md#gap-domination"
    examples = 80

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, Any, float, float, int]:
        """Eigenvalues of ``M``, a spectrum, ``kappa``, a level of ``kappa gap``, and a seed."""
        d = draw(dimensions())
        distinct = draw(st.booleans())
        m, spectrum = draw(levels(d, distinct=distinct)), draw(levels(d, distinct=distinct))
        tilt = draw(st.sampled_from([4.0, 64.0, 0.5, 256.0]))
        kappa = 2.0 ** np.floor(np.log2(tilt / (float(np.ptp(spectrum) * np.ptp(m)) or 1.0)))
        level = draw(st.sampled_from([1.0, 0.5, 2.0, 0.125])) * (shape(spectrum) or 1)
        return m, spectrum, float(kappa), level, draw(seeds())

    def fast(self, m: Any, spectrum: Any, kappa: float, level: float, seed: int) -> Parts:
        d, n, best = len(m), shape(spectrum), float(m @ spectrum)
        cold, warm = (log_normaliser(m, spectrum, x) - x * best for x in (2 * kappa, kappa))
        tilt, dominating = kappa * float(np.ptp(m) * np.ptp(spectrum)), float(gammaincc(n, level)) if n else 0.0
        scale = 1 + kappa * np.sum(np.abs(m)) * np.ptp(spectrum)
        yield AtMost(warm - cold, n * np.log(2.0), scale=scale, part="ratio of normalisers")
        if d > FEW:
            return
        if n and tilt <= LARGEST_TILT:
            rng = np.random.default_rng(seed)
            seen = best - np.einsum("i,nij,j->n", m, np.abs(haar(d, size=DRAWS, rng=rng)) ** 2, spectrum)
            seen = kappa * seen[np.log(rng.random(DRAWS)) < -kappa * seen]
            yield Frequency(int(np.sum(seen >= level)), len(seen), dominating, part="tail of sampled gaps")
        if not n or not separated(m, spectrum, kappa):
            return
        signs, ends = signed_gaps(m, spectrum)
        weights = signs * np.exp(-kappa * ends)
        tail = np.sum(weights * gammaincc(n, np.maximum(level - kappa * ends, 0.0))) / np.sum(weights)
        yield AtMost(tail, dominating, scale=np.sum(np.abs(weights)) / np.sum(weights), part="tail of the gap")
        compared = (share * (best - float(m @ spectrum[::-1])) for share in HEIGHTS)
        heights = [float(np.sum(np.where(ends < t, signs * (1 - ends / t) ** (n - 1), 0.0))) for t in compared]
        for low, high in itertools.pairwise([*heights, 1.0]):
            yield AtMost(low, high, scale=len(ends), part="decreasing density")

    def oracle(self, m: Reals, spectrum: Reals, kappa: Real, level: Real, _: int) -> Parts:
        """The shape is the dimension of the polytope of patterns."""
        n = len(oracle.free_cells(spectrum))
        best, spread = mp.fdot(m, spectrum), (m[0] - m[-1]) * (spectrum[0] - spectrum[-1])
        cold, warm = (exact_hciz.log_normaliser(m, spectrum, x) - x * best for x in (2 * kappa, kappa))
        scale = 1 + kappa * mp.fsum(map(abs, m)) * (spectrum[0] - spectrum[-1])
        yield AtMost(warm - cold, n * mp.log(2), scale=scale, part="ratio of normalisers")
        if len(m) > FEW:
            return
        tail = oracle.gap_tail(m, spectrum, kappa, level / kappa) if n else mp.mpf(0)
        if n and kappa * spread <= LARGEST_TILT:
            yield AtMost(tail, oracle.gamma_tail(n, level), part="tail of sampled gaps")
        if not n or not exactly_separated(m, spectrum, kappa):
            return
        yield AtMost(tail, oracle.gamma_tail(n, level), part="tail of the gap")
        ends = [best - mp.fdot(m, order) for order in itertools.permutations(spectrum)]
        tiny = min(end for end in ends if end > 0) / 2
        compared = (*(share * max(ends) for share in HEIGHTS), tiny)
        heights = [oracle.gap_density(m, spectrum, t) / t ** (n - 1) for t in compared]
        for low, high in itertools.pairwise(heights):
            yield AtMost(low / heights[2], high / heights[2], scale=len(ends), part="decreasing density")

    def tight(self) -> list[Any]:
        line = np.array([1.0, 0.0, 0.0])
        sampled = (line[:2], line[:2], LARGEST_TILT, 2.0**-10, 0)
        return [(line[:2], line[:2], 64.0, 1.0, 0), (line, line, 64.0, 2.0, 0), sampled]

    def beyond(self) -> dict[str, AtMost]:
        """A large matrix, whose gap has the Gamma law, against the shape without one of the pairs."""
        tail = oracle.gap_tail([mp.mpf(v) for v in (8, 5, 0)], [mp.mpf(v) for v in (3, 1, 0)], mp.mpf(6), mp.mpf(1) / 2)
        return {"n counts every pair of distinct values": AtMost(tail, oracle.gamma_tail(2, mp.mpf(3)))}
