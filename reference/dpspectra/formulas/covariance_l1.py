"""Sensitivity in l1 and l2 of the upper triangle of a covariance matrix."""

import math
from fractions import Fraction


def block_square(d: int) -> float:
    """Square of the l1 norm that two blocks of sizes ``ceil(d/2)`` and ``floor(d/2)`` attain; exact in float64."""
    if d == 1:
        return 1.0
    return (2 * d * d + 4 * d + 3) / 4 if d % 2 else (d * d + 2 * d + 2) / 2


def upper_triangle_l1(d: int) -> float:
    """``n`` times the l1 sensitivity of the upper triangle of ``X'X / n`` when one unit-ball row is replaced."""
    return math.sqrt(block_square(d))


def covers_l1(x: Fraction, d: int) -> bool:
    """Whether ``x`` is at least what `upper_triangle_l1` is without rounding, decided in rational numbers."""
    return x > 0 and x**2 >= Fraction(block_square(d))


def upper_triangle_l2(d: int) -> float:
    """``n`` times the l2 sensitivity of the upper triangle, or of the whole matrix: ``sqrt 2``; 1 if ``d = 1``."""
    return math.sqrt(min(d, 2))


def full_l1(d: int) -> float:
    """``n`` times the l1 sensitivity with all entries counted."""
    return math.sqrt(2 * d * d - d % 2)
