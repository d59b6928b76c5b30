"""Wealth from betting against a privacy claim has mean at most 1 at every step, and depends on four counts.

Pairs ``(X_i, Y_i)`` are drawn one after another. If ``P(E) <= e^epsilon Q(E) + delta``, the gain
``W = 1[X in E] - e^epsilon 1[Y in E] - delta`` has mean at most 0, and ``W >= -(e^epsilon + delta)``; so the factor
``1 + g W / (e^epsilon + delta)`` is at least ``1 - g`` and has mean at most 1. The two draws of a pair may depend on
each other in any way; their marginal laws, given all earlier pairs, must satisfy the claim. With ``g > 1`` wealth could
become negative. If the event is impossible under ``Q``, the loss of a pair is at most ``delta`` and the stake may be
``g / delta``.
"""

import itertools
from typing import Any

import numpy as np
from mpmath import mp
from scipy.special import gammaln, xlogy

from dpspectra.fast import betting as fast
from dpspectra.ledger import AtMost, Parts, Real, Verdict, statement
from dpspectra.oracle import betting as oracle
from dpspectra.strategies import st
from dpspectra.strategies.betting import Game, fractions, games


def _mean(law: Any, pairs: int, game: Game, fraction: float) -> float:
    """Mean wealth after ``pairs`` pairs, by the multinomial law of the counts."""
    counts = np.array([c for c in itertools.product(range(pairs + 1), repeat=4) if sum(c) == pairs])
    masses = gammaln(pairs + 1) + np.sum(xlogy(counts, law) - gammaln(counts + 1), axis=1)
    return float(np.sum(np.exp(masses + fast.log_wealth(counts, game.epsilon, game.delta, [fraction])[:, 0])))


@statement
class EProcess:
    labels = ("DPS-EPROCESS",)
    given = (
        r"P(E)\le e^\varepsilon Q(E)+\delta,\ 0\le g\le1,\ "
        r"W_i=\mathbf 1[X_i\in E]-e^\varepsilon\mathbf 1[Y_i\in E]-\delta,\ "
        r"K_n=\prod_{i\le n}\big(1+\tfrac{gW_i}{e^\varepsilon+\delta}\big)"
    )
    claim = {
        "mean after a pair": r"\mathbb EK_n\le\mathbb EK_{n-1}",
        "mean wealth": r"\mathbb EK_n\le1",
        "smallest factor": r"1-g\le1+\tfrac{gW_i}{e^\varepsilon+\delta}",
        "mean one-sided wealth": (
            r"Q(E)=0,\ \delta>0:\ \mathbb E\prod_{i\le n}\big(1+\tfrac g\delta(\mathbf 1[X_i\in E]-\delta)\big)\le1"
        ),
    }
    where = {
        "W_i": "the gains from one unit staked on a pair of draws",
        "X_i": "the draws from the first data set",
        "Y_i": "the draws from the second data set",
    }
    verdict = Verdict.NEW
    uses = ("MWKTV-D1.1",)
    note = "auditing.md#wealth-under-the-claim"

    def cases(self) -> Any:
        """A game, the fraction staked, and the number of pairs; a negative epsilon claims that ``P`` is smaller."""
        negative = games().map(lambda game: game._replace(epsilon=-game.epsilon))
        return st.tuples(games() | negative, fractions(), st.integers(1, 4))

    def fast(self, game: Game, fraction: float, pairs: int) -> Parts:
        epsilon, delta = game.epsilon, game.delta
        law = fast.pair_law(*game)
        before, after = _mean(law, pairs - 1, game, fraction), _mean(law, pairs, game, fraction)
        smallest = np.exp(np.min(fast.log_wealth(np.eye(4), epsilon, delta, [fraction])))
        yield AtMost(after, before, part="mean after a pair")
        yield AtMost(after, 1.0, part="mean wealth")
        yield AtMost(1 - fraction, smallest, scale=1, part="smallest factor")
        if delta == 0:
            return
        rates = np.array([game.share * delta, 1 - game.share * delta])
        factors = np.exp(fast.log_wealth_one_sided([1, 0], [1, 1], delta, [fraction])[:, 0])
        yield AtMost(float(rates @ factors) ** pairs, 1.0, part="mean one-sided wealth")

    def oracle(self, game: Game, fraction: Real, pairs: int) -> Parts:
        """Mean wealth as a sum over all sequences of pairs."""
        law, delta = oracle.pair_law(*game), mp.mpf(game.delta)
        factors = list(oracle.factors(game.epsilon, delta, fraction).values())

        def mean(steps: int) -> Any:
            sequences = itertools.product(range(4), repeat=steps)
            return mp.fsum(mp.fprod(law[k] * factors[k] for k in sequence) for sequence in sequences)

        after = mean(pairs)
        yield AtMost(after, mean(pairs - 1), part="mean after a pair")
        yield AtMost(after, mp.mpf(1), part="mean wealth")
        yield AtMost(1 - fraction, min(factors), scale=1, part="smallest factor")
        if delta == 0:
            return
        hit = game.share * delta  # the other law never hits
        one_sided = hit * (1 + fraction / delta * (1 - delta)) + (1 - hit) * (1 + fraction / delta * (0 - delta))
        yield AtMost(one_sided**pairs, mp.mpf(1), part="mean one-sided wealth")

    def tight(self) -> list[Any]:
        """Laws at the boundary of the claim, with ``delta`` and without."""
        return [(Game(2.0**-4, 1.0, 0.25, 1.0, 0.5), 0.5, 3), (Game(0.25, 0.0, 0.0, 1.0, 0.0), 1 - 2.0**-20, 2)]

    def beyond(self) -> dict[str, AtMost]:
        """An event of probability 1/2 under the second law and 3/4 under the first, at ``epsilon = delta = 0``."""

        def mean(p: Any, q: Any, fraction: Any) -> Any:
            chances = (p * q, p * (1 - q), (1 - p) * q, (1 - p) * (1 - q))
            return mp.fdot(chances, oracle.factors(0, 0, fraction).values())

        half = mp.mpf(1) / 2
        return {
            "the claim": AtMost(mean(3 * half / 2, half, half), 1),
            "a fraction of at most 1": AtMost(0, min(oracle.factors(0, 0, 2).values())),
        }
