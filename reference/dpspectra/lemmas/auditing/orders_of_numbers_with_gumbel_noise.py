"""Orders of numbers with Gumbel noise: a race of exponential clocks, whose winner tells nothing of the others.

Exponentials of minus such numbers are exponential draws whose rates are those of the places. The first of them comes
from each with a probability proportional to its rate, and what is left of the others is as it was at the start. So the
probability of an order is a product. With other noise, or scales that differ, the largest one is chosen otherwise.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.ledger import AtMost, Equal, Parts, Verdict, statement
from dpspectra.strategies import dyadics, st
from dpspectra.symbolic.gumbel_order import log_odds
from dpspectra.symbolic.independent_constraints import Part
from dpspectra.symbolic.laws import GUMBEL

ORDERS = {"three": ((0, 1), (1, 2)), "two of four": ((0, 1), (1, 2), (1, 3)), "one of three": ((0, 1), (0, 2))}
"""Who is above whom, of each part."""
FAR = 60
"""Scales above all places; what lies higher is no mass to 20 digits."""


def _order(places: np.ndarray, pairs: tuple[tuple[int, int], ...]) -> Part:
    """Return the inequalities of a partial order."""
    count = max(map(max, pairs)) + 1
    C = np.zeros((len(pairs), count))
    for row, (i, j) in enumerate(pairs):
        C[row, i], C[row, j] = 1.0, -1.0
    c, nothing = np.array([places[i] - places[j] for i, j in pairs]), np.zeros(0)
    return Part(np.arange(count), [GUMBEL] * count, nothing, np.zeros((0, count)), nothing, c, C, {})


def _share(first: int, places: Any) -> Any:
    weights = [mp.exp(x) for x in places]
    return weights[first] / mp.fsum(weights)


@statement
class OrdersWithGumbelNoise:
    labels = ("DPS-GUMBELORDER",)
    given = (
        r"Y_i=m_i+Z_i,\ \Pr[Z_i\le z]=e^{-e^{-z}}\text{ independently},\ "
        r"r_i(S)=\frac{e^{m_i}}{\sum_{j\in S}e^{m_j}}"
    )
    claim = {
        "one of three": r"\Pr[Y_1>Y_2,Y_3]=r_1(1,2,3)",
        "three": r"\Pr[Y_1>Y_2>Y_3]=r_1(1,2,3)\,r_2(2,3)",
        "two of four": r"\Pr[Y_1>Y_2>Y_3,Y_4]=r_1(1,2,3,4)\,r_2(2,3,4)",
    }
    where = {
        "Y_i": "number with noise",
        "Z_i": "Gumbel noise",
        "m_i": "place of the number, in scales of the noise",
        "r_i": "share of a number among the numbers of a set",
        "S": "set of numbers",
        "z": "any place",
    }
    verdict = Verdict.NEW
    note = "auditing.md#orders-of-numbers-with-gumbel-noise"
    examples = 20
    digits = 20

    def cases(self) -> Any:
        return st.tuples(st.lists(dyadics(-3, 3, 3), min_size=4, max_size=4).map(tuple))

    def fast(self, places: Any) -> Parts:
        """The program that the auditor runs, and a product of shares."""
        weights = np.exp(np.asarray(places, dtype=float))
        first = weights[0] / weights[:3].sum()
        exact = {
            "one of three": first,
            "three": first * weights[1] / weights[1:3].sum(),
            "two of four": weights[0] / weights.sum() * weights[1] / weights[1:].sum(),
        }
        for part, product in exact.items():
            odds = log_odds(_order(np.asarray(places, dtype=float), ORDERS[part]))
            assert odds is not None
            yield Equal(float(np.exp(odds)), product, scale=1, part=part)

    def oracle(self, places: Any) -> Parts:
        """Integrals over the number that others are compared with."""
        a, b, c, d = map(mp.mpf, places)

        def below(y: Any, m: Any) -> Any:
            return mp.exp(-mp.exp(m - y))

        def density(y: Any, m: Any) -> Any:
            return mp.exp(m - y) * below(y, m)

        low, high = min(a, b, c, d) - 5, max(a, b, c, d) + FAR
        knots = [low, *sorted({a, b, c, d}), *(max(a, b, c, d) + x for x in (5, 20)), high]

        def integral(function: Any) -> Any:
            return mp.quad(function, knots)

        one = integral(lambda y: density(y, a) * below(y, b) * below(y, c))
        yield Equal(one, _share(0, (a, b, c)), scale=1, part="one of three")
        three = integral(lambda y: density(y, b) * (1 - below(y, a)) * below(y, c))
        yield Equal(three, _share(0, (a, b, c)) * _share(0, (b, c)), scale=1, part="three")
        two = integral(lambda y: density(y, b) * (1 - below(y, a)) * below(y, c) * below(y, d))
        yield Equal(two, _share(0, (a, b, c, d)) * _share(0, (b, c, d)), scale=1, part="two of four")

    def tight(self) -> list[Any]:
        """Places alike, rising and falling."""
        return [((0.0, 0.0, 0.0, 0.0),), ((2.0, 1.0, 0.0, -1.0),), ((-1.5, 0.25, 0.5, 1.0),)]

    def beyond(self) -> dict[str, AtMost]:
        """Normal noise chooses the largest more often, and so does a scale of 2 for one of two."""
        two = mp.mpf(2)
        normal = mp.quad(lambda y: mp.npdf(y, two) * mp.ncdf(y) ** 2, [-8, 0, 2, 12])
        scaled = mp.quad(lambda u: mp.exp(-u - u**2), [0, 1, mp.inf])
        return {
            "Gumbel noise": AtMost(normal, _share(0, (two, 0, 0))),
            "one scale": AtMost(scaled, mp.mpf(1) / 2),
        }
