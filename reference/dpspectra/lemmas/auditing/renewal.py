"""A loop with rounds that are alike gives what one round gives, given that this round is accepted.

Each round draws anew, gives an output or is rejected, and leaves nothing behind that a later round or the output can
read. Then the loop that begins after a rejected round is the same loop again, so its law is that of the accepted part
of one round plus the probability of a rejection times itself. Without that, as with a counter of the rounds, the law of
the first round says nothing about the later ones.
"""

import math
from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.ledger import AtMost, Equal, Parts, Verdict, statement
from dpspectra.strategies import st
from dpspectra.strategies.probability_vectors import distributions

OUTPUTS = 3
"""Outputs of a round that is accepted."""
DOUBLINGS = 60
"""Doublings of the number of rounds that the oracle adds up."""


@statement
class Renewal:
    labels = ("DPS-RENEWAL",)
    given = r"a_D(y)=P_D(\text{a round gives }y),\ r_D=1-\sum_ya_D(y)<1,\ p_D(y)=\sum_{k\ge0}r_D^k\,a_D(y)"
    claim = {
        "law": r"p_D(y)=\frac{a_D(y)}{1-r_D}",
        "loss": r"\max_y\frac{p_A(y)}{p_B(y)}\le\frac{1-r_B}{1-r_A}\max_y\frac{a_A(y)}{a_B(y)}",
    }
    where = {
        "a_D": "law of one round on data set $`D`$, over the outputs that it may give",
        "r_D": "probability that a round is rejected",
        "p_D": "law of the output of the loop",
        "p_A": "that law on the first data set",
        "p_B": "that law on the other data set",
        "r_A": "probability of a rejection on the first data set",
        "r_B": "probability of a rejection on the other data set",
        "k": "number of rejected rounds",
        "y": "output",
        "P_D": "probability on data set $`D`$",
        "A": "the first data set",
        "B": "the other data set",
    }
    verdict = Verdict.NEW
    note = "auditing.md#rounds-that-are-alike"

    def cases(self) -> Any:
        """Laws of one round on both data sets; the last probability is that of a rejection."""
        return st.tuples(distributions(OUTPUTS + 1), distributions(OUTPUTS + 1))

    def fast(self, a: Any, b: Any) -> Parts:
        """The law of one round, divided."""
        a, b = np.asarray(a), np.asarray(b)
        kept = [math.fsum(x[:-1]) for x in (a, b)]
        for law, share in zip((a, b), kept, strict=True):
            if share > 0:
                total = float(sum(law[-1] ** k for k in range(64)))
                left = float(law[-1]) ** 64 / share
                for mass in law[:-1]:
                    yield Equal(float(mass) * (total + left), float(mass) / share, scale=1, part="law")
        if all(kept) and np.all(b[:-1] > 0):
            loss = np.max((a[:-1] / kept[0]) / (b[:-1] / kept[1]))
            yield AtMost(float(loss), float(kept[1] / kept[0] * np.max(a[:-1] / b[:-1])), part="loss")

    def oracle(self, a: Any, b: Any) -> Parts:
        """The sum over rounds, doubled until nothing is left."""
        laws = [[mp.mpf(float(x)) for x in law] for law in (a, b)]
        found = []
        for law in laws:
            kept, rejected, rounds = mp.fsum(law[:-1]), law[-1], mp.mpf(1)
            for _ in range(DOUBLINGS):
                rounds, rejected = rounds * (1 + rejected), rejected**2
            found.append([mass * rounds for mass in law[:-1]])
            if kept > 0:
                for mass, summed in zip(law[:-1], found[-1], strict=True):
                    yield Equal(summed, mass / kept, scale=1, part="law")
        kept = [mp.fsum(law[:-1]) for law in laws]
        if all(kept) and all(x > 0 for x in laws[1][:-1]):
            loss = max(s / t for s, t in zip(*found, strict=True))
            most = max(s / t for s, t in zip(laws[0][:-1], laws[1][:-1], strict=True))
            yield AtMost(loss, kept[1] / kept[0] * most, part="loss")

    def tight(self) -> list[Any]:
        """Rounds that are rejected often, seldom and never."""
        half, often = np.array([0.25, 0.125, 0.125, 0.5]), np.array([0.0625, 0.03125, 0.03125, 0.875])
        never = np.array([0.5, 0.25, 0.25, 0.0])
        return [(half, often), (often, half), (half, never), (never, np.array([0.125, 0.125, 0.25, 0.5]))]

    def beyond(self) -> dict[str, AtMost]:
        """A counter: half of all rounds are accepted and give their number, so the first never gives a 2."""
        return {"rounds that are alike": AtMost(mp.mpf(1) / 4, mp.mpf(0))}
