"""Bets on a likelihood ratio have mean at most 1 if a Renyi divergence is bounded, however the ratio was fitted.

``alpha t s^(alpha - 1) - (alpha - 1) s^alpha`` is at most ``t^alpha`` for all ``s, t > 0``, by Young's inequality, with
equality at ``s = t``. At ``t = p_i / q_i``, in the mean under ``Q``, it says that what ``s`` wins under ``P`` less what
it loses under ``Q`` is at most ``c = exp((alpha - 1) D_alpha(P || Q))``. A step function ``s`` has a largest loss
``M``, so the factor ``1 + g (W - c) / (M + c)`` of the difference ``W`` of a pair of draws is at least ``1 - g``. It
falls when ``c`` grows. With a larger divergence the mean may exceed 1, and a stake beyond what there is may lose more
than that.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import ratio_betting as fast
from dpspectra.fast import renyi
from dpspectra.ledger import AtMost, Parts, Real, Verdict, statement
from dpspectra.oracle import ratio_betting as oracle
from dpspectra.oracle import renyi as exact_renyi
from dpspectra.strategies import distributions, dyadics, st
from dpspectra.strategies.betting import fractions

OUTCOMES = 4
"""Outcomes of the two laws, each a step of the ratio."""


@statement
class RatioBets:
    labels = ("DPS-RENYIBET",)
    given = (
        r"\alpha>1,\ D_\alpha(P\|Q)\le r,\ c=e^{(\alpha-1)r},\ M=\max_i(\alpha-1)s_i^\alpha,\ "
        r"F_r=1+\tfrac g{M+c}\big(\alpha s_X^{\alpha-1}-(\alpha-1)s_Y^\alpha-c\big),\ X\sim P,\ Y\sim Q"
    )
    claim = {
        "moment of a ratio": (
            r"\sum_ip_i\alpha s_i^{\alpha-1}-\sum_iq_i(\alpha-1)s_i^\alpha\le e^{(\alpha-1)D_\alpha(P\|Q)}"
        ),
        "mean of a factor": r"\mathbb EF_r\le1",
        "smallest factor": r"1-g\le F_r",
        "wealth falls in the divergence": r"\log F_{r+1/8}\le\log F_r",
    }
    where = {
        r"D_\alpha": r"Renyi divergence of order $`\alpha`$",
        r"\alpha": "order of the divergence",
        "r": "bound on the divergence, in nats",
        "s_i": "any positive number for each outcome",
        "s_X": r"number of the outcome that $`X`$ shows",
        "s_Y": r"number of the outcome that $`Y`$ shows",
        "p_i": r"probabilities of the law $`P`$",
        "q_i": r"probabilities of the law $`Q`$",
        "P": "law on one data set",
        "Q": "law on the other data set",
        "X": r"draw from $`P`$",
        "Y": r"draw from $`Q`$",
        "c": "bound on the moment",
        "M": "largest loss",
        "g": "fraction of what may be lost that is staked",
        "F_{r+1/8}": "the same for a larger bound",
        "F_r": "factor by which the wealth against the bound changes",
    }
    verdict = Verdict.NEW
    uses = ("DPS-PREDICT", "DPS-CALLS", "DPS-LOWER")
    note = "auditing.md#ratio-bets"

    def cases(self) -> Any:
        """An order, two laws, how much of each is uniform, logs of a ratio (or the true one), the fraction staked."""
        laws = st.tuples(*[distributions(OUTCOMES).map(lambda p: np.round(64 * p) / 64)] * 2)
        logs = st.tuples(*[dyadics(0, 3).map(lambda x: x - 1.5)] * OUTCOMES)
        orders, parts = st.sampled_from([2.0, 1.5, 1.25, 4.0, 8.0]), st.sampled_from([0.5, 2.0**-4, 2.0**-10])
        return st.tuples(orders, laws, parts, logs | st.none(), fractions())

    def fast(self, alpha: float, laws: Any, uniform: float, logs: Any, fraction: float) -> Parts:
        """The kernel, in logarithms and parts of the largest gain and loss."""
        p, q = ((1 - uniform) * law + uniform / OUTCOMES for law in laws)
        logs = np.log(p) - np.log(q) if logs is None else np.array(logs)
        log_bound = (alpha - 1) * max(0.0, float(renyi.divergence(p, q, alpha)))
        won, lost = (np.exp(heights) for heights in fast.log_heights(logs, alpha))
        pairs = np.stack([np.repeat(won / won.max(), OUTCOMES), np.tile(lost / lost.max(), OUTCOMES)], axis=1)
        tops = fast.log_heights(np.max(logs), alpha)
        now, later = (
            fast.log_factors(pairs, *tops, bound, [fraction])[:, 0]
            for bound in (log_bound, log_bound + (alpha - 1) / 8)
        )
        bound = float(np.exp(log_bound))
        yield AtMost(float(p @ won - q @ lost), bound, scale=bound + float(q @ lost), part="moment of a ratio")
        yield AtMost(float(np.repeat(p, OUTCOMES) * np.tile(q, OUTCOMES) @ np.exp(now)), 1.0, part="mean of a factor")
        yield AtMost(1 - fraction, float(np.exp(np.min(now))), scale=1, part="smallest factor")
        yield AtMost(float(later[1]), float(now[1]), scale=1, part="wealth falls in the divergence")

    def oracle(self, alpha: Real, laws: Any, uniform: Real, logs: Any, fraction: Real) -> Parts:
        """By the definition, with exact gains and losses."""
        p, q = ([(1 - uniform) * mp.mpf(x) + uniform / OUTCOMES for x in law] for law in laws)
        s = [a / b for a, b in zip(p, q, strict=True)] if logs is None else [mp.exp(x) for x in logs]
        bound = mp.exp((alpha - 1) * exact_renyi.divergence(p, q, alpha))
        lost = mp.fsum(b * oracle.lost(x, alpha) for b, x in zip(q, s, strict=True))
        moment = mp.fsum(a * oracle.won(x, alpha) for a, x in zip(p, s, strict=True)) - lost
        larger = bound * mp.exp((alpha - 1) / 8)
        pairs = [(a * b, x, y) for a, x in zip(p, s, strict=True) for b, y in zip(q, s, strict=True)]
        factors = [(mass, oracle.factor(x, y, s, alpha, bound, fraction)) for mass, x, y in pairs]
        later = oracle.factor(s[0], s[1], s, alpha, larger, fraction)
        yield AtMost(moment, bound, scale=bound + lost, part="moment of a ratio")
        yield AtMost(mp.fsum(mass * factor for mass, factor in factors), mp.mpf(1), part="mean of a factor")
        yield AtMost(1 - fraction, min(factor for _, factor in factors), scale=1, part="smallest factor")
        yield AtMost(mp.log(later), mp.log(factors[1][1]), scale=1, part="wealth falls in the divergence")

    def tight(self) -> list[Any]:
        """The true ratio of two laws; one law twice, whose ratio is 1; a ratio that wins nothing at one outcome."""
        uneven, mirrored = np.array([0.5, 0.25, 0.125, 0.125]), np.array([0.125, 0.125, 0.25, 0.5])
        return [
            (2.0, (uneven, mirrored), 0.5, None, 0.5),
            (4.0, (uneven, uneven), 0.0, (0.0,) * OUTCOMES, 1 - 2.0**-6),
            (2.0, (uneven, mirrored), 0.0, (-64.0, 1.5, 0.0, 0.0), 0.5),
        ]

    def beyond(self) -> dict[str, AtMost]:
        """The true ratio of two coins against a bound 1 % too small; a stake of twice what may be lost."""
        p, q = [mp.mpf(3) / 4, mp.mpf(1) / 4], [mp.mpf(1) / 4, mp.mpf(3) / 4]
        s, bound = [mp.mpf(3), mp.mpf(1) / 3], mp.mpf(99) / 100 * mp.exp(exact_renyi.divergence(p, q, 2))
        pairs = [(a * b, x, y) for a, x in zip(p, s, strict=True) for b, y in zip(q, s, strict=True)]
        mean = mp.fsum(mass * oracle.factor(x, y, s, 2, bound, mp.mpf(1) / 2) for mass, x, y in pairs)
        return {
            "the bound": AtMost(mean, 1),
            "a fraction of at most 1": AtMost(0, min(oracle.factor(x, y, s, 2, bound, 2) for _, x, y in pairs)),
        }
