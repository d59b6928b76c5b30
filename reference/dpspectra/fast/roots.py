"""Where a condition on a number ceases to hold, and roots of continuous functions.

A condition ``below`` holds up to some number and not beyond it.
"""

import math
from collections.abc import Callable


def bracket(below: Callable[[float], bool], high: float = 1.0) -> tuple[float, float]:
    """Return an interval between whose ends ``below`` ceases to hold: ``high`` is doubled until it does not hold there.

    The lower end is 0 if it does not hold at ``high`` itself. Raises ``ArithmeticError`` where it holds everywhere, as
    for an argument out of its range.
    """
    low = 0.0
    while below(high):
        low, high = high, 2 * high
        if math.isinf(high):
            raise ArithmeticError("a condition must cease to hold at some number, but it holds at all")
    return low, high


def bisect(
    below: Callable[[float], bool], low: float, high: float, *, relative: float, absolute: float = 0.0
) -> tuple[float, float]:
    """Halve the interval until it is no longer than ``relative`` times its upper end, or than ``absolute``."""
    while high - low > max(relative * high, absolute):
        middle = (low + high) / 2
        low, high = (middle, high) if below(middle) else (low, middle)
    return low, high


def first_integer(below: Callable[[int], bool], low: int) -> int:
    """Smallest integer above ``low >= 1`` at which ``below`` does not hold; it is taken to hold at ``low``."""
    high = 2 * low
    while below(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if below(middle) else (low, middle)
    return high


def root(function: Callable[[float], float], low: float, high: float) -> float:
    """Return a zero of a continuous function of opposite signs at ``low`` and ``high``, to a relative 1e-14 (Brent)."""
    from scipy.optimize import brentq  # a fifth of a second, which calibration by a formula need not spend

    return float(brentq(function, low, high, xtol=1e-300, rtol=1e-14, maxiter=500))
