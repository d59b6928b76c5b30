"""Outputs of parts that share no people: a row that stays in its part pays for this part's outputs only.

All outputs of other parts have one law on both data sets, given what was released before: amounts of 0 in the sum of
DPS-COMPOSE. A row that moves to another part, as a replaced one may, changes the outputs of two parts: it pays twice.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.ledger import AtMost, Parts, Real, Reals, Relation, Verdict, statement
from dpspectra.lemmas.privacy.composition import LAWS, adaptive, exactly_adaptive, exactly_worst, worst
from dpspectra.strategies import dyadics, st

FIRST, SECOND, MOVES = "row of the first part", "row of the second part", "row that moves"


@statement
class DisjointParts:
    labels = ("DPS-PARTS",)
    given = r"h_1=H_\epsilon(Y),\ h_2=\max_yH_\epsilon(Z\mid y)"
    claim = {
        FIRST: r"Z\text{ of one law}:\ H_\epsilon(Y,Z)\le\max(h_1,h_2)",
        SECOND: r"Y\text{ of one law}:\ H_\epsilon(Y,Z)\le\max(h_1,h_2)",
        MOVES: r"H_{\epsilon+e}(Y,Z)\le h_1+\max_yH_e(Z\mid y)",
    }
    where = {
        "H_i": "smallest delta of outputs at a privacy parameter, the larger one of both orders of the data sets",
        "h_i": "deltas of the outputs of the two parts at one privacy parameter",
        r"\epsilon": "privacy parameter, in nats",
        "e": "privacy parameter of the output of the second part, in nats",
        "Y": "output of the first part",
        "Z": "output of the second part, whose law depends on the first output too",
        "y": "value of the first output",
    }
    verdict = Verdict.NEW
    relation = (Relation.REPLACE, Relation.ADD_REMOVE, Relation.ZERO_OUT)
    uses = ("DPS-COMPOSE",)
    note = "privacy.md#outputs-of-disjoint-parts-of-the-people"

    def cases(self) -> Any:
        return st.tuples(dyadics(0, 2), dyadics(0, 2), LAWS)

    def fast(self, epsilon: float, e: float, laws: Any) -> Parts:
        first, second = laws[:2], laws[2:].reshape(2, 2, 2)  # on both data sets; the second depends on the first answer
        one, limit = worst((first,), epsilon), max(worst((first,), epsilon), worst(second, epsilon))
        yield AtMost(adaptive(first, second[:, [0, 0]], epsilon), limit, scale=1, part=FIRST)
        yield AtMost(adaptive(first[[0, 0]], second, epsilon), limit, scale=1, part=SECOND)
        yield AtMost(adaptive(first, second, epsilon + e), one + worst(second, e), scale=1, part=MOVES)

    def oracle(self, epsilon: Real, e: Real, laws: list[Reals]) -> Parts:
        first, second = laws[:2], (laws[2:4], laws[4:])
        one, limit = exactly_worst((first,), epsilon), exactly_worst((first, *second), epsilon)
        same = [[pair[0]] * 2 for pair in second]
        yield AtMost(exactly_adaptive(first, same, epsilon), limit, scale=1, part=FIRST)
        yield AtMost(exactly_adaptive([first[0]] * 2, second, epsilon), limit, scale=1, part=SECOND)
        yield AtMost(exactly_adaptive(first, second, epsilon + e), one + exactly_worst(second, e), scale=1, part=MOVES)

    def tight(self) -> list[Any]:
        """Coins with odds 3 to 1 in one part, and nothing in the other one."""
        coin, half = np.array([0.75, 0.25]), np.array([0.5, 0.5])
        return [
            (0.5, 0.0, np.array([coin, coin[::-1], half, half, half, half])),
            *((epsilon, 0.5, np.array([half, half, *[coin, coin[::-1]] * 2])) for epsilon in (0.0, 0.5)),
        ]

    def beyond(self) -> dict[str, AtMost]:
        """A row that leaves one part and joins another: the coins of both parts turn round."""
        coin = [mp.mpf(3) / 4, mp.mpf(1) / 4]
        pair = [coin, coin[::-1]]
        both, one = exactly_adaptive(pair, [pair, pair], mp.mpf(1)), exactly_worst((pair,), mp.mpf(1))
        return {"a replaced row stays in its part": AtMost(both, one, scale=1, part=FIRST)}
