"""Exact privacy of Gaussian noise: the profile of a ``mu``-GDP mechanism and its inverses."""

import functools
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import log_ndtr, ndtr

from dpspectra.fast.roots import bracket, root


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


@functools.lru_cache(maxsize=64)  # a mechanism that is called again and again asks for the same one
def mu_for(epsilon: float, delta: float) -> float:
    """Largest ``mu`` whose profile at ``epsilon`` is at most ``delta``, for ``0 < delta < 1``."""
    low, high = bracket(lambda mu: profile(epsilon, mu) < delta)
    return root(lambda mu: profile(epsilon, mu) - delta, low, high)


def epsilon_for(delta: float, mu: float) -> float:
    """Smallest ``epsilon >= 0`` at which the profile is at most ``delta``, for ``0 < delta < 1``."""
    if profile(0.0, mu) <= delta:
        return 0.0
    low, high = bracket(lambda epsilon: profile(epsilon, mu) > delta)
    return root(lambda epsilon: profile(epsilon, mu) - delta, low, high)


def largest_epsilon(delta: float, ratio: float) -> float:
    """Largest ``epsilon`` with this ``delta`` for noise of standard deviation ``ratio / epsilon`` at sensitivity 1.

    Along such noise, ``mu = epsilon / ratio``, the profile increases in ``epsilon`` from 0 to 1 (HR-T2.6R).
    """
    low, high = bracket(lambda epsilon: profile(epsilon, epsilon / ratio) < delta)
    return root(lambda epsilon: profile(epsilon, epsilon / ratio) - delta, low, high)
