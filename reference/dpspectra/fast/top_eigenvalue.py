"""Exact distribution function of the largest eigenvalue of a real Wishart matrix, in float64.

``W_d(m, I)`` is the law of the sum of ``g g'`` over ``m`` standard normal vectors. Multiply by the scale for
``W_d(m, c I)``.
"""

import functools
import math

import numpy as np
from numpy.polynomial import legendre
from scipy.special import gammaln

from dpspectra.fast.quadrature import gauss_legendre
from dpspectra.ground.array_types import Floats

LARGEST = 100
"""Largest dimension for which the law is tried."""
MARGIN = 7.0
"""Distance beyond the last turning point, in square roots of half an eigenvalue, where nothing is left."""


def wishart_cdf(x: float, degrees: float, d: int) -> float:
    """Probability that no eigenvalue of ``W_d(degrees, I)`` exceeds ``x``; ``degrees > d - 1``.

    The Pfaffian of de Bruijn, as the root of a ratio of determinants. They do not change with the basis of polynomials;
    in that of Laguerre they keep their digits: absolute error below 1e-11. ``d`` is at most `LARGEST`.
    """
    if not 1 <= d <= LARGEST:
        raise ValueError(f"d must be from 1 to {LARGEST}, got {d}; lemmas.concentration.wishart_norm bounds any norm")
    if x <= 0:
        return 0.0
    end, whole = math.sqrt(x / 2), math.sqrt(d + degrees + 1) + MARGIN
    if end >= whole:
        return 1.0
    return min(math.exp((_log_determinant(end, degrees, d) - _log_total(whole, degrees, d)) / 2), 1.0)


def _log_determinant(end: float, degrees: float, d: int) -> float:
    return float(np.linalg.slogdet(_skew(end, degrees, d))[1])


_log_total = functools.lru_cache(maxsize=64)(_log_determinant)
"""Logarithm for the whole law, kept, as every value of a distribution function needs it."""


@functools.lru_cache(maxsize=4)
def _rule(size: int) -> tuple[Floats, Floats, Floats, Floats]:
    """Nodes and weights, Legendre polynomials at the nodes, and their integrals from -1."""
    nodes, weights = gauss_legendre(size)
    polynomials = np.asarray(legendre.legvander(nodes, size), float)
    integrals = (polynomials[:, 2:] - polynomials[:, :-2]) / (2 * np.arange(1, size) + 1)
    return nodes, weights, polynomials[:, :-1], np.column_stack([1 + nodes, integrals])


def _skew(end: float, degrees: float, d: int) -> Floats:
    """``F_i f_j - F_j f_i`` integrated up to ``end``, with the functions of `_functions` and their integrals ``F``.

    For odd ``d`` there is a border. Gauss' rule in ``r``, ``s = r^4``, in which functions are smooth at 0 whatever the
    degrees; the integral of a Legendre polynomial is a difference of its neighbours.
    """
    size = 160 + 8 * d
    nodes, weights, polynomials, integrals = _rule(size)
    r = end**0.25 * (nodes + 1) / 2
    f = _functions(r**4, degrees - d, d) * (2 * end**0.25 * r**3)
    coefficients = (f * weights) @ polynomials * (np.arange(size) + 0.5)
    skew = (coefficients @ integrals.T * weights) @ f.T
    skew -= skew.T
    if d % 2 == 0:
        return skew
    border = (f @ weights)[:, None]
    return np.block([[skew, border], [-border.T, np.zeros((1, 1))]])


def _functions(s: Floats, power: float, count: int) -> Floats:
    """Laguerre functions ``L_n(y) y^(power/2) exp(-y/2)``, ``y = 2 s^2``, normalised, by their recursion.

    ``s`` is the root of half an eigenvalue, whose weight is a multiple of ``s^power exp(-s^2)`` in ``s``.
    """
    y = 2 * s * s
    out = np.zeros((count, len(s)))
    out[0] = np.exp((power * np.log(y) - y - gammaln(power + 1)) / 2)
    for n in range(count - 1):
        before = np.sqrt(n * (n + power)) * out[n - 1] if n else 0.0
        out[n + 1] = ((2 * n + 1 + power - y) * out[n] - before) / np.sqrt((n + 1) * (n + 1 + power))
    return out
