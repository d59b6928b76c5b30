"""Laws of whole numbers that a walked text gives: geometric ones, two-sided ones, and others by their masses.

A law is exact if nothing was lost on the way. Then its values are single ones and rays, on each of which masses fall by
one ratio; so a law whose masses fall by one rate over a period of all rays does so for ever. All that is lost is
added to both tails of any other law: it is never cut.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from math import fsum, log
from typing import Any

import numpy as np

from dpspectra.symbolic.drawn_numbers import listed
from dpspectra.symbolic.laws import Law, of_name
from dpspectra.symbolic.rounded_laws import two_sided_geometric
from dpspectra.symbolic.text_worlds import LEAST, Drawn, Ray, Ways, then
from dpspectra.symbolic.unknown_numbers import Some

NEAR = 1e-12
"""Relative difference of numbers that is rounding."""
MOST_LOST = 1e-27
"""Probability that may be lost; `whole_hockey_stick` looks that far into tails."""
MOST_NUMBERS = 20_000
MOST_POINTS = 16
"""Values that are listed, if there are no others."""
KINDS = (int, float, np.int64, np.float64)


@dataclass(frozen=True)
class Found:
    """The law of a returned value: ``at + step * w``, with a law of the whole number ``w``, or a list of values."""

    at: Any = 0
    step: int = 1
    law: Law | None = None
    values: tuple[Any, ...] = ()
    chances: tuple[float, ...] = ()
    is_whole: bool = True
    """Whether nothing was lost on the way; what was may tell anything."""


def found_law(ways: Ways) -> Found | None:
    """Return the law of the values of some worlds; ``None`` if it is none of these."""
    ways = then(ways, lambda w: listed(w, w.stack[0]) if type(w.stack[0]) is Drawn else [(1.0, w)])
    worlds = [(w, world.stack[0], world.laws) for w, world in ways if world and type(world.stack[0]) is not Some]
    lost = fsum(w for w, world in ways if world is None or type(world.stack[0]) is Some)
    single = [(v, weight) for weight, v, laws in worlds if not laws]
    rays = [(v, weight, laws[v.draw].ratio) for weight, v, laws in worlds if type(v) is Ray]
    if len(single) + len(rays) < len(worlds) or lost > MOST_LOST:
        return None
    if len(worlds) == len(single) == 1 and not lost:
        return None  # nothing is drawn
    if not rays and not lost and len(single) <= MOST_POINTS:
        ordered = sorted(single, key=lambda one: repr(one[0])) if len({v for v, _ in single}) == len(single) else []
        return Found(values=tuple(v for v, _ in ordered), chances=tuple(w for _, w in ordered)) if ordered else None
    kinds = {type(v) for v, _ in single} | {ray.kind for ray, _, _ in rays}
    if len(kinds) != 1 or not kinds <= set(KINDS):
        return None
    return _of_numbers(single, rays, lost)


def _of_numbers(single: list[Any], rays: list[tuple[Ray, float, float]], lost: float) -> Found | None:
    first = max(rays, key=lambda ray: ray[1], default=(Ray(0, 0, 1), 0.0, 0.0))[0]
    at = max(single, key=lambda one: one[1])[0] if single else first.kind(first.start)
    masses: dict[int, float] = {}
    for value, weight in single:
        k = value - at
        if abs(k - round(k)) > 1e-9 or abs(k) > MOST_NUMBERS:
            return None
        masses[round(k)] = masses.get(round(k), 0.0) + weight
    if rays and not lost:
        exact = _exact(masses, [(r.start - at, r.step, w * (1 - q), q) for r, w, q in rays])
        if exact is not None:
            return Found(at + exact[0], exact[1], exact[2])
    for ray, weight, ratio in rays:
        k, mass = ray.start - at, weight * (1 - ratio)
        while mass > LEAST:
            masses[k] = masses.get(k, 0.0) + mass
            k, mass = k + ray.step, mass * ratio
            if len(masses) > MOST_NUMBERS:
                return None
        lost += mass / (1 - ratio)
    return Found(at, 1, table(masses, lost), is_whole=not lost) if lost <= MOST_LOST else None


def _exact(masses: dict[int, float], rays: list[tuple[int, int, float, float]]) -> tuple[int, int, Law] | None:
    """Return place, step and law of a geometric number of one side or two, if it is one."""
    up, down = (any((step > 0) == rising for _, step, _, _ in rays) for rising in (True, False))
    rate = -log(rays[0][3]) / abs(rays[0][1])
    if any(abs(-log(q) / abs(step) - rate) > NEAR * rate for _, step, _, q in rays):
        return None
    period = math.lcm(*(step for _, step, _, _ in rays))
    ends = [*masses, *(start for start, _, _, _ in rays)]
    low, high = min(ends) - (period if down else 0), max(ends) + (period if up else 0)
    if high - low > MOST_NUMBERS:
        return None
    found = np.zeros(high - low + 1)
    for k, mass in masses.items():
        found[k - low] += mass
    for start, step, mass, ratio in rays:
        reach = (high - start if step > 0 else start - low) // abs(step)
        found[start - low : None : step][: reach + 1] += mass * ratio ** np.arange(reach + 1)
    rate = float(f"{rate:.13g}")  # what is left is rounding
    return _named(found, low, rate, up, down)


def _named(found: Any, low: int, rate: float, up: bool, down: bool) -> tuple[int, int, Law] | None:
    (used,) = np.nonzero(found)
    step = int(np.gcd.reduce(np.diff(used))) if len(used) > 1 else 0
    if not step or np.any(np.diff(used) != step):
        return None
    logs = np.log(found[used])
    centre = int(np.argmax(logs)) if up and down else 0 if up else len(logs) - 1
    places = np.arange(len(logs)) - centre
    if np.max(np.abs(logs - logs[centre] + rate * step * np.abs(places))) > NEAR * 100:
        return None
    at = low + int(used[centre])
    if up and down:
        return at, step, two_sided_geometric(rate * step)
    sign = step if up else -step
    return at - sign, sign, of_name("geom", -math.expm1(-rate * step))


def table(masses: dict[int, float], lost: float) -> Law | None:
    """Return a law by its masses; where it has none, and in both tails, is what was lost."""
    low, high = min(masses), max(masses)
    if high - low > MOST_NUMBERS:
        return None
    found = np.array([masses.get(k, 0.0) for k in range(low, high + 1)])
    rest = lost
    with np.errstate(all="ignore"):
        logs = np.log(np.maximum(found, rest))
        slack = NEAR * 100 + 8 * rest * np.exp(-np.minimum.reduce([logs[:-2], logs[1:-1], logs[2:]]))
        concave = bool(np.all(np.diff(logs, 2) <= slack))
        none = float(np.log(rest))
        below, above = (np.log(np.minimum(np.cumsum(one) + rest, 1.0)) for one in (found, found[::-1]))

    def of(inner: Any, ends: tuple[float, float]) -> Any:
        def called(z: Any) -> Any:
            k = np.floor(np.asarray(z, dtype=float)) - low
            known = inner[np.clip(k, 0, len(inner) - 1).astype(int)]
            return np.where(k < 0, ends[0], np.where(k >= len(inner), ends[1], known))

        return called

    return Law(
        f"drawn by a loop {hashlib.sha256(found.tobytes() + bytes(str(low), 'ascii')).hexdigest()[:16]}",
        of(logs, (none, none)),
        of(below, (none, 0.0)),
        of(np.append(above[::-1][1:], none), (0.0, none)),
        lambda rng, n: rng.choice(np.arange(low, high + 1), n, p=found / fsum(found)).astype(float),
        concave=concave,
        discrete=True,
        loss=lambda shift: 0.0 if shift == 0 else math.inf,
        title="noise of a loop",
    )
