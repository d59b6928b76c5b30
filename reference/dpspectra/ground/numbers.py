"""Checks of single numbers; `dpspectra.ground.checks` offers them too.

Every function returns its argument, converted, or raises ``ValueError`` with one line that names the parameter.
"""

from typing import Any

import numpy as np

from dpspectra.ground.values import shown

LARGEST_INTEGER = 2**63 - 1
"""The largest integer that arrays hold; no count, size or dimension is above it."""


def positive(value: Any, name: str) -> float:
    """Return a finite number above 0."""
    number = _number(value, name)
    if not 0 < number < np.inf:
        raise ValueError(f"{name} must be positive and finite, got {shown(value)}")
    return number


def epsilon(value: Any) -> float:
    """Return a privacy loss in nats: its square is a float, and noise for it is certified in seconds."""
    return amount(value, "epsilon", 40)


def amount(value: Any, name: str, largest: int = 20) -> float:
    """Return a number above 0 from ``2**-60`` to ``2**largest``, with which arithmetic neither under- nor overflows."""
    number = positive(value, name)
    if not 2.0**-60 <= number <= 2.0**largest:
        raise ValueError(f"{name} must be between 2**-60 and 2**{largest}, got {shown(value)}")
    return number


def non_negative(value: Any, name: str) -> float:
    """Return a finite number, at least 0."""
    number = _number(value, name)
    if not 0 <= number < np.inf:
        raise ValueError(f"{name} must be non-negative and finite, got {shown(value)}")
    return number


def probability(value: Any, name: str, *, zero: bool = False) -> float:
    """Return a number in ``(0, 1)``, or in ``[0, 1)`` where ``zero`` is allowed."""
    number = _number(value, name)
    if not (0 < number < 1 or (zero and number == 0)):
        raise ValueError(f"{name} must lie in {'[' if zero else '('}0, 1), got {shown(value)}")
    return number


def finite_number(value: Any, name: str) -> float:
    """Return a finite number."""
    number = _number(value, name)
    if not np.isfinite(number):
        raise ValueError(f"{name} must be finite, got {shown(value)}")
    return number


def _number(value: Any, name: str) -> float:
    if type(value) is float:
        return value
    real = np.isscalar(value) and not isinstance(value, (bool, np.bool_, str, bytes)) and not np.iscomplexobj(value)
    try:
        if real:
            return float(value)
    except (TypeError, OverflowError):  # a date, or an integer of hundreds of digits
        pass
    raise ValueError(f"{name} must be a real number, got {shown(value)}")


def integer(value: Any, name: str, low: int, high: int | None = None) -> int:
    """Return an integer from ``low`` to ``high``, or to `LARGEST_INTEGER`."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise ValueError(f"{name} must be an integer, got {shown(value)}")
    if value < low or (high is not None and value > high):
        limit = f"at least {low}" if high is None else f"between {low} and {high}"
        raise ValueError(f"{name} must be {limit}, got {shown(value)}")
    if value > LARGEST_INTEGER:
        raise ValueError(f"{name} must be below 2**63, got {shown(value)}")
    return int(value)


def flag(value: Any, name: str) -> bool:
    """Return ``True`` or ``False``, and nothing that could stand for them."""
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name} must be True or False, got {shown(value)}")
    return bool(value)
