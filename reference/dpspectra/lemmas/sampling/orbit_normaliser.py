"""The normaliser of ``exp(kappa <M, H>)`` on the complex orbit is one determinant over two Vandermonde products.

For spectra ``x`` of ``M`` and ``y`` of ``H`` it is ``prod p! det exp(kappa x_i y_j) / (kappa^(d(d-1)/2) V(x) V(y))``
(Harish-Chandra, Itzykson and Zuber): by Cauchy-Binet the determinant is the sum of Schur functions that the mean over
the unitary group gives. Ties are limits: derivatives in the oracle, divided differences in float64. No such determinant
is known for the real orthogonal group.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import hciz as fast
from dpspectra.ledger import AtMost, Equal, Frequency, Parts, Real, Reals, Verdict, statement
from dpspectra.oracle import hciz as oracle
from dpspectra.oracle import patterns
from dpspectra.sampling.haar import haar
from dpspectra.strategies import dimensions, seeds, spectra, st
from dpspectra.strategies.orbits import levels

DRAWS = 2000
"""Random draws in a case."""


SHORT = 2.0
"""Largest ``kappa`` times both spreads for which the series of moments is summed."""


FEW = 4
"""Largest dimension for which moments are summed: Schur functions need at most two rows."""


INTEGRATED = 5
"""Largest dimension for which the exponential is integrated over patterns: the next one takes seconds."""


LARGEST_SHIFT = 2.0**20
"""Largest ``kappa`` times the sizes of both spectra, so that float64 keeps enough digits when they cancel."""


@statement
class OrbitNormaliser:
    labels = ("MWKTV-HCIZ",)
    given = r"Z=\prod_{p<d}p!\;\frac{\det[e^{\kappa\gamma_i\lambda_j}]}{\kappa^{d(d-1)/2}\,V(\gamma)V(\lambda)}"
    claim = {
        "acceptance of Haar points": (
            r"\int e^{\kappa\langle M,H\rangle-\kappa\sum_i\gamma_i\lambda_i}\,d\mu_\Lambda\le "
            r"Z\,e^{-\kappa\sum_i\gamma_i\lambda_i}"
        ),
        "lower bound by the mean": r"\tfrac\kappa d\operatorname{tr}M\operatorname{tr}\Lambda\le\log Z",
        "series of moments": r"d\le4:\ \log Z=\log\sum_n\tfrac{\kappa^n}{n!}\int\langle M,H\rangle^n\,d\mu_\Lambda",
    }
    where = {
        "p": "a number from 1 to $`d-1`$",
        "n": "order of a moment",
        "V": "Vandermonde product: product of the differences of the values, the earlier one first",
        "Z": "normaliser of the orbit law",
        r"\gamma": "eigenvalues of $`M`$",
        r"\lambda": "values of the spectrum of the orbit",
        "M": "Hermitian matrix",
    }
    verdict = Verdict.CITED
    exact = ("series of moments",)
    note = "sampling.md#normaliser-of-the-orbit-law"
    examples = 95

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, ...]:
        """Two spectra, a power of two for ``kappa`` (or 0) with ``kappa`` times both spreads below a bound, and a seed.

        ``kappa`` times the sizes is kept below `LARGEST_SHIFT`: for nearly constant spectra the spreads alone would
        allow any number. Above 512 float64 needs spectra without ties.
        """
        d = draw(dimensions())
        tilt = draw(st.sampled_from([1.0, 0.0, 2.0**-30, 2.0**-6, 2.0, 8.0, 64.0, 512.0, 2.0**14]))
        drawn = spectra(d, signed=True) if tilt <= 512 else levels(d, distinct=True)
        gamma, spectrum = draw(drawn), draw(drawn)
        size = float(np.ptp(gamma) * np.ptp(spectrum)) or 1.0
        shift = float(np.sum(np.abs(gamma)) * np.max(np.abs(spectrum))) or 1.0
        kappa = 2.0 ** np.floor(np.log2(min(tilt / size, LARGEST_SHIFT / shift))) if tilt else 0.0
        return gamma, spectrum, float(kappa), draw(seeds())

    def fast(self, gamma: Any, spectrum: Any, kappa: float, seed: int) -> Parts:
        rng = np.random.default_rng(seed)
        value, best = fast.log_normaliser(gamma, spectrum, kappa), kappa * float(gamma @ spectrum)
        weights = np.abs(haar(len(gamma), size=DRAWS, rng=rng)) ** 2
        tilts = kappa * np.einsum("i,nij,j->n", gamma, weights, spectrum)
        accepted = int(np.sum(rng.random(DRAWS) < np.exp(tilts - best)))
        mean = kappa * np.sum(gamma) * np.mean(spectrum)
        scale = 1 + kappa * np.sum(np.abs(gamma)) * np.max(np.abs(spectrum))
        yield Frequency(accepted, DRAWS, float(np.exp(value - best)), part="acceptance of Haar points")
        yield AtMost(mean, value, scale=scale, part="lower bound by the mean")
        if len(gamma) > FEW or kappa * np.ptp(gamma) * np.ptp(spectrum) > SHORT:
            return
        yield Equal(value, fast.log_mean_exponential(gamma, spectrum, kappa), scale=scale, part="series of moments")

    def oracle(self, gamma: Reals, spectrum: Reals, kappa: Real, seed: int) -> Parts:
        value, best = oracle.log_normaliser(gamma, spectrum, kappa), kappa * mp.fdot(gamma, spectrum)
        mean = kappa * mp.fsum(gamma) * mp.fsum(spectrum) / len(spectrum)
        scale = 1 + kappa * mp.fsum(map(abs, gamma)) * max(map(abs, spectrum))
        # In more dimensions nothing but the draws is compared.
        integrated = mp.log(patterns.normaliser(gamma, spectrum, kappa)) if len(gamma) <= INTEGRATED else value
        yield AtMost(mp.exp(integrated - best), mp.exp(value - best), part="acceptance of Haar points")
        yield AtMost(mean, value, scale=scale, part="lower bound by the mean")
        if len(gamma) > FEW or kappa * (max(gamma) - min(gamma)) * (max(spectrum) - min(spectrum)) > SHORT:
            return
        yield Equal(value, oracle.log_mean_exponential(gamma, spectrum, kappa), scale=scale, part="series of moments")

    def tight(self) -> list[Any]:
        """A constant spectrum, where the exponent is its own mean; equal steps, where patterns are integrated."""
        ladder = np.array([2.0, 1.0, 0.0])
        return [(np.array([2.0, 1.0]), np.array([1.0, 1.0]), 1.0, 0), (ladder, ladder, 0.5, 0)]

    def beyond(self) -> dict[str, Equal]:
        """The mean over the rotations of the plane is a Bessel function, not the quotient for the unitary group."""
        values, spectrum = [mp.mpf(1), mp.mpf(0)], [mp.mpf(2), mp.mpf(0)]
        real, complex_ = (log(values, spectrum, 1) for log in (oracle.log_normaliser_circle, oracle.log_normaliser))
        return {"unitary group": Equal(real, complex_, part="series of moments")}
