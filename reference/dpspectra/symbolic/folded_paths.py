"""Paths that together give numbers of one known law: a fair sign times an exponential draw is a Laplace draw.

Two terms of the sum over paths fold if they differ in one number only, which has the same noise on intervals that meet,
or exponential tails of one scale that start back to back. Each data set's sum is folded by itself, and nothing is used
of how the program came to it.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np

from dpspectra.symbolic.decision_paths import Path
from dpspectra.symbolic.hockey_stick import shown_in, weight
from dpspectra.symbolic.independent_constraints import Part
from dpspectra.symbolic.laws import EXPONENTIAL, LAPLACE, LOGISTIC, NORMAL
from dpspectra.symbolic.one_run import NOISE
from dpspectra.symbolic.same_functions import SAME
from dpspectra.symbolic.single_numbers import Number

SYMMETRIC = LAPLACE, NORMAL, LOGISTIC
WEIGHTS = 1e-9
"""Difference of the log-weights of terms that are folded: the error of probabilities of decisions."""
COARSE = 1e-9
"""Unit, in scales, in which numbers are told apart before they are compared exactly."""
Choice = Callable[[float, float], float]


@dataclass(frozen=True)
class Term:
    """Independent numbers of one output, and the log-probability of the path that gives them."""

    path: Path
    numbers: tuple[Number, ...]
    log: float


def folded(paths: Iterable[Path], choice: Choice) -> list[Path]:
    """Return few paths with the same sum of densities; those with numbers that share their noise stay.

    Where weights differ by rounding ``choice`` takes one of them: the larger one bounds the sum from above.
    """
    found: list[Term] = []
    others: list[Path] = []
    for path in paths:
        one = term_of(path)
        if one is None:
            others.append(path)
        elif one.log > -math.inf:
            found.append(one)
    for k in range(max((len(t.numbers) for t in found), default=0)):
        found = _folded(found, k, choice)
    return [*others, *map(_as_path, found)]


def term_of(path: Path) -> Term | None:
    """Return the numbers of a path, if each has one continuous draw of its own, cut off by decisions."""
    numbers = shown_in(path)
    if numbers is None or len(numbers) != sum(leaf == NOISE for _, leaf in path.leaves):
        return None
    log, plain = weight(path), []
    for number in numbers:
        more, usual = _usual(number)
        log += more
        plain.append(usual)
    return Term(path, tuple(plain), log)


def _as_path(term: Term) -> Path:
    """Return a path with these numbers, each with an equation of its own and the ends of its draw."""
    found = copy.copy(term.path)
    found.points, found.parts = term.log, []
    for k, n in enumerate(term.numbers):
        ends = np.array([(-n.low, 1.0), (n.high, -1.0)])
        c, C = ends[np.isfinite(ends[:, 0])].T
        mu, B = np.array([n.mu]), np.array([[n.scale]])
        one = Part(np.array([k]), [n.law], mu, B, np.zeros(1), c, C[:, None], {})
        found.parts.append((one, (0,), np.array([k])))
    return found


def _usual(number: Number) -> tuple[float, Number]:
    """Write noise in one way: tails of exponential noise from their start on, symmetric noise with a positive scale."""
    law, mu, scale, low, high = number.law, number.mu, number.scale, number.low, number.high
    if law is EXPONENTIAL and high == math.inf:
        start = max(low, 0.0)
        return -start, Number(law, mu + scale * start, scale, 0.0, high)
    if law in SYMMETRIC and scale < 0:
        return 0.0, Number(law, mu, -scale, -high, -low)
    return 0.0, number


def _folded(terms: list[Term], k: int, choice: Choice) -> list[Term]:
    """Fold terms that differ in their ``k``-th number only."""
    groups: dict[object, list[Term]] = {}
    for term in terms:
        others = tuple(_coarse(n) for i, n in enumerate(term.numbers) if i != k)
        groups.setdefault((term.path.leaves, len(term.numbers), others), []).append(term)
    found: list[Term] = []
    for group in groups.values():
        if len(group[0].numbers) <= k:
            found += group
            continue
        kept: list[Term] = []
        for term in sorted(group, key=lambda t: _order(t.numbers[k])):
            while kept and (both := _both(kept[-1], term, k, choice)) is not None:
                kept.pop()
                term = both
            kept.append(term)
        found += kept
    return found


def _order(number: Number) -> tuple[str, float, float, float]:
    return number.law.key, abs(number.scale), number.mu, number.low


def _coarse(number: Number) -> object:
    with np.errstate(all="ignore"):
        place = float(np.round(np.float64(number.mu) / (COARSE * abs(number.scale))))
    return number.law.key, place, round(math.log(abs(number.scale)) / COARSE), number.scale > 0


def _both(first: Term, second: Term, k: int, choice: Choice) -> Term | None:
    """Return two terms as one, if they are the halves of one."""
    if not all(_same(a, b) for i, (a, b) in enumerate(zip(first.numbers, second.numbers, strict=True)) if i != k):
        return None
    a, b = first.numbers[k], second.numbers[k]
    log = choice(first.log, second.log)
    if _same(a, b):
        return replace(first, log=float(np.logaddexp(first.log, second.log)))
    if abs(first.log - second.log) > WEIGHTS or not _same_noise(a, b):
        return None
    whole = _joined(a, b)
    if whole is None:
        return None
    if whole.law is not a.law:  # each tail has the whole density of its side, the Laplace draw half of it
        log += math.log(2)
    return replace(first, numbers=(*first.numbers[:k], whole, *first.numbers[k + 1 :]), log=log)


def _joined(a: Number, b: Number) -> Number | None:
    if a.law is EXPONENTIAL and a.scale == -b.scale and _whole(a) and _whole(b):
        return Number(LAPLACE, a.mu, abs(a.scale), -math.inf, math.inf)
    if a.scale == b.scale and a.high == b.low:
        return replace(a, high=b.high)
    return None


def _same_noise(a: Number, b: Number) -> bool:
    return a.law.key == b.law.key and abs(a.mu - b.mu) <= SAME * abs(a.scale)


def _same(a: Number, b: Number) -> bool:
    return _same_noise(a, b) and (a.scale, a.low, a.high) == (b.scale, b.low, b.high)


def _whole(number: Number) -> bool:
    low, high = number.law.support
    return number.low <= low and high <= number.high
