"""Where a condition on a number ceases to hold, by bisection; `below` holds up to that number and not beyond it."""

from collections.abc import Callable
from typing import Any

from mpmath import mp


def bracket(below: Callable[[Any], bool], high: Any = 1) -> tuple[Any, Any]:
    """Return an interval between whose ends ``below`` ceases to hold: ``high`` grows until it does not hold there.

    It is doubled up to 2 and then squared. The lower end is 0 if ``below`` does not hold at ``high`` itself.
    """
    low, high = mp.mpf(0), mp.mpf(high)
    while below(high):
        low, high = high, max(2 * high, high**2)
    return low, high


def bisect(below: Callable[[Any], bool], low: Any, high: Any, tolerance: Any = 0) -> tuple[Any, Any]:
    """Halve the interval until it is no longer than ``tolerance``, or the rounding unit, times its upper end.

    It is halved in logarithms while it spans more than an octave. The number looked for must be positive: at 0 this
    would never end.
    """
    low, high, tolerance = mp.mpf(low), mp.mpf(high), max(tolerance, mp.eps)
    while high - low > tolerance * high:
        middle = mp.sqrt(low * high) if 0 < 2 * low < high else (low + high) / 2
        low, high = (middle, high) if below(middle) else (low, middle)
    return low, high
