"""The steps of the counting argument, each with its constant: privacy along a path, the sum over balls, the condition.

Suppose every data set is answered within ``rho`` with probability above 1/2. Then the output on ``M_0`` lies in the
ball around another data set, ``L`` steps away, with probability above ``e^(-epsilon L) / 2``; the balls are disjoint,
so ``(n - 1) e^(-epsilon L) < 1``. The paper prints another denominator, counts ``n`` or ``2 n`` balls instead of the
``n - 1`` others and the ball around ``M_0`` itself, and drops the factor 1/2: randomised response shows that these
constants are wrong.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.ledger import AtMost, Equal, Statement, Verdict, inequality
from dpspectra.relations import Relation
from dpspectra.strategies import dyadics
from dpspectra.strategies.lazy import st


@st.composite
def _instances(draw: st.DrawFn) -> tuple[Any, ...]:
    """Distinct integers, weights of the answers, ``epsilon`` per unit of distance, and an index.

    The mechanism answers the integer ``x`` with probability proportional to its weight times ``e^(-epsilon d / 2)``,
    ``d`` the distance of ``x`` from the data.
    """
    places = draw(st.lists(st.integers(0, 12), min_size=2, max_size=6, unique=True))
    weights = draw(st.lists(dyadics(0.25, 2, 2), min_size=len(places), max_size=len(places)))
    epsilon = draw(st.sampled_from([2.0, 0.25, 1.0, 4.0]))
    return np.array(places, dtype=float), np.array(weights), epsilon, draw(st.integers(0, len(places) - 1))


hypothesis = Statement(
    labels=("MWKTV-E8", "MWKTV-E46"),
    claim=r"\forall s:\ \Pr[\|\mathcal A(M_s)-M_s\|\le\rho]>\tfrac12\iff\neg\,\exists s:\ "
    r"\Pr[\|\mathcal A(M_s)-M_s\|>\rho]\ge\tfrac12",
    verdict=Verdict.DEFINITION,
    cases=_instances,
    note="lower_bounds.md#the-hypothesis-to-be-refuted",
    examples=50,
)
along_a_path = Statement(
    labels=("MWKTV-E9", "MWKTV-E49", "MWKTV-E50"),
    claim=r"\frac{\Pr[\mathcal A(M_0)\in B_s]}{\Pr[\mathcal A(M_s)\in B_s]}\ge e^{-\varepsilon L};\qquad"
    r"\Pr[\mathcal A(M_s)\in B_s]\ge\tfrac12\Rightarrow\Pr[\mathcal A(M_0)\in B_s]\ge\tfrac12e^{-\varepsilon L}",
    verdict=Verdict.REPAIRED,
    relation=(Relation.REPLACE, Relation.ADD_REMOVE),
    cases=_instances,
    note="lower_bounds.md#privacy-along-a-path",
    examples=50,
)
disjoint = Statement(
    labels=("MWKTV-E10", "MWKTV-E51"),
    claim=r"1\ge\sum_s\Pr[\mathcal A(M_0)\in B_s]\ge p_0+e^{-\varepsilon L}\sum_{s\ge1}p_s\ge\tfrac12+\tfrac{n-1}2"
    r"e^{-\varepsilon L}\text{ if all }p_s=\Pr[\mathcal A(M_s)\in B_s]\ge\tfrac12",
    verdict=Verdict.REPAIRED,
    relation=(Relation.REPLACE, Relation.ADD_REMOVE),
    cases=_instances,
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
    cases=_instances,
    uses=("MWKTV-E51", "MWKTV-PATH"),
    note="lower_bounds.md#the-condition-on-the-packing",
    examples=50,
)


def _table(places: Any, weights: Any, epsilon: float) -> tuple[Any, Any]:
    """Distances, and the probabilities of each answer (columns) on each data set (rows)."""
    steps = np.abs(places[:, None] - places)
    table = weights * np.exp(-epsilon / 2 * steps)
    return steps, table / np.sum(table, axis=-1, keepdims=True)


def _exact_table(places: Any, weights: Any, epsilon: float) -> tuple[list[list[Any]], list[list[Any]]]:
    x, w = [mp.mpf(place) for place in places], [mp.mpf(weight) for weight in weights]
    distances: list[list[Any]] = [[abs(a - b) for b in x] for a in x]
    rows = [[v * mp.exp(-epsilon / 2 * step) for v, step in zip(w, row, strict=True)] for row in distances]
    return distances, [[v / mp.fsum(row) for v in row] for row in rows]


@hypothesis.fast
def both_ways(places: Any, weights: Any, epsilon: float, _: int) -> Equal:
    table = _table(places, weights, epsilon)[1]
    outside = np.sum(table * ~np.eye(len(table), dtype=bool), axis=-1)
    return Equal(
        float(np.all(np.diag(table) > 0.5)), 1 - float(np.any(outside >= 0.5)), part="two forms of the hypothesis"
    )


@hypothesis.oracle
def exactly_both_ways(places: Any, weights: Any, epsilon: float, _: int) -> Equal:
    table = _exact_table(places, weights, epsilon)[1]
    outside = [mp.fsum(p for b, p in enumerate(row) if b != a) for a, row in enumerate(table)]
    right = all(table[a][a] > mp.mpf(1) / 2 for a in range(len(table)))
    return Equal(mp.mpf(right), mp.mpf(not any(2 * p >= 1 for p in outside)), part="two forms of the hypothesis")


@along_a_path.fast
def foreign_balls(places: Any, weights: Any, epsilon: float, s: int) -> tuple[AtMost, ...]:
    steps, table = _table(places, weights, epsilon)
    decay = np.exp(-epsilon * steps[0, s])
    half = (AtMost(decay / 2, table[0, s], part="probability of another ball"),) if table[s, s] > 0.5 + 2.0**-30 else ()
    return AtMost(decay, table[0, s] / table[s, s], part="ratio along the path"), *half


@along_a_path.oracle
def exact_foreign_balls(places: Any, weights: Any, epsilon: float, s: int) -> tuple[AtMost, ...]:
    distances, table = _exact_table(places, weights, epsilon)
    decay = mp.exp(-epsilon * distances[0][s])
    half = (AtMost(decay / 2, table[0][s], part="probability of another ball"),) if table[s][s] > 0.5 + 2.0**-30 else ()
    return AtMost(decay, table[0][s] / table[s][s], part="ratio along the path"), *half


@along_a_path.as_printed
def with_the_ball_at_home(steps: float, home: float, foreign: float) -> AtMost:
    """Printed (as we read it) with ``Pr[A(M_0) in B_0]`` as the denominator."""
    return AtMost(mp.exp(-mp.mpf(steps)), mp.mpf(foreign) / home, part="printed form")


@along_a_path.counterexample
def two_answers() -> Any:
    """``epsilon L = 1``; the two balls have probabilities 3/4 and 1/4 on ``M_0``, 3/8 and 5/8 on ``M_1``."""
    return 1.0, 0.75, 0.25


@along_a_path.certificate
def two_answers_certificate() -> dict[str, Any]:
    return inequality(
        "MWKTV-E9",
        "(3/4, 1/4) and (3/8, 5/8) are within a factor e, every success is above 1/2",
        ["exp", "-1"],
        ["div", "1/4", "3/4"],
    )


@disjoint.fast
def sums(places: Any, weights: Any, epsilon: float, _: int) -> tuple[AtMost, ...]:
    steps, table = _table(places, weights, epsilon)
    n, right, decay = len(table), np.diag(table), np.exp(-epsilon * np.max(steps[0]))
    collected = right[0] + decay * np.sum(right[1:])
    half = (
        (AtMost(0.5 + (n - 1) / 2 * decay, collected, part="sum from all successes one half"),)
        if np.min(right) > 0.5 + 2.0**-30
        else ()
    )
    return AtMost(collected, np.sum(table[0]), part="sum of disjoint balls"), *half


@disjoint.oracle
def exact_sums(places: Any, weights: Any, epsilon: float, _: int) -> tuple[AtMost, ...]:
    steps, table = _exact_table(places, weights, epsilon)
    n, right = len(table), [row[a] for a, row in enumerate(table)]
    decay = mp.exp(-epsilon * max(steps[0]))
    collected = right[0] + decay * mp.fsum(right[1:])
    half = (
        (AtMost(mp.mpf(1) / 2 + (n - 1) * decay / 2, collected, part="sum from all successes one half"),)
        if min(right) > 0.5 + 2.0**-30
        else ()
    )
    return AtMost(collected, mp.fsum(table[0]), part="sum of disjoint balls"), *half


@disjoint.as_printed
def without_the_half(n: int) -> AtMost:
    """Compare ``n e^(-epsilon L)`` with 1 for randomised response with ``e^(epsilon L) = n - 1``, right half the time.

    The balls are the single answers.
    """
    return AtMost(n / mp.mpf(n - 1), mp.mpf(1), part="printed form")


@disjoint.counterexample
def seventeen() -> Any:
    return (17,)


@disjoint.certificate
def seventeen_certificate() -> dict[str, Any]:
    return inequality("MWKTV-E10", "17 points, odds 16: every success is 16 / 32", ["div", "17", "16"], "1")


@condition.fast
def logarithms(places: Any, weights: Any, epsilon: float, _: int) -> AtMost:
    steps, table = _table(places, weights, epsilon)
    worst, n = np.min(np.diag(table)), len(table)
    return AtMost((n - 1) * worst / (1 - worst), np.exp(epsilon * np.max(steps[0])), part="odds of success")


@condition.oracle
def exact_logarithms(places: Any, weights: Any, epsilon: float, _: int) -> AtMost:
    """If every success probability is at least ``p``, then ``(n - 1) p / (1 - p)`` is at most ``e^(epsilon L)``."""
    steps, table = _exact_table(places, weights, epsilon)
    worst = min(row[a] for a, row in enumerate(table))
    return AtMost((len(table) - 1) * worst / (1 - worst), mp.exp(epsilon * max(steps[0])), part="odds of success")


@condition.as_printed
def with_all_points(n: int, odds: float) -> AtMost:
    """Compare ``log n`` with ``epsilon L`` for randomised response whose odds make it right more than half the time."""
    return AtMost(mp.log(n), mp.log(odds), part="printed form")


@condition.counterexample
def odds_between() -> Any:
    return 17, 16.5


@condition.certificate
def odds_between_certificate() -> dict[str, Any]:
    return inequality("MWKTV-E7", "17 points, odds 33/2: every success is 33/65 > 1/2", ["log", "17"], ["log", "33/2"])
