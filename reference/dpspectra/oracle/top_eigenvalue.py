"""Exact distribution functions of the largest eigenvalue of Wishart and beta matrices, for the oracle faces of lemmas.

The joint density is proportional to ``prod w(x_i) prod |x_i - x_j|``; integrated over ordered points, the Vandermonde
determinant becomes a Pfaffian (de Bruijn) whose entries are integrals over pairs. Keep the integrals numerical: the
fast twin has them in closed form and is checked against this one. The working precision is a cache key: keep it there.
"""

import functools
import math
from collections.abc import Callable
from typing import Any

from flint import arb
from mpmath import mp

from dpspectra.oracle.quadrature import integral, working


def wishart_cdf(x: Any, degrees: Any, d: int) -> Any:
    """Probability that no eigenvalue of ``W_d(degrees, I)`` exceeds ``x``: weight ``v^((degrees-d-1)/2) exp(-v/2)``."""
    if x <= 0:
        return mp.mpf(0)
    return _wishart_pfaffian(mp.mpf(x), mp.mpf(degrees), d, mp.prec) / _wishart_pfaffian(mp.inf, degrees, d, mp.prec)


@functools.lru_cache(maxsize=256)
def _wishart_pfaffian(x: Any, degrees: Any, d: int, _precision: int) -> Any:
    """Integrate over roots ``w`` of ``v``, by whose powers a fractional one of ``v`` becomes a whole one."""
    with working():
        order = [arb(degrees - d - 1) / 2 + i for i in range(1, d + 1)]
        far = 4 * float(degrees + d) + 3 * mp.dps  # beyond it nothing is left at the working precision
        end = arb(min(x / 2, far)).sqrt()

        def mass(i: int, w: Any) -> Any:
            return (w * w).gamma_lower(order[i])

        def density(i: int, w: Any) -> Any:
            return 2 * w ** (2 * order[i] - 1) * (-w * w).exp()

        total = [mass(i, end) for i in range(d)]
        return mp.mpf(_pfaffian(_pairs(total, mass, density, end, math.ceil(float(end) / 2))))


def planar_cdf(x: Any, large: Any, small: Any) -> Any:
    """Probability that no eigenvalue of ``W_2(3, C)`` exceeds ``x``, ``C = diag(large, small)``, both positive.

    The density is proportional to ``exp(-tr C^-1 W / 2)`` on positive definite matrices. With eigenvalues ``t + r`` and
    ``t - r``, the integral over the angle of the eigenvectors is a Bessel function, and that over ``t`` from ``r`` to
    ``x - r`` is a difference of two exponentials.
    """
    x, a, b = mp.mpf(x), 1 / mp.mpf(large), 1 / mp.mpf(small)
    knee = min(x / 2, 8 / a)  # one exponential decays like exp(-a r), the other is negligible except near x / 2
    with working():
        # the scaled Bessel function falls like a root of r from 1 / b on
        steps = [8**i / b for i in range(math.ceil(math.log(max(knee * b, 1), 8)))]
        x, a, b, ends = arb(x), arb(a), arb(b), [0, *steps, knee, x / 2]
        rate, tilt = (a + b) / 2, (b - a) / 2

        def given(r: Any) -> Any:
            bessel = r * (tilt * r).bessel_i(arb(0))
            return bessel * ((-rate * r).exp() - (-rate * (x - r)).exp()) / rate

        return mp.mpf((a * b) ** 1.5 * integral(given, ends))


def sine_cdf(x: Any, k: int, d: int) -> Any:
    """Probability that no squared sine of an angle from a fixed to a uniform ``k``-plane exceeds ``x``; ``d >= 2k``.

    They are the eigenvalues of a matrix beta law: weight ``v^((d - 2k - 1)/2) (1 - v)^(-1/2)``.
    """
    if x >= 1:
        return mp.mpf(1)
    with working():
        order, half = [arb(d - 2 * k - 1) / 2 + i for i in range(1, k + 1)], arb(1) / 2

        def mass(i: int, t: Any) -> Any:  # v = sin(t)^2 removes the singular ends
            return (t.sin() ** 2).beta_lower(order[i], half)

        def density(i: int, t: Any) -> Any:
            return 2 * t.sin() ** (d - 2 * k + 2 * i)

        end, right_angle = arb(x).sqrt().asin(), arb.pi() / 2
        below, whole = [mass(i, end) for i in range(k)], [a.gamma() * half.gamma() / (a + half).gamma() for a in order]
        pfaffians = (
            _pfaffian(_pairs(total, mass, density, angle, 2)) for total, angle in ((below, end), (whole, right_angle))
        )
        return mp.mpf(next(pfaffians) / next(pfaffians))


Function = Callable[[int, Any], Any]
"""Function of a place and a ball."""


def _pairs(total: list[Any], mass: Function, density: Function, end: Any, panels: int) -> list[list[Any]]:
    """Skew matrix of ``f_i g_j - f_j g_i`` integrated from 0 to ``end``, bordered by the ``total`` for odd size."""
    d, ends = len(total), [end * i / panels for i in range(panels + 1)]
    size = d + d % 2
    skew = [[arb(0)] * size for _ in range(size)]
    for i in range(d):
        for j in range(i + 1, d):
            # integrating by parts, the second half of the pair is the first and a boundary term
            def inner(v: Any, i: int = i, j: int = j) -> Any:
                return mass(i, v) * density(j, v)

            half = integral(inner, ends)
            skew[i][j] = 2 * half - total[i] * total[j]
        if size > d:
            skew[i][d] = total[i]
    return skew


def _pfaffian(skew: list[list[Any]]) -> Any:
    """Pfaffian by expansion along the first row; only the upper triangle is read."""
    if not skew:
        return arb(1)
    rest = range(1, len(skew))

    def minor(j: int) -> Any:
        kept = [i for i in rest if i != j]
        return _pfaffian([[skew[a][b] for b in kept] for a in kept])

    return sum(((-1) ** (j - 1) * skew[0][j] * minor(j) for j in rest if skew[0][j] != 0), arb(0))
