"""Algorithm 2 as printed is not private: the exponent of its second stage contains the private ``lambda_1(M)``.

It releases noisy eigenvalues, then draws from the orbit of the noisy spectrum at ``kappa = epsilon / (8 lambda_1(M))``.
One person who moves from one axis to the other keeps the spectrum, so the first stage has no loss and the exponent does
not change; at a released value ``v`` the second stage has the loss ``epsilon v / 8``, which is unbounded in ``v``. A
second flaw would remain: noisy eigenvalues are not clipped at 0, and then the spread of the orbit can exceed its
largest value.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.ledger import AtMost, Relation, Verdict, statement
from dpspectra.oracle import linalg as oracle
from dpspectra.oracle.orbit_privacy_loss import privacy_loss


@statement
class PrivateExponent:
    labels = ("MWKTV-A2",)
    claim = (
        r"\tilde\lambda_i=\lambda_i+\mathrm{Lap}(\tfrac4\varepsilon),\;"
        r"H\sim e^{\frac\varepsilon{8\lambda_1}\langle M,H\rangle}\text{ on }\mathcal O_{\tilde\Lambda}"
        r"\text{ is }\varepsilon\text{-DP}"
    )
    printed = (
        r"Release $`\tilde\lambda_i=\lambda_i(M)+\mathrm{Lap}(\frac4\varepsilon)`$ for $`i\le k`$; then draw "
        r"$`H`$ from the density proportional to $`\exp\big(\frac\varepsilon{8\lambda_1(M)}\langle "
        r"M,H\rangle\big)`$ on the orbit of $`\mathrm{diag}(\tilde\lambda_1,\dots,\tilde\lambda_k,0,\dots)`$."
    )
    where = {
        r"\lambda_i": "the eigenvalues of the data, in descending order",
        r"\tilde\lambda_i": "the eigenvalues with noise",
        r"\mathcal O_{\tilde\Lambda}": r"orbit: all Hermitian matrices with the spectrum $`\tilde\Lambda`$",
    }
    verdict = Verdict.REFUTED
    relation = (Relation.REPLACE,)
    uses = ("MWKTV-T7.1", "MWKTV-L6.2X")
    instead = ("MWKTV-A2R",)
    note = "privacy_spectral.md#algorithm-2-as-printed"

    def as_printed(self, m: Any, other: Any, released: Any, epsilon: float) -> AtMost:
        """Compare the loss at an output with spectrum ``released``, for matrices of equal spectra, with ``epsilon``."""
        m, other = oracle.exact(m), oracle.exact(other)
        largest = oracle.eigenvalues(m)[0]
        first_stage = abs(largest - oracle.eigenvalues(other)[0])  # times epsilon / 4; equal spectra lose nothing
        second_stage = privacy_loss(m, other, released, mp.mpf(epsilon) / (8 * largest))
        return AtMost(epsilon / 4 * first_stage + second_stage, mp.mpf(epsilon), part="printed form")

    def hypotheses(self, m: Any, other: Any, released: Any, epsilon: float) -> dict[str, AtMost]:
        """Each matrix is a sum of one square; the released value has a density everywhere."""
        m, other = oracle.exact(m), oracle.exact(other)
        length = max(m[0, 0] + m[1, 1], other[0, 0] + other[1, 1])
        apart = abs(oracle.eigenvalues(m)[0] - oracle.eigenvalues(other)[0])
        return {
            "neighbours: one row of norm at most 1 is replaced": AtMost(length, 1),
            "equal spectra: the first stage is as likely": AtMost(apart, mp.mpf(0)),
        }

    def counterexample(self) -> Any:
        return (np.diag([1.0, 0.0]), np.diag([0.0, 1.0]), np.array([16.0, 0.0]), 1.0)

    certificate = (
        "both matrices have the spectrum (1, 0), so both normalisers agree, and at H = 16 e1 e1* the score changes"
        " by 16: the loss is 16 epsilon / 8, above epsilon = 1",
        ["mul", ["div", "1", "8"], "16"],
        "1",
    )
