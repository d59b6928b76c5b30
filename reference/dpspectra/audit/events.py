"""Events to bet on, chosen on draws that are never used to settle the bets."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from dpspectra.audit.claims import Points
from dpspectra.audit.features import FAILURE, IMPOSSIBLE, Table
from dpspectra.audit.score import LEARNED, Score
from dpspectra.audit.wealth import Bet
from dpspectra.fast.betting import expected, log_wealth, log_wealth_one_sided

LEVELS = 129
"""Quantiles tried as thresholds of one statistic; they crowd towards both ends, where rare events are."""
CAUTION = (1.0, 4.0)
"""Standard deviations by which the excess and the loss that past draws show are discounted."""
MOST = (3, 2)
"""Events recommended by the largest excess over the claim, and by the largest loss."""
SHARES = (0.9, 0.1)
"""Shares of the wealth of the two kinds of events."""
SLIGHT = 1e-3
"""Smallest merit of an event, for its share of the wealth."""

Rates = NDArray[np.floating[Any]]


@dataclass(frozen=True, slots=True)
class Event:
    """A half-line of one statistic, suspected to be too likely under one of the two data sets."""

    statistic: str
    threshold: float
    above: bool
    """Whether the event is ``statistic >= threshold`` (else ``<=``)."""
    favoured: int
    """0 or 1: the data set under which it is suspected to be too likely."""
    score: Score | None = None
    """What computes the statistic, if it was learned."""

    def hits(self, table: Table) -> NDArray[np.bool_]:
        """At which draws the event occurred; a missing value is no occurrence."""
        column = table[self.statistic] if self.score is None else self.score(table)
        return column >= self.threshold if self.above else column <= self.threshold

    @property
    def needs(self) -> set[str]:
        """Statistics from which the event is computed."""
        return {self.statistic} if self.score is None else set(self.score.names)

    def __str__(self) -> str:
        where = ("first", "second")[self.favoured]
        if self.statistic == IMPOSSIBLE:
            return f"outputs on the {where} data set that cannot occur on the {('second', 'first')[self.favoured]}"
        relation = ">=" if self.above else "<="
        what = self.statistic if self.statistic == FAILURE else f"{self.statistic} {relation} {self.threshold:.6g}"
        return f"{what}: too likely on the {where} data set"


@dataclass(frozen=True, slots=True)
class BettingPlan:
    """A bet to make: the event, the point of the claimed curve, the share of wealth, the best fraction's index."""

    event: Event
    point: int
    share: float
    fraction: int
    one_sided: bool = False

    def settled(self, tables: tuple[Table, Table]) -> Bet:
        """Count the event on pairs of draws that had no part in choosing it."""
        one, other = (self.event.hits(tables[side]) for side in (self.event.favoured, 1 - self.event.favoured))
        if self.one_sided:
            other = np.zeros_like(one)
        both, first, second = int(np.sum(one & other)), int(np.sum(one & ~other)), int(np.sum(~one & other))
        return self._bet((both, first, second, len(one) - both - first - second))

    def lost(self, pairs: int) -> Bet:
        """The bet if in every pair only the draw on the other data set were in the event."""
        return self._bet((0, 0, pairs, 0))

    def _bet(self, counts: tuple[int, int, int, int]) -> Bet:
        return Bet(str(self.event), self.event.favoured, self.point, self.share, self.fraction, counts, self.one_sided)


@dataclass(frozen=True, slots=True)
class _Offer:
    value: float
    event: Event
    point: int
    p: float
    q: float


def select(past: tuple[Table, Table], points: Points, score: Score | None) -> list[BettingPlan]:
    """Bets that past draws recommend against a claim that implies ``points``.

    Two measures recommend: one looks for the soonest refutation of the claim, the other for the largest bound on the
    loss. To each of them, each statistic offers its best half-line, at its best point, in each order of the data sets.
    """
    offers: tuple[list[_Offer], ...] = ([], [])
    names = [name for name in past[0] if name != IMPOSSIBLE and name in past[1]]
    columns = {name: (past[0][name], past[1][name]) for name in names}
    if score is not None:  # the half that the score was not fitted to judges it
        columns[LEARNED] = tuple(score({n: c[1::2] for n, c in table.items()}) for table in past)  # type: ignore[assignment]
    for name, both in columns.items():
        ordered = [np.sort(column[~np.isnan(column)]) for column in both]
        thresholds = _thresholds(np.concatenate(ordered))
        if len(thresholds) < 2:
            continue
        for above in (True, False):
            rates = []
            for values, column in zip(ordered, both, strict=True):
                below = np.searchsorted(values, thresholds, side="left" if above else "right")
                # half a count more, so that what has not been seen is not taken to be impossible
                rates.append(((len(values) - below if above else below) + 0.5) / (len(column) + 1))
            for favoured in (0, 1):
                p, q = rates[favoured], rates[1 - favoured]
                for offer, measured in zip(offers, _measures(p, q, len(both[0]), points), strict=True):
                    j, best = (int(i) for i in np.unravel_index(np.argmax(measured), measured.shape))
                    learned = score if name == LEARNED else None
                    event = Event(name, float(thresholds[best]), above, favoured, learned)
                    offer.append(_Offer(float(measured[j, best]), event, j, float(p[best]), float(q[best])))
    plans = []
    for offer, most, share in zip(offers, MOST, SHARES, strict=True):
        chosen = _different(sorted(offer, key=lambda o: -o.value))[:most]  # stable: of equals, the first
        size = min(len(column[0]) for column in columns.values())
        merits = np.maximum([o.value for o in chosen], SLIGHT) ** 2  # growth is about half the square of the excess
        shares = share * merits / merits.sum()
        plans += [
            BettingPlan(o.event, o.point, float(own), _fraction(o, points[o.point], size))
            for o, own in zip(chosen, shares, strict=True)
        ]
    return plans


def with_impossible(
    plans: list[BettingPlan], side: int, past: tuple[Table, Table], points: Points
) -> list[BettingPlan]:
    """Give half of the wealth to outputs on data set ``side`` that the declared support rules out on the other."""
    j = min(range(len(points)), key=lambda i: points[i][1])
    rate = float(np.mean(past[side][IMPOSSIBLE]))
    fraction = int(np.argmax(log_wealth_one_sided(rate, 1.0, points[j][1])))
    own = BettingPlan(Event(IMPOSSIBLE, 0.5, True, side), j, 0.5, fraction, one_sided=True)
    return [own, *(replace(plan, share=plan.share / 2) for plan in plans)]


def _measures(p: Rates, q: Rates, n: int, points: Points) -> tuple[Rates, Rates]:
    """At each point: excess ``p - e^epsilon q - delta`` in standard deviations; log loss less some of its own."""
    epsilon, delta = np.array(points).T[:, :, None]
    factor = np.exp(np.minimum(epsilon, 700.0))
    spread_p, spread_q = np.sqrt(p * (1 - p)), np.sqrt(q * (1 - q))
    excess = (p - factor * q - delta) / np.hypot(spread_p, factor * spread_q) - CAUTION[0] / math.sqrt(n)
    margin = np.where(p > delta, p - delta, np.nan)
    loss = np.log(margin / q) - CAUTION[1] * np.hypot(spread_p / margin, spread_q / q) / math.sqrt(n)
    return excess, np.nan_to_num(loss, nan=-np.inf)


def _fraction(offer: _Offer, point: tuple[float, float], n: int) -> int:
    """Index of the fraction that grows fastest if both rates are half a standard deviation less extreme than seen."""
    p = max(0.0, offer.p - math.sqrt(offer.p * (1 - offer.p) / n) / 2)
    q = min(1.0, offer.q + math.sqrt(offer.q * (1 - offer.q) / n) / 2)
    return int(np.argmax(log_wealth(expected(p, q), *point)))


def _different(ranked: Sequence[_Offer]) -> list[_Offer]:
    """Leave out what is most likely one event twice: the same statistic again, or another with the very same rates."""
    chosen: list[_Offer] = []
    seen = set[tuple[object, ...]]()
    for offer in ranked:
        keys = {(offer.event.statistic, offer.event.favoured, offer.point), (offer.value, offer.event.favoured)}
        if not keys & seen:
            chosen.append(offer)
            seen |= keys
    return chosen


def _thresholds(pool: NDArray[np.floating[Any]]) -> NDArray[np.floating[Any]]:
    """Values that occur, at levels from ``1/n`` to ``1 - 1/n`` evenly spaced in log odds."""
    if len(pool) == 0:
        return pool
    levels = expit(np.linspace(-1, 1, LEVELS) * math.log(len(pool) + 1))
    return np.unique(np.sort(pool)[np.minimum((levels * len(pool)).astype(int), len(pool) - 1)])
