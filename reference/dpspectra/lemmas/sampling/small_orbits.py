"""Three exact samplers of the orbit law by simple rejection, for small cases and for comparison.

For ``d = 2`` the weight of the second eigenvector is a truncated exponential. For one eigenvalue above equal others the
weights ``|w_i|^2``, ``i >= 2``, are independent truncated exponentials, accepted if their sum is at most 1, because the
weights of a Haar unit vector are uniform on the simplex; phases are uniform. For any spectrum, real or complex, a Haar
point is accepted with probability ``exp(-kappa gap)``. Over the reals the weights are not uniform, so the first two
samplers are complex only.
"""

from typing import Any

import numpy as np
from mpmath import mp
from scipy.special import exprel, gammaincc, gammaln

from dpspectra.fast import patterns as fast
from dpspectra.fast.bingham_laws import log_sphere_normaliser
from dpspectra.fast.divided_differences import exponential_differences
from dpspectra.fast.hciz import log_normaliser
from dpspectra.ledger import AtMost, Equal, Frequency, Parts, Real, Reals, Verdict, statement
from dpspectra.lemmas.sampling.pattern_law import free_cells
from dpspectra.oracle import bingham_laws as exact_bingham_laws
from dpspectra.oracle import hciz as exact_hciz
from dpspectra.oracle import patterns as oracle
from dpspectra.oracle.divided_differences import divided_difference
from dpspectra.sampling.haar import haar
from dpspectra.strategies import dimensions, seeds, st
from dpspectra.strategies.orbits import levels

DRAWS = 4000
"""Random draws in a case."""


LARGEST_TILT = 4.0
"""Largest ``kappa`` times both spreads for which the float64 face integrates over patterns."""


INTEGRATED = 5
"""Largest dimension in which the exponential is integrated over patterns: the next one takes seconds."""


FEW = 4
"""Largest dimension in which gaps are summed over permutations and real spheres are integrated."""


@statement
class SmallOrbits:
    labels = ("MWKTV-SAMP",)
    given = (
        r"r_i=\kappa(\gamma_1-\gamma_i),\ Z(\Lambda)=\mathbb E e^{\kappa\langle M,H\rangle},\ "
        r"S=\tfrac1{(d-1)!}e^{-\kappa\gamma_1}Z(\operatorname{diag}(1,0,..,0)),\quad "
        r"w_i\sim\operatorname{Exp}_{[0,1]}(r_i)\ (i\ge2)\text{ accepted if }\sum_{i\ge2}w_i\le1,\ "
        r"\text{Haar points with probability }e^{-\kappa\,\mathrm{gap}},\ "
        r"v\text{ with probability }e^{-\sum_ir_iv_i^2}"
    )
    claim = {
        "normaliser on the simplex": r"S=[-r_1,..,-r_d]e^x",
        "exponential acceptance at most one": r"S\prod_{i\ge2}\tfrac{r_i}{1-e^{-r_i}}\le1",
        "Haar acceptance at most one": r"Z(\Lambda)\,e^{-\kappa\sum_i\gamma_i\lambda_i}\le1",
        "accepted exponentials": r"\Pr\big[\sum_{i\ge2}w_i\le1\big]\le S\prod_{i\ge2}\tfrac{r_i}{1-e^{-r_i}}",
        "accepted Haar points": r"\mathbb Ee^{-\kappa\,\mathrm{gap}}\le Z(\Lambda)e^{-\kappa\sum_i\gamma_i\lambda_i}",
        "gap of a line": (
            r"\Pr\big[\sum_{i\ge2}r_iw_i\ge\tfrac{d-1}2\mid\text{accepted}\big]\le\tfrac{\Gamma(d-1,(d-1)/2)}{\Gamma(d-1)}"
        ),
        "gap of the orbit": (
            r"\Pr[\kappa\,\mathrm{gap}\ge\tfrac n2\mid\text{accepted}]\le\tfrac{\Gamma(n,n/2)}{\Gamma(n)}"
        ),
        "accepted real lines": r"\Pr[v\text{ accepted}]\le\int e^{-\sum_ir_iv_i^2}dv",
        "law of real lines": (
            r"\mathbb E\big[e^{-\sum_ir_iv_i^2}\mid v\text{ accepted}\big]\le"
            r"\frac{\int e^{-2\sum_ir_iv_i^2}dv}{\int e^{-\sum_ir_iv_i^2}dv}"
        ),
        "survival in two dimensions": (
            r"d=2,\ b=\kappa(\gamma_1-\gamma_2)(\lambda_1-\lambda_2):\ \tfrac{e^{-b/4}-e^{-b}}{1-e^{-b}}"
            r"=\Pr[\kappa\,\mathrm{gap}\ge\tfrac b4\mid\text{accepted}]"
        ),
    }
    where = {
        r"\mathrm{gap}": (
            r"utility that is lost: largest possible $`\langle M,H\rangle`$ on the orbit less the one that is "
            "had"
        ),
        "b": r"largest loss in two dimensions, times $`\kappa`$",
        "r_i": r"$`\kappa`$ times differences of eigenvalues",
        "w_i": "squared moduli of the coordinates of the drawn unit vector in the eigenbasis of $`M`$",
        r"\mathrm{Exp}_{[0,1]}": "exponential law of this rate, cut off to the interval from 0 to 1",
        "Z": "normaliser of the orbit law, a mean over a Haar point of this orbit",
        "S": r"integral of $`e^{-\sum r_iw_i}`$ over the simplex",
        "[-r_1,..,-r_d]": ("[-r_1,..,-r_d]", "divided difference over these nodes"),
        "x": "variable of the divided difference",
        "n": "number of entries of the pattern that no tie fixes",
        "v": "uniform real unit vector",
        "v_i": "the coordinates of this vector",
        "dv": "uniform law on the real unit sphere",
    }
    verdict = Verdict.NEW
    uses = ("MWKTV-HCIZ", "MWKTV-N1")
    note = "sampling.md#samplers-of-small-orbits"
    digits = 30
    examples = 20

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, ...]:
        """Eigenvalues of ``M``, a spectrum that is not constant, ``kappa``, and a seed."""
        d = draw(dimensions(2))
        m, spectrum = draw(levels(d)), draw(levels(d).filter(lambda v: v[0] > v[-1]))
        tilt = draw(st.sampled_from([4.0, 1.0, 8.0]))
        kappa = 2.0 ** np.floor(np.log2(tilt / (float(np.ptp(spectrum) * np.ptp(m)) or 1.0)))
        return m, spectrum, float(kappa), draw(seeds())

    def fast(self, m: Any, spectrum: Any, kappa: float, seed: int) -> Parts:
        d, rng = len(m), np.random.default_rng(seed)
        line, exponents = np.eye(d)[0], kappa * (m[0] - m)
        rates, best, n = exponents[1:], kappa * float(m @ spectrum), len(free_cells(spectrum))
        simplex = np.exp(log_normaliser(m, line, kappa) - kappa * m[0] - gammaln(d))
        u = rng.random((DRAWS, d - 1))
        shares = np.where(rates > 0, -np.log1p(u * np.expm1(-rates)) / np.where(rates > 0, rates, 1.0), u)
        lines = shares[np.sum(shares, axis=1) <= 1] @ rates
        shares = np.abs(haar(d, size=DRAWS, rng=rng)) ** 2
        gaps = best - kappa * np.einsum("i,nij,j->n", m, shares, spectrum)
        gaps = gaps[np.log(rng.random(DRAWS)) < -gaps]
        acceptance = simplex / np.prod(exprel(-rates))
        haar_acceptance = np.exp(log_normaliser(m, spectrum, kappa) - best)
        yield Equal(simplex, exponential_differences(-exponents, np.array(1.0))[-1], part="normaliser on the simplex")
        yield AtMost(acceptance, 1.0, part="exponential acceptance at most one")
        yield AtMost(haar_acceptance, 1.0, part="Haar acceptance at most one")
        yield Frequency(len(lines), DRAWS, float(acceptance), part="accepted exponentials")
        yield Frequency(len(gaps), DRAWS, float(haar_acceptance), part="accepted Haar points")
        if d > FEW:
            return
        real = haar(d, field="real", size=DRAWS, rng=rng)[:, 0] ** 2 @ exponents
        real = real[np.log(rng.random(DRAWS)) < -real]
        logs = [log_sphere_normaliser(i * exponents, 0.5) for i in (1, 2)]
        far, chance = int(np.sum(lines >= (d - 1) / 2)), float(gammaincc(d - 1, (d - 1) / 2))
        kept = int(np.sum(np.log(rng.random(len(real))) < -real))
        yield Frequency(far, len(lines), chance, part="gap of a line")
        yield Frequency(int(np.sum(gaps >= n / 2)), len(gaps), float(gammaincc(n, n / 2)), part="gap of the orbit")
        yield Frequency(len(real), DRAWS, float(np.exp(logs[0])), part="accepted real lines")
        yield Frequency(kept, len(real), float(np.exp(logs[1] - logs[0])), part="law of real lines")
        b = kappa * float(np.ptp(m) * np.ptp(spectrum))
        if d > 2 or b == 0 or b > LARGEST_TILT:
            return
        quarter = np.array([spectrum[0] - np.ptp(spectrum) / 4])
        above, whole = (fast.tilted_mass(m, kappa, spectrum, spectrum[1:], top) for top in (quarter, spectrum[:1]))
        survival = np.expm1(-3 * b / 4) * np.exp(-b / 4) / np.expm1(-b)
        yield Equal(survival, above / whole, part="survival in two dimensions")

    def oracle(self, m: Reals, spectrum: Reals, kappa: Real, _: int) -> Parts:
        d = len(m)
        line, exponents, n = [1] + [0] * (d - 1), [kappa * (m[0] - v) for v in m], len(oracle.free_cells(spectrum))
        simplex = mp.exp(exact_hciz.log_normaliser(m, line, kappa) - kappa * m[0]) / mp.factorial(d - 1)
        difference = divided_difference(lambda _, x: mp.exp(x), [-v for v in exponents])
        acceptance, stated = (
            x / mp.fprod(-mp.expm1(-rate) / rate if rate else 1 for rate in exponents[1:])
            for x in (difference, simplex)
        )
        haar_acceptance = mp.exp(exact_hciz.log_normaliser(m, spectrum, kappa) - kappa * mp.fdot(m, spectrum))
        best = mp.exp(kappa * mp.fdot(m, spectrum))
        # In more dimensions nothing but the draws is compared.
        integrated = oracle.normaliser(m, spectrum, kappa) / best if d <= INTEGRATED else haar_acceptance
        yield Equal(simplex, difference, part="normaliser on the simplex")
        yield AtMost(acceptance, 1, part="exponential acceptance at most one")
        yield AtMost(haar_acceptance, 1, part="Haar acceptance at most one")
        yield AtMost(acceptance, stated, part="accepted exponentials")
        yield AtMost(integrated, haar_acceptance, part="accepted Haar points")
        if d > FEW:
            return
        first, second = (
            [mp.exp(log([i * v for v in exponents], mp.mpf(0.5))) for i in (1, 2)]
            for log in (exact_bingham_laws.log_sphere_series, exact_bingham_laws.log_sphere_normaliser)
        )
        for values, size, part in ((line, d - 1, "gap of a line"), (spectrum, n, "gap of the orbit")):
            tail = oracle.gap_tail(m, values, kappa, size / (2 * kappa))
            yield AtMost(tail, oracle.gamma_tail(size, mp.mpf(size) / 2), part=part)
        yield AtMost(first[0], second[0], part="accepted real lines")
        yield AtMost(first[1] / first[0], second[1] / second[0], part="law of real lines")
        spread = (m[0] - m[-1]) * (spectrum[0] - spectrum[-1])
        b = kappa * spread
        if d > 2 or b == 0 or b > LARGEST_TILT:
            return
        survival = (mp.exp(-b / 4) - mp.exp(-b)) / (1 - mp.exp(-b))
        yield Equal(survival, oracle.gap_tail(m, spectrum, kappa, spread / 4), part="survival in two dimensions")

    def tight(self) -> list[Any]:
        """One line at a middle, a high and a low temperature."""
        line = np.array([1.0, 0.0])
        return [(line, line, kappa, 0) for kappa in (4.0, 2.0**-24, 32.0)]

    def beyond(self) -> dict[str, Equal]:
        """Over the reals the share of the second axis is the square of a sine: small shares are more probable."""
        above, whole = (mp.quad(lambda u: mp.exp(-4 * mp.sin(u) ** 2), [low, mp.pi / 2]) for low in (mp.pi / 6, 0))
        survival = (mp.exp(-1) - mp.exp(-4)) / (1 - mp.exp(-4))
        return {"complex numbers": Equal(above / whole, survival, part="survival in two dimensions")}
