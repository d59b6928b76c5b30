"""Events to test, chosen on draws that are never used to test them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from dpspectra.audit.features import FAILURE, IMPOSSIBLE, Table

LEVELS = 129
"""Quantiles tried as thresholds of one statistic; they crowd towards both ends, where rare events are."""
CAUTION = 4.0
"""Standard deviations by which an estimated loss is discounted."""

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

    def hits(self, table: Table) -> int:
        """Count the draws at which the event occurred; a missing value is no occurrence."""
        column = table[self.statistic]
        return int(np.sum(column >= self.threshold if self.above else column <= self.threshold))

    def __str__(self) -> str:
        where = ("first", "second")[self.favoured]
        relation = ">=" if self.above else "<="
        what = self.statistic if self.statistic == FAILURE else f"{self.statistic} {relation} {self.threshold:.6g}"
        return f"{what}: too likely on the {where} data set"


def select(past: tuple[Table, Table], epsilon: float, delta: float, most: int) -> list[Event]:
    """Up to ``most`` different events that past draws recommend, those of the two measures in turn.

    One measure looks for the soonest refutation of the claim, the other for the largest bound on the loss; to each of
    them each statistic offers its best half-line, in each order of the data sets.
    """
    offers: tuple[list[tuple[float, Event]], ...] = ([], [])
    for name in past[0]:
        if name == IMPOSSIBLE or name not in past[1]:
            continue
        columns = [np.sort(table[name][~np.isnan(table[name])]) for table in past]
        thresholds = _thresholds(np.concatenate(columns))
        if len(thresholds) < 2:
            continue
        for above in (True, False):
            rates = []
            for column, table in zip(columns, past, strict=True):
                below = np.searchsorted(column, thresholds, side="left" if above else "right")
                # half a count more, so that what has not been seen is not taken to be impossible
                rates.append(((len(column) - below if above else below) + 0.5) / (len(table[name]) + 1))
            for favoured in (0, 1):
                scores = _measures(rates[favoured], rates[1 - favoured], len(past[0][name]), epsilon, delta)
                for offer, score in zip(offers, scores, strict=True):
                    best = int(np.argmax(score))
                    offer.append((float(score[best]), Event(name, float(thresholds[best]), above, favoured)))
    for offer in offers:
        offer.sort(key=lambda item: -item[0])  # stable: of equals, the statistic that comes first
    return _different([item for both in zip(*offers, strict=True) for item in both])[:most]


def _measures(p: Rates, q: Rates, n: int, epsilon: float, delta: float) -> tuple[Rates, Rates]:
    """Excess ``p - e^epsilon q - delta`` in standard deviations; ``log((p - delta) / q)`` less `CAUTION` of them."""
    factor = math.exp(min(epsilon, 700.0))
    spread_p, spread_q = np.sqrt(p * (1 - p) / n), np.sqrt(q * (1 - q) / n)
    excess = (p - factor * q - delta) / np.hypot(spread_p, factor * spread_q)
    margin = np.where(p > delta, p - delta, np.nan)
    loss = np.log(margin / q) - CAUTION * np.hypot(spread_p / margin, spread_q / q)
    return excess, np.nan_to_num(loss, nan=-np.inf)


def _different(ranked: list[tuple[float, Event]]) -> list[Event]:
    """Leave out what is most likely one event twice: the same statistic again, or another with the very same score."""
    chosen: list[Event] = []
    seen = set[tuple[object, int]]()
    for value, event in ranked:
        keys = {(event.statistic, event.favoured), (value, event.favoured)}
        if not keys & seen:
            chosen.append(event)
            seen |= keys
    return chosen


def _thresholds(pool: NDArray[np.floating[Any]]) -> NDArray[np.floating[Any]]:
    """Values that occur, at levels from ``1/n`` to ``1 - 1/n`` evenly spaced in log odds."""
    if len(pool) == 0:
        return pool
    levels = expit(np.linspace(-1, 1, LEVELS) * math.log(len(pool) + 1))
    return np.unique(np.sort(pool)[np.minimum((levels * len(pool)).astype(int), len(pool) - 1)])
