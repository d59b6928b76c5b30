"""A loop whose rounds depend on its state only gives what its chain of states gives, and a bare counter is geometric.

Its law sums over all rounds whatever the states lead to, so a state that comes back adds nothing new. All that is not
walked after some rounds is no likelier than to be still within the loop. The law of one round says nothing about later
ones if something else than the state decides, as the number of rounds may do.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.ledger import AtMost, Equal, Parts, Verdict, statement
from dpspectra.strategies import st
from dpspectra.strategies.probability_vectors import distributions

ROUNDS, COUNTS, DOUBLINGS = 8, 3, 60
"""Rounds that are walked, the largest count that is compared, and doublings of the rounds that are added up."""

LEAST = 1 / 64
"""Probability that a round ends, beyond which float64 adds up rounds without losing digits."""


def summed(step: Any) -> Any:
    """Return the sum of all powers of a matrix, by doubling their number."""
    one = step**0
    total, power = one, step
    for _ in range(DOUBLINGS):
        total, power = total * (one + power), power * power
    return total


@statement
class LawOfWhatALoopReturns:
    labels = ("DPS-LOOPLAW",)
    given = (
        r"a(s,y)=P(\text{a round from }s\text{ gives }y),\ M(s,t)=P(\text{it leads to }t),\ "
        r"c+r+\sum_yb(y)=1,\ p(s,y)=\sum_{k\ge0}(M^ka)(s,y)"
    )
    claim = {
        "law": r"p=(I-M)^{-1}a",
        "cut": r"0\le p(s,y)-\sum_{k<n}(M^ka)(s,y)\le\sum_tM^n(s,t)",
        "count": r"P(\text{count }j,\text{ gives }y)=\Big(\frac c{1-r}\Big)^j\frac{b(y)}{1-r}",
    }
    where = {
        "M": "probabilities of leading from state to state",
        "a": "probabilities of what a round gives",
        "s": "state at the head of the loop",
        "t": "state of the next round",
        "y": "what the loop gives",
        "p": "law of what the loop gives, from a state",
        "P": "probability",
        "I": "identity matrix",
        "n": "number of rounds that are walked",
        "c": "probability that a round only counts",
        "r": "probability that a round changes nothing",
        "b": "law of a round that ends",
        "j": "count at the end",
    }
    verdict = Verdict.NEW
    note = "auditing.md#law-of-what-a-loop-returns"

    def cases(self) -> Any:
        """Rounds from two states (two outputs, two states), and one that counts (two outputs, counts, stays)."""
        return st.tuples(distributions(4), distributions(4), distributions(4))

    def fast(self, first: Any, second: Any, counter: Any) -> Parts:
        """Systems of equations, and rounds that are walked."""
        rows = np.array([first, second], dtype=float)
        a, M = rows[:, :2], rows[:, 2:]
        if np.all(a.sum(axis=1) > LEAST):
            law = np.linalg.solve(np.eye(2) - M, a)
            walked = sum(np.linalg.matrix_power(M, k) @ a for k in range(ROUNDS))
            left = float(np.linalg.matrix_power(M, ROUNDS)[0].sum())
            rounds, power = np.eye(2), M
            for _ in range(DOUBLINGS):
                rounds, power = rounds @ (np.eye(2) + power), power @ power
            whole = rounds @ a
            for k in range(2):
                yield Equal(float(whole[0, k]), float(law[0, k]), scale=1, part="law")
                yield AtMost(float(law[0, k] - walked[0, k]), left, scale=1, part="cut")
        *b, c, r = map(float, counter)
        if sum(b) > LEAST:
            step = r * np.eye(COUNTS + 1) + c * np.eye(COUNTS + 1, k=1)
            ever = np.linalg.solve(np.eye(COUNTS + 1) - step, np.eye(COUNTS + 1))[0]
            for j in range(COUNTS + 1):
                yield Equal(float(ever[j]) * b[0], (c / (1 - r)) ** j * b[0] / (1 - r), scale=1, part="count")

    def oracle(self, first: Any, second: Any, counter: Any) -> Parts:
        """Sums over rounds, doubled until nothing is left."""
        rows = [[mp.mpf(float(x)) for x in row] for row in (first, second)]
        a, M = mp.matrix([row[:2] for row in rows]), mp.matrix([row[2:] for row in rows])
        if all(sum(row[:2]) > LEAST for row in rows):
            whole, walked = summed(M) * a, mp.zeros(2)
            for k in range(ROUNDS):
                walked += M**k * a
            left = mp.fsum((M**ROUNDS)[0, :])
            exact = mp.inverse(mp.eye(2) - M) * a
            for k in range(2):
                yield Equal(whole[0, k], exact[0, k], scale=1, part="law")
                yield AtMost(whole[0, k] - walked[0, k], left, scale=1, part="cut")
        *b, c, r = (mp.mpf(float(x)) for x in counter)
        if sum(b) > LEAST:
            step = r * mp.eye(COUNTS + 1)
            for j in range(COUNTS):
                step[j, j + 1] = c
            ever = summed(step)
            for j in range(COUNTS + 1):
                yield Equal(ever[0, j] * b[0], (c / (1 - r)) ** j * b[0] / (1 - r), scale=1, part="count")

    def tight(self) -> list[Any]:
        """A loop that can give one thing only: all that is not walked is missing."""
        one = np.array([0.5, 0.0, 0.25, 0.25])
        return [(one, one, np.array([0.25, 0.25, 0.25, 0.25]))]

    def beyond(self) -> dict[str, AtMost]:
        """A counter that is asked for: at 0 a round counts for sure, at 1 it ends for sure, so the count is 1."""
        return {"a counter that nobody asks for": AtMost(mp.mpf(1), mp.mpf(0))}
