"""Choose likelihood ratios to bet on against a bound on a Renyi divergence, from draws that never settle the bets.

A ratio is fitted in steps along one real statistic: by logistic regression, and by what each step shows beside it. It
is flattened where it is so large that a loss would cost more than it is worth. Two folds judge its gain: each
half of the past judges the ratio that is fitted to the other.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from dpspectra.audit.betting.events import Ratio
from dpspectra.audit.betting.lens import Lens
from dpspectra.audit.betting.quantiles import thresholds
from dpspectra.audit.betting.score import Score
from dpspectra.audit.claims import Points
from dpspectra.audit.reading.features import Table
from dpspectra.fast import ratio_betting
from dpspectra.fast.betting import FRACTIONS

TOP = 3
"""Statistics whose ratios are bet on, at most: those of the largest divergence."""
ENDS = 40
"""Ends of steps, at most."""
TRUST = 200.0
"""Draws on a step by which it counts as much as the regression."""
RIDGE, NEWTON = 1.0, 25
"""Penalty of the regression, in draws, and its steps."""
STAKES = np.geomspace(1e-5, 1.0, 21)
"""Stakes for which ratios are flattened."""
CAUTION = 1.0
"""Standard deviations by which the gain is discounted."""
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(60)
"""Points at which a normal law is summed, and their weights."""

Real = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Source:
    """A real statistic: a column, a score or what is seen through a lens."""

    name: str
    score: Score | None = None
    lens: Lens | None = None

    def __call__(self, table: Table) -> Real:
        """Return the column of a table."""
        source = self.lens if self.score is None else self.score
        return np.asarray(table[self.name] if source is None else source(table), dtype=float)


@dataclass(frozen=True, slots=True)
class Gain:
    """Gain of a bet on a ratio from a pair of draws, in stakes."""

    mean: float
    spread: float
    """Standard deviation."""
    draws: int

    def growth(self, deviations: float, rows: int, point: tuple[float, float]) -> Real:
        """Mean growth by each fraction, for calls of so many rows, by a normal law; ``point`` is not used."""
        mean = self.mean + deviations * self.spread / math.sqrt(self.draws)
        gain = np.maximum(mean + self.spread / math.sqrt(rows) * NODES, -1.0)
        return np.asarray(WEIGHTS @ np.log1p(gain[:, None] * FRACTIONS) / WEIGHTS.sum())


@dataclass(frozen=True, slots=True)
class _Fit:
    """Laws of two data sets on the steps of a statistic, fitted to draws."""

    p: Real
    q: Real

    @classmethod
    def of(cls, centres: Real, first: Real, second: Real) -> _Fit:
        """Fit to how many draws of each data set lie on each step; ``centres`` are numbers that stand for the steps."""
        total = first + second
        share = expit(_regression(centres, first, second))
        share = (first + TRUST * share) / (total + TRUST)
        pooled = total + 0.5
        p, q = pooled * share / max(first.sum(), 1.0), pooled * (1 - share) / max(second.sum(), 1.0)
        return cls(p / p.sum(), q / q.sum())

    @property
    def divergence(self) -> float:
        """Sum of the Kullback-Leibler divergences in both orders."""
        return float((self.p - self.q) @ (np.log(self.p) - np.log(self.q)))


def ratios(
    past: tuple[Table, Table], sources: Sequence[Source], moments: Points
) -> Iterator[tuple[float, Ratio, int, Gain]]:
    """Yield ratios to bet on, with their merit, as that of events: the gain in standard deviations, less some."""
    steps = [(source, *each) for source in sources if (each := _counts(source, past)) is not None]
    fits = [
        (_Fit.of(centres, *counts.sum(axis=0)), source, edges, centres, counts)
        for source, edges, centres, counts in steps
    ]
    best = sorted(fits, key=lambda each: -each[0].divergence)[:TOP]
    for fit, source, edges, centres, counts in best:
        folds = [_Fit.of(centres, *half) for half in counts]
        for place, (order, log_bound) in enumerate(moments):
            for favoured in (0, 1):
                found = _judged(fit, folds, counts, favoured, order, log_bound)
                if found is not None:
                    value, logs, gain = found
                    ends = tuple(edges.tolist())
                    yield value, Ratio(source.name, favoured, order, ends, logs, source.score, source.lens), place, gain


def _counts(source: Source, past: tuple[Table, Table]) -> tuple[Real, Real, Real] | None:
    """Return ends of steps, numbers that stand for the steps, and counts by half of the past and data set.

    The counts have shape ``(2, 2, steps)``.

    ``None`` if nothing varies. The last step holds what is missing.
    """
    columns = [source(table) for table in past]
    pool = np.sort(np.concatenate(columns))
    pool = pool[np.isfinite(pool)]
    edges = np.asarray(thresholds(pool, ENDS), dtype=float)
    if len(edges) < 2:
        return None
    size = len(edges) + 2
    halves = [[column[fold::2] for column in columns] for fold in (0, 1)]
    codes = [
        [np.where(np.isnan(x), size - 1, np.searchsorted(edges, x, side="right")) for x in half] for half in halves
    ]
    counts = np.array([[np.bincount(code, minlength=size) for code in half] for half in codes], dtype=float)
    steps = np.searchsorted(edges, pool, side="right")
    sums, numbers = np.bincount(steps, pool, minlength=size), np.bincount(steps, minlength=size)
    centres = np.where(numbers > 0, sums / np.maximum(numbers, 1), np.append(edges[0], np.append(edges, np.nan)))
    return edges, centres, counts


def _regression(centres: Real, first: Real, second: Real) -> Real:
    """Log odds of the first data set on each step: a smooth function of its number, and one of what is missing."""
    missing = np.isnan(centres)
    total = first + second
    middle = float(np.average(centres[~missing], weights=total[~missing] + 1e-9))
    spread = math.sqrt(float(np.average((centres[~missing] - middle) ** 2, weights=total[~missing] + 1e-9)))
    z = np.where(missing, 0.0, np.clip((centres - middle) / (spread or 1.0), -10, 10))
    x = np.stack([np.ones_like(z), z, np.minimum(z**2, 9.0), np.tanh(2 * z), missing * 1.0], axis=1)
    weights = np.zeros(x.shape[1])
    for _ in range(NEWTON):
        odds = expit(x @ weights)
        slope = x.T @ (first - total * odds) - RIDGE * weights
        bend = (x * (total * np.maximum(odds * (1 - odds), 0.05))[:, None]).T @ x + RIDGE * np.eye(len(weights))
        weights = weights + np.linalg.solve(bend, slope)
    return np.asarray(x @ weights)


def _judged(
    fit: _Fit, folds: Sequence[_Fit], counts: Real, favoured: int, order: float, log_bound: float
) -> tuple[float, tuple[float, ...], Gain] | None:
    """Return the merit of the best ratio of an order, its logs, and its gain; ``None`` if there is none."""
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        whole = _best(fit, favoured, order, log_bound)
        judges = [_best(fold, favoured, order, log_bound) for fold in folds]
    if whole is None or any(logs is None for logs in judges):
        return None
    gains = []
    for logs, seen in zip(judges, counts[::-1], strict=True):  # each by the half that it was not fitted to
        p, q = (half / max(half.sum(), 1.0) for half in (seen[favoured], seen[1 - favoured]))
        gains.append(ratio_betting.moments(logs, order, p, q, log_bound))
    mean, variance, _ = np.mean(gains, axis=0)
    laws = (fit.p, fit.q) if favoured == 0 else (fit.q, fit.p)
    _, planned, top = ratio_betting.moments(whole, order, *laws, log_bound)
    spread = math.sqrt(max(variance, float(planned)))
    draws = int(counts.sum() / 2)
    if not (0 < spread < math.inf and math.isfinite(mean)):
        return None
    gain = Gain(float(mean / top), spread / float(top), draws)
    merit = float(_merit(mean, spread**2, top))
    return merit - CAUTION / math.sqrt(draws), tuple(whole.tolist()), gain


def _best(fit: _Fit, favoured: int, order: float, log_bound: float) -> Any:
    """Return logs of the ratio that is flattened by the best stake; ``None`` if there is none."""
    p, q = (fit.p, fit.q) if favoured == 0 else (fit.q, fit.p)
    logs = ratio_betting.tempered(p, q, order, log_bound, STAKES)
    merits = _merit(*ratio_betting.moments(logs, order, p, q, log_bound))
    best = int(np.argmax(merits))
    return logs[best] if math.isfinite(merits[best]) else None


def _merit(mean: Any, variance: Any, most: Any) -> Any:
    """Gain in standard deviations, were the growth of wealth that of a bet of free size: half the square of it."""
    stake = np.clip(mean / variance, 0.0, FRACTIONS[-1] / most)
    growth = stake * mean - stake**2 * variance / 2
    merit = np.where(growth > 0, np.sqrt(np.maximum(2 * growth, 0.0)), mean / np.sqrt(variance))
    return np.where(np.isfinite(merit), merit, -np.inf)
