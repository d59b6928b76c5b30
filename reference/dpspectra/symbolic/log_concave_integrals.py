"""Rigorous integrals of functions whose logarithm is concave.

Between two nodes a concave function lies above its chord and below the chords of the neighbouring intervals. The
exponential of a line has a closed integral, so both bounds are exact up to rounding, and refinement makes them meet.
"""

import math
from collections.abc import Callable, Sequence
from math import isfinite, log

import numpy as np

from dpspectra.ground.array_types import Floats

DROP = 80.0
"""How far the logarithm falls below its largest value before the tail is bounded in one piece, in nats."""
GAP = 3e-8
"""Relative gap of both bounds at which refinement ends."""
ROUNDS = 30
MOST_NODES = 200_000
APART, UNITS = 1e-9, 1e-12
"""Smallest distance of two nodes, relative to the scale and to their size: between nearer ones slopes are rounding."""
ROUNDING = 2.0**-48
"""Error of a value, relative to the larger of its size and 1, and of a node, relative to its size."""


def _under_line(first: Floats, second: Floats, width: Floats) -> Floats:
    """Log of the integral of the exponential of a line with these ends."""
    high, low = np.maximum(first, second), np.minimum(first, second)
    fall = high - low
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.where(fall > 1e-8, -np.expm1(-fall) / np.where(fall > 1e-8, fall, 1.0), 1 - fall / 2)
        return np.where(np.isneginf(high), -np.inf, high + np.log(mean) + np.log(width))


def log_concave(
    height: Callable[[Floats], Floats], low: float, high: float, knots: Sequence[float], scale: float
) -> tuple[float, float] | None:
    """Bounds on the log of the integral of ``exp(height)`` from ``low`` to ``high``.

    ``knots`` are points where the function may have a kink, and near which its mass lies, ``scale`` is its smallest
    scale. Returns ``None`` if no bounds are found. An end may be infinite.
    """
    inner = sorted({k for k in knots if low < k < high})
    base = inner or [low if isfinite(low) else high if isfinite(high) else 0.0]
    steps = scale * 2.0 ** np.arange(-4, 60, 1.0)
    reach = np.concatenate([[0.0], steps[steps < 1e12 * max(1.0, scale)]])
    nodes = np.unique(np.concatenate([np.array(inner), *(b + s * reach for b in base for s in (1, -1))]))
    nodes = nodes[(nodes > low) & (nodes < high)]
    ends = [e for e in (low, high) if isfinite(e)]
    nodes = _apart(np.unique(np.concatenate([nodes, ends])), scale)
    if len(nodes) < 2:
        return None
    with np.errstate(all="ignore"):
        values = np.asarray(height(nodes), dtype=float)
    for _ in range(ROUNDS):
        if np.any(np.isnan(values)) or np.any(np.isposinf(values)):
            return None
        finite = np.flatnonzero(np.isfinite(values))
        if not len(finite):
            return -math.inf, -math.inf
        top = float(np.max(values[finite]))
        keep = values > top - 4 * DROP
        first, last = np.flatnonzero(keep)[[0, -1]]
        first, last = max(first - 1, 0), min(last + 1, len(nodes) - 1)
        nodes, values = nodes[first : last + 1], values[first : last + 1]
        lower, upper = _bounds(nodes, values, low, high)
        if np.any(upper < lower - APART):  # then the function is not concave, or its values are not what they should be
            return None
        upper = np.maximum(upper, lower)
        total = np.logaddexp.reduce(lower)
        above = np.logaddexp.reduce(upper)
        if above - total < GAP:
            return float(total), float(above)
        with np.errstate(all="ignore"):
            excess = np.exp(np.minimum(upper[1:-1] - above, 700)) - np.exp(lower[1:-1] - above)
        if not np.all(np.isfinite(excess)):
            return None
        wanted = np.flatnonzero(excess > max(GAP / (4 * len(nodes)), float(np.max(excess)) * 1e-4))
        if not len(wanted) or len(nodes) + len(wanted) > MOST_NODES:
            break
        new = (nodes[wanted] + nodes[wanted + 1]) / 2
        new = new[np.minimum(new - nodes[wanted], nodes[wanted + 1] - new) > _least(new, nodes, scale)]
        if not len(new):
            break
        with np.errstate(all="ignore"):
            found = np.asarray(height(new), dtype=float)
        order = np.argsort(np.concatenate([nodes, new]), kind="stable")
        nodes, values = np.concatenate([nodes, new])[order], np.concatenate([values, found])[order]
    return float(total), float(above)


def _apart(nodes: Floats, scale: float) -> Floats:
    """Leave out nodes that are too near to another one, but neither end: bounds hold between any nodes."""
    kept = list(nodes[:1])
    for node, least in zip(nodes[1:], _least(nodes[1:], nodes, scale), strict=True):
        if node - kept[-1] > least and nodes[-1] - node > least:
            kept.append(node)
    return np.array([*kept, *nodes[-1:]]) if len(nodes) > 1 else nodes


def _least(places: Floats, nodes: Floats, scale: float) -> Floats:
    """Return the smallest distance from a place at which there may be another node."""
    return np.maximum(APART * min(scale, nodes[-1] - nodes[0]), UNITS * np.abs(places))


def _bounds(nodes: Floats, values: Floats, low: float, high: float) -> tuple[Floats, Floats]:
    """Lower and upper bounds of each interval, with the two tails in front and behind."""
    width = np.diff(nodes)
    lower = _under_line(values[:-1], values[1:], width)
    with np.errstate(all="ignore"):
        slope, size = np.diff(values) / width, np.maximum(np.abs(values), 1)
        far = np.maximum(np.abs(nodes[1:]), np.abs(nodes[:-1]))
        error = ROUNDING * (size[1:] + size[:-1] + far * np.abs(slope)) / width
        rise, fall = slope[0] - error[0], -slope[-1] - error[-1]
        upper = np.minimum(
            _from_left(values, slope + error, width), _from_left(values[::-1], (error - slope)[::-1], width[::-1])[::-1]
        )
    tails = []
    for edge, end, s in ((nodes[0], low, rise), (nodes[-1], high, fall)):
        value = values[0] if edge == nodes[0] else values[-1]
        if edge == end or np.isneginf(value):
            tails.append(-np.inf)
        elif s > 0:
            tails.append(value - log(s))
        else:
            tails.append(np.inf)
    nothing = np.array([-np.inf])
    return (
        np.concatenate([nothing, lower, nothing]),
        np.concatenate([[tails[0]], upper, [tails[1]]]),
    )


def _from_left(values: Floats, slope: Floats, width: Floats) -> Floats:
    """Bound by the chord of the interval before, continued; infinite where there is none."""
    with np.errstate(all="ignore"):
        end = values[1:-1] + slope[:-1] * width[1:]
        bound = _under_line(values[1:-1], end, width[1:])
    bound = np.where(np.isfinite(values[:-2]) & np.isfinite(values[1:-1]), bound, np.inf)
    return np.concatenate([[np.inf], bound])
