"""Exact distribution function of the largest eigenvalue of a real Wishart matrix, in float64.

``W_d(m, I)`` is the law of the sum of ``g g'`` over ``m`` standard normal vectors. Multiply by the scale for
``W_d(m, c I)``.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammainc, gammaln


def wishart_cdf(x: float, degrees: float, d: int) -> float:
    """Probability that no eigenvalue of ``W_d(degrees, I)`` exceeds ``x``; ``degrees > d - 1``.

    The Pfaffian of de Bruijn, as the root of a ratio of determinants. Absolute error below 1e-10 for ``d <= 6``;
    beyond, the determinants become too small for float64 (1e-7 at ``d = 8``, ``degrees = 24``).
    """
    if x <= 0:
        return 0.0
    (_, below), (_, whole) = (np.linalg.slogdet(_skew(end, degrees, d)) for end in (x, np.inf))
    return float(min(np.exp((below - whole) / 2), 1.0))


def _skew(x: float, degrees: float, d: int) -> NDArray[np.float64]:
    """``P_i p_j - P_j p_i`` integrated up to ``x / 2``, with cdf ``P_a`` and density ``p_a`` of Gamma laws.

    ``a = (degrees - d - 1) / 2 + i``. From ``a`` to ``a + 1`` the integral of ``P_a p_b`` falls by that of
    ``t^a exp(-t) / Gamma(a + 1)`` against ``p_b``, a Gamma integral again; at ``a = b`` it is ``P_b^2 / 2``. For odd
    ``d`` there is a border.
    """
    order = (degrees - d - 1) / 2 + np.arange(1, d + 1)
    cdf = gammainc(order, x / 2)
    size = d + d % 2
    skew = np.zeros((size, size))
    if d % 2:
        skew[:d, d] = cdf
    for j in range(d):
        a, b = order[j:-1], order[j]
        steps = np.exp(gammaln(a + b) - gammaln(a + 1) - gammaln(b) - (a + b) * np.log(2)) * gammainc(a + b, x)
        skew[j + 1 : d, j] = cdf[j] ** 2 - 2 * np.cumsum(steps) - cdf[j + 1 :] * cdf[j]
    return skew - skew.T
