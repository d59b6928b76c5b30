"""An output loses no more than the transcript that it is a function of, and the same where their ratio is constant.

Let ``O = g(T)`` with one ``g`` for both data sets. The likelihood ratio of an output is the mean, over its fibre, of
the ratios of the transcripts in it, so it lies between the smallest and the largest of them. Hence a transcript whose
loss exceeds a claim refutes nothing by itself; an output whose loss does has a neighbourhood that refutes it. Bets on
losses have mean at most 1 while the transcript meets the claim. With two maps, or with a fibre on which the ratio
varies, all of this fails: a map that fixes the outcome that was met, such as an absolute value, is not injective.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.ledger import AtMost, Equal, Parts, Real, Verdict, statement
from dpspectra.strategies import deltas, epsilons, st
from dpspectra.strategies.betting import fractions
from dpspectra.strategies.probability_vectors import distributions

OUTCOMES = 6
"""Transcripts of a case."""


@statement
class OutputLoss:
    labels = ("DPS-OUTPUTLOSS",)
    given = (
        r"O=g(T),\ \delta_T(\varepsilon)=\max_E\big(P_A(T\in E)-e^\varepsilon P_B(T\in E)\big),\ "
        r"\delta_O(\varepsilon)=\max_E\big(P_A(O\in E)-e^\varepsilon P_B(O\in E)\big)"
    )
    claim = {
        "data processing": r"\delta_O(\varepsilon)\le\delta_T(\varepsilon)",
        "mean over a fibre": r"e^{L_O(o)}=\mathbb E_B\big[e^{L_T}\mid g(T)=o\big]",
        "smallest on a fibre": r"\min_{g=o}e^{L_T}\le e^{L_O(o)}",
        "largest on a fibre": r"e^{L_O(o)}\le\max_{g=o}e^{L_T}",
        "event of a large loss": r"e^\varepsilon P_B(L_T\ge\varepsilon)\le P_A(L_T\ge\varepsilon)",
        "mean of a bet": (
            r"\mathbb E_A\Big[1+\gamma\Big(\frac{(1-e^{\varepsilon-L_T})_+}{\max\{\delta,\delta_T(\varepsilon)\}}"
            r"-1\Big)\Big]\le1"
        ),
    }
    where = {
        "O": "output that is released",
        "T": "all that the run looked at",
        "g": "map from what was seen to the output, the same for both data sets",
        r"\delta_O": "profile of the output: the smallest delta at epsilon",
        r"\delta_T": "profile of all that was seen: the smallest delta at epsilon",
        "L_O": "privacy loss of the output, in nats",
        "L_T": "privacy loss of all that was seen, in nats",
        "o": "value of the output",
        r"\mathbb E_A": "mean over runs on data set $`A`$",
        r"\mathbb E_B": "mean over runs on data set $`B`$",
        "P_A": "law of a run on data set $`A`$",
        "P_B": "law of a run on data set $`B`$",
        r"\gamma": "fraction of the wealth that is at stake",
    }
    verdict = Verdict.NEW
    note = "auditing.md#output-loss"
    exact = ("mean over a fibre",)

    def cases(self) -> Any:
        """Both laws of the transcript, the output of each outcome, the claim's epsilon, a smallest delta, the stake."""
        return st.tuples(
            distributions(OUTCOMES),
            distributions(OUTCOMES),
            st.tuples(*[st.integers(0, 3)] * OUTCOMES),
            epsilons(2.0**-6, 4.0) | st.just(0.0),
            deltas(2.0**-12, 0.5),
            fractions(),
        )

    def fast(self, p: Any, q: Any, outputs: Sequence[int], epsilon: float, delta: float, fraction: float) -> Parts:
        """Sums over outcomes; the bet is on losses of the transcript."""
        p, q, of = np.asarray(p), np.asarray(q), np.asarray(outputs)
        grow = math.exp(epsilon)
        onto = np.array([[np.sum(law[of == o]) for o in range(4)] for law in (p, q)])
        excess = float(np.sum(np.maximum(p - grow * q, 0)))
        yield AtMost(float(np.sum(np.maximum(onto[0] - grow * onto[1], 0))), excess, scale=1, part="data processing")
        for o in set(outputs):
            mine = of == o
            if onto[1, o] > 0 and np.all(q[mine] > 0):
                met, each, size = float(onto[0, o] / onto[1, o]), p[mine] / q[mine], 1 / onto[1, o]
                yield Equal(met, float(q[mine] @ each / onto[1, o]), scale=size, part="mean over a fibre")
                yield AtMost(float(np.min(each)), met, scale=size, part="smallest on a fibre")
                yield AtMost(met, float(np.max(each)), scale=size, part="largest on a fibre")
        event = p >= grow * q
        yield AtMost(float(grow * np.sum(q[event])), float(np.sum(p[event])), scale=1, part="event of a large loss")
        some = p > 0
        gain = np.maximum(1 - grow * q[some] / p[some], 0) / max(excess, delta)
        yield AtMost(float(np.sum(p[some] * (1 + fraction * (gain - 1)))), 1.0, part="mean of a bet")

    def oracle(self, p: Any, q: Any, outputs: Sequence[int], epsilon: Real, delta: Real, fraction: Real) -> Parts:
        """Outcome by outcome, as the hockey-stick divergence and the conditional mean are defined."""
        p, q = [mp.mpf(float(x)) for x in p], [mp.mpf(float(x)) for x in q]
        grow = mp.exp(epsilon)
        fibres = {o: [t for t in range(OUTCOMES) if outputs[t] == o] for o in set(outputs)}
        above = {o: mp.fsum(p[t] for t in ts) - grow * mp.fsum(q[t] for t in ts) for o, ts in fibres.items()}
        excess = mp.fsum(max(a - grow * b, 0) for a, b in zip(p, q, strict=True))
        yield AtMost(mp.fsum(max(x, 0) for x in above.values()), excess, scale=1, part="data processing")
        for ts in fibres.values():
            weight = mp.fsum(q[t] for t in ts)
            if all(q[t] > 0 for t in ts):
                met = mp.fsum(p[t] for t in ts) / weight
                mean = mp.fsum(q[t] / weight * (p[t] / q[t]) for t in ts)
                each = [p[t] / q[t] for t in ts]
                yield Equal(met, mean, scale=1 / weight, part="mean over a fibre")
                yield AtMost(min(each), met, scale=1 / weight, part="smallest on a fibre")
                yield AtMost(met, max(each), scale=1 / weight, part="largest on a fibre")
        event = [t for t in range(OUTCOMES) if p[t] >= grow * q[t]]
        seen, other = (mp.fsum(law[t] for t in event) for law in (p, q))
        yield AtMost(grow * other, seen, scale=1, part="event of a large loss")

        def factor(a: Any, b: Any) -> Any:
            return 1 + fraction * (max(1 - grow * b / a, 0) / max(excess, delta) - 1)

        mean = mp.fsum(a * factor(a, b) for a, b in zip(p, q, strict=True) if a > 0)
        yield AtMost(mean, mp.mpf(1), part="mean of a bet")

    def tight(self) -> list[Any]:
        """A ratio that is constant on each fibre, so that nothing is lost; one law twice, whose loss is always 0."""
        p, q = np.array([0.375, 0.375, 0.125, 0.125, 0, 0]), np.array([0.125, 0.125, 0.375, 0.375, 0, 0])
        same = np.array([0.5, 0.25, 0.25, 0, 0, 0])
        return [(p, q, (0, 0, 1, 1, 2, 3), 0.5, 2.0**-12, 0.5), (same, same, (0, 1, 2, 3, 3, 3), 0.0, 0.25, 0.5)]

    def beyond(self) -> dict[str, AtMost]:
        """Programs on which taking the transcript's loss for the output's gives a wrong verdict.

        The output is the absolute value of a noisy number with locations 5 and -5, and the outcome that was met is
        positive: the transcript's loss is 10, the output's 0.
        """
        half, one = mp.mpf(1) / 2, mp.mpf(1)
        grow = mp.exp(half)
        near, far = mp.exp(0) / 2, mp.exp(-10) / 2
        return {
            "a ratio that is constant on the fibre": AtMost(near / far, (near + far) / (far + near)),
            "a loss of the output, not of the transcript": AtMost(grow * one, one),
            "one map for both data sets": AtMost(one, 0),
            "records that nobody chose for their loss": AtMost(1 + half * (1 / (1 - mp.exp(-1)) - 1) * 1, 1),
        }
