"""What is computed from the output alone is as private as the output: ``H(K P, K Q) <= H(P, Q)`` at every ``epsilon``.

An event ``S`` after the kernel ``K`` is the test function ``r -> K(r, S)`` before it, with values in ``[0, 1]``, and
the best test function is the indicator of ``p > e^epsilon q``. So the profile decreases at every real ``epsilon``, and
with it the loss; ``P`` and ``Q`` may be any finite measures. ``K`` must not use the data again. Equality holds if the
outcomes stay distinguishable, as after a permutation.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import divergence as fast
from dpspectra.ledger import AtMost, Parts, Reals, Relation, Verdict, statement
from dpspectra.oracle import divergence as oracle
from dpspectra.strategies import distributions, epsilons, st


def _measures(outcomes: int) -> Any:
    """Laws, and multiples of laws."""
    return st.tuples(distributions(outcomes), st.sampled_from([1.0, 0.25, 3.0])).map(lambda p: p[0] * p[1])


def _kernels(outcomes: int) -> Any:
    """Row-stochastic matrices with 1 to 4 columns."""
    sizes = st.integers(1, 4)
    return sizes.flatmap(lambda m: st.lists(distributions(m), min_size=outcomes, max_size=outcomes)).map(np.array)


@statement
class PostProcessing:
    labels = ("HR-F2.3",)
    given = r"L(P,Q)=\max_S\Big|\log\tfrac{P(S)}{Q(S)}\Big|"
    claim = {
        "hockey-stick divergence": r"\max_S\,[(KP)(S)-e^\varepsilon(KQ)(S)]\le\max_S\,[P(S)-e^\varepsilon Q(S)]",
        "privacy loss": r"e^{-L(P,Q)}\le e^{-L(KP,KQ)}",
    }
    printed = r"A function of an $`(\varepsilon,\delta)`$-DP output is $`(\varepsilon,\delta)`$-DP."
    where = {
        "K": "randomised function of the output that does not look at the data",
        "L": "privacy loss of two laws, which may be infinite",
    }
    verdict = Verdict.VERIFIED
    relation = (Relation.ROW,)
    uses = ("MWKTV-D1.1",)
    note = "privacy.md#post-processing"

    def cases(self) -> Any:
        return st.integers(1, 4).flatmap(
            lambda n: st.tuples(
                _measures(n), _measures(n), _kernels(n), st.sampled_from([0.0, -1.0]) | epsilons(2.0**-7, 4.0)
            )
        )

    def fast(self, p: Any, q: Any, kernel: Any, epsilon: float) -> Parts:
        after = p @ kernel, q @ kernel
        limit = fast.hockey_stick(p, q, epsilon)
        yield AtMost(fast.hockey_stick(*after, epsilon), limit, scale=1, part="hockey-stick divergence")
        yield AtMost(np.exp(-fast.privacy_loss(p, q)), np.exp(-fast.privacy_loss(*after)), part="privacy loss")

    def oracle(self, p: Reals, q: Reals, kernel: list[Reals], epsilon: float) -> Parts:
        columns = list(zip(*kernel, strict=True))
        after, other = (
            [mp.fsum(a * b for a, b in zip(law, column, strict=True)) for column in columns] for law in (p, q)
        )
        limit = oracle.hockey_stick(p, q, epsilon)
        yield AtMost(oracle.hockey_stick(after, other, epsilon), limit, scale=1, part="hockey-stick divergence")
        before = mp.exp(-oracle.privacy_loss(p, q))
        yield AtMost(before, mp.exp(-oracle.privacy_loss(after, other)), part="privacy loss")

    def tight(self) -> list[Any]:
        """A kernel that only gives the outcomes other names."""
        return [(np.array([0.5, 0.25, 0.25]), np.array([0.25, 0.25, 0.5]), np.eye(3)[[2, 0, 1]], 0.25)]

    def beyond(self) -> dict[str, AtMost]:
        """The two laws are the same, and the kernel writes down the data set."""
        outcome = AtMost(mp.mpf(1), mp.mpf(0), scale=1, part="hockey-stick divergence")
        return {"the kernel does not look at the data": outcome}
