"""Density ``exp(kappa q)``: exact loss ``max(kappa sup D - l, l - kappa inf D)``, at most ``2 kappa Delta``.

Here ``D = q' - q``, ``l = log Z'/Z`` and ``Delta`` is the largest ``|D|``. The log-ratio at an outcome is
``kappa D - l``, and ``Z'/Z`` is a mean of ``exp(kappa D)``, so ``l`` too lies between ``kappa inf D`` and
``kappa sup D``. A common shift of all scores costs nothing. Without a finite ``Z`` there is no such law; without a
finite ``Delta`` the loss can be infinite. The suprema are over the outcomes of positive base measure.
"""

from typing import Any

import numpy as np
from mpmath import mp
from scipy.special import logsumexp

from dpspectra.fast import divergence as fast
from dpspectra.ledger import AtMost, Equal, Parts, Real, Reals, Relation, Verdict, all_parts, statement
from dpspectra.lemmas.privacy.laplace_mechanism import vectors
from dpspectra.oracle import divergence as oracle
from dpspectra.strategies import dimensions, distributions, epsilons, st


@statement
class ExponentialMechanism:
    labels = ("MWKTV-T5.3",)
    given = r"D=q'-q,\ \Delta=\max|D|,\ L=\max_r\Big|\log\tfrac{p'(r)}{p(r)}\Big|"
    claim = {
        "exact privacy loss": r"L=\max\big\{\kappa\max D-\log\tfrac{Z'}Z,\;\log\tfrac{Z'}Z-\kappa\min D\big\}",
        "bound by the range": r"L\le\kappa(\max D-\min D)",
        "bound by the sensitivity": r"L\le2\kappa\Delta",
    }
    printed = r"The mechanism with density proportional to $`\exp(\frac\varepsilon{2\Delta}q)`$ is $`\varepsilon`$-DP."
    where = {
        "p": "density of the output on one data set",
        "p'": "density of the output on a neighbouring one",
        "r": "output",
        r"\kappa": "inverse temperature: factor of the score in the exponent",
        "q": "score of the outputs on one data set",
        "q'": "score of the outputs on a neighbouring one",
        "D": "difference of the two scores, as a function of the output",
        "Z": "normaliser of the density $`p`$",
        "Z'": "normaliser of the density $`p'`$",
        r"\Delta": "largest modulus of the difference of the scores",
        "L": "privacy loss",
    }
    verdict = Verdict.VERIFIED
    relation = (Relation.REPLACE, Relation.MATRIX_REPLACE)
    uses = ("MWKTV-D1.1",)
    note = "privacy.md#exponential-mechanism"

    def cases(self) -> Any:
        return dimensions().flatmap(
            lambda n: st.tuples(distributions(n), vectors(n), vectors(n), epsilons(2.0**-7, 8.0))
        )

    def fast(self, base: Any, q: Any, other: Any, kappa: float) -> Parts:
        base, q, other = base[base > 0], q[base > 0], other[base > 0]
        z, z_other = logsumexp(kappa * q, b=base), logsumexp(kappa * other, b=base)
        loss = fast.privacy_loss(base * np.exp(kappa * q - z), base * np.exp(kappa * other - z_other))
        moves, shift, size = other - q, z_other - z, 1 + kappa * np.max(np.abs([q, other]))
        largest = max(kappa * np.max(moves) - shift, shift - kappa * np.min(moves))
        yield Equal(loss, largest, scale=size, part="exact privacy loss")
        yield AtMost(loss, kappa * np.ptp(moves), scale=size, part="bound by the range")
        yield AtMost(loss, 2 * kappa * np.max(np.abs(moves)), scale=size, part="bound by the sensitivity")

    def oracle(self, base: Reals, q: Reals, other: Reals, kappa: Real) -> Parts:
        base, q, other = ([v for v, mass in zip(values, base, strict=True) if mass] for values in (base, q, other))

        def law(scores: Any) -> tuple[Any, list[Any]]:
            weights = [mass * mp.exp(kappa * score) for mass, score in zip(base, scores, strict=True)]
            return mp.fsum(weights), [weight / mp.fsum(weights) for weight in weights]

        (z, p), (z_other, p_other) = law(q), law(other)
        moves = [b - a for a, b in zip(q, other, strict=True)]
        loss = oracle.privacy_loss(p, p_other)
        largest = max(mp.log(mp.exp(kappa * move) * z / z_other) * sign for move in moves for sign in (1, -1))
        yield Equal(loss, largest, scale=1, part="exact privacy loss")
        yield AtMost(loss, kappa * (max(moves) - min(moves)), scale=1, part="bound by the range")
        yield AtMost(loss, 2 * kappa * max(map(abs, moves)), scale=1, part="bound by the sensitivity")

    def tight(self) -> list[Any]:
        """The likely outcome loses one unit of score, the unlikely one gains it."""
        return [(np.array([0.5, 0.5]), np.array([0.0, 8.0]), np.array([1.0, 7.0]), 4.0)]

    def beyond(self) -> dict[str, AtMost]:
        """The scores of the tight case move by 1.01, and the bound is for 1."""
        base, q, _, kappa = self.tight()[0]
        exact: Any = all_parts(self.oracle(base, q, q + np.array([1.01, -1.01]), kappa))[0]
        stated = AtMost(exact.left, 2 * mp.mpf(kappa), part="bound by the sensitivity")
        return {"no score moves by more than the sensitivity": stated}
