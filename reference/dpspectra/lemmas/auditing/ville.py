"""A nonnegative supermartingale that starts at 1 ever reaches ``c`` with probability at most ``1 / c`` (Ville).

Stop it when it first reaches ``c``: the stopped process has mean at most 1 at every time, and is at least ``c`` once
stopped. So wealth against a true claim may be read after every pair, and at any random time. A process that may become
negative, or the maximum of several processes, is not covered. The bound is nearly attained by betting almost everything
at even odds.
"""

from typing import Any

import numpy as np
from mpmath import mp
from numpy.typing import NDArray
from scipy.special import logsumexp

from dpspectra.fast import betting as fast
from dpspectra.ledger import AtMost, Real, Verdict, statement
from dpspectra.oracle import betting as oracle
from dpspectra.strategies import st
from dpspectra.strategies.betting import Game, fractions, games, levels


@statement
class Ville:
    labels = ("DPS-VILLE",)
    given = r"K_n\ge0,\ \mathbb E[K_n\mid\mathcal F_{n-1}]\le K_{n-1},\ K_0=1"
    claim = {"crossing of the level": r"\Pr\big[\sup_{n\ge1}K_n\ge c\big]\le\tfrac1c"}
    where = {
        "K_n": "nonnegative process, such as the wealth of a bettor",
        "K_0": "its start",
        "n": "time",
        "c": "level",
    }
    verdict = Verdict.CITED
    uses = ("DPS-EPROCESS",)
    note = "auditing.md#villes-inequality"
    examples = 60

    def cases(self) -> Any:
        return st.tuples(
            games(),
            st.lists(fractions(), min_size=1, max_size=3).map(tuple),
            levels(),
            st.integers(1, 6),
        )

    def fast(self, game: Game, stakes: tuple[float, ...], level: float, pairs: int) -> AtMost:
        """Wealth is divided equally among the fractions; ``level`` is the log of ``c``."""

        def reached(counts: NDArray[np.int_]) -> NDArray[np.bool_]:
            logs = logsumexp(fast.log_wealth(counts, game.epsilon, game.delta, stakes), axis=1) - np.log(len(stakes))
            return logs >= level

        probability = fast.ever(fast.pair_law(*game), pairs, reached)
        return AtMost(probability, float(np.exp(-level)), part="crossing of the level")

    def oracle(self, game: Game, stakes: tuple[float, ...], level: Real, pairs: int) -> AtMost:
        bets = [(mp.mpf(1) / len(stakes), g) for g in stakes]

        def reached(counts: tuple[int, ...]) -> bool:
            return bool(oracle.mixture(counts, game.epsilon, game.delta, bets) >= mp.exp(level))

        probability = oracle.ever(oracle.pair_law(*game), pairs, reached)
        return AtMost(probability, mp.exp(-level), part="crossing of the level")

    def tight(self) -> list[Any]:
        """Exactly one of the two draws is in the event; wealth nearly doubles, to a level near 2, or is nearly lost."""
        return [(Game(0.5, 0.0, 0.0, 1.0, 0.0), (1 - 2.0**-24,), float(np.log(2 - 2.0**-22)), 4)]

    def beyond(self) -> dict[str, AtMost]:
        """The event always has the first draw and never the second, against ``epsilon = delta = 0``: wealth doubles."""

        def reached(counts: tuple[int, ...]) -> bool:
            return bool(oracle.mixture(counts, 0, 0, [(1, mp.mpf(1) / 2)]) >= mp.mpf(3) / 2)

        return {"a supermartingale": AtMost(oracle.ever([0, 1, 0, 0], 1, reached), mp.mpf(2) / 3)}
