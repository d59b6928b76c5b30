"""``P(S) <= e^epsilon Q(S) + delta`` for every event ``S`` and every ordered pair of neighbouring data sets.

The smallest such ``delta`` is the hockey-stick divergence, the mass of the positive part of ``P - e^epsilon Q``, since
the event of all outcomes with ``p > e^epsilon q`` is the worst. ``delta = 0`` holds exactly if ``|log p/q| <= epsilon``
at every outcome. One order of the pair says nothing about the other. The definition always refers to a named neighbour
relation.
"""

import itertools
from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import divergence as fast
from dpspectra.ledger import Equal, Parts, Reals, Relation, Verdict, statement
from dpspectra.oracle import divergence as oracle
from dpspectra.strategies import distributions, epsilons, st

FORWARDS, BACKWARDS = "hockey-stick divergence", "hockey-stick divergence of the other order"


@statement
class DifferentialPrivacy:
    labels = ("MWKTV-D1.1", "JXZ-D3", "JXZ-D4", "HR-D2.2")
    given = r"\delta(\varepsilon)=\sup_S\,[P(S)-e^\varepsilon Q(S)]"
    claim = {
        "hockey-stick divergence": r"\sum_i(p_i-e^\varepsilon q_i)_+=\max_S\,[P(S)-e^\varepsilon Q(S)]",
        "hockey-stick divergence of the other order": (
            r"\sum_i(q_i-e^\varepsilon p_i)_+=\max_S\,[Q(S)-e^\varepsilon P(S)]"
        ),
        "privacy loss": (
            r"\exp\big(-\max_i\big|\log\tfrac{p_i}{q_i}\big|\big)=\exp\big(-\max_S\big|\log\tfrac{P(S)}{Q(S)}\big|\big)"
        ),
    }
    printed = {
        "MWKTV-D1.1": (
            r"Not at hand; read as the usual definition: $`\Pr[\mathcal A(M)\in S]\le "
            r"e^\varepsilon\Pr[\mathcal A(M')\in S]+\delta`$ for all events $`S`$ and all neighbouring PSD "
            r"matrices, $`M'=M-xx^*+yy^*`$ with $`\lVert x\rVert,\lVert y\rVert\le1`$."
        ),
        "JXZ-D3": "Not at hand; read as the usual definition, with one row replaced.",
        "JXZ-D4": "Not at hand; read as the usual definition, with one row replaced.",
        "HR-D2.2": r"$`\Pr[M(A)\in S]\le e^\varepsilon\Pr[M(A')\in S]+\delta`$ for all neighbours and all $`S`$.",
    }
    where = {
        r"\delta(": (r"\delta(\varepsilon)", "privacy profile: the smallest delta at epsilon"),
        "p_i": "probabilities of the outputs on the first data set",
        "q_i": "probabilities of the outputs on the neighbouring one",
        "i": "number of an output",
    }
    verdict = Verdict.DEFINITION
    relation = (Relation.MATRIX_REPLACE, Relation.REPLACE, Relation.ROW)
    note = "privacy.md#differential-privacy"
    without_beyond = "It defines both numbers, and the identities hold for all pairs of laws on finitely many outcomes."

    def cases(self) -> Any:
        return st.integers(1, 5).flatmap(
            lambda n: st.tuples(distributions(n), distributions(n), st.just(0.0) | epsilons())
        )

    def fast(self, p: Any, q: Any, epsilon: float) -> Parts:
        members = np.array(list(itertools.product((0, 1), repeat=len(p))))
        for a, b, part in ((p, q, FORWARDS), (q, p, BACKWARDS)):
            worst = np.max(members @ (a - np.exp(epsilon) * b))
            yield Equal(fast.hockey_stick(a, b, epsilon), worst, scale=1, part=part)
        loss, by_events = fast.privacy_loss(p, q), fast.privacy_loss(members @ p, members @ q)
        yield Equal(np.exp(-loss), np.exp(-by_events), part="privacy loss")

    def oracle(self, p: Reals, q: Reals, epsilon: float) -> Parts:
        def outcome_by_outcome(one: Any, other: Any) -> Any:
            return mp.fsum(max(a - mp.exp(epsilon) * b, 0) for a, b in zip(one, other, strict=True))

        for a, b, part in ((p, q, FORWARDS), (q, p, BACKWARDS)):
            exact = oracle.hockey_stick(a, b, epsilon)
            yield Equal(outcome_by_outcome(a, b), exact, scale=1, part=part)
        smallest = min(min(a, b) / max(a, b) for a, b in zip(p, q, strict=True) if a + b > 0)
        yield Equal(smallest, mp.exp(-oracle.privacy_loss(p, q)), part="privacy loss")

    def tight(self) -> list[Any]:
        """Randomised response; and one side of a coin against the coin, in both orders, which differ."""
        sides = np.array([1.0, 0.0]), np.array([0.5, 0.5])
        return [(np.array([0.75, 0.25]), np.array([0.25, 0.75]), 0.5), (*sides, 0.5), (*sides[::-1], 0.5)]
