"""Noise computed from noise: an invertible function of numbers with one draw each gives a draw of a known law.

The new draw is a function of the old one, its root. Its density is that of the root at the inverse image, times the
derivative of the inverse. A function counts as invertible only on the range that its argument has, given the support
of the root; nothing is inverted across branches.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpspectra.symbolic.laws import EXPONENTIAL, Law
from dpspectra.symbolic.tape import Block, Tape, current
from dpspectra.symbolic.values import Noisy, fresh, made, rows_of


@dataclass(frozen=True)
class Inverse:
    """How a function is inverted on an interval: the inverse, and the log of the derivative of the inverse."""

    low: float
    high: float
    image: tuple[float, float]
    inverse: Callable[[Any], Any]
    log_slope: Callable[[Any], Any]


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
}


@dataclass(frozen=True)
class Origin:
    """Where a computed draw comes from: ``draw = function(mu + coefficient * root)``."""

    root: int
    mu: float
    coefficient: float
    inverse: Callable[[Any], Any]

    def root_at(self, value: float) -> float:
        """Return the value of the root that gives this value of the computed draw."""
        return float((self.inverse(value) - self.mu) / self.coefficient)


def law_of(tape: Tape, draw: int) -> Block:
    """Return the block that a draw belongs to."""
    starts = [b.start for b in tape.blocks]
    return tape.blocks[int(np.searchsorted(starts, draw, side="right")) - 1]


def function_of(function: Any, x: Noisy) -> Any:
    """Return a function of numbers that have one draw each, as draws of their own; ``None`` if that cannot be done."""
    factor = {np.log2: 1 / math.log(2), np.log10: 1 / math.log(10)}.get(function, 1.0)
    function = np.log if factor != 1.0 else function
    tape, rows = current(), rows_of(x)
    used = np.count_nonzero(rows.coefficient, axis=0)
    if not x.size or np.any(used != 1) or x.size > 1000:
        return None
    slot = np.argmax(rows.coefficient != 0, axis=0)
    numbers = np.arange(x.size)
    draws, coefficients = rows.draw[slot, numbers], rows.coefficient[slot, numbers]
    found = [
        _derived(tape, function, float(m), float(c), int(j))
        for m, c, j in zip(rows.mu, coefficients, draws, strict=True)
    ]
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
    if how is None or law.discrete or not math.isfinite(mu):
        return None
    ends = sorted(mu + coefficient * end if math.isfinite(end) else coefficient * end for end in law.support)
    if ends[0] < how.low or ends[1] > how.high:
        return None
    root = block.values[draw - block.start]
    if law.name == "uniform" and function in (np.log, np.log1p) and ends[0] == how.low:
        # log of a uniform number on (0, c) is log c minus an exponential one
        shift = math.log(ends[1] - how.low)
        inverse = _exponential(how, shift)
        with np.errstate(all="ignore"):
            value = shift - float(function(mu + coefficient * root))
        return EXPONENTIAL, Origin(draw, mu, coefficient, inverse), shift, -1.0, value
    with np.errstate(all="ignore"):
        value = float(function(mu + coefficient * root))
    name = f"{function.__name__} of {law.name} {mu!r} {coefficient!r}"
    support = (
        how.image[0] if ends[0] <= how.low else float(function(ends[0])),
        how.image[1] if ends[1] >= how.high else float(function(ends[1])),
    )
    made = _law(name, law, how, mu, coefficient, support)
    return made, Origin(draw, mu, coefficient, how.inverse), 0.0, 1.0, value


def _exponential(how: Inverse, shift: float) -> Callable[[Any], Any]:
    return lambda w: how.inverse(shift - w)


def _law(name: str, root: Law, how: Inverse, mu: float, coefficient: float, support: tuple[float, float]) -> Law:
    low, high = how.image

    def at(w: Any) -> Any:
        with np.errstate(all="ignore"):
            return (how.inverse(w) - mu) / coefficient

    def log_density(w: Any) -> Any:
        w = np.asarray(w, dtype=float)
        with np.errstate(all="ignore"):
            value = root.log_density(at(w)) + how.log_slope(w) - math.log(abs(coefficient))
        return np.where((w > low) & (w < high), value, -np.inf)

    tails = (root.lower, root.upper) if coefficient > 0 else (root.upper, root.lower)

    def tail(function: Callable[[Any], Any], below: float, above: float) -> Callable[[Any], Any]:
        return lambda w: np.where(w <= low, below, np.where(w >= high, above, function(at(np.clip(w, low, high)))))

    lower, upper = tail(tails[0], -math.inf, 0.0), tail(tails[1], 0.0, -math.inf)
    return Law(name, log_density, lower, upper, _cannot, support=support)


def _cannot(rng: Any, n: Any) -> Any:
    raise AssertionError("a computed draw is not sampled")


__all__ = ["Origin", "fresh", "function_of", "law_of"]
