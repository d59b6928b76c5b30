"""A privacy loss of at most ``epsilon`` bounds every Renyi divergence, and implies ``epsilon^2 / 2``-zCDP.

The likelihood ratio lies between ``exp(-epsilon)`` and ``exp(epsilon)`` and has mean 1, and its power is convex: no law
has a larger mean of it than the one on both ends, which is that of two mirrored coins. The second bound compares
``tanh x`` with ``x`` between the arguments of the two cosines. With a loss that is bounded in one order only the
divergence can be larger.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import renyi
from dpspectra.ledger import AtMost, Parts, Real, Verdict, statement
from dpspectra.oracle import renyi as exact_renyi
from dpspectra.strategies import distributions, st

OUTCOMES = 4
"""Outcomes of the two laws."""


def _log_cosh(x: Any) -> Any:
    return np.log1p(2 * np.sinh(x / 2) ** 2)


@statement
class RenyiOfBoundedLoss:
    labels = ("DPS-PURERENYI",)
    given = r"\epsilon=\max_i|\log\tfrac{p_i}{q_i}|,\ \alpha>1"
    claim = {
        "divergence of two laws": (
            r"D_\alpha(P\|Q)\le\tfrac1{\alpha-1}\log\frac{\cosh((\alpha-\frac12)\epsilon)}{\cosh(\epsilon/2)}"
        ),
        "concentrated privacy": (
            r"\tfrac1{\alpha-1}\log\frac{\cosh((\alpha-\frac12)\epsilon)}{\cosh(\epsilon/2)}\le\tfrac12\alpha\epsilon^2"
        ),
    }
    where = {
        r"D_\alpha": r"Renyi divergence of order $`\alpha`$",
        r"\alpha": "order of the divergence",
        r"\epsilon": "largest privacy loss in both orders, in nats",
        "p_i": r"probabilities of the law $`P`$",
        "q_i": r"probabilities of the law $`Q`$",
        "P": "law on one data set",
        "Q": "law on the other data set",
    }
    verdict = Verdict.NEW
    note = "auditing.md#renyi-divergence-of-a-bounded-loss"

    def cases(self) -> Any:
        """An order, two laws, and how much of each is uniform."""
        laws = st.tuples(*[distributions(OUTCOMES).map(lambda p: np.round(64 * p) / 64)] * 2)
        return st.tuples(st.sampled_from([2.0, 1.5, 1.0625, 4.0, 8.0]), laws, st.sampled_from([0.5, 2.0**-4, 2.0**-10]))

    def fast(self, alpha: float, laws: Any, uniform: float) -> Parts:
        p, q = ((1 - uniform) * law + uniform / OUTCOMES for law in laws)
        loss = np.max(np.abs(np.log(p) - np.log(q)))
        most = (_log_cosh((alpha - 0.5) * loss) - _log_cosh(loss / 2)) / (alpha - 1)
        size = 1 / (alpha - 1)
        yield AtMost(renyi.divergence(p, q, alpha), most, scale=size, part="divergence of two laws")
        yield AtMost(most, alpha * loss**2 / 2, part="concentrated privacy")

    def oracle(self, alpha: Real, laws: Any, uniform: Real) -> Parts:
        """The divergence of the mirrored coins, by definition."""
        p, q = ([(1 - uniform) * mp.mpf(x) + uniform / OUTCOMES for x in law] for law in laws)
        loss = max(abs(mp.log(a / b)) for a, b in zip(p, q, strict=True))
        heads = 1 / (1 + mp.exp(-loss))
        most = exact_renyi.divergence([heads, 1 - heads], [1 - heads, heads], alpha)
        size = 1 / (alpha - 1)
        yield AtMost(exact_renyi.divergence(p, q, alpha), most, scale=size, part="divergence of two laws")
        yield AtMost(most, alpha * loss**2 / 2, part="concentrated privacy")

    def tight(self) -> list[Any]:
        """Coins that mirror each other, each outcome split in two, very different ones and nearly fair ones."""
        far, nearer = np.array([0.5, 0, 0.5, 0]), np.array([0.375, 0.125, 0.375, 0.125])
        instances = (2.0, far, 0.5), (4.0, nearer, 0.5), (4.0, far, 1 - 2.0**-12), (2.0, nearer, 1 - 2.0**-12)
        return [(alpha, (law, law[::-1]), uniform) for alpha, law, uniform in instances]

    def beyond(self) -> dict[str, AtMost]:
        """A certain outcome against a fair coin: the loss is ``log 2`` in one order, infinite in the other one."""
        two = mp.log(2)
        divergence = exact_renyi.divergence([mp.mpf(1), mp.mpf(0)], [mp.mpf(1) / 2] * 2, 2)
        return {"both orders": AtMost(divergence, mp.log(mp.cosh(1.5 * two) / mp.cosh(two / 2)))}
