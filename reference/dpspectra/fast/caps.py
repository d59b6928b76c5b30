"""Haar measure of spherical caps around a line."""

import math

from scipy.special import betainc, betaln


def log_line_cap(squared_sine: float, d: int, field: str) -> float:
    """Logarithm of the probability that a uniform line in ``F^d`` is within an angle of a fixed one.

    The squared sine, in ``(0, 1]``, has the law ``Beta((d-1)/2, 1/2)`` over the reals and ``Beta(d-1, 1)`` over the
    complex numbers. Where the real value underflows, the lower bound from ``(1 - t)^(-1/2) >= 1`` stands in; it is then
    exact to rounding.
    """
    if d == 1:
        return 0.0
    if field == "complex":
        return (d - 1) * math.log(squared_sine)
    a = (d - 1) / 2
    exact = float(betainc(a, 0.5, squared_sine))
    return math.log(exact) if exact > 1e-290 else a * math.log(squared_sine) - math.log(a) - float(betaln(a, 0.5))
