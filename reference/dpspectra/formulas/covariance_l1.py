"""Sensitivity in l1 and l2 of the upper triangle of a covariance matrix."""

import math
from fractions import Fraction

EXHAUSTED = 6
"""Largest dimension in which every sign pattern is tried."""


def block_square(d: int) -> float:
    """Square of the l1 norm that two blocks of sizes ``ceil(d/2)`` and ``floor(d/2)`` attain; exact in float64."""
    if d == 1:
        return 1.0
    return (2 * d * d + 4 * d + 3) / 4 if d % 2 else (d * d + 2 * d + 2) / 2


def proved_bound(d: int) -> float:
    """Bound for every dimension, from the Frobenius norm of ``T``, for ``d >= 3`` with its diagonal treated apart.

    That is no more than the bound without it, ``sqrt(d (d + 3) / 2)``, as ``(d - 3)^2 >= 0``.
    """
    return math.sqrt(block_square(d)) if d <= 2 else 2 + math.sqrt((d - 1) * (d - 2) / 2)


def upper_triangle_l1(d: int) -> float:
    """``n`` times the l1 sensitivity of the upper triangle of ``X'X / n`` when one unit-ball row is replaced.

    Exact for ``d`` up to `EXHAUSTED`; a proved bound for larger ``d``.
    """
    return math.sqrt(block_square(d)) if d <= EXHAUSTED else proved_bound(d)


def covers_l1(x: Fraction, d: int) -> bool:
    """Whether ``x`` is at least what `upper_triangle_l1` is without rounding, decided in rational numbers."""
    if x <= 0:
        return False
    if d <= EXHAUSTED:
        return x**2 >= Fraction(block_square(d))
    return x >= 2 and 2 * (x - 2) ** 2 >= (d - 1) * (d - 2)


def upper_triangle_l2(d: int) -> float:
    """``n`` times the l2 sensitivity of the upper triangle, or of the whole matrix: ``sqrt 2``; 1 if ``d = 1``."""
    return math.sqrt(min(d, 2))


def full_l1(d: int) -> float:
    """``n`` times the l1 sensitivity with all entries counted: exact if ``d`` is even or at most 5, else a bound."""
    return math.sqrt(2 * d * d - (d % 2 if d <= 5 else 0))
