"""The probability that one draw lies in an interval: logs of tails, so that nothing cancels and nothing underflows."""

import functools
import math
from math import exp, expm1, isnan, log, log1p

import numpy as np

from dpspectra.symbolic.independent_constraints import Likelihood, Part
from dpspectra.symbolic.laws import Law
from dpspectra.symbolic.observed_constraints import Unsolved
from dpspectra.symbolic.rounded_laws import half_integer

ROUNDING = 8
"""Units in the last place by which a computed edge may be off."""


@functools.lru_cache(maxsize=2**14)
def log_mass(law: Law, low: float, high: float) -> float:
    """Log-probability that a draw lies between two numbers; minus infinity if the first is not the smaller one.

    Both lie between whole numbers if the law is that of whole numbers.
    """
    beside = 0.5 if law.discrete else 0.0
    low, high = max(low, law.support[0] - beside), min(high, law.support[1] + beside)
    if not low < high:
        return -math.inf
    with np.errstate(all="ignore"):
        below, above = (
            (float(law.lower(low)), float(law.lower(high))),
            (float(law.upper(high)), float(law.upper(low))),
        )
    less, more = below if below[1] < above[1] else above
    if isnan(less) or isnan(more):
        raise Unsolved("noise of this kind is not integrated")
    if more == -math.inf or not less < more:
        return -math.inf
    return more + log(-expm1(less - more))


def by_rounding(low: float, high: float) -> tuple[float, float] | None:
    """Return where a draw may lie between edges that contradict each other by rounding alone; ``None`` for others.

    It may be the computed edges alone that contradict each other. Equal edges are those of one comparison and of its
    opposite, which leave nothing.
    """
    wide = low - ROUNDING * math.ulp(low), high + ROUNDING * math.ulp(high)
    return wide if high < low and wide[0] <= wide[1] else None


def interval(it: Part) -> tuple[float, float]:
    """Return the interval that inequalities of one draw leave of it."""
    edges = -it.c / it.C[:, 0]
    rising = it.C[:, 0] > 0
    return float(np.max(edges[rising], initial=-math.inf)), float(np.min(edges[~rising], initial=math.inf))


def between(it: Part) -> Likelihood:
    """Log-probability of inequalities of one draw. The relative error of a small one may be large.

    Raises `Unsolved` if edges that contradict each other differ by rounding alone: it may be the computed ones that do.
    """
    (law,) = it.laws
    low, high = interval(it)
    if law.discrete and not (half_integer(low) and half_integer(high)):
        raise Unsolved("a comparison of discrete noise may be a tie")
    if by_rounding(low, high):
        raise Unsolved("two inequalities of one draw contradict each other by no more than rounding")
    value = log_mass(law, low, high)
    if value == -math.inf:
        return Likelihood(value, 0.0)
    with np.errstate(all="ignore"):
        inner = [e for e in (low, high) if law.support[0] < e < law.support[1]]
        slack = sum(4 * math.ulp(e) * exp(min(float(law.log_density(e)), 700.0)) for e in inner)
    error = 1e-14 + log1p(slack / exp(value) if value > -700 else math.inf)
    return Likelihood(value, error)
