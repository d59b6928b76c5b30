"""Privacy of Gaussian noise from the definition of the hockey-stick divergence."""

from __future__ import annotations

from typing import Any

from mpmath import mp


def cdf(x: Any) -> Any:
    """Standard normal distribution function."""
    return mp.erfc(-x / mp.sqrt(2)) / 2


def profile(epsilon: Any, mu: Any) -> Any:
    """``sup_S P(S) - e^epsilon Q(S)`` for ``P = N(mu, 1)``, ``Q = N(0, 1)``: the best ``S`` is the half-line of large loss.

    The loss at ``x`` is ``mu x - mu^2 / 2``, so ``S = {x > epsilon / mu + mu / 2}``.
    """
    epsilon, mu = mp.mpf(epsilon), mp.mpf(mu)
    if mu == 0:
        return mp.mpf(0)
    threshold = epsilon / mu + mu / 2
    return cdf(mu - threshold) - mp.exp(epsilon) * cdf(-threshold)
