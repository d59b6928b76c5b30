"""The smallest epsilon of several outputs together, rounded upward in balls (DPS-COMPOSE).

Numbers given are taken for the rational numbers that they are. Sums of positive floats carry the bound on their
rounding that IEEE 754 implies; exponentials and logarithms are balls.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction

import numpy as np
from flint import arb
from numpy.typing import NDArray

from dpspectra.certified import ball_noise, calibrate

BITS = 256
"""Precision of balls."""
FINEST = 12
"""Base-2 logarithm of the most steps that the largest epsilon is divided into."""
WORK = 2**27
"""Sums of two floats at most, where a coarser step is to be had."""
MOST = 2**31
"""Such sums where no step is coarse enough for `WORK`; beyond, there is no answer."""
LARGEST = Fraction(1.7e308)
"""Bound on sums of epsilons."""
SMALLEST, ERROR = 2.0**-10, 2.0**-49
"""Candidates for an epsilon below the first may be wrong by the second, which is too many floats to try."""
SMALL = 2.0**-900
"""Sums of probabilities up to this may have lost their digits to underflow."""


def exact_sum(numbers: Iterable[float | Fraction]) -> Fraction:
    """Return the sum of numbers: of numerators of each denominator first, as floats have few of these."""
    sums: Counter[int] = Counter()
    for number in numbers:
        numerator, denominator = number.as_integer_ratio()
        sums[denominator] += numerator
    return sum((Fraction(*each[::-1]) for each in sums.items()), Fraction(0))


def total(numbers: Iterable[float | Fraction]) -> float:
    """Return the sum of non-negative numbers, rounded upward. Raises ``ValueError`` if floats cannot hold it."""
    exact = exact_sum(numbers)
    if exact > LARGEST:
        raise ValueError("the sum of epsilons must be below 1.7e308, got a larger one")
    rounded = float(exact)
    return rounded if Fraction(rounded) >= exact else math.nextafter(rounded, math.inf)


def _kept(deltas: Sequence[float]) -> arb:
    """Probability that no output reveals the data, where each does with its delta."""
    return math.prod((1 - ball_noise.exact(d) for d in deltas), start=arb(1))


def revealed(deltas: Sequence[float]) -> float:
    """Probability that some output reveals the data, rounded upward: no smaller ``delta`` has an `optimal` epsilon."""
    with ball_noise.precision(BITS):
        return ball_noise.above(1 - _kept(deltas)) if any(deltas) else 0.0


def optimal(epsilons: Sequence[float], deltas: Sequence[float], delta: float) -> float:
    """About the smallest epsilon at which all outputs with these epsilons and deltas are private with ``delta``.

    Losses are moved up to multiples of a step, which is exact for equal epsilons. Infinite if ``delta`` is less than
    the probability that some output reveals the data; where it is no more, or too little more for floats, the epsilons
    add up.
    """
    with ball_noise.precision(BITS):
        kept = _kept(deltas)
        spare = kept - (1 - ball_noise.exact(delta))
        target = float((spare / kept * arb(1 - 2.0**-40)).lower()) if spare > 0 else 0.0
        if not target > SMALL:
            return total(epsilons) if spare >= 0 else math.inf
    positive = [Fraction(epsilon) for epsilon in epsilons if epsilon]
    if not positive:
        return 0.0
    if float(sum(positive) / max(positive)) * len(positive) > MOST:
        return math.inf
    counted = _multiples(positive)
    step = max(positive) / max(counted)
    odds = _ratio(_masses(counted, step), sum(counted.values()), target)
    if not math.isfinite(odds):
        return math.inf
    with ball_noise.precision(BITS):
        return max(0.0, ball_noise.above(ball_noise.exact(odds).log())) if odds > 1 else 0.0


def _multiples(epsilons: Sequence[Fraction]) -> Counter[int]:
    """How often each multiple of the step occurs, once epsilons are moved up to multiples of a share of the largest."""
    largest = max(epsilons)
    fine = 0
    if any(epsilon != largest for epsilon in epsilons):
        size = float(sum(epsilons) / largest) * len(epsilons)
        fine = max(0, min(FINEST, int(WORK / size).bit_length() - 1))
    return Counter(math.ceil(epsilon / largest * 2**fine) for epsilon in epsilons)


def _masses(counted: Counter[int], step: Fraction) -> NDArray[np.float64]:
    """Probability that the epsilons of false answers, as many steps each, add up to so many steps."""
    masses = np.zeros(sum(multiple * times for multiple, times in counted.items()) + 1)
    masses[0] = 1.0
    for multiple, times in counted.items():
        with ball_noise.precision(BITS):
            odds = (ball_noise.exact(step) * multiple).exp()
            truth, lie = (float(x.mid()) for x in (odds / (1 + odds), 1 / (1 + odds)))
        for _ in range(times):
            moved = lie * masses[:-multiple]
            masses *= truth
            masses[multiple:] += moved
    return masses


def _ratio(masses: NDArray[np.float64], outputs: int, target: float) -> float:
    """Upper bound of ``e**epsilon``, where the sum of ``P - e**epsilon Q`` over the largest losses is the target.

    It is the largest ratio of ``P - target`` to ``Q`` over all sets ``loss >= l``. Each mass has a relative error below
    ``4 outputs`` roundings, a sum of them as many more as it has terms.
    """
    margin = (8 * outputs + 2 * len(masses) + 64) * 2.0**-53
    first, second = np.cumsum(masses) * (1 + margin) + SMALL, np.cumsum(masses[::-1]) * (1 - margin)
    over = first > target
    if margin > 0.5 or not np.any(over) or np.any(second[over] <= SMALL):  # no mass is a number, or too small a one
        return math.inf
    return float(np.max((first[over] - target) / second[over])) * (1 + 2.0**-50)


def together(mus: Sequence[float]) -> float:
    """Return a ``mu`` for which all outputs that are Gaussian private with these are together, rounded upward."""
    return calibrate.at_least_root(exact_sum(Fraction(mu) ** 2 for mu in mus), 1.0)


def gaussian(mu: float, delta: float, candidate: float) -> float:
    """Return the smallest epsilon, from about the candidate on, at which ``mu``-Gaussian privacy has this ``delta``."""
    if calibrate.profile_at_most(0.0, mu, delta):
        return 0.0
    near = candidate if candidate > SMALLEST else candidate + ERROR
    return calibrate.least(lambda e: calibrate.profile_at_most(float(e), mu, delta), Fraction(near))
