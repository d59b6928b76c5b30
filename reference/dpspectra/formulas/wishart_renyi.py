"""Renyi divergence of a row under Wishart noise, and the delta of several releases that it implies (AFTER-LEV).

A release tells a chi-square variable of a row, plus ``a`` if the row is there.
"""

from typing import Any

import numpy as np
from scipy.special import gammaln, logsumexp

from dpspectra.fast import chi_square_profile, renyi
from dpspectra.fast.quadrature import gauss_legendre

ORDERS = 1 + 2.0 ** np.arange(-2, 10)
"""Orders of the divergence that are tried."""
CUTS = 2.0 ** np.arange(0.25, 11)
"""Places that are tried, in units of the row, below which the statistic is left to delta."""
NODES, PANELS, REACH = 60, 64, 40.0
"""Nodes of a panel, panels, and standard deviations on both sides of the mean that are integrated."""


def with_row(alpha: float, nu: float, a: float) -> Any:
    """Divergence of the law with the row from that without it."""
    power = (alpha - 1) * (nu / 2 - 1)
    return a / 2 + _log_mean(alpha, nu, a, 0.0, lambda x: -power * np.log1p(a / x)) / (alpha - 1)


def without_row(alpha: float, nu: float, a: float, cut: float) -> Any:
    """Divergence of the law without the row, beyond a cut above ``a``, from that with it."""
    power = (alpha - 1) * (nu / 2 - 1)
    mass = np.log1p(-np.exp(chi_square_profile.log_cdf(cut, nu)))
    mean = _log_mean(alpha, nu, a, cut, lambda x: -power * np.log1p(-a / x))
    return -a / 2 + (mean - alpha * mass) / (alpha - 1)


def _log_mean(alpha: float, nu: float, a: float, start: float, log: Any) -> Any:
    """Logarithm of the mean over a chi-square variable beyond ``start``, of the exponential of ``log``."""
    reach = REACH * np.sqrt(2 * nu) + 4 * alpha * a + 100
    low, high = max(start, nu - reach), max(start, nu) + reach
    nodes, weights = gauss_legendre(NODES)
    s = (np.arange(PANELS)[:, None] + (nodes + 1) / 2) / PANELS  # x = low + (high - low) s^4 is smooth at 0
    x, steps = low + (high - low) * s**4, (high - low) * 4 * s**3 * weights / (2 * PANELS)
    density = (nu / 2 - 1) * np.log(x) - x / 2 - nu / 2 * np.log(2) - gammaln(nu / 2)
    return logsumexp(density + log(x), b=steps)


def together(epsilon: Any, nu: float, a: float, releases: int) -> Any:
    """Delta of so many releases, whether the row is there or not, by the best order of a divergence and cut."""
    if a == 0:
        return np.zeros_like(epsilon)
    return np.maximum(gained(epsilon, nu, a, releases), lost(epsilon, nu, a, releases))


def gained(epsilon: Any, nu: float, a: float, releases: int) -> Any:
    """Delta of outputs that are likelier with the row."""
    orders = ((alpha, releases * with_row(alpha, nu, a)) for alpha in ORDERS.tolist())
    return np.min([renyi.profile(epsilon, alpha, total) for alpha, total in orders], axis=0)


def lost(epsilon: Any, nu: float, a: float, releases: int) -> Any:
    """Delta of outputs that are likelier without the row."""
    best = np.full_like(epsilon, 1.0)
    for cut in (a * CUTS).tolist():
        below = float(np.exp(chi_square_profile.log_cdf(cut, nu)))
        if below < 1:
            some = -np.expm1(releases * np.log1p(-below))
            for alpha in ORDERS.tolist():
                implied = renyi.profile(epsilon, alpha, releases * without_row(alpha, nu, a, cut))
                best = np.minimum(best, some + implied)
    return best
