"""Clopper and Pearson: exact limits of a binomial probability, and the loss they certify at a fixed number of draws.

The lower limit at ``k`` hits in ``n`` draws is the probability at which ``k`` or more hits have probability ``a``. It
is at least the true ``p`` exactly if the tail of the count at ``p`` is at most ``a``, which has probability at most
``a``. A lower and an upper limit, each with half the risk, give a lower bound on epsilon. Cited. If ``n`` or the choice
of the event depends on the draws, nothing is guaranteed.
"""

from typing import Any

import numpy as np
from mpmath import mp
from scipy.special import bdtrc

from dpspectra.fast import binomial as fast
from dpspectra.ledger import AtMost, Equal, Parts, Real, Slack, Verdict, statement
from dpspectra.oracle import binomial as oracle
from dpspectra.strategies import deltas, dyadics, st

NEAR = 2.0**-20
"""Relative distance of the tight cases' probabilities from the limits, where both arithmetics would decide a tie."""


def _rates() -> st.SearchStrategy[Any]:
    return dyadics(2.0**-6, 1 - 2.0**-6) | st.sampled_from([0.5, 2.0**-12, 1 - 2.0**-12])


@statement
class ClopperPearson:
    labels = ("DPS-CP",)
    given = r"p=P(E),\ q=Q(E),\ L_a(k)=\mathrm{Beta}^{-1}_{k,n-k+1}(a),\ U_a(k)=1-L_a(n-k)"
    claim = {
        "tail at lower limit": r"\Pr_{p=L_a(k)}[K_P\ge k]=a",
        "coverage of lower limit": r"\Pr[L_a(K_P)\ge p]\le a",
        "coverage of upper limit": r"\Pr[U_a(K_P)\le p]\le a",
        "coverage of the loss": (
            r"p>\delta:\ \Pr\Big[\log\frac{L_{a/2}(K_P)-\delta}{U_{a/2}(K_Q)}\ge\log\frac{p-\delta}q\Big]\le a"
        ),
    }
    where = {
        "p": "probability of the event on the first data set",
        "q": "probability of the event on the second data set",
        "n": "number of draws",
        "L_i": "lower limit at this risk for the probability, from the number of draws in the event; 0 without one",
        "U_i": "upper limit at this risk",
        "k": "number of draws in the event",
        "K_P": "number of draws from the first data set in the event",
        "K_Q": "number of draws from the second data set in the event",
        r"\mathrm{Beta}^{-1}_{k,n-k+1}": "quantile of the Beta law with these parameters",
    }
    verdict = Verdict.CITED
    note = "auditing.md#clopper-pearson"
    examples = 35
    digits = 30
    slack = {
        "coverage of the loss": Slack(
            0.5, "half the risk is given to each limit, and where one of them errs with all of it the other never does"
        )
    }

    def cases(self) -> Any:
        """Numbers of draws and hit probabilities under ``P`` and ``Q``, the claim's ``delta``, and the risk ``a``."""
        return st.tuples(
            st.integers(1, 6),
            st.integers(1, 6),
            _rates(),
            _rates(),
            st.sampled_from([0.0, 0.0, 2.0**-5, 2.0**-3]),
            # tails at dyadic rates never equal these risks, so there are no ties
            deltas(2.0**-10, 0.5).map(lambda risk: risk * (1 - 2.0**-30)),
        )

    def fast(self, n: int, m: int, p: float, q: float, delta: float, risk: float) -> Parts:
        """``n`` draws from ``P``, ``m`` from ``Q``; the loss is judged if there is a true one, ``p > delta``."""
        from scipy.stats import binom  # half a second, which a start of the program need not spend

        lows = np.array([fast.at_least(k, n, risk) for k in range(n + 1)])
        highs = np.array([fast.at_most(k, n, risk) for k in range(n + 1)])
        masses = binom.pmf(range(n + 1), n, p)
        limit = n // 2 + 1
        yield Equal(bdtrc(limit - 1, n, lows[limit]), risk, part="tail at lower limit")
        yield AtMost(float(masses[lows >= p].sum()), risk, part="coverage of lower limit")
        yield AtMost(float(masses[highs <= p].sum()), risk, part="coverage of upper limit")
        if p > delta:  # the event contradicts some epsilon
            losses = np.array([[fast.loss((k, j), (n, m), delta, risk) for j in range(m + 1)] for k in range(n + 1)])
            joint = np.outer(masses, binom.pmf(range(m + 1), m, q))
            yield AtMost(float(joint[losses >= np.log((p - delta) / q)].sum()), risk, part="coverage of the loss")

    def oracle(self, n: int, m: int, p: Real, q: Real, delta: float, risk: Real) -> Parts:
        """A limit reaches the truth if the tail at the truth is at most the risk, so no quantile is needed."""
        chances = [oracle.pmf(k, n, p) for k in range(n + 1)]
        limit = n // 2 + 1
        too_high = mp.fsum(c for k, c in enumerate(chances) if oracle.tail(k, n, p) <= risk)
        too_low = mp.fsum(c for k, c in enumerate(chances) if 1 - oracle.tail(k + 1, n, p) <= risk)
        yield Equal(oracle.tail(limit, n, oracle.at_least(limit, n, risk)), risk, part="tail at lower limit")
        yield AtMost(too_high, risk, part="coverage of lower limit")
        yield AtMost(too_low, risk, part="coverage of upper limit")
        if p > delta:
            lows = [oracle.at_least(k, n, risk / 2) for k in range(n + 1)]
            highs = [1 - oracle.at_least(m - j, m, risk / 2) for j in range(m + 1)]
            wrong = [
                chances[k] * oracle.pmf(j, m, q)
                for k in range(n + 1)
                for j in range(m + 1)
                if (lows[k] - delta) * q >= (p - delta) * highs[j]  # a loss at least the true one
            ]
            yield AtMost(mp.fsum(wrong), risk, part="coverage of the loss")

    def tight(self) -> list[Any]:
        """One draw, whose lower limit after a hit equals the risk; the upper limit after a miss; a certain other event.

        Where ``p`` is ``delta`` itself the event contradicts no epsilon.
        """
        return [
            (1, 1, 0.25 * (1 - NEAR), 0.5, 0.0, 0.25),
            (1, 1, 1 - 0.25 * (1 - NEAR), 0.5, 0.0, 0.25),
            (1, 1, 0.125 * (1 - NEAR), 1.0, 0.0, 0.25),
            (1, 1, 0.125, 0.5, 0.125, 0.25),
        ]

    def beyond(self) -> dict[str, AtMost]:
        """An event of probability 1/2 or its complement, whichever was seen in both of two draws, if any."""
        half, risk = mp.mpf(1) / 2, mp.mpf(1) / 4 * (1 + NEAR)
        chosen = 2 * half**2 if oracle.tail(2, 2, half) <= risk else mp.mpf(0)
        return {"an event fixed before the draws": AtMost(chosen, risk)}
