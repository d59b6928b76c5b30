"""The density ``exp(epsilon <M, H> / lambda_1)`` is ``2 epsilon``-DP under replacement, not ``epsilon``-DP.

Its inverse temperature is right for add/remove, where only one term of the score changes. A replacement changes two,
and when the smallest eigenvalue of the spectrum is 0 the loss tends to ``2 epsilon`` as the data grow. Printed as
``epsilon``-DP for replacements, in the overview of the paper only; the exponent of its mechanism is four times smaller.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.ledger import AtMost, Relation, Verdict, statement
from dpspectra.oracle import linalg as oracle
from dpspectra.oracle.orbit_privacy_loss import privacy_loss


@statement
class OverviewDensity:
    labels = ("MWKTV-O4.1",)
    claim = r"p_M(H)\propto e^{\frac\varepsilon{\lambda_1}\langle M,H\rangle}\text{ is }\varepsilon\text{-DP}"
    printed = (
        r"The density proportional to $`\exp\big(\frac\varepsilon{\lambda_1}\langle M,H\rangle\big)`$ on the "
        r"orbit is $`\varepsilon`$-DP."
    )
    verdict = Verdict.REFUTED
    relation = (Relation.REPLACE,)
    uses = ("MWKTV-L6.2X", "MWKTV-HCIZ")
    instead = ("MWKTV-L6.2", "MWKTV-L6.2X")
    note = "privacy_spectral.md#the-density-of-the-overview"

    def as_printed(self, m: Any, other: Any, spectrum: Any, epsilon: float) -> AtMost:
        kappa = mp.mpf(epsilon) / mp.mpf(spectrum[0])
        loss = privacy_loss(oracle.exact(m), oracle.exact(other), spectrum, kappa)
        return AtMost(loss, mp.mpf(epsilon), part="printed form")

    def hypotheses(self, m: Any, other: Any, spectrum: Any, epsilon: float) -> dict[str, AtMost]:
        change = sorted(oracle.eigenvalues(oracle.exact(other) - oracle.exact(m)))
        return {
            "neighbours: the eigenvalues of the change are at most 1": AtMost(max(map(abs, change)), 1),
            "and one is positive, one negative": AtMost(change[0] * change[-1], 0),
            "the spectrum is not negative": AtMost(0, min(spectrum)),
        }

    def counterexample(self) -> Any:
        """Ten people with the first unit vector, one of whom is replaced by one with the second; released are lines."""
        return np.diag([10.0, 0.0]), np.diag([9.0, 1.0]), np.array([1.0, 0.0]), 1.0

    certificate = (
        "in dimension 2 the normaliser is exp(best) (1 - exp(-b)) / b, b the product of kappa and the spreads 10 and 8;"
        " the loss at the second axis is log(8 (e^10 - 1) / (10 (e^8 - 1))), above epsilon = 1",
        ["log", ["div", ["mul", "8", ["sub", ["exp", "10"], "1"]], ["mul", "10", ["sub", ["exp", "8"], "1"]]]],
        "1",
    )
