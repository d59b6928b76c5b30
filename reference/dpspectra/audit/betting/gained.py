"""Factors by which bets multiply wealth, against any value of a claim's parameter, from the counts of many bets."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpspectra.audit.betting.bet import Bet
from dpspectra.audit.betting.events import Ratio
from dpspectra.audit.claims import CurveClaim
from dpspectra.fast import ratio_betting
from dpspectra.fast.betting import FRACTIONS, log_factors, log_factors_one_sided


@dataclass(frozen=True, slots=True)
class Curves:
    """A claim with some values of its parameter."""

    points: NDArray[np.float64]
    """Points of the curves, ``(n, points, 2)``."""
    moments: NDArray[np.float64]
    """Orders of Renyi divergence, and logs of the moments that they bound, ``(n, orders, 2)``."""

    @classmethod
    def of(cls, claim: CurveClaim, values: Iterable[float]) -> Curves:
        """Look up the claim with each value."""
        each = [float(value) for value in values]
        moments = np.array([claim.moments(value) for value in each]).reshape(len(each), -1, 2)
        return cls(np.array([claim.points(value) for value in each]), moments)

    def log_moments(self, bet: Bet, order: float) -> NDArray[np.float64]:
        """Return logs of the moment that a bet on a ratio is against, ``(n,)``; infinite if the claim bounds none."""
        if bet.point >= self.moments.shape[1]:
            return np.full(len(self.moments), np.inf)
        orders, logs = self.moments[:, bet.point].T
        return np.where(orders == order, logs, np.inf)


@dataclass(frozen=True, slots=True)
class Flat:
    """The cells of many bets under each other."""

    rates: NDArray[np.float64]
    """Means over the rows of a call on both sides, ``(cells, 2)``: of hits, or of grades in parts of the largest."""
    calls: NDArray[np.float64]
    point: NDArray[np.int_]
    one_sided: NDArray[np.bool_]
    starts: NDArray[np.int_]
    """Where each bet begins."""
    shares: NDArray[np.float64]
    """Shares of the wealth on each fraction, ``(bets, fractions)``."""
    ratios: tuple[tuple[slice, Bet, Ratio], ...]
    """Bets on ratios, with their cells."""


def flat(bets: Sequence[Bet]) -> Flat:
    """Put the cells of bets under each other."""
    cells = [bet.counts or ((0, 0, 0, 0),) for bet in bets]
    lengths = [len(each) for each in cells]
    ends = list(itertools.accumulate(lengths, initial=0))
    ratios = [(slice(*ends[i : i + 2]), bet, bet.event) for i, bet in enumerate(bets) if isinstance(bet.event, Ratio)]
    numbers = itertools.chain.from_iterable(itertools.chain.from_iterable(cells))
    rows, first, second, calls = np.fromiter(numbers, dtype=float).reshape(-1, 4).T
    lost = rows == 0
    most = np.where(lost, 1.0, rows) * np.repeat([bet.event.unit for bet in bets], lengths)
    return Flat(
        np.stack([first / most, np.where(lost, 1.0, second / most)], axis=1),
        calls,
        np.repeat([0 if isinstance(bet.event, Ratio) else bet.point for bet in bets], lengths),
        np.repeat([bet.one_sided for bet in bets], lengths),
        np.array(ends[:-1]),
        _shares(bets),
        tuple(ratios),
    )


def gained(table: Flat, curves: Curves) -> NDArray[np.float64]:
    """Return logs of the factors of bets, on each curve and with each fraction: ``(n, bets, fractions)``."""
    epsilon, delta = np.moveaxis(curves.points[:, table.point], -1, 0)  # (n, cells)
    logs = log_factors(table.rates, epsilon, delta)
    if table.one_sided.any():
        which = table.one_sided
        logs[:, which] = log_factors_one_sided(table.rates[which, 0], delta[:, which])
    for cells, bet, event in table.ratios:
        bounds = curves.log_moments(bet, event.order)[:, None]
        logs[:, cells] = ratio_betting.log_factors(table.rates[cells], *event.log_tops, bounds)
    sums = np.where(table.calls[:, None] > 0, table.calls[:, None] * logs, 0.0)
    return np.asarray(np.add.reduceat(sums, table.starts, axis=1))


def _shares(bets: Sequence[Bet]) -> NDArray[np.float64]:
    """Shares of each bet on each fraction; they halve with every step from the best guess."""
    steps = np.abs(np.arange(len(FRACTIONS)) - np.array([[bet.fraction] for bet in bets]))
    weights = np.exp2(-steps)
    return weights / weights.sum(axis=1, keepdims=True) * np.array([[bet.share] for bet in bets])
