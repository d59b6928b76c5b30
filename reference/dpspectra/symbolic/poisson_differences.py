"""The law of the difference of two Poisson draws (Skellam): a sum of positive terms, with bounds on what is left.

Masses of both draws, their products, and the masses of the difference are log-concave, so what lies beyond a term is at
most a geometric series that begins there. Terms are added until such a rest is no more than the rounding of the sum.
"""

import functools
import math
from typing import Any

import numpy as np
from scipy.special import gammaln, logsumexp

from dpspectra.symbolic.laws import Law

DEPTH = 45.0
"""Nats below the largest term at which a sum may end: what is left is below its rounding."""

LARGEST_MEAN = 1e5
"""Sum of means up to which rounding of log-masses hardly matters."""


def poisson_difference(up: float, down: float) -> Law:
    """Return the law of a Poisson draw of mean ``up`` less one of mean ``down``, both positive."""
    mass = functools.lru_cache(maxsize=100_000)(functools.partial(_log_mass, up, down))
    other = functools.lru_cache(maxsize=100_000)(functools.partial(_log_mass, down, up))
    upper, lower = (functools.lru_cache(maxsize=10_000)(functools.partial(_log_tail, m)) for m in (mass, other))

    return Law(
        f"skellam {up!r} {down!r}",
        _each(lambda k: mass(round(k)) if float(k).is_integer() else -math.inf),
        _each(lambda t: lower(-math.floor(t)) if math.isfinite(t) else _at_infinity(t)),
        _each(lambda t: upper(math.floor(t) + 1) if math.isfinite(t) else _at_infinity(-t)),
        lambda rng, n: (rng.poisson(up, n) - rng.poisson(down, n)).astype(float),
        concave=True,
        discrete=True,
        title="difference of Poisson draws",
        shapes=(up, down),
    )


def _at_infinity(t: float) -> float:
    return 0.0 if t > 0 else -math.inf


def _log_mass(up: float, down: float, k: int) -> float:
    """Log of the sum, over all ``y``, of the masses of ``k + y`` and ``y``."""
    least = max(0, -k)
    mode = (math.sqrt(k * k + 4 * up * down) - k) / 2
    width = math.sqrt(2 * DEPTH * (mode + 1)) + 2 * DEPTH  # terms fall at least like e^(-d^2 / (2 (mode + d)))
    y = np.arange(max(least, math.floor(mode - width)), math.ceil(mode + width) + 1.0)
    return float(logsumexp(_log_poisson(up, y + k) + _log_poisson(down, y)))


def _log_poisson(mean: float, k: Any) -> Any:
    return k * math.log(mean) - gammaln(k + 1) - mean


def _log_tail(mass: Any, k: int) -> float:
    """Log of the sum of all masses from a number on: until they fall, and then until nothing is left."""
    logs = [mass(k)]
    while not (logs[-1] - max(logs) < -DEPTH and logs[-1] - logs[-2] < -1 / DEPTH):
        k += 1
        logs.append(mass(k))
    return min(float(logsumexp(logs)), 0.0)


def _each(function: Any) -> Any:
    return np.vectorize(function, otypes=[float])
