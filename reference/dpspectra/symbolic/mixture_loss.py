"""The largest loss of numbers that are drawn on one of several paths: that at an end of an interval (DPS-MIXLOSS).

Each path adds Laplace or exponential noise of one scale to a number, or uniform noise, cut off anywhere, at a place of
its own. Between the ends of all intervals and the places of all peaks, both densities are combinations of a rising and
a falling exponential with coefficients that are not negative, so that their ratio is monotone.
"""

import itertools
import math
from collections.abc import Iterator, Sequence

import numpy as np
from scipy.special import logsumexp

from dpspectra.ground.array_types import Floats
from dpspectra.symbolic.decision_paths import Key, Law, Path
from dpspectra.symbolic.hockey_stick import Number, shown_in, weight
from dpspectra.symbolic.laws import EXPONENTIAL, HALF, LAPLACE, UNIFORM
from dpspectra.symbolic.observed_constraints import Unsolved

MOST = 1_000_000
"""Densities that are computed."""

FARTHEST = 1e7
"""Scales from 0 up to which numbers are so exact that their losses are."""

Mixture = list[tuple[float, tuple[Number, ...]]]
"""Log-weights of paths, and the numbers that they show."""


def largest_loss(first: Law, second: Law) -> float:
    """Return the largest loss of an output over all values; infinite if it has no bound, or none that is known."""
    try:
        mine, yours = _mixtures(first), _mixtures(second)
    except Unsolved:
        return math.inf
    return max((loss_of_mixtures(paths, yours.get(output, [])) for output, paths in mine.items()), default=math.inf)


def _mixtures(law: Law) -> dict[Key, Mixture]:
    """Return the paths of each output."""
    found: dict[Key, Mixture] = {}
    for path in law.paths:
        if path.points > -math.inf and (log := weight(path)) > -math.inf:
            found.setdefault(path.leaves, []).append((log, _numbers(path)))
    return found


def _numbers(path: Path) -> tuple[Number, ...]:
    """Return the numbers of a path in the order of the output. Raises `Unsolved` if one does not have a draw alone."""
    numbers = shown_in(path)
    if numbers is None:
        raise Unsolved("numbers of an output share their noise")
    return numbers


def loss_of_mixtures(first: Mixture, second: Mixture) -> float:
    """Return the largest log-ratio of the densities of two mixtures; infinite if it is not known."""
    both = first + second
    if not second or len({len(numbers) for _, numbers in both}) > 1:
        return math.inf
    columns = list(zip(*(numbers for _, numbers in both), strict=True))
    if not all(map(_kin, columns)):
        return math.inf
    tables = [_log_densities(column) for column in columns]
    if len(both) * math.prod(table.shape[1] for table in tables) > MOST:
        return math.inf
    split = len(first)
    p = _together([log for log, _ in first], [table[:split] for table in tables])
    q = _together([log for log, _ in second], [table[split:] for table in tables])
    possible = p > -math.inf
    return float(np.max(p[possible] - q[possible])) if np.any(possible) else math.inf


def _kin(column: Sequence[Number]) -> bool:
    """Whether numbers are exact, and all are uniform, or all are Laplace or exponential with one scale."""
    if any(not abs(x) <= FARTHEST * abs(n.scale) for n in column for x in (n.mu, *filter(math.isfinite, n.ends))):
        return False
    if all(n.law is UNIFORM for n in column):
        return True
    return all(n.law in (LAPLACE, EXPONENTIAL) for n in column) and len({abs(n.scale) for n in column}) == 1


def _log_densities(column: Sequence[Number]) -> Floats:
    """Return the log-density of each number at both finite ends of each interval, from within."""
    ends = np.unique([e for n in column for e in (*n.ends, *([n.mu] if n.law is LAPLACE else [])) if math.isfinite(e)])
    inner = list(_ends([-math.inf, *map(float, ends), math.inf]))
    return np.array([[_log_density(n, *each) for each in inner] for n in column])


def _ends(knots: Sequence[float]) -> Iterator[tuple[float, float, float]]:
    """Each interval with each of its ends; towards infinity both densities fall alike, so their ratio is constant."""
    for low, high in itertools.pairwise(knots):
        yield from ((low, high, end) for end in (low, high) if math.isfinite(end))


def _log_density(n: Number, low: float, high: float, end: float) -> float:
    if not (n.ends[0] <= low and high <= n.ends[1]):
        return -math.inf
    size = math.log(abs(n.scale))
    if n.law is UNIFORM:
        return -size
    return -abs(end - n.mu) / abs(n.scale) - size - (HALF if n.law is LAPLACE else 0.0)


def _together(logs: Sequence[float], tables: Sequence[Floats]) -> Floats:
    """Return the log-density of a mixture wherever each number is at an end of an interval."""
    total = np.asarray(logs)
    for table in tables:
        total = total[..., None] + table.reshape(len(table), *[1] * (total.ndim - 1), -1)
    return np.asarray(logsumexp(total, axis=0))
