"""What is computed from the output alone is as private as the output: ``H(K P, K Q) <= H(P, Q)`` at every ``epsilon``.

An event ``S`` after the kernel ``K`` is the test function ``r -> K(r, S)`` before it, with values in ``[0, 1]``, and
the best test function is the indicator of ``p > e^epsilon q``. So the profile decreases at every ``epsilon``, and with
it the loss. ``K`` must not use the data again. Equality holds if the outcomes stay distinguishable, as after a
permutation.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import divergence as fast
from dpspectra.ledger import AtMost, Statement, Verdict
from dpspectra.oracle import divergence as oracle
from dpspectra.relations import Relation
from dpspectra.strategies import distributions, epsilons
from dpspectra.strategies.lazy import st


def _kernels(outcomes: int) -> Any:
    """Row-stochastic matrices with 1 to 4 columns."""
    sizes = st.integers(1, 4)
    return sizes.flatmap(lambda m: st.lists(distributions(m), min_size=outcomes, max_size=outcomes)).map(np.array)


lemma = Statement(
    labels=("HR-F2.3",),
    claim=r"\sup_S\,[(KP)(S)-e^\varepsilon(KQ)(S)]\le\sup_S\,[P(S)-e^\varepsilon Q(S)]",
    verdict=Verdict.VERIFIED,
    relation=(Relation.ROW,),
    cases=lambda: st.integers(1, 4).flatmap(
        lambda n: st.tuples(distributions(n), distributions(n), _kernels(n), st.just(0.0) | epsilons(2.0**-7, 4.0))
    ),
    uses=("MWKTV-D1.1",),
    note="privacy.md#post-processing",
)


@lemma.fast
def processed(p: Any, q: Any, kernel: Any, epsilon: float) -> tuple[AtMost, ...]:
    return (
        AtMost(
            fast.hockey_stick(p @ kernel, q @ kernel, epsilon),
            fast.hockey_stick(p, q, epsilon),
            scale=1,
            part="hockey-stick divergence",
        ),
        AtMost(
            np.exp(-fast.privacy_loss(p, q)), np.exp(-fast.privacy_loss(p @ kernel, q @ kernel)), part="privacy loss"
        ),
    )


@lemma.oracle
def exactly_processed(p: Any, q: Any, kernel: Any, epsilon: float) -> tuple[AtMost, ...]:
    p, q = [mp.mpf(v) for v in p], [mp.mpf(v) for v in q]

    def after(law: Any) -> list[Any]:
        return [mp.fsum(a * mp.mpf(b) for a, b in zip(law, column, strict=True)) for column in kernel.T]

    return (
        AtMost(
            oracle.hockey_stick(after(p), after(q), epsilon),
            oracle.hockey_stick(p, q, epsilon),
            scale=1,
            part="hockey-stick divergence",
        ),
        AtMost(
            mp.exp(-oracle.privacy_loss(p, q)), mp.exp(-oracle.privacy_loss(after(p), after(q))), part="privacy loss"
        ),
    )


@lemma.tight
def relabelling() -> list[Any]:
    return [(np.array([0.5, 0.25, 0.25]), np.array([0.25, 0.25, 0.5]), np.eye(3)[[2, 0, 1]], 0.25)]


@lemma.beyond
def kernel_of_the_data() -> dict[str, AtMost]:
    """The two laws are the same, and the kernel writes down the data set."""
    outcome = AtMost(mp.mpf(1), mp.mpf(0), scale=1, part="hockey-stick divergence")
    return {"the kernel does not look at the data": outcome}
