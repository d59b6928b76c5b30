"""K-norm noise on symmetric matrices: moments from its eigenvalues, by Pfaffians.

The density is proportional to ``exp(-max(tr Z_+, tr Z_-))``, and that of the eigenvalues is this times the product of
``|z_i - z_j|``. The weight ``exp(-a z)`` above 0 and ``exp(-b |z|)`` below has a partition function that is a Pfaffian
of double integrals (de Bruijn), and a polynomial ``sum_m c_m x^m y^(D-m)`` in ``x = 1/a``, ``y = 1/b``: the positive
part has trace ``S`` and the negative one ``T`` with the density ``sum_m c_m S^(m-1) T^(D-m-1) / (m-1)! (D-m-1)!``. In
place of ``exp(-a S - b T)`` stands ``exp(-max(S, T))``, whose integral against a term is a binomial coefficient.
"""

import math
from typing import Any

from mpmath import mp

RADIUS = "1.3"
"""Modulus of the points at which polynomials are evaluated, away from their zeros of modulus 1."""


def knorm_moments(d: int) -> tuple[Any, Any]:
    """Mean squared Frobenius norm, and variance of the trace, of K-norm noise of scale 1 in dimension ``d``."""
    degree = d * (d + 1) // 2
    points = degree + 3
    pairs = [_partition(d, mp.mpf(RADIUS) * mp.expjpi(mp.mpf(2 * m) / points)) for m in range(points)]
    mass, square = (_coefficients([pair[i] for pair in pairs]) for i in (0, 1))
    total = mp.fsum(mass[m] * mp.binomial(degree, m) for m in range(degree + 1))
    norm = mp.fsum(square[m] * mp.binomial(degree + 2, m) for m in range(degree + 3))
    trace = mp.fsum(mass[m] * _squared_trace(m, degree - m) for m in range(degree + 1))
    return mp.re(norm / total), mp.re(trace / total)


def _squared_trace(m: int, n: int) -> Any:
    """Integral of ``(S - T)^2 exp(-max(S, T))`` against ``S^(m-1) T^(n-1) / (m-1)! (n-1)!``."""
    total = m + n + 2
    squares = m * (m + 1) * mp.binomial(total, m + 2) + n * (n + 1) * mp.binomial(total, m)
    return squares - 2 * m * n * mp.binomial(total, m + 1)


def _coefficients(values: list[Any]) -> list[Any]:
    """Coefficients of a polynomial from its values at the roots of unity times `RADIUS`."""
    number = len(values)
    return [
        mp.fsum(value * mp.expjpi(-mp.mpf(2 * m * q) / number) for m, value in enumerate(values))
        / (number * mp.mpf(RADIUS) ** q)
        for q in range(number)
    ]


def _partition(d: int, x: Any) -> tuple[Any, Any]:
    """Partition function at ``(x, 1)``, and its integrand times the sum of squared eigenvalues."""
    size = d + d % 2
    matrix, slope = mp.matrix(size, size), mp.matrix(size, size)
    for j in range(d):
        for k in range(d):
            matrix[j, k] = _pair(j, k, x)
            slope[j, k] = _pair(j + 2, k, x) + _pair(j, k + 2, x)
        if d % 2:
            for target, power in ((matrix, j), (slope, j + 2)):
                target[j, d] = mp.factorial(power) * (x ** (power + 1) + (-1) ** power)
                target[d, j] = -target[j, d]
    inverse = mp.inverse(matrix)
    ratio = mp.fsum(inverse[i, j] * slope[j, i] for i in range(size) for j in range(size)) / 2
    value = _pfaffian(matrix)
    return value, value * ratio


def _pair(j: int, k: int, x: Any) -> Any:
    """Integral of ``s^j t^k - s^k t^j`` over ``s < t`` against the weight, at ``(x, 1)``."""
    same = _ordered(j, k) - _ordered(k, j)
    crossed = (-1) ** j * x ** (k + 1) - (-1) ** k * x ** (j + 1)
    return same * (x ** (j + k + 2) - (-1) ** (j + k)) + mp.factorial(j) * mp.factorial(k) * crossed


def _ordered(j: int, k: int) -> Any:
    """Integral of ``s^j t^k exp(-s - t)`` over ``0 < s < t``: ``j + 1`` of one clock's ticks come first."""
    first = sum(math.comb(j + i, i) << (k - i) for i in range(k + 1))
    return mp.factorial(j) * mp.factorial(k) * first / mp.mpf(2) ** (j + k + 1)


def _pfaffian(matrix: Any) -> Any:
    """Pfaffian of an antisymmetric matrix of even size, by elimination."""
    work, value, size = matrix.copy(), mp.mpf(1), matrix.rows
    for i in range(0, size, 2):
        pivot = max(range(i + 1, size), key=lambda row: abs(work[i, row]))
        if pivot != i + 1:
            for place in range(size):
                work[i + 1, place], work[pivot, place] = work[pivot, place], work[i + 1, place]
            for place in range(size):
                work[place, i + 1], work[place, pivot] = work[place, pivot], work[place, i + 1]
            value = -value
        value *= work[i, i + 1]
        for a in range(i + 2, size):
            for b in range(i + 2, size):
                work[a, b] += (work[i + 1, a] * work[i, b] - work[i, a] * work[i + 1, b]) / work[i, i + 1]
    return value
