"""Exact privacy of Gaussian noise: the profile of a ``mu``-GDP mechanism and its inverses."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq
from scipy.special import log_ndtr, ndtr


def profile(epsilon: ArrayLike, mu: ArrayLike) -> Any:
    """Smallest ``delta`` at ``epsilon`` (nats) for noise of standard deviation ``sigma`` and sensitivity ``mu sigma``.

    ``Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu)``, elementwise; 0 at ``mu = 0``. The second term is
    formed in logarithms, so that large ``epsilon`` does not overflow.
    """
    epsilon, mu = np.broadcast_arrays(np.asarray(epsilon, dtype=float), np.asarray(mu, dtype=float))
    safe = np.where(mu > 0, mu, 1.0)
    ratio = epsilon / safe
    first, second = ndtr(safe / 2 - ratio), np.exp(epsilon + log_ndtr(-safe / 2 - ratio))
    return np.where(mu > 0, np.clip(first - second, 0.0, 1.0), 0.0)[()]


def mu_for(epsilon: float, delta: float) -> float:
    """Largest ``mu`` whose profile at ``epsilon`` is at most ``delta``, for ``0 < delta < 1`` (bisection)."""
    low, high = 0.0, 1.0
    while profile(epsilon, high) < delta:
        low, high = high, 2 * high
    return float(brentq(lambda mu: profile(epsilon, mu) - delta, low, high, xtol=1e-300, rtol=1e-14, maxiter=500))
