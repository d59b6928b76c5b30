"""What data sets have in common while their eigenvectors move, and how far: instances, and numbers in float64."""

from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import brentq

from dpspectra.fast.packing import ball_measure, log_tableaux
from dpspectra.fast.quadrature import gauss_legendre
from dpspectra.relations import Relation

ROUNDING, ACCURACY = 1e-12, 1e-15
"""How negative an eigenvalue 0 may come out; accuracy of a root."""


class Case(NamedTuple):
    """Spectrum, the places ``S = top`` and ``T = bottom`` (start and stop), common parts ``a`` and ``b``, privacy."""

    spectrum: Any
    top: tuple[int, int]
    bottom: tuple[int, int]
    a: float
    b: float
    epsilon: float
    relation: Relation


def common_radius(a: Any, b: Any) -> Any:
    """Squared sine ``sigma^2`` within which the common part is dominated."""
    return 1 if a >= 1 + b else min(1, a * b / (1 - a + b))


def squared_radius(
    spectrum: Any, top: tuple[int, int], bottom: tuple[int, int], a: float, b: float, epsilon: float, relation: Relation
) -> tuple[float, int]:
    """Squared radius ``z^2`` of a ball that may be answered half of the time, and the number of rows that change."""
    high, low = np.array(spectrum[slice(*top)]), np.array(spectrum[slice(*bottom)])
    r, m, width = len(high), len(low), high[-1] - low[-1]
    rank = int(np.sum(high > low[-1]) + np.sum(low > low[-1])) if (a, b) == (1, 0) else r + m
    trace = np.sum(high - high[-1]) + np.sum(low - low[-1]) + width * (r * a + m * b)
    steps = max(rank, int(np.ceil(trace)))
    volume = np.exp((log_tableaux(r, m) - log_odds(epsilon * steps, relation)) / (r * m))
    return float(2 * common_radius(a, b) * volume), steps


def log_odds(exponent: float, relation: Relation) -> float:
    """Logarithm of ``K``, whose inverse is the share of the data sets that may be answered."""
    return float(np.logaddexp(0, exponent) if relation is Relation.REPLACE else np.log(2) + exponent)


def premise(spectrum: Any, top: tuple[int, int], bottom: tuple[int, int], a: float, b: float) -> bool:
    """Whether there is a gap, the common part is positive semidefinite, and it has a radius."""
    high, low, first = spectrum[top[1] - 1], spectrum[bottom[1] - 1], spectrum[bottom[0]]
    return bool(high > first and a * (high - low) <= high and b * (high - low) <= low and common_radius(a, b) > 0)


def one_row(spectrum: Any, top: Any, bottom: Any, a: float) -> bool:
    """Whether the data are one row, and the block is everything: then a mechanism attains the bound."""
    whole = (top, bottom) == ((0, 1), (1, len(spectrum)))
    return bool(whole and a == 1 and spectrum[0] <= 1 and spectrum[1] == 0)


def mean_square(r: int, m: int, square: float) -> float:
    """Mean squared distance from the centre of a ball of this squared radius: the integral of what is outside."""
    nodes, weights = gauss_legendre(r * m // 2 + 1)
    whole = ball_measure(r, m, np.sqrt(square))
    outside = [1 - ball_measure(r, m, np.sqrt(square * (x + 1) / 2)) / whole for x in nodes]
    return float(square / 2 * np.sum(weights * outside))


def largest_sine(a: float, b: float) -> float:
    """Largest squared sine for which ``diag(a, b) + P - P_S`` is positive semidefinite in a principal plane."""

    def least(u: float) -> float:
        side = np.sqrt(u * (1 - u))
        return float(np.linalg.eigvalsh(np.array([[a - u, side], [side, b + u]]))[0])

    return 1.0 if least(1.0) >= -ROUNDING else float(brentq(least, 0.0, 1.0, xtol=ACCURACY))
