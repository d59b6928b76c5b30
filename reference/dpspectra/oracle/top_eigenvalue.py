"""Exact distribution functions of the largest eigenvalue of Wishart and beta matrices, for the oracle faces of lemmas.

The joint density is proportional to ``prod w(x_i) prod |x_i - x_j|``; integrated over ordered points, the Vandermonde
determinant becomes a Pfaffian (de Bruijn) whose entries are integrals over pairs. Keep the integrals numerical: the
fast twin has them in closed form and is checked against this one. The working precision is a cache key: keep it there.
"""

import functools
from collections.abc import Callable, Sequence
from typing import Any

from mpmath import mp


def wishart_cdf(x: Any, degrees: Any, d: int) -> Any:
    """Probability that no eigenvalue of ``W_d(degrees, I)`` exceeds ``x``: weight ``v^((degrees-d-1)/2) exp(-v/2)``."""
    if x <= 0:
        return mp.mpf(0)
    return _wishart_pfaffian(mp.mpf(x), mp.mpf(degrees), d, mp.prec) / _wishart_pfaffian(mp.inf, degrees, d, mp.prec)


@functools.lru_cache(maxsize=256)
def _wishart_pfaffian(x: Any, degrees: Any, d: int, _precision: int) -> Any:
    order = [(mp.mpf(degrees) - d - 1) / 2 + i for i in range(1, d + 1)]
    masses = _remembered(lambda v: [mp.gammainc(a, 0, v) for a in order])
    return _pfaffian(_pairs(masses, lambda v: [v ** (a - 1) * mp.exp(-v) for a in order], x / 2))


def planar_cdf(x: Any, large: Any, small: Any) -> Any:
    """Probability that no eigenvalue of ``W_2(3, C)`` exceeds ``x``, ``C = diag(large, small)``, both positive.

    The density is proportional to ``exp(-tr C^-1 W / 2)`` on positive definite matrices. With eigenvalues ``t + r`` and
    ``t - r``, the integral over the angle of the eigenvectors is a Bessel function, and that over ``t`` from ``r`` to
    ``x - r`` is a difference of two exponentials.
    """
    x, a, b = mp.mpf(x), 1 / mp.mpf(large), 1 / mp.mpf(small)
    rate, tilt = (a + b) / 2, (b - a) / 2

    def given(r: Any) -> Any:
        bessel = r * mp.besseli(0, tilt * r)
        return bessel * (mp.exp(-rate * r) - mp.exp(-rate * (x - r))) / rate

    knee = min(x / 2, 8 / a)  # one exponential decays like exp(-a r), the other is negligible except near x / 2
    return (a * b) ** 1.5 * mp.quad(given, [0, min(1 / b, knee), knee, x / 2])


def sine_cdf(x: Any, k: int, d: int) -> Any:
    """Probability that no squared sine of an angle from a fixed to a uniform ``k``-plane exceeds ``x``; ``d >= 2k``.

    They are the eigenvalues of a matrix beta law: weight ``v^((d - 2k - 1)/2) (1 - v)^(-1/2)``.
    """
    order = [mp.mpf(d - 2 * k - 1) / 2 + i for i in range(1, k + 1)]

    def angle_masses(t: Any) -> list[Any]:  # v = sin(t)^2 removes the singular ends
        return [mp.betainc(a, mp.mpf(1) / 2, 0, mp.sin(t) ** 2) for a in order]

    masses = _remembered(angle_masses)

    def pfaffian(end: Any) -> Any:
        return _pfaffian(_pairs(masses, lambda t: [2 * mp.sin(t) ** (2 * a - 1) for a in order], end))

    return pfaffian(mp.asin(mp.sqrt(min(mp.mpf(x), 1)))) / pfaffian(mp.pi / 2)


Functions = Callable[[Any], Sequence[Any]]


def _remembered(function: Functions) -> Functions:
    """Cache a function, as the quadrature evaluates it at the same nodes for every pair."""
    return functools.cache(function)


def _pairs(masses: Functions, densities: Functions, end: Any) -> list[list[Any]]:
    """Skew matrix of ``f_i g_j - f_j g_i`` integrated from 0 to ``end``, bordered by ``f_i(end)`` for odd size."""
    total, densities = masses(end), functools.cache(densities)
    d = len(total)
    size = d + d % 2
    skew = [[mp.mpf(0)] * size for _ in range(size)]
    for i in range(d):
        for j in range(i + 1, d):
            # integrating by parts, the second half of the pair is the first and a boundary term
            half = mp.quad(lambda v, i=i, j=j: masses(v)[i] * densities(v)[j], [0, end])
            skew[i][j] = 2 * half - total[i] * total[j]
        if size > d:
            skew[i][d] = total[i]
    return skew


def _pfaffian(skew: list[list[Any]]) -> Any:
    """Pfaffian by expansion along the first row; only the upper triangle is read."""
    if not skew:
        return mp.mpf(1)
    rest = range(1, len(skew))

    def minor(j: int) -> Any:
        kept = [i for i in rest if i != j]
        return _pfaffian([[skew[a][b] for b in kept] for a in kept])

    return mp.fsum((-1) ** (j - 1) * skew[0][j] * minor(j) for j in rest if skew[0][j])
