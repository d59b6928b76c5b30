"""The smallest curve of ``(epsilon, delta)`` claims that a Renyi divergence of at most ``r`` in both orders implies.

Whether a draw is in an event is a coin, and post-processing does not increase the divergence: so ``delta(e)`` is the
largest ``p - exp(e) q`` of two coins within ``r`` of each other, and coins are laws, so that no smaller curve is
implied. Up to ``exp(e) = (1 - 1/alpha) sinh(alpha c) / sinh((alpha - 1) c)`` the coins ``(1 - x, x)`` and
``(x, 1 - x)``, ``c = log(1/x - 1)``, are the extreme ones, by the tangents of both orders. Beyond, one order decides:
two tangents of ``x^alpha`` give an upper bound for every pair of ratios at which they touch, and the right pair attains
it. With the divergence in one order only, or a larger one, events exceed the curve.
"""

import functools
from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import renyi
from dpspectra.fast.divergence import hockey_stick
from dpspectra.ledger import AtMost, Equal, Parts, Real, Verdict, statement
from dpspectra.oracle import divergence as exact_divergence
from dpspectra.oracle import renyi as exact_renyi
from dpspectra.strategies import distributions, dyadics, st

OUTCOMES = 4
"""Outcomes of the two laws."""


@statement
class RenyiCurve:
    labels = ("DPS-RENYICURVE",)
    given = (
        r"r=\max\{D_\alpha(P\|Q),D_\alpha(Q\|P)\},\ \delta_r(e)=\max\{p-e^eq:D_\alpha(p\|q),D_\alpha(q\|p)\le r\}"
        r"\text{ over coins}"
    )
    claim = {
        "excess of an event": r"\max_E\big(P(E)-e^eQ(E)\big)\le\delta_r(e)",
        "growth with the divergence": r"r\le r':\ \delta_r(e)\le\delta_{r'}(e)",
        "bias of coins": (
            r"\delta_r(0)=\tanh\tfrac c2,\ \cosh\big((\alpha-\tfrac12)c\big)=e^{(\alpha-1)r}\cosh\tfrac c2"
        ),
    }
    where = {
        r"D_\alpha": r"Renyi divergence of order $`\alpha`$",
        r"\alpha": "order of the divergence, above 1",
        "r": "bound on the divergence in both orders",
        "r'": "larger bound",
        "e": r"as a base Euler's number; in $`e^e`$ and $`\delta_r(e)`$ the epsilon of the curve, in nats",
        r"\delta_i": "smallest delta that is implied at this epsilon",
        "p": "probability of heads of a coin",
        "q": "probability of heads of another coin",
        "c": "largest log-odds of a coin and its mirror that the bound allows",
    }
    verdict = Verdict.NEW
    uses = ("DPS-CURVE",)
    note = "auditing.md#the-curve-of-a-rényi-divergence"
    digits = 20
    examples = 7

    def cases(self) -> Any:
        """Renyi order, ``e``, a factor by which the divergence may grow, two laws, and how much of each is uniform."""
        return st.tuples(
            st.sampled_from([2.0, 1.5, 1.0625, 4.0, 8.0]),
            dyadics(0, 3) | st.just(0.0),
            st.sampled_from([1.0, 2.0]),
            st.tuples(*[distributions(OUTCOMES).map(lambda p: np.round(64 * p) / 64)] * 2),
            st.sampled_from([0.5, 2.0**-4, 2.0**-10]),
        )

    def fast(self, alpha: float, e: float, growth: float, laws: Any, uniform: float) -> Parts:
        """The kernel at the divergence of two laws, and what the best event of these laws exceeds."""
        p, q = ((1 - uniform) * law + uniform / OUTCOMES for law in laws)
        radius = float(max(renyi.divergence(p, q, alpha), renyi.divergence(q, p, alpha)))
        if np.array_equal(p, q):
            return
        curve = float(renyi.curve(e, alpha, radius))
        yield AtMost(float(hockey_stick(p, q, e)), curve, part="excess of an event")
        yield AtMost(curve, float(renyi.curve(e, alpha, growth * radius)), part="growth with the divergence")
        bias = float(np.tanh(renyi.coin(alpha, radius) / 2))
        yield Equal(float(renyi.curve(0.0, alpha, radius)), bias, part="bias of coins")

    def oracle(self, alpha: Real, e: float, growth: float, laws: Any, uniform: Real) -> Parts:
        """The best coins, found by the definition of the divergence."""
        p, q = ([(1 - uniform) * mp.mpf(x) + uniform / OUTCOMES for x in law] for law in laws)
        if p == q:
            return
        radius = max(exact_renyi.divergence(p, q, alpha), exact_renyi.divergence(q, p, alpha))
        curve = functools.cache(lambda e, radius: exact_renyi.largest_excess(e, alpha, radius))
        at = curve(e, radius)
        yield AtMost(exact_divergence.hockey_stick(p, q, e), at, part="excess of an event")
        yield AtMost(at, curve(e, growth * radius), part="growth with the divergence")
        yield Equal(curve(0.0, radius), exact_renyi.bias(alpha, radius), part="bias of coins")

    def tight(self) -> list[Any]:
        """Coins that mirror each other, below the corner; and coins at whose ratios, 2 and 2/3, the slope is 4/3."""
        mirrored = np.array([0.75, 0.25, 0, 0]), np.array([0.25, 0.75, 0, 0])
        uneven = np.array([0.5, 0.5, 0, 0]), np.array([0.25, 0.75, 0, 0])
        return [(2.0, 0.25, 1.0, mirrored, 0.0), (2.0, float(np.log(4 / 3)), 1.0, uneven, 0.0)]

    def beyond(self) -> dict[str, AtMost]:
        """A certain outcome against probability 1/4, infinitely far in the other order; a divergence 1 % too large."""
        certain, quarter = [mp.mpf(1), mp.mpf(0)], [mp.mpf(1) / 4, mp.mpf(3) / 4]
        radius = mp.mpf(99) / 100 * exact_renyi.divergence(quarter, quarter[::-1], 2)
        excesses = (exact_divergence.hockey_stick(*laws, 0) for laws in ((certain, quarter), (quarter, quarter[::-1])))
        curves = (exact_renyi.largest_excess(0, 2, r) for r in (mp.log(4), radius))
        return dict(zip(("both orders", "the divergence"), map(AtMost, excesses, curves), strict=True))
