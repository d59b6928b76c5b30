"""Exact deltas of one number whose Laplace or normal noise has other scales on both data sets.

Where the first density is above ``e^epsilon`` times the second one is a union of intervals, whose ends are roots of
linear or quadratic equations. A root that is none of them only splits an interval, and an error in one changes the sum
in second order only (DPS-ONENUMBER).
"""

import math
from itertools import pairwise, product

import numpy as np

from dpspectra.symbolic.laws import LAPLACE, NORMAL
from dpspectra.symbolic.single_numbers import Number

STRETCHED = LAPLACE, NORMAL


def of_stretched(first: Number, second: Number, epsilon: float) -> float:
    """Return the integral of what one density exceeds ``e^epsilon`` times another of the same law by."""
    ends = {x for x in (*_crossings(first, second, epsilon), *first.ends, *second.ends) if math.isfinite(x)}
    knots = [-math.inf, *sorted(ends), math.inf]
    excess = (first.mass(*part) - math.exp(epsilon) * second.mass(*part) for part in pairwise(knots))
    return math.fsum(max(one, 0.0) for one in excess)


def _crossings(first: Number, second: Number, epsilon: float) -> list[float]:
    """Return all places where the log-ratio of both densities may be ``epsilon``."""
    a, b, apart = abs(first.scale), abs(second.scale), second.mu - first.mu
    left = first.log - second.log + math.log(b / a) - epsilon
    if first.law is LAPLACE:
        slopes = [(s / b - r / a, left - s * apart / b) for r, s in product((1, -1), repeat=2)]
        return [first.mu - at / slope for slope, at in slopes if slope] + [first.mu, second.mu]
    squares = [1 / (2 * b * b) - 1 / (2 * a * a), -apart / (b * b), apart * apart / (2 * b * b) + left]
    return [first.mu + float(root.real) for root in np.roots(squares) if abs(root.imag) <= 1e-9 * abs(root)]
