"""Utility gap of the exponential law on real lines, in units of the temperature."""

import math

from dpspectra.fast import roots


def mean_bound(n: float) -> float:
    """Largest mean of ``kappa gap`` on real lines, or their complements, of ``n + 1`` dimensions."""
    return (n + math.sqrt(n)) / 2


def log_tail_bound(mean: float, level: float) -> float:
    """Logarithm of a bound on the probability that ``kappa gap`` is ``level >= mean`` or more."""
    return mean - level + mean * math.log(level / mean)


def quantile_bound(n: int, beta: float) -> float:
    """Level at which the bound on the probability is ``beta``."""
    mean, log = mean_bound(n), math.log(1 / beta)
    if log == 0:
        return mean
    return roots.root(lambda level: log + log_tail_bound(mean, level), mean, mean + math.sqrt(2 * mean * log) + log)
