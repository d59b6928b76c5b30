"""The orbit mechanism at ``kappa = epsilon / (4 lambda_1)`` is ``epsilon``-DP with a sampler within ``epsilon / 4``.

The exact law has a privacy loss of at most ``2 kappa lambda_1 = epsilon / 2``. The density of the sampler may differ
from it by a factor ``e^(epsilon/4)`` for either matrix, which adds ``epsilon / 2``; with an exact sampler ``kappa``
could be twice as large. Neither that ``M`` is PSD nor that the base law is uniform is needed. If the spectrum has a
negative eigenvalue its spread exceeds ``lambda_1`` and this fails.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.fast.orbit_privacy_loss import privacy_loss as fast_loss
from dpspectra.ledger import AtMost, Column, Matrix, Real, Relation, Verdict, statement
from dpspectra.oracle import linalg as oracle
from dpspectra.oracle.orbit_privacy_loss import privacy_loss as exact_loss
from dpspectra.strategies import dimensions, epsilons, fields, matrix_neighbours, spectra, st


@statement
class OrbitMechanism:
    labels = ("MWKTV-L6.2",)
    given = r"\kappa=\tfrac\varepsilon{4\lambda_1},\ \lambda_d\ge0,\ M'=M-xx^*+yy^*,\ \|x\|,\|y\|\le1"
    claim = {
        "privacy loss": r"\sup_H\Big|\log\tfrac{p_{M'}(H)}{p_M(H)}\Big|+2\cdot\tfrac\varepsilon4\le\varepsilon",
    }
    printed = r"Algorithm 1 is $`\varepsilon`$-DP."
    where = {
        "x": "row that leaves",
        "y": "row that enters",
    }
    verdict = Verdict.VERIFIED
    relation = (Relation.REPLACE, Relation.MATRIX_REPLACE)
    uses = ("MWKTV-L6.2X", "MWKTV-L6.1")
    note = "privacy_spectral.md#the-orbit-mechanism-as-printed"
    examples = 65

    def cases(self) -> Any:
        """A replacement, a spectrum, and ``epsilon`` in the float64 range of the normaliser."""
        return st.tuples(dimensions(), fields()).flatmap(
            lambda p: st.tuples(matrix_neighbours(*p), spectra(p[0]), epsilons(high=1.0))
        )

    def fast(self, pair: Any, spectrum: Any, epsilon: float) -> AtMost:
        m, other, *_ = pair
        kappa = epsilon / (4 * (spectrum[0] or np.inf))  # 0 for the zero spectrum, whose output is 0
        loss, slack = fast_loss(m, other, spectrum, kappa), epsilon / 4
        size = epsilon * (1 + fast.spectral_norm(m))
        return AtMost(loss + 2 * slack, epsilon, scale=size, part="privacy loss")

    def oracle(self, pair: tuple[Matrix, Matrix, Column, Column], spectrum: Any, epsilon: Real) -> AtMost:
        m, _, x, y = pair
        kappa = epsilon / (4 * mp.mpf(spectrum[0] or mp.inf))
        slack, other = epsilon / 4, m - oracle.outer(x) + oracle.outer(y)
        size = epsilon * (1 + oracle.spectral_norm(m))
        return AtMost(exact_loss(m, other, spectrum, kappa) + 2 * slack, epsilon, scale=size, part="privacy loss")

    def tight(self) -> list[Any]:
        """A large matrix at a moderate ``epsilon``, and a small one at one in the millions, near equality."""
        first, second = np.eye(3)[:2]
        top = np.array([2.0, 1.0, 0.0])
        return [
            ((np.diag([1000.0, 0.0, 500.0]), np.diag([999.0, 1.0, 500.0]), first, second), top, 1.0),
            ((np.diag([4.0, 0.0, 2.0]), np.diag([3.0, 1.0, 2.0]), first, second), top, 2.0**23),
        ]

    def beyond(self) -> dict[str, AtMost]:
        """The second tight case with the spectrum (1, 0, -1), whose spread is twice its largest value."""
        (m, other, *_), _, epsilon = self.tight()[1]
        loss = exact_loss(oracle.exact(m), oracle.exact(other), [1.0, 0.0, -1.0], mp.mpf(epsilon) / 4)
        return {"no eigenvalue is negative": AtMost(loss + epsilon / 2, mp.mpf(epsilon), part="privacy loss")}
