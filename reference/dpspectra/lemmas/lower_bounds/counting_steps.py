"""The steps of the counting argument, each with its constant: privacy along a path, the sum over balls, the condition.

Suppose every data set is answered within ``rho`` with probability above 1/2. Then the output on ``M_0`` lies in the
ball around another data set, ``L`` steps away, with probability above ``e^(-epsilon L) / 2``; the balls are disjoint,
so ``(n - 1) e^(-epsilon L) < 1``. The paper prints balls whose radius is the separation, which are not disjoint,
another denominator, lengths without the steps of small orbits, and ``2 n`` balls instead of the ``n - 1`` others and
the one around ``M_0`` itself: constant outputs, coins and randomised response show that this is wrong.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.ledger import AtMost, Equal, Parts, Relation, Statement, Verdict, inequality
from dpspectra.lemmas.lower_bounds.integer_answers import exact_laws, instances, laws

HALF = 0.5 + 2.0**-30
"""Success probability above which float64 knows it to exceed one half."""

along_a_path = Statement(
    labels=("MWKTV-E9", "MWKTV-E49", "MWKTV-E50"),
    claim=r"\frac{\Pr[\mathcal A(M_0)\in B_s]}{\Pr[\mathcal A(M_s)\in B_s]}\ge e^{-\varepsilon L};\qquad"
    r"\Pr[\mathcal A(M_s)\in B_s]\ge\tfrac12\Rightarrow\Pr[\mathcal A(M_0)\in B_s]\ge\tfrac12e^{-\varepsilon L}",
    verdict=Verdict.REPAIRED,
    relation=(Relation.REPLACE, Relation.ADD_REMOVE),
    cases=instances,
    note="lower_bounds.md#privacy-along-a-path",
    examples=50,
)
disjoint = Statement(
    labels=("MWKTV-E10", "MWKTV-E51"),
    claim=r"1\ge\sum_s\Pr[\mathcal A(M_0)\in B_s]\ge p_0+e^{-\varepsilon L}\sum_{s\ge1}p_s\ge\tfrac12+\tfrac{n-1}2"
    r"e^{-\varepsilon L}\text{ if all }p_s=\Pr[\mathcal A(M_s)\in B_s]\ge\tfrac12",
    verdict=Verdict.REPAIRED,
    relation=(Relation.REPLACE, Relation.ADD_REMOVE),
    cases=instances,
    uses=("MWKTV-E50",),
    note="lower_bounds.md#the-sum-over-disjoint-balls",
    examples=50,
)
condition = Statement(
    labels=("MWKTV-E7", "MWKTV-E52"),
    claim=r"\forall s:p_s>\tfrac12\Rightarrow\log(n-1)<\varepsilon L;\qquad L=\operatorname{diam}^2+d\text{ for a "
    r"packing of the orbit, }16\alpha^2r^2+d\text{ for one of a ball of radius }2\alpha r",
    verdict=Verdict.REPAIRED,
    relation=(Relation.REPLACE, Relation.ADD_REMOVE),
    cases=instances,
    uses=("MWKTV-E51", "MWKTV-PATH"),
    note="lower_bounds.md#the-condition-on-the-packing",
    examples=50,
)


def other_points(needed: Any, others: Any, half_square: Any) -> AtMost | Equal:
    """Compare the logarithms of the numbers of other points that are needed and that a ratio of volumes promises.

    Both agree where half the squared radius of the small ball is at most 1; beyond, its volume is smaller than the
    closed form says, and there are more points.
    """
    if half_square <= 1:
        return Equal(others, needed, scale=1, part="number of points")
    return AtMost(needed, others, scale=1, part="number of points around large balls")


@along_a_path.fast
def foreign_balls(places: Any, weights: Any, epsilon: float, s: int) -> Parts:
    steps, table = laws(places, weights, epsilon)
    decay = np.exp(-epsilon * steps[0, s])
    yield AtMost(decay, table[0, s] / table[s, s], part="ratio along the path")
    if table[s, s] > HALF:
        yield AtMost(decay / 2, table[0, s], part="probability of another ball")


@along_a_path.oracle
def exact_foreign_balls(places: Any, weights: Any, epsilon: float, s: int) -> Parts:
    distances, table = exact_laws(places, weights, epsilon)
    decay = mp.exp(-epsilon * distances[0][s])
    yield AtMost(decay, table[0][s] / table[s][s], part="ratio along the path")
    if table[s][s] > HALF:
        yield AtMost(decay / 2, table[0][s], part="probability of another ball")


@along_a_path.as_printed
def with_the_ball_at_home(exponent: Any, home: float, foreign: float) -> AtMost:
    """Printed with ``Pr[A(M_0) in B_0]`` as the denominator and ``L = |X|_F^2 + d``."""
    return AtMost(mp.exp(-exponent), mp.mpf(foreign) / home, part="printed form")


@along_a_path.counterexample
def two_answers() -> Any:
    """``diag(1/8, 0)``, ``epsilon = 1/2``, ``|X|_F^2 <= 1/32``; probabilities 3/4 and 1/4, and 3/8 and 5/8."""
    return mp.mpf(65) / 64, 0.75, 0.25


along_a_path.certificate(
    lambda: inequality(
        "MWKTV-E9",
        "(3/4, 1/4) and (3/8, 5/8) two steps apart, (3/5, 2/5) on all other matrices; epsilon (|X|^2 + 2) <= 65/64",
        ["exp", "-65/64"],
        ["div", "1/4", "3/4"],
    )
)


@along_a_path.tight
def two_points() -> list[Any]:
    """Randomised response on two points; and nearly no privacy loss, where all successes are nearly one half."""
    return [(np.array([0.0, 3.0]), None, 1.0, 1), (np.array([0.0, 1.0]), None, 2.0**-24, 1)]


@along_a_path.beyond
def truth_and_shorter_path() -> dict[str, AtMost]:
    """Two points three steps apart: the truth is told; two steps are counted; one answer is given to all data."""
    _, ((_, other), (_, own)) = exact_laws(np.array([0.0, 3.0]), None, 1.0)
    part = "ratio along the path"
    return {
        "the mechanism is private": AtMost(mp.exp(-3), mp.mpf(0), part=part),
        "L is the number of steps": AtMost(mp.exp(-2), other / own, part=part),
        "half of the answers are right": AtMost(mp.exp(-3) / 2, mp.mpf(0), part="probability of another ball"),
    }


@disjoint.fast
def sums(places: Any, weights: Any, epsilon: float, _: int) -> Parts:
    steps, table = laws(places, weights, epsilon)
    n, right, decay = len(table), np.diag(table), np.exp(-epsilon * np.max(steps[0]))
    collected = right[0] + decay * np.sum(right[1:])
    yield AtMost(collected, 1.0, part="sum of disjoint balls")
    if np.min(right) > HALF:
        yield AtMost(0.5 + (n - 1) / 2 * decay, collected, part="sum from all successes one half")


@disjoint.oracle
def exact_sums(places: Any, weights: Any, epsilon: float, _: int) -> Parts:
    steps, table = exact_laws(places, weights, epsilon)
    n, right = len(table), [row[a] for a, row in enumerate(table)]
    decay = mp.exp(-epsilon * max(steps[0]))
    collected = right[0] + decay * mp.fsum(right[1:])
    yield AtMost(collected, mp.mpf(1), part="sum of disjoint balls")
    if min(right) > HALF:
        yield AtMost(mp.mpf(1) / 2 + (n - 1) * decay / 2, collected, part="sum from all successes one half")


@disjoint.as_printed
def twice_the_points(n: int, exponent: Any) -> AtMost:
    """Compare ``2 n e^(-2 epsilon D^2)`` with 1, for a fair coin between two opposite points."""
    return AtMost(2 * n * mp.exp(-exponent), mp.mpf(1), part="printed form")


@disjoint.counterexample
def fair_coin() -> Any:
    """``diag(1, 0)``, ``D^2 = d = 2``, ``epsilon = 1/10``: either point with probability 1/2 on all data."""
    return 2, mp.mpf(2) / 5


disjoint.certificate(
    lambda: inequality(
        "MWKTV-E10",
        "a fair coin between two opposite points of the orbit of diag(1, 0), epsilon = 1/10, D^2 = 2",
        ["mul", "4", ["exp", "-2/5"]],
        "1",
    )
)


@disjoint.tight
def answers_of_equal_odds() -> list[Any]:
    """Randomised response on three points; and nearly no privacy loss, where all successes are nearly one half."""
    return [(np.array([0.0, -3.0, 3.0]), None, 1.0, 1), (np.array([0.0, 1.0]), None, 2.0**-24, 1)]


@disjoint.beyond
def truth_and_one_answer() -> dict[str, AtMost]:
    """The truth about three points, one step from the first; one answer in the balls of both of two; a uniform one."""
    decay = mp.exp(-1)
    uniform = (1 + 2 * decay) / 3
    return {
        "the mechanism is private": AtMost(1 + 2 * decay, mp.mpf(1), part="sum of disjoint balls"),
        "the balls are disjoint": AtMost(1 + decay, mp.mpf(1), part="sum of disjoint balls"),
        "half of the answers are right": AtMost(mp.mpf(1) / 2 + decay, uniform, part="sum from all successes one half"),
    }


@condition.fast
def logarithms(places: Any, weights: Any, epsilon: float, _: int) -> AtMost:
    steps, table = laws(places, weights, epsilon)
    own, n = np.eye(len(table), dtype=bool), len(table)
    odds = np.min(np.diag(table) / np.sum(table * ~own, axis=-1))
    return AtMost((n - 1) * odds, np.exp(epsilon * np.max(steps[0])), part="odds of success")


@condition.oracle
def exact_logarithms(places: Any, weights: Any, epsilon: float, _: int) -> AtMost:
    """If every success probability is at least ``p``, then ``(n - 1) p / (1 - p)`` is at most ``e^(epsilon L)``."""
    steps, table = exact_laws(places, weights, epsilon)
    odds = min(row[a] / mp.fsum(v for b, v in enumerate(row) if b != a) for a, row in enumerate(table))
    return AtMost((len(table) - 1) * odds, mp.exp(epsilon * max(steps[0])), part="odds of success")


@condition.as_printed
def error_of_the_middle(separation: Any, error: Any) -> AtMost:
    """Compare the squared error ``zeta^2`` that (7) is to force with that of the constant output ``I / 2``."""
    return AtMost(separation**2, error, part="printed form")


@condition.counterexample
def middle_of_the_sphere() -> Any:
    """``diag(1, 0)``, ``zeta = 6/5``, ``epsilon = 1/16``: ``4 epsilon D^2 = 1/2 <= log 2``, two points are packed."""
    return mp.mpf(6) / 5, mp.mpf(1) / 2


condition.certificate(
    lambda: inequality(
        "MWKTV-E7",
        "diag(1, 0), zeta = 6/5 < D, epsilon = 1/16: 4 epsilon D^2 = 1/2 <= log 2 <= log P, and I/2 errs by 1/2",
        ["mul", "6/5", "6/5"],
        "1/2",
    )
)


@condition.tight
def equal_odds() -> list[Any]:
    """Randomised response on three points; and nearly no privacy loss, where all successes are nearly one half."""
    return [(np.array([0.0, -3.0, 3.0]), None, 1.0, 1), (np.array([0.0, 1.0]), None, 2.0**-24, 1)]


@condition.beyond
def better_answers() -> dict[str, AtMost]:
    """``epsilon = 1``: odds 8 for neighbours; three steps counted as two; an answer near both; 100 uniform answers.

    Between overlapping balls an answer is right with probability 3/4 whatever the data are.
    """
    part = "odds of success"
    return {
        "the mechanism is private": AtMost(mp.mpf(8), mp.e, part=part),
        "L is the number of steps": AtMost(mp.exp(3), mp.exp(2), part=part),
        "the balls are disjoint": AtMost(mp.mpf(3), mp.e, part=part),
        "half of the answers are right": AtMost(mp.mpf(99), mp.e, part=part),
    }
