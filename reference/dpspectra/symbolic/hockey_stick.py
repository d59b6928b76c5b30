"""Exact deltas where one number holds noise: the integral of what one density exceeds ``e^epsilon`` times another by.

For noise with a concave log-density, moved and cut off anywhere, the ratio of both densities is monotone where both
are positive, so the integral runs over a half-line of that and over what only the first data set can give.
"""

import contextlib
import math
from collections.abc import Sequence
from dataclasses import replace
from math import exp, fsum, isfinite

import numpy as np

from dpspectra.symbolic.decision_paths import Path
from dpspectra.symbolic.independent_constraints import Part
from dpspectra.symbolic.interval_odds import interval, log_mass
from dpspectra.symbolic.laws import UNIFORM
from dpspectra.symbolic.likelihood import likelihood
from dpspectra.symbolic.observed_constraints import Unsolved
from dpspectra.symbolic.single_numbers import Number
from dpspectra.symbolic.stretched_numbers import STRETCHED, of_stretched

ALIKE = 1e-6
"""Difference of the log-weights of two intervals that are joined."""
Matched = tuple[Path, Path | None, float]
"""A path, its replay on the other data set if it has one, and the largest loss of both."""
STEPS = 200
"""Halvings of an interval in which the ratio of two densities passes a level."""
MOST_CELLS = 2000
"""Whole numbers that are listed of a discrete draw beside a uniform one."""


def alike(first: Number, second: Number) -> bool:
    """Whether two numbers have noise of one law with a concave log-density, and of one scale if it must be."""
    same = first.law.key == second.law.key and first.law.concave
    return same and (first.law in STRETCHED or abs(first.scale - second.scale) <= 1e-12 * abs(first.scale))


def of_numbers(first: Number, second: Number, epsilon: float) -> float:
    """Return the integral for two numbers that are `alike`."""
    if first.law in STRETCHED and first.scale != second.scale:
        return of_stretched(first, second, epsilon)
    (a, b), (c, d) = first.ends, second.ends
    low, high = max(a, c), min(b, d)
    if not low < high:
        return first.mass(a, b)
    alone = (first.mass(a, low) if a < low else 0.0) + (first.mass(high, b) if high < b else 0.0)
    return alone + _beyond(first, second, epsilon, low, high)


def _beyond(first: Number, second: Number, epsilon: float, low: float, high: float) -> float:
    """Integrate where both densities are positive."""
    reach = 1e3 * abs(first.scale)
    at = [max(low, min(first.mu, second.mu) - reach), min(high, max(first.mu, second.mu) + reach)]
    inside = (at[1] - at[0]) * 1e-9

    def excess(y: float) -> float:
        return first.log_density(y) - second.log_density(y) - epsilon

    ends = excess(at[0] + inside), excess(at[1] - inside)
    if max(ends) <= 0:
        return 0.0
    if min(ends) > 0:
        return max(first.mass(low, high) - exp(epsilon) * second.mass(low, high), 0.0)
    rising = ends[1] > 0
    below, above = at
    for _ in range(STEPS):
        middle = (below + above) / 2
        if (excess(middle) > 0) == rising:
            above = middle
        else:
            below = middle
    part = (above, high) if rising else (low, below)
    return max(first.mass(*part) - exp(epsilon) * second.mass(*part), 0.0)


def shown_in(path: Path, among: Sequence[int] | None = None) -> tuple[Number, ...] | None:
    """Return the numbers that hold noise in the output of a path, if each has a continuous draw of its own.

    If numbers of values are given, others are left out, which must be alike on both data sets.
    """
    found = [alone(it) for it in showing(path, among)]
    return None if None in found else tuple(n for n in found if n is not None)


def showing(path: Path, among: Sequence[int] | None = None) -> list[Part]:
    """Return the parts of a path that its output shows, in order; others than these numbers may be left out."""
    shown = {int(these[0]): (it, set(these.tolist())) for it, _, these in path.parts if len(these)}
    in_order = [shown[k] for k in sorted(shown)]
    return [it for it, these in in_order if among is None or not these.isdisjoint(among)]


def alone(it: Part) -> Number | None:
    """Return the number of a part; decisions may ask about its draw, or about what that was computed from."""
    if len(it.mu) != 1:
        return None
    (columns,) = np.nonzero(it.B[0])
    if len(columns) != 1 or it.laws[columns[0]].discrete or it.laws[columns[0]].joint is not None:
        return None
    column = int(columns[0])
    low, high = -math.inf, math.inf
    if len(it.draws) == 1:
        low, high = interval(it) if len(it.c) else (low, high)
    elif len(it.draws) == 2 and column in it.origins:
        ends = _of_root(it, column)
        if ends is None:
            return None
        low, high = ends
    else:
        return None
    return Number(it.laws[column], float(it.mu[0]), float(it.B[0, column]), low, high)


def _of_root(it: Part, column: int) -> tuple[float, float] | None:
    """Return the interval of a computed draw that inequalities of it and of its root leave."""
    origin, root = it.origins[column]
    own, asked = it.C[:, column] != 0, it.C[:, root] != 0
    if origin.rising is None or root == column or np.any(own & asked):
        return None
    (low, high), (least, most) = interval(replace(it, c=it.c[asked], C=it.C[asked][:, [root]])), it.laws[root].support
    low, high = max(low, least), min(high, most)
    if not (low < high and isfinite(low) and isfinite(high)):
        return None
    with np.errstate(all="ignore"):
        low, high = sorted(origin.forward(e) for e in (low, high))
    first, last = interval(replace(it, c=it.c[own], C=it.C[own][:, [column]]))
    return None if math.isnan(low) or math.isnan(high) else (max(low, first), min(high, last))


def number_of(path: Path, among: Sequence[int] | None = None) -> Number | None:
    """Return the only number that holds noise in the output of a path, as `shown_in` does, if there is one."""
    numbers = shown_in(path, among)
    return replace(numbers[0], log=weight(path)) if numbers is not None and len(numbers) == 1 else None


def weight(path: Path) -> float:
    """Return the log-probability of the decisions of a path that do not share noise with its output."""
    hidden = [it for it, _, equations in path.parts if not len(equations)]
    return path.points + fsum(likelihood(it, ()).value for it in hidden)


def mass_of(path: Path) -> float:
    """Probability of a path, or a bound on it: that of its decisions."""
    log = path.points
    for it, _, _ in path.parts:
        asked = np.flatnonzero(np.any(it.C != 0, axis=0))
        if len(asked) and not (it.origins or it.together):
            none = np.zeros(0)
            laws = [it.laws[k] for k in asked]
            decisions = Part(it.draws[asked], laws, none, np.zeros((0, len(asked))), none, it.c, it.C[:, asked], {})
            with contextlib.suppress(Unsolved):
                log += likelihood(decisions, ()).value
    return exp(min(log, 0.0))


def steps_of(path: Path) -> list[Number] | None:
    """Return a density that is constant on intervals: that of a uniform draw, and maybe a discrete one beside it."""
    one = number_of(path)
    if one is not None:
        return [one] if one.law is UNIFORM else None
    shown = [it for it, _, equations in path.parts if len(equations)]
    if len(shown) != 1 or len(shown[0].mu) != 1 or len(shown[0].c) or shown[0].origins:
        return None
    (it,) = shown
    uniform = [k for k, law in enumerate(it.laws) if law is UNIFORM]
    whole = [k for k, law in enumerate(it.laws) if law.discrete]
    if len(uniform) != 1 or len(whole) != 1 or len(it.laws) != 2:
        return None
    return _of_cells(it, whole[0], uniform[0], weight(path))


def _of_cells(it: Part, whole: int, uniform: int, log: float) -> list[Number] | None:
    law, scale, step = it.laws[whole], float(it.B[0, uniform]), float(it.B[0, whole])
    start = law.support[0]
    if not isfinite(start):
        return None
    numbers = start + np.arange(MOST_CELLS)
    with np.errstate(all="ignore"):
        logs = np.asarray(law.log_density(numbers), dtype=float)
    if 1 - float(np.sum(np.exp(logs))) > 1e-14:
        return None
    places = float(it.mu[0]) + step * numbers
    cells = zip(places.tolist(), logs.tolist(), strict=True)
    return [Number(UNIFORM, mu, scale, 0.0, 1.0, log + one) for mu, one in cells if exp(one) > 0]


def of_steps(first: Sequence[Number], second: Sequence[Number], epsilon: float) -> float:
    """Integrate where both densities are constant on intervals."""
    knots = np.unique([e for n in (*first, *second) for e in n.ends])
    difference = np.zeros(len(knots))
    for steps, factor in ((first, 1.0), (second, -exp(epsilon))):
        for n in steps:
            low, high = n.ends
            difference[np.searchsorted(knots, low) : np.searchsorted(knots, high)] += factor * exp(n.log) / abs(n.scale)
    return float(np.sum(np.maximum(difference[:-1], 0.0) * np.diff(knots)))


def excess(matched: Sequence[Matched], epsilon: float) -> float:
    """Bound delta from above: for the same output what its paths exceed together, else what each of them does."""
    groups: dict[object, list[Matched]] = {}
    for one in matched:
        groups.setdefault(one[0].leaves, []).append(one)
    return fsum(_of_group(group, epsilon) for group in groups.values())


def _of_group(group: list[Matched], epsilon: float) -> float:
    partners = [theirs for _, theirs, _ in group if theirs is not None and theirs.leaves == group[0][0].leaves]
    mine, yours = [steps_of(p) for p, _, _ in group], [steps_of(p) for p in partners]
    if all(s is not None for s in (*mine, *yours)):
        return of_steps([x for s in mine if s for x in s], [x for s in yours if s for x in s], epsilon)
    forms: dict[tuple[object, ...], tuple[list[Number], list[Number]]] = {}
    total = []
    for path, theirs, bound in group:
        if bound <= epsilon:
            continue
        if theirs is not None and path.leaves == theirs.leaves and not showing(path) and not showing(theirs):
            total.append(max(exp(weight(path)) - exp(epsilon + weight(theirs)), 0.0))
            continue
        pair = _one_differs(path, theirs)
        if pair is None:
            one = number_of(path)
            total.append(mass_of(path) if one is None else one.mass(*one.ends))
            continue
        first, second = pair
        form = tuple(x for n in (first, second) for x in (n.law.key, n.mu, n.scale, n.low, n.high))
        several = forms.setdefault(form, ([], []))
        several[0].append(first)
        several[1].append(second)
    for a, b in _joined([(_together(firsts), _together(seconds)) for firsts, seconds in forms.values()]):
        total.append(of_numbers(a, b, epsilon) if alike(a, b) else a.mass(*a.ends))
    return fsum(total)


def _one_differs(path: Path, theirs: Path | None) -> tuple[Number, Number] | None:
    """Return the only number that differs on both data sets; all that is alike counts with its probability."""
    if theirs is None or theirs.leaves != path.leaves:
        return None
    mine, yours = shown_in(path), shown_in(theirs)
    if not mine or yours is None or len(mine) != len(yours):
        return None
    k, *more = [k for k, (a, b) in enumerate(zip(mine, yours, strict=True)) if a != b] or [0]
    if more:
        return None
    others = fsum(log_mass(n.law, n.low, n.high) for i, n in enumerate(mine) if i != k)
    if others == -math.inf:
        return None
    return replace(mine[k], log=weight(path) + others), replace(yours[k], log=weight(theirs) + others)


def _joined(pairs: list[tuple[Number, Number]]) -> list[tuple[Number, Number]]:
    """Join intervals of the same noise that meet on both data sets and weigh alike, such as those of both signs."""
    found: list[tuple[Number, Number]] = []
    for a, b in sorted(pairs, key=lambda pair: (pair[0].mu, pair[0].scale, pair[0].low)):
        before = found[-1] if found else None
        if before is not None and _meet(before[0], a) and _meet(before[1], b):
            logs = max(before[0].log, a.log), min(before[1].log, b.log)  # above the first, below the second density
            found[-1] = replace(before[0], high=a.high, log=logs[0]), replace(before[1], high=b.high, log=logs[1])
        else:
            found.append((a, b))
    return found


def _meet(one: Number, other: Number) -> bool:
    same = (one.law.key, one.mu, one.scale, one.high) == (other.law.key, other.mu, other.scale, other.low)
    return same and abs(one.log - other.log) < ALIKE


def _together(several: list[Number]) -> Number:
    return replace(several[0], log=float(np.logaddexp.reduce([n.log for n in several])))
