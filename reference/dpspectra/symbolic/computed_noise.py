"""Noise computed from noise: an invertible function of numbers with one draw each gives a draw of a known law.

The new draw is a function of the old one, its root. Its density is that of the root at the inverse image, times the
derivative of the inverse. A function counts as invertible only on the range that its argument has, given the support
of the root and what was decided of it; nothing is inverted across branches.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite, log
from typing import Any

import numpy as np

from dpspectra.symbolic import quantiles
from dpspectra.symbolic.laws import EXPONENTIAL, LAPLACE, RATIO, ROOTED, Law
from dpspectra.symbolic.noisy_numbers import Noisy, made
from dpspectra.symbolic.origins import Origin, law_of, single
from dpspectra.symbolic.tape import BITS, Tape, current


@dataclass(frozen=True)
class Inverse:
    """How a function is inverted on an interval: the inverse, and the log of the derivative of the inverse."""

    low: float
    high: float
    image: tuple[float, float]
    inverse: Callable[[Any], Any]
    log_slope: Callable[[Any], Any]
    rising: bool = True


INVERSES: dict[Any, Inverse] = {
    np.log: Inverse(0.0, math.inf, (-math.inf, math.inf), np.exp, lambda w: w),
    np.exp: Inverse(-math.inf, math.inf, (0.0, math.inf), np.log, lambda w: -np.log(w)),
    np.sqrt: Inverse(0.0, math.inf, (0.0, math.inf), np.square, lambda w: np.log(2 * w)),
    np.log1p: Inverse(-1.0, math.inf, (-math.inf, math.inf), np.expm1, lambda w: w),
    np.expm1: Inverse(-math.inf, math.inf, (-1.0, math.inf), np.log1p, lambda w: -np.log1p(w)),
    np.arctan: Inverse(
        -math.inf, math.inf, (-math.pi / 2, math.pi / 2), np.tan, lambda w: -2 * np.log(np.abs(np.cos(w)))
    ),
    np.tan: Inverse(-math.pi / 2, math.pi / 2, (-math.inf, math.inf), np.arctan, lambda w: -np.log1p(np.square(w))),
    np.cos: Inverse(0.0, math.pi, (-1.0, 1.0), np.arccos, lambda w: -np.log1p(-np.square(w)) / 2, rising=False),
}


def function_of(function: Any, x: Noisy) -> Any:
    """Return a function of numbers that have one draw each, as draws of their own; ``None`` if that cannot be done."""
    factor = {np.log2: 1 / log(2), np.log10: 1 / log(10)}.get(function, 1.0)
    function = np.log if factor != 1.0 else function
    tape = current()
    ones = single(tape, x)
    if ones is None:
        return None
    found = [_derived(tape, function, m, c, j) for _, j, m, c in ones]
    if any(f is None for f in found):
        return None
    values = []
    for f in found:
        assert f is not None
        law, origin, shift, sign, value = f
        first = tape.block(law, np.array([value]), origin)
        values.append((shift, first, sign))
    shape = x.shape
    return made(
        tape,
        np.array([factor * v[0] for v in values]).reshape(shape),
        np.array([v[1] for v in values]).reshape(1, *shape),
        np.array([factor * v[2] for v in values]).reshape(1, *shape),
    )


def _derived(tape: Tape, function: Any, mu: float, coefficient: float, draw: int) -> Any:
    """Law, origin, shift and sign of one computed draw, and its value in this run."""
    block, how = law_of(tape, draw), INVERSES.get(function)
    law = block.law
    known = quantiles.derived(function, law, mu, coefficient, draw)
    if known is not None:
        return (*known, known[1].forward(block.values[draw - block.start]))
    if how is None or law.discrete or not isfinite(mu):
        return None
    if law is RATIO and function is np.log and mu == 0 and coefficient > 0:
        origin = _origin(function, how, mu, coefficient, draw, log(coefficient))
        return LAPLACE, origin, log(coefficient), 1.0, origin.forward(block.values[draw - block.start])
    if law is EXPONENTIAL and function is np.sqrt and mu == 0 and coefficient > 0:
        root = lambda v: math.sqrt(abs(v))  # noqa: E731
        origin = Origin(("root",), (draw,), root, lambda w: (w * w,), True, (0.0, math.inf))
        return ROOTED, origin, 0.0, math.sqrt(coefficient), origin.forward(block.values[draw - block.start])
    ends = _moved(law.support, mu, coefficient)
    if ends[0] < how.low or ends[1] > how.high:  # what was decided so far may leave less of the support
        ends = _moved(range_of(tape, draw), mu, coefficient)
        if ends[0] < how.low or ends[1] > how.high:
            return None
    elif law.name == "uniform" and function in (np.log, np.log1p) and ends[0] == how.low:
        # log of a uniform number on (0, c) is log c minus an exponential one
        shift = log(ends[1] - how.low)
        origin = _origin(function, how, mu, coefficient, draw, shift, -1.0)
        return EXPONENTIAL, origin, shift, -1.0, origin.forward(block.values[draw - block.start])
    origin = _origin(function, how, mu, coefficient, draw)
    name = f"{function.__name__} of {law.name} {mu!r} {coefficient!r}"
    support = sorted(
        edge if out else float(function(end))
        for end, edge, out in zip(
            ends, how.image if how.rising else how.image[::-1], (ends[0] <= how.low, ends[1] >= how.high), strict=True
        )
    )
    made = _law(name, law, how, mu, coefficient, (support[0], support[1]))
    return made, origin, 0.0, 1.0, origin.forward(block.values[draw - block.start])


def _moved(support: tuple[float, float], mu: float, coefficient: float) -> list[float]:
    return sorted(mu + coefficient * end if isfinite(end) else coefficient * end for end in support)


def _origin(
    function: Any, how: Inverse, mu: float, coefficient: float, root: int, shift: float = 0.0, sign: float = 1.0
) -> Origin:
    """Return the origin of ``sign * (function(mu + coefficient * root) - shift)``."""

    def forward(value: Any) -> float:
        with np.errstate(all="ignore"):
            return sign * (float(function(mu + coefficient * value)) - shift)

    def backward(value: float) -> tuple[float, ...]:
        with np.errstate(all="ignore"):
            return (float((how.inverse(shift + sign * value) - mu) / coefficient),)

    low, high = sorted(sign * (end - shift) for end in how.image)
    key = function.__name__, mu, coefficient, shift, sign
    return Origin(key, (root,), forward, backward, ((coefficient > 0) == how.rising) == (sign > 0), (low, high))


def range_of(tape: Tape, draw: int) -> tuple[float, float]:
    """Return what the comparisons of this run so far leave of the support of a draw."""
    low, high = law_of(tape, draw).law.support
    for event in tape.events:
        if event.kind != BITS:
            continue
        for k, positive in enumerate(event.outcome):
            f = event.rows.coefficient[:, k]
            used = event.rows.draw[f != 0, k]
            if len(used) != 1 or used[0] != draw:
                continue
            factor = float(f[f != 0][0])
            edge = -float(event.rows.mu[k]) / factor
            if (factor > 0) == bool(positive):
                low = max(low, edge)
            else:
                high = min(high, edge)
    return low, high


def _law(name: str, root: Law, how: Inverse, mu: float, coefficient: float, support: tuple[float, float]) -> Law:
    low, high = how.image

    def at(w: Any) -> Any:
        with np.errstate(all="ignore"):
            return (how.inverse(w) - mu) / coefficient

    def log_density(w: Any) -> Any:
        w = np.asarray(w, dtype=float)
        with np.errstate(all="ignore"):
            value = root.log_density(at(w)) + how.log_slope(w) - log(abs(coefficient))
        return np.where((w > low) & (w < high), value, -np.inf)

    tails = (root.lower, root.upper) if (coefficient > 0) == how.rising else (root.upper, root.lower)

    def tail(function: Callable[[Any], Any], below: float, above: float) -> Callable[[Any], Any]:
        return lambda w: np.where(w <= low, below, np.where(w >= high, above, function(at(np.clip(w, low, high)))))

    lower, upper = tail(tails[0], -math.inf, 0.0), tail(tails[1], 0.0, -math.inf)
    return Law(name, log_density, lower, upper, _cannot, support=support)


def _cannot(rng: Any, n: Any) -> Any:
    raise AssertionError("a computed draw is not sampled")
