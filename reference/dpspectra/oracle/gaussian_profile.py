"""Privacy of Gaussian noise from the definition of the hockey-stick divergence."""

from typing import Any

from mpmath import mp

from dpspectra.oracle.roots import bisect, bracket

FAR = 10**6
"""Standard deviations beyond which the tail, below ``exp(-10**11)``, counts as 0."""


def cdf(x: Any) -> Any:
    """Return the standard normal distribution function; 0 or 1 beyond `FAR`, where mpmath's erfc overflows."""
    if abs(x) > FAR:
        return mp.mpf(int(x > 0))
    return mp.erfc(-x / mp.sqrt(2)) / 2


def profile(epsilon: Any, mu: Any) -> Any:
    """``sup_S P(S) - e^epsilon Q(S)`` for ``P = N(mu, 1)``, ``Q = N(0, 1)``: the best ``S`` is where the loss is large.

    The loss at ``x`` is ``mu x - mu^2 / 2``, so ``S = {x > epsilon / mu + mu / 2}``.
    """
    epsilon, mu = mp.mpf(epsilon), mp.mpf(mu)
    if mu == 0:
        return mp.mpf(0)
    threshold = epsilon / mu + mu / 2
    return cdf(mu - threshold) - mp.exp(epsilon) * cdf(-threshold)


def mu_for(epsilon: Any, delta: Any) -> Any:
    """Largest ``mu`` whose profile at ``epsilon`` is at most ``delta``: the profile increases from 0 to 1 in ``mu``."""

    def below(mu: Any) -> bool:
        return bool(profile(epsilon, mu) < delta)

    low, high = bisect(below, *bracket(below), mp.mpf(2) ** -11)  # a root finder in logarithms needs a tight bracket
    return mp.findroot(lambda mu: mp.log(profile(epsilon, mu) / delta), (low, high), solver="anderson", verify=False)


def largest_epsilon(delta: Any, ratio: Any) -> Any:
    """Largest ``epsilon`` with this ``delta`` for noise of standard deviation ``ratio / epsilon`` at sensitivity 1."""

    def below(epsilon: Any) -> bool:
        return bool(profile(epsilon, epsilon / ratio) < delta)

    ends = bisect(below, *bracket(below), mp.mpf(2) ** -11)
    return mp.findroot(lambda e: mp.log(profile(e, e / ratio) / delta), ends, solver="anderson", verify=False)
