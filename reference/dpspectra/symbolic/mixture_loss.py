"""The largest loss of numbers that are drawn on one of several paths: that at an end of an interval (DPS-MIXLOSS).

Each path adds Laplace or exponential noise of one scale to a number, or uniform noise, cut off anywhere, at a place of
its own; or it gives a number with steps (`stepped_numbers`). Between the ends of all intervals and the places of all
peaks, both densities are combinations of a rising and a falling exponential with coefficients that are not negative, so
that their ratio is monotone.
"""

import math
from collections.abc import Sequence

import numpy as np
from scipy.special import logsumexp

from dpspectra.ground.array_types import Floats
from dpspectra.symbolic import stepped_numbers
from dpspectra.symbolic.independent_constraints import by_rounding
from dpspectra.symbolic.laws import EXPONENTIAL, HALF, LAPLACE, UNIFORM
from dpspectra.symbolic.single_numbers import Number
from dpspectra.symbolic.stepped_numbers import Stepped

MOST = 1_000_000
"""Densities that are computed."""

FARTHEST = 1e7
"""Scales from 0 up to which numbers are so exact that their losses are."""

Mixture = Sequence[tuple[float, tuple[Number | Stepped, ...]]]
"""Log-weights of paths, and the numbers that they show."""


def loss_of_mixtures(first: Mixture, second: Mixture) -> float:
    """Return the largest log-ratio of the densities of two mixtures; infinite if it is not known."""
    both = [*first, *second]
    if not second or len({len(numbers) for _, numbers in both}) > 1:
        return math.inf
    found = list(map(_table, zip(*(numbers for _, numbers in both), strict=True)))
    tables = [table for table in found if table is not None]
    if len(tables) < len(found):
        return math.inf
    if len(both) * math.prod(table.shape[1] for table in tables) > MOST:
        return math.inf
    split = len(first)
    p = _together([log for log, _ in first], [table[:split] for table in tables])
    q = _together([log for log, _ in second], [table[split:] for table in tables])
    possible = p > -math.inf
    return float(np.max(p[possible] - q[possible])) if np.any(possible) else math.inf


def _table(column: Sequence[Number | Stepped]) -> Floats | None:
    """Return the log-density of each number wherever a ratio may be largest; ``None`` if they are not of one kind."""
    steps = [n for n in column if isinstance(n, Stepped)]
    if steps:
        return stepped_numbers.log_densities(steps) if len(steps) == len(column) else None
    numbers = [n for n in column if isinstance(n, Number)]
    return _log_densities(numbers) if _kin(numbers) else None


def _kin(column: Sequence[Number]) -> bool:
    """Whether all numbers are uniform, or all are exact, and Laplace or exponential with one scale."""
    if all(n.law is UNIFORM for n in column):
        return True
    if any(not abs(x) <= FARTHEST * abs(n.scale) for n in column for x in (n.mu, *filter(math.isfinite, n.ends))):
        return False
    return all(n.law in (LAPLACE, EXPONENTIAL) for n in column) and len({abs(n.scale) for n in column}) == 1


def _log_densities(column: Sequence[Number]) -> Floats:
    """Return the log-density of each number at both finite ends of each interval, from within.

    Towards infinity both densities fall alike, so their ratio is constant. Intervals between uniform numbers that are
    no longer than rounding may make them are none.
    """
    ends = np.unique([e for n in column for e in (*n.ends, *([n.mu] if n.law is LAPLACE else [])) if math.isfinite(e)])
    low, high = np.concatenate([[-math.inf], ends]), np.concatenate([ends, [math.inf]])
    if column[0].law is UNIFORM:
        low, high = low[1:-1], high[1:-1]
        wide = high - low > by_rounding(low, high)
        low, high = low[wide], high[wide]
    end, low, high = np.concatenate([low, high]), np.tile(low, 2), np.tile(high, 2)
    each = low[np.isfinite(end)], high[np.isfinite(end)], end[np.isfinite(end)]
    return np.array([_log_density(n, *each) for n in column])


def _log_density(n: Number, low: Floats, high: Floats, end: Floats) -> Floats:
    inner = 0.0 * end if n.law is UNIFORM else -np.abs(end - n.mu) / abs(n.scale)
    inner -= math.log(abs(n.scale)) + (HALF if n.law is LAPLACE else 0.0)
    return np.where((n.ends[0] <= low) & (high <= n.ends[1]), inner, -math.inf)


def _together(logs: Sequence[float], tables: Sequence[Floats]) -> Floats:
    """Return the log-density of a mixture wherever each number is at an end of an interval."""
    total = np.asarray(logs)
    for table in tables:
        total = total[..., None] + table.reshape(len(table), *[1] * (total.ndim - 1), -1)
    return np.asarray(logsumexp(total, axis=0))
