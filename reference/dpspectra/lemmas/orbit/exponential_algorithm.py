"""Algorithm 1: draw from the orbit of a public spectrum, about with density ``exp(epsilon <M, H> / (4 lambda_1))``.

The density of the law drawn from may differ by a factor of at most ``e^(epsilon/4)`` either way at every ``H``
(infinity distance ``epsilon/4``); adding one person to ``M`` changes the law by no more than that, so the slack is
worth one person. The gap of the exact law is compared with the tail of a Gamma law. For a constant spectrum the orbit
is a point, which is the output. With an exact sampler the slack is wasted, and ``kappa`` could be twice as large.
"""

from typing import Any

import numpy as np
from mpmath import mp
from scipy.special import gammaincc

from dpspectra.fast import hciz, orbit_privacy_loss
from dpspectra.fast import linalg as fast
from dpspectra.formulas.utility_gap_domination import shape
from dpspectra.ledger import AtMost, Equal, Frequency, Matrix, Parts, Real, Reals, Relation, Verdict, statement
from dpspectra.lemmas.orbit.gap_domination import FEW
from dpspectra.lemmas.privacy.orbit_accounting import visible_rows
from dpspectra.oracle import hciz as exact_hciz
from dpspectra.oracle import linalg as oracle
from dpspectra.oracle import orbit_privacy_loss as exact_loss
from dpspectra.oracle.patterns import free_cells, gamma_tail, gap_tail
from dpspectra.sampling.orbit import orbit
from dpspectra.strategies import dimensions, epsilons, seeds, st
from dpspectra.strategies.orbits import levels

DRAWS = 2000
"""Random points of the orbit in a case."""


def inverse_temperature(spectrum: Any, epsilon: Any) -> Any:
    """``kappa`` of Algorithm 1 for a descending non-negative spectrum; 0 for the zero spectrum, whose orbit is 0."""
    return epsilon / (4 * (spectrum[0] or np.inf))


def drawn_gaps(m: Any, spectrum: Any, kappa: float, rng: Any) -> Any:
    """Utility gaps of `DRAWS` points of the orbit, drawn by the exact law, for eigenvalues ``m`` of the data."""
    drawn = orbit(np.diag(m).astype(complex), spectrum, kappa, size=DRAWS, rng=rng)
    return float(m @ spectrum) - np.einsum("i,nii->n", m, drawn).real


@statement
class ExponentialAlgorithm:
    labels = ("MWKTV-A1",)
    given = (
        r"H\sim\nu,\quad\sup_H\Big|\log\tfrac{d\nu}{d\nu_M}\Big|\le\tfrac\varepsilon4,\quad"
        r"\nu_M(dH)=p_M(H)\mu_\Lambda(dH)\propto e^{\kappa\langle M,H\rangle}\mu_\Lambda(dH),\ "
        r"\kappa=\tfrac\varepsilon{4\lambda_1}"
    )
    claim = {
        "privacy loss of one row": (
            r"\sup_H\Big|\log\tfrac{p_{M+xx^*}(H)}{p_M(H)}\Big|\le\tfrac\varepsilon4\ (\|x\|\le1)"
        ),
        "normaliser": (
            r"\log\frac{\prod_{j<d}j!\,\det(e^{\kappa\gamma_i\lambda_j})}{\kappa^{d(d-1)/2}\prod_{i<j}"
            r"(\gamma_i-\gamma_j)(\lambda_i-\lambda_j)}=\log\int e^{\kappa\langle M,H\rangle}\mu_\Lambda(dH)"
        ),
        "tail of the gap": r"\Pr_{H\sim\nu_M}[\kappa\,\mathrm{gap}\ge t]\le Q_n(t)",
    }
    printed = (
        r"Input $`M`$, $`k`$, $`\lambda_1\ge\dots\ge\lambda_k\ge0`$, $`\varepsilon`$; output $`H`$ from a law "
        r"within $`\frac\varepsilon4`$, in infinity distance, of the density proportional to "
        r"$`\exp\big(\frac\varepsilon{4\lambda_1}\langle M,H\rangle\big)`$ on the orbit."
    )
    where = {
        r"\nu": "law of the output of the sampler",
        r"d\nu": "density of the law of the sampler",
        r"d\nu_M": "density of the ideal law",
        "dH": "element of the orbit",
        "p_M": "density of the ideal law",
        "p_{M+xx^*}": "density of the ideal law for the data with one more row",
        "x": "a row of norm at most 1",
        "t": r"loss of utility, in units of $`1/\kappa`$",
        "Q_n": "tail of the Gamma law of shape $`n`$ and rate 1",
    }
    verdict = Verdict.DEFINITION
    relation = (Relation.REPLACE,)
    uses = ("MWKTV-HCIZ", "MWKTV-L6.2X", "MWKTV-N1")
    exact = ("normaliser",)
    note = "orbit.md#algorithm-1"
    examples = 32

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, Any, float, Any, float, int]:
        """Eigenvalues of ``M`` and a spectrum (both PSD), ``epsilon``, one more row, a level of ``kappa gap``."""
        d = draw(dimensions())
        m, spectrum = (v - min(v[-1], 0.0) for v in (draw(levels(d)), draw(levels(d))))
        row = draw(visible_rows(d, "complex"))
        level = draw(st.sampled_from([1.0, 0.5, 2.0])) * (shape(spectrum) or 1)
        return m, spectrum, draw(epsilons(2.0**-5, 4.0)), row, level, draw(seeds())

    def fast(self, m: Any, spectrum: Any, epsilon: float, row: Any, level: float, seed: int) -> Parts:
        kappa, n = inverse_temperature(spectrum, epsilon), shape(spectrum)
        more = orbit_privacy_loss.privacy_loss(np.diag(m), np.diag(m) + fast.outer(row), spectrum, kappa)
        yield AtMost(more, epsilon / 4, scale=epsilon * (1 + np.sum(np.abs(m))), part="privacy loss of one row")
        if len(m) > FEW:
            return
        normalisers = hciz.log_normaliser(m, spectrum, kappa), hciz.log_mean_exponential(m, spectrum, kappa)
        yield Equal(*normalisers, scale=1, part="normaliser")
        if not n or m[0] == m[-1]:
            return
        gaps = kappa * drawn_gaps(m, spectrum, kappa, seed)
        yield Frequency(int(np.sum(gaps >= level)), DRAWS, float(gammaincc(n, level)), part="tail of the gap")

    def oracle(self, m: Reals, spectrum: Reals, epsilon: Real, row: Matrix, level: Real, _: int) -> Parts:
        n = len(free_cells(spectrum))
        kappa = epsilon / (4 * (spectrum[0] or mp.inf))
        more = exact_loss.privacy_loss(mp.diag(m), mp.diag(m) + oracle.outer(row), spectrum, kappa)
        yield AtMost(more, epsilon / 4, scale=epsilon * (1 + mp.fsum(map(abs, m))), part="privacy loss of one row")
        if len(m) > FEW:
            return
        normalisers = exact_hciz.log_normaliser(m, spectrum, kappa), exact_hciz.log_mean_exponential(m, spectrum, kappa)
        yield Equal(*normalisers, scale=1, part="normaliser")
        if not n or m[0] == m[-1]:
            return
        yield AtMost(gap_tail(m, spectrum, kappa, level / kappa), gamma_tail(n, level), part="tail of the gap")

    def tight(self) -> list[Any]:
        """Large matrices: the gap is a Gamma variable, and one more row is worth all of the slack."""
        line, ladder = np.array([1.0, 0.0]), np.array([9.0, 6.0, 4.0, 3.0, 0.0])
        return [
            (1000 * line, line, 1.0, line[::-1], 1.0, 0),
            (1e5 * ladder, ladder, 64.0, np.eye(5)[4], 1.0, 1),
        ]

    def beyond(self) -> dict[str, AtMost]:
        """One more row of squared norm 2, for a large matrix; and a law with twice the ``kappa``."""
        m, line = mp.diag([1000, 0]), [mp.mpf(1), mp.mpf(0)]
        length, rate = (
            exact_loss.privacy_loss(m, m + mp.diag([0, square]), line, kappa)
            for square, kappa in ((2, mp.mpf(1) / 4), (1, mp.mpf(1) / 2))
        )
        return {
            "rows of norm at most 1": AtMost(length, mp.mpf(1) / 4),
            "kappa = epsilon / (4 lambda_1)": AtMost(rate, mp.mpf(1) / 4),
        }
