"""Numbers with steps: multiples of whole numbers with noise, maybe with a uniform draw beside them (DPS-STEPS).

Far out each mass is a fixed factor smaller than the one before. So the ratio of two such laws with one step and one
factor repeats itself from step to step, and its largest value is found near the places where masses are irregular.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from dpspectra.ground.array_types import Floats
from dpspectra.symbolic.independent_constraints import Part, by_rounding, checked
from dpspectra.symbolic.laws import EXPONENTIAL, LAPLACE, UNIFORM, Law
from dpspectra.symbolic.likelihood import likelihood
from dpspectra.symbolic.observed_constraints import FAR
from dpspectra.symbolic.rounded_laws import EXACT, ROUNDING, SAME, RoundedLaw

MOST = 4000
"""Places at which densities are compared."""
NOTHING = 1e4
"""Nats that leave no mass in float64."""
ALIGNED = 1e-9
"""Distance, in steps, of two numbers that are a whole number of steps apart."""


@dataclass(frozen=True)
class Stepped:
    """A number ``mu + step w + width u``, of a whole number ``w`` and, if the width is not 0, a uniform draw ``u``.

    From ``high`` on each mass of ``w`` is ``e^-rate`` times the one before, and so downwards from ``low`` on.
    """

    log_density: Callable[[float], float]
    """Log-density of the number, its log-mass if it has no uniform draw."""
    mu: float
    step: float
    width: float
    low: int
    high: int
    rate: float

    def cell(self, k: int) -> tuple[float, float]:
        """Return the ends of the numbers that a whole number gives."""
        low, high = sorted((self.mu + self.step * k, self.mu + self.step * k + self.width))
        return low, high


def stepped(it: Part) -> Stepped | None:
    """Return the only number of a part, if it is such a one and its tails are known."""
    if len(it.mu) != 1 or it.together:
        return None
    used = np.flatnonzero(it.B[0]).tolist()
    whole, uniform = [k for k in used if it.laws[k].discrete], [k for k in used if it.laws[k] is UNIFORM]
    if len(whole) != 1 or len(uniform) > 1 or len(used) > len(whole) + len(uniform):
        return None
    (j,), law = whole, it.laws[whole[0]]
    around = _irregular(law)
    asked = _asked(it, j, around[2]) if around is not None else None
    if around is None or asked is None or (uniform and (asked or len(it.draws) > 2)):
        return None
    low, high, rate = around
    low, high = min([low, *(k - 1 for k in asked)]), max([high, *(k + 1 for k in asked)])
    if high - low > MOST:
        return None
    widths = [float(it.B[0, k]) for k in uniform]
    return Stepped(partial(_log_density, it), float(it.mu[0]), float(it.B[0, j]), sum(widths), low, high, rate)


def largest_loss(a: Part, b: Part) -> float:
    """Largest log-ratio of the only numbers of two parts; infinite if it is not known."""
    first, second = stepped(a), stepped(b)
    table = log_densities([first, second]) if first is not None and second is not None else None
    if table is None:
        return math.inf
    p, q = table[:, table[0] > -math.inf]
    return float(np.max(p - q))


def _log_density(it: Part, y: float) -> float:
    found = likelihood(replace(it, y=np.array([y])), (0,))
    return checked(found.value, found.error, ()).value if found.value > -math.inf else -math.inf


def _irregular(law: Law) -> tuple[int, int, float] | None:
    """Return where the lower tail of a law ends and the upper one begins, and the rate of both; ``None`` if unknown."""
    if law.name.startswith("geom ") and 0 < law.shapes[0] < 1:
        return 0, 1, -math.log1p(-law.shapes[0])
    if law.name.startswith("two-sided geometric"):
        return 0, 0, law.loss(1.0)
    if not isinstance(law, RoundedLaw):
        return None
    if law.root not in (EXPONENTIAL, LAPLACE) and not law.root.name.startswith("log of uniform"):
        return None
    ends = [*law.root.kinks, *filter(math.isfinite, law.root.support)]
    numbers = [int(ROUNDING[law.way][0](law.at + law.scale * end)) for end in ends]
    numbers += [0] if law.way == "trunc" else []  # whose cell is wider
    return min(numbers) - 1, max(numbers) + 1, 1 / abs(law.scale)


def point(number: int) -> Stepped:
    """Return a whole number without noise, which fits to any steps."""
    return Stepped(lambda y: 0.0 if round(y) == number else -math.inf, float(number), 0.0, 0.0, -1, 1, 0.0)


def _asked(it: Part, j: int, rate: float) -> list[int] | None:
    """Return whole numbers beside which a decision about one, or about what was rounded to it, changes.

    Left out are those where float64 tells no whole numbers apart and has no mass any more.
    """
    found: list[int] = []
    for c, row in zip(it.c, it.C, strict=True):
        (used,) = np.nonzero(row)
        if len(used) != 1 or (used[0] != j and (j not in it.origins or it.origins[j][1] != used[0])):
            return None
        edge, law = -float(c) / float(row[used[0]]), it.laws[j]
        if abs(edge) >= EXACT and abs(edge) * rate >= NOTHING:
            continue
        if used[0] != j:
            assert isinstance(law, RoundedLaw)
            inner = it.origins[j][0].inner
            edge = edge if inner is None else float(np.clip(inner.forward(edge), -FAR, FAR))
            if abs(edge) == FAR:
                continue
            edge = float(ROUNDING[law.way][0](law.at + law.scale * edge))
        found += [math.floor(edge), math.ceil(edge)]
    return found


def log_densities(column: Sequence[Stepped]) -> Floats | None:
    """Return the log-densities of numbers wherever their ratios may be largest; ``None`` if they have no common steps.

    Numbers without a uniform draw must lie on one grid, and have masses.
    """
    noisy = [n for n in column if n.step]
    step, rate = (abs(noisy[0].step), noisy[0].rate) if noisy else (1.0, 0.0)
    alike = all(abs(abs(n.step) - step) <= SAME * step and abs(n.rate - rate) <= SAME * rate for n in noisy)
    column = [n if n.step else replace(n, step=step) for n in column]
    if not alike or len({n.width == 0 for n in column}) > 1:
        return None
    return _of_cells(column, step) if column[0].width else _of_masses(column, step)


def _of_masses(column: Sequence[Stepped], step: float) -> Floats | None:
    places = [(n.mu - column[0].mu) / step for n in column]
    if any(not abs(p - round(p)) <= ALIGNED for p in places):
        return None
    numbers = [(n, round(p), 1 if n.step > 0 else -1) for n, p in zip(column, places, strict=True)]
    ends = [p + sign * k for n, p, sign in numbers for k in (n.low, n.high)]
    if max(ends) - min(ends) > MOST:
        return None
    wanted = range(min(ends), max(ends) + 1)
    return np.array([[n.log_density(n.mu + n.step * sign * (k - p)) for k in wanted] for n, p, sign in numbers])


def _of_cells(column: Sequence[Stepped], step: float) -> Floats | None:
    ends = [e for n in column for k in (n.low, n.low + 1, n.high - 1, n.high) for e in n.cell(k)]
    low, high = min(ends) - step, max(ends) + step
    if not (high - low) / step * len(column) <= MOST:
        return None
    knots = [low, high]
    for n in column:
        first, last = sorted((e - n.mu) / n.step for e in (low, high))
        reach = math.ceil(abs(n.width) / step) + 1
        knots += [e for k in range(math.floor(first) - reach, math.ceil(last) + reach + 1) for e in n.cell(k)]
    found = np.unique([e for e in knots if low <= e <= high])
    found = (found[:-1] + found[1:])[np.diff(found) > by_rounding(found[:-1], found[1:])] / 2
    return np.array([[n.log_density(float(y)) for y in found] for n in column])
