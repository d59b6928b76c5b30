"""Exact deltas of one whole number with noise: what the masses of one law exceed ``e^epsilon`` times another's by.

Masses of a log-concave law, and those of the cells of one that is rounded, have a monotone ratio to those of the same
law moved. So they exceed on a half-line, and delta is a difference of two tails, which are never cut.
"""

import math
from collections.abc import Callable
from math import exp

import numpy as np

from dpspectra.ground.array_types import Floats
from dpspectra.symbolic.independent_constraints import AGREES, Part, Whole
from dpspectra.symbolic.laws import Law
from dpspectra.symbolic.rounded_laws import RoundedLaw, of_one_kind

FAR = -60.0
"""Log-probability of a tail within which no end of a half-line is sought."""
FARTHEST = 2.0**52
MOST_VALUES = 100
"""Values of a whole number up to which they are listed."""
WHOLE = 1e-9
"""Distance from a whole number, or rounding, up to which a number is one."""


def of_parts(a: Part, b: Part) -> tuple[Whole, Whole] | None:
    """Return the only number of a part on both data sets, if it has one draw and nothing else is known of that."""
    whole = [Whole(it.laws[0], float(it.mu[0]), float(it.B[0, 0])) for it in (a, b) if it.B.shape == (1, 1)]
    return (whole[0], whole[1]) if len(whole) == 2 and not len(a.c) and not len(b.c) else None


def delta_of_whole(first: Whole, second: Whole) -> Callable[[float], float] | None:
    """Return delta as a function of epsilon; ``None`` if the laws are not those of one whole number, moved."""
    if not np.isfinite(first.mu - second.mu) or first.factor != second.factor or not _alike(first.law, second.law):
        return None
    added = (first.mu - second.mu) / first.factor
    move = round(added)
    towards_0 = isinstance(first.law, RoundedLaw) and first.law.way == "trunc"
    if abs(added - move) > AGREES or (move and towards_0):
        return None
    return lambda epsilon: of_whole(first.law, second.law, move, epsilon)


def _alike(law: Law, other: Law) -> bool:
    return law.discrete and law.concave and (law.key == other.key or of_one_kind(law, other))


def of_whole(law: Law, other: Law, move: int, epsilon: float) -> float:
    """Return what ``w + move`` exceeds ``e^epsilon`` times another whole number by, for laws with a monotone ratio."""

    def excess(k: int) -> float:
        with np.errstate(all="ignore"):
            theirs = float(other.log_density(k + move))
            return math.inf if theirs == -math.inf else float(law.log_density(k)) - theirs - epsilon

    low, high = _reach(law)
    ends = excess(low), excess(high)
    beyond = exp(_log(law.lower, low - 1)) + exp(_log(law.upper, high))
    if max(ends) <= 0:
        return beyond

    def of_line(below: int, rising: bool) -> float:
        tails = (law.upper, other.upper) if rising else (law.lower, other.lower)
        return exp(_log(tails[0], below)) - exp(epsilon + _log(tails[1], below + move))

    if min(ends) > 0:
        return max(of_line(low - 1, True), of_line(high, False), 0.0) + beyond
    rising = ends[1] > 0
    below, above = low, high
    while above - below > 1:
        middle = (below + above) // 2
        below, above = (below, middle) if (excess(middle) > 0) == rising else (middle, above)
    return max(of_line(below, rising), 0.0) + beyond


def _log(tail: Callable[[float], float], k: float) -> float:
    with np.errstate(all="ignore"):
        return float(tail(k + 0.5))


def _reach(law: Law) -> tuple[int, int]:
    """Whole numbers of positive mass beyond which next to nothing is left."""
    centre = round(law.at) if isinstance(law, RoundedLaw) else 0
    found = []
    for sign, tail in ((-1, law.lower), (1, law.upper)):
        step = 1
        while step < FARTHEST and _log(tail, centre + sign * step - (sign < 0)) > FAR:
            step *= 2
        inner, outer = -step, step  # the tail beyond is more than that at the first, if anywhere
        while outer - inner > 1:
            middle = (inner + outer) // 2
            if _log(tail, centre + sign * middle - (sign < 0)) > FAR:
                inner = middle
            else:
                outer = middle
        found.append(centre + sign * outer)
    return found[0], found[1]


def loss_of_few(law: Law, other: Law, move: Floats, factor: Floats, slack: Floats) -> float:
    """Return the largest loss of whole numbers of few values, each moved and turned in its own way.

    A number ``z`` of one data set is ``(z + move) / factor`` on the other one, up to ``slack``.
    """
    low, high = law.support
    if not (law.discrete and other.discrete) or not high - low < MOST_VALUES or np.any(slack > WHOLE):
        return math.inf
    values = np.arange(low, high + 1)
    there = (values[:, None] + move) / factor
    with np.errstate(all="ignore"):
        p, q = law.log_density(values)[:, None], other.log_density(np.round(there))
    q = np.where(np.abs(there - np.round(there)) < WHOLE, q, -math.inf)
    return float(np.sum(np.max(np.where(p > -math.inf, p - q, -math.inf), axis=0)))
