"""The evidence of an audit: bets that were settled, and what they say about every value of the claim's parameter.

An epoch shares its wealth out over bets; each bets on an event, at a point of the claimed curve, with several fractions
of the stake. Epochs multiply. All of it was decided before the epoch's draws, so that the product has mean at most 1
under the claim at any time (DPS-EPROCESS, DPS-PREDICT), and reaches ``1 / risk`` with probability at most ``risk``
(DPS-VILLE). As counts are kept, it can be computed for claims that nobody had in mind (DPS-LOWER).
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dpspectra.audit.claims import CurveClaim
from dpspectra.fast.betting import (
    BELOW,
    FRACTIONS,
    bound_by_bisection,
    bound_on_grid,
    log_wealth,
    log_wealth_one_sided,
)


@dataclass(frozen=True, slots=True)
class Bet:
    """A bet on one event during one epoch, and how its pairs of draws came out."""

    event: str
    """The event in words."""
    favoured: int
    """0 or 1: the data set under which it was suspected to be too likely."""
    point: int
    """Index of the point of the claim's curve."""
    share: float
    """Share of the epoch's wealth."""
    fraction: int
    """Index of the fraction of the stake on which most of the share is put."""
    counts: tuple[int, int, int, int]
    """Pairs with both draws in the event, only the favoured one, only the other one, and neither."""
    one_sided: bool = False
    """Whether the event is declared impossible for the other draw."""

    @property
    def hits(self) -> tuple[int, int, int]:
        """Occurrences under the first and under the second data set, and draws of each."""
        both, one, other, _ = self.counts
        hits = (both + one, both + other)
        return hits[self.favoured], hits[1 - self.favoured], sum(self.counts)

    def with_more(self, other: Bet) -> Bet:
        """The bet with the counts of further pairs added."""
        both, first, second, neither = (a + b for a, b in zip(self.counts, other.counts, strict=True))
        return replace(self, counts=(both, first, second, neither))


@dataclass(frozen=True, slots=True)
class Evidence:
    """Settled bets by epoch, and the log of the wealth they began with."""

    epochs: tuple[tuple[Bet, ...], ...] = ()
    start: float = 0.0
    late: tuple[Bet, ...] = ()
    """The bets on a block that ran out of time, as if all were lost. They count as soon as the audit goes on."""

    def log_wealth(self, claim: CurveClaim, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Log of the wealth against the claim with each value of its parameter; shape as ``values``, ``(n,)``."""
        total = np.full(len(values), self.start)
        if not any(self.epochs):
            return total
        curves = np.array([claim.points(float(value)) for value in values])  # (n, points, 2)
        for bets in filter(None, self.epochs):
            counts = np.array([bet.counts for bet in bets], dtype=float)
            epsilon, delta = np.moveaxis(curves[:, [bet.point for bet in bets]], -1, 0)
            logs = log_wealth(counts, epsilon, delta)  # (n, bets, fractions)
            one_sided = np.array([bet.one_sided for bet in bets])
            if one_sided.any():
                hits = counts[one_sided, 0] + counts[one_sided, 1]
                draws = counts[one_sided].sum(axis=1)
                logs[:, one_sided] = log_wealth_one_sided(hits, draws, delta[:, one_sided])
            total += np.logaddexp.reduce((logs + np.log(_shares(bets))).reshape(len(values), -1), axis=1)
        return total

    def with_epoch(self, bets: tuple[Bet, ...]) -> Evidence:
        """Evidence with one more epoch, unless the last one is empty."""
        epochs = self.epochs[:-1] if self.epochs and not self.epochs[-1] else self.epochs
        return replace(self, epochs=(*epochs, bets))

    def going_on(self) -> Evidence:
        """Evidence to which more may be added. Whether a block is late may depend on what its draws would show."""
        return replace(self.with_bets(list(self.late)), late=()) if self.late else self

    def with_bets(self, bets: list[Bet]) -> Evidence:
        """Evidence with more pairs in the last epoch, of the same bets."""
        *epochs, last = self.epochs
        more = tuple(old.with_more(new) for old, new in zip(last, bets, strict=True)) if last else tuple(bets)
        return replace(self, epochs=(*epochs, more))

    def best_bet(self, claim: CurveClaim) -> Bet | None:
        """The bet that gained most on its own; ``None`` if there is none."""
        bets = [bet for epoch in self.epochs for bet in epoch]
        return max(bets, key=lambda bet: Evidence(((replace(bet, share=1.0),),)).against(claim), default=None)

    def against(self, claim: CurveClaim) -> float:
        """Log of the wealth against the claim itself."""
        return float(self.log_wealth(claim, np.array([claim.value]))[0])

    def lower_bound(self, claim: CurveClaim, risk: float) -> float:
        """Number that exceeds the true parameter with probability at most ``risk``; 0 if the evidence says nothing."""
        wealth = functools.partial(self.log_wealth, claim)
        return bound_by_bisection(wealth, risk) if claim.monotone else bound_on_grid(wealth, claim.value, risk)

    def verdict(self, claim: CurveClaim, risk: float) -> tuple[bool, float]:
        """Whether the claim is refuted, and a lower bound on its parameter that exceeds the claimed value exactly then.

        Rounding is not allowed to let the two contradict each other. With probability at least ``1 - risk`` neither a
        refutation nor the bound is wrong.
        """
        violated, bound = self.against(claim) >= log_threshold(claim, risk), self.lower_bound(claim, risk)
        return violated, max(bound, math.nextafter(claim.value, math.inf)) if violated else min(bound, claim.value)


def log_threshold(claim: CurveClaim, risk: float) -> float:
    """Log of the wealth at which the claim is refuted."""
    return -math.log(risk if claim.monotone else (1 - BELOW) * risk)


def _shares(bets: tuple[Bet, ...]) -> NDArray[np.float64]:
    """What each bet puts on each fraction, halving with every step from the one that is thought best."""
    steps = np.abs(np.arange(len(FRACTIONS)) - np.array([[bet.fraction] for bet in bets]))
    weights = np.exp2(-steps)
    return weights / weights.sum(axis=1, keepdims=True) * np.array([[bet.share] for bet in bets])
