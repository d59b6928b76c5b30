"""In pairs of runs whose order a coin decides, what a program keeps between calls cannot refute a true claim.

Let the law of a call depend on whether it is the first or the second of its pair, and let both laws meet the claim.
With a fair coin each data set has either place equally often, so the mean gain of a pair is the average of those of
the places, which is at most 0. In a fixed order the first data set always has the first place, and a counter of calls
tells the data sets apart.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.ledger import AtMost, Real, Verdict, statement
from dpspectra.strategies import deltas, dyadics, epsilons, st


@statement
class CoinOrder:
    labels = ("DPS-COINORDER",)
    given = (
        r"P_i(E)\le e^\varepsilon Q_i(E)+\delta\ (i=1,2),\ "
        r"\mathbb E[W]=\tfrac12\sum_iP_i(E)-\tfrac{e^\varepsilon}2\sum_iQ_i(E)-\delta\ \text{ for a fair coin}"
    )
    claim = {"mean of a gain": r"\tfrac12\sum_iP_i(E)\le\tfrac{e^\varepsilon}2\sum_iQ_i(E)+\delta"}
    where = {
        "P_i": "law of a run on the first data set that is the $`i`$-th of its pair",
        "Q_i": "law of a run on the second data set that is the $`i`$-th of its pair",
        "W": "gain from one unit staked on the pair",
    }
    verdict = Verdict.NEW
    uses = ("DPS-EPROCESS",)
    note = "auditing.md#coin-order"

    def cases(self) -> Any:
        """Probabilities of the event in the first and the second place, and the claim.

        Those on the second data set come first; those on the first one are fractions of the largest that is allowed.
        """
        return st.tuples(
            dyadics(0, 1),
            dyadics(0, 1),
            st.just(1.0) | dyadics(0, 1),
            st.just(1.0) | dyadics(0, 1),
            epsilons(2.0**-7, 4.0) | st.just(0.0),
            st.just(0.0) | deltas(2.0**-12, 0.5),
        )

    def fast(self, first: float, second: float, share: float, other: float, epsilon: float, delta: float) -> AtMost:
        """Means over the coin and the outcomes of both runs of a pair."""
        q = np.array([first, second])
        p = np.array([share, other]) * np.minimum(1.0, np.exp(epsilon) * q + delta)
        return AtMost(float(np.mean(p)), float(np.exp(epsilon) * np.mean(q) + delta), scale=1, part="mean of a gain")

    def oracle(self, first: Real, second: Real, share: Real, other: Real, epsilon: Real, delta: Real) -> AtMost:
        """The coin's two orders, one after the other."""
        grow, q = mp.exp(epsilon), (first, second)
        p = [s * min(mp.mpf(1), grow * x + delta) for s, x in zip((share, other), q, strict=True)]
        orders = [(p[0], q[1]), (p[1], q[0])]
        hits, others = mp.fsum(a for a, _ in orders) / 2, mp.fsum(b for _, b in orders) / 2
        return AtMost(hits, grow * others + delta, scale=1, part="mean of a gain")

    def tight(self) -> list[Any]:
        """Both places at the boundary of the claim."""
        return [(0.25, 0.5, 1.0, 1.0, 0.5, 0.125)]

    def beyond(self) -> dict[str, AtMost]:
        """The event is "the call is the first one": each place alone meets every claim, a fixed order meets none."""
        one, half = mp.mpf(1), mp.mpf(1) / 2
        return {
            "a coin that decides the order": AtMost(one, mp.exp(1) * 0),
            "a claim that holds in either place": AtMost((one + half) / 2, mp.exp(0) * half),
        }
