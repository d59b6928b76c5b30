"""Exact binomial confidence limits, and the loss they certify."""

import math

from scipy.special import betainccinv, betaincinv


def at_least(hits: int, draws: int, risk: float) -> float:
    """Clopper-Pearson: a number that exceeds the probability of the event with probability at most ``risk``."""
    return 0.0 if hits == 0 else float(betaincinv(hits, draws - hits + 1, risk))


def at_most(hits: int, draws: int, risk: float) -> float:
    """Clopper-Pearson: a number that falls short of the probability with probability at most ``risk``."""
    return 1.0 if hits == draws else float(betainccinv(hits + 1, draws - hits, risk))


def loss(hits: tuple[int, int], draws: tuple[int, int], delta: float, risk: float) -> float:
    """Lower bound on the ``epsilon`` with ``P(E) <= e^epsilon Q(E) + delta``, wrong with probability at most ``risk``.

    ``hits`` counts the event ``E`` among the ``draws`` from ``P`` and from ``Q``. Each side is given half the risk.
    Returns ``-inf`` where the event says nothing.
    """
    low = at_least(hits[0], draws[0], risk / 2) - delta
    return math.log(low / at_most(hits[1], draws[1], risk / 2)) if low > 0 else -math.inf
