"""Among ``n`` distant data sets, a private answer is right on some one with probability at most ``1/(1+(n-1)e^-eL)``.

Data sets ``M_0 .. M_(n-1)`` are pairwise more than ``2 rho`` apart, and at most ``L`` steps between neighbours lead
from ``M_0`` to each, so the balls of radius ``rho`` around them are disjoint. If the output on each data set lies in
its own ball with probability at least ``p``, then the output on ``M_0`` lies in each of the other balls with
probability at least ``p e^(-epsilon L)``, and these probabilities add up to at most 1. The output may be any matrix.
Randomised response on ``n`` points attains the bound. For ``delta > 0`` the sum has another form.
"""

import itertools
from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.ledger import AtMost, Parts, Real, Relation, Verdict, statement
from dpspectra.strategies import dyadics, st

CLEAR = 2.0**-30
"""Distance of ``log(n - 1)`` from ``epsilon L`` at which both arithmetics agree which is larger."""


def bound(n: Any, epsilon: Any, steps: Any) -> Any:
    """Largest probability that all of ``n`` data sets, ``steps`` or fewer from the first, are answered correctly."""
    return 1 / (1 + (n - 1) * np.exp(-epsilon * steps))


@statement
class Counting:
    labels = ("MWKTV-COUNT",)
    given = (
        r"\|M_s-M_t\|_F>2\rho\ (s\ne t),\ p_s=\Pr[\|\mathcal A(M_s)-M_s\|_F\le\rho],\ L=\max_sL_{0,s},\ "
        r"\mathcal A\ \varepsilon\text{-DP}"
    )
    claim = {
        "privacy loss": (
            r"\max_{s,t,H}\Big(\log\frac{\Pr[\mathcal A(M_s)=H]}{\Pr[\mathcal A(M_t)=H]}-\varepsilon L_{s,t}"
            r"\Big)\le0"
        ),
        "smallest success probability": r"\min_sp_s\le\frac1{1+(n-1)e^{-\varepsilon L}}",
        "success one half": r"\log(n-1)\ge\varepsilon L:\ \min_sp_s\le\tfrac12",
    }
    where = {
        "s": "number of a data set of the packing",
        r"\rho": "error in Frobenius norm; the data sets are more than twice as far from one another",
        "t": "number of another data set of the packing",
        "L_i": "number of steps between neighbours from one data set to another",
    }
    verdict = Verdict.NEW
    relation = (Relation.REPLACE, Relation.ADD_REMOVE)
    note = "lower_bounds.md#counting"

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, ...]:
        """Points of an integer grid, weights, ``epsilon`` per step of it, and whether the answer is randomised."""
        dimension, width = draw(st.sampled_from([(1, 8), (2, 3), (6, 1)]))
        places = st.lists(st.tuples(*[st.integers(0, width)] * dimension), min_size=2, max_size=7, unique=True)
        points = np.array(draw(places))
        weights = draw(st.lists(dyadics(0.125, 2, 3), min_size=len(points), max_size=len(points)))
        return points, np.array(weights), draw(st.sampled_from([0.25, 1.0, 0.03125, 3.0])), draw(st.booleans())

    def fast(self, points: Any, weights: Any, epsilon: float, at_random: bool) -> Parts:
        steps, n = np.sum(np.abs(points[:, None] - points), axis=-1), len(points)
        near = np.min(steps[~np.eye(n, dtype=bool)])
        log_odds = epsilon * near * np.eye(n) if at_random else -epsilon / 2 * steps
        table = np.exp(log_odds) * (1.0 if at_random else weights)
        table /= np.sum(table, axis=-1, keepdims=True)
        worst, limit = np.min(np.diag(table)), bound(n, epsilon, np.max(steps[0]))
        loss = np.max(np.log(table[:, None] / table) - epsilon * steps[:, :, None])
        many = np.log(n - 1) >= epsilon * np.max(steps[0]) + CLEAR
        yield AtMost(loss, 0.0, scale=1, part="privacy loss")
        yield AtMost(worst, limit, part="smallest success probability")
        if many:
            yield AtMost(worst, 0.5, part="success one half")

    def oracle(self, points: Any, weights: Any, epsilon: Real, at_random: bool) -> Parts:
        places, n = points.tolist(), len(points)
        steps = [[sum(abs(x - y) for x, y in zip(a, b, strict=True)) for b in places] for a in places]
        near = min(steps[a][b] for a in range(n) for b in range(a))

        def probability(data: int, answer: int) -> Any:
            if at_random:
                odds = mp.exp(epsilon * near)
                return (odds if data == answer else 1) / (odds + n - 1)
            rows = [mp.mpf(weights[x]) * mp.exp(-epsilon / 2 * steps[data][x]) for x in range(n)]
            return rows[answer] / mp.fsum(rows)

        table = [[probability(a, b) for b in range(n)] for a in range(n)]
        triples = itertools.product(range(n), repeat=3)
        loss = max(mp.log(table[a][x] / table[b][x]) - epsilon * steps[a][b] for a, b, x in triples)
        worst, exponent = min(table[a][a] for a in range(n)), epsilon * max(steps[0])
        yield AtMost(loss, mp.mpf(0), scale=1, part="privacy loss")
        yield AtMost(worst, 1 / (1 + (n - 1) * mp.exp(-exponent)), part="smallest success probability")
        if n - 1 >= mp.exp(exponent + CLEAR):
            yield AtMost(worst, mp.mpf(1) / 2, part="success one half")

    def tight(self) -> list[Any]:
        """Randomised response on six points at pairwise distance 2, and on two: success attains the bound.

        With odds of nearly five on six points it is right nearly half of the time.
        """
        five = float(np.log(5.0)) / 2 - 2.0**-30
        return [
            (np.eye(6), np.ones(6), 0.25, True),
            (np.eye(2), np.ones(2), 1.0, True),
            (np.eye(6), np.ones(6), five, True),
        ]

    def beyond(self) -> dict[str, AtMost]:
        """Randomised response along a path one step longer is right more than half of the time on six points."""
        odds = mp.exp(mp.log(5) + mp.mpf(1) / 4)
        return {"paths of at most L steps": AtMost(odds / (odds + 5), mp.mpf(1) / 2, part="success one half")}
