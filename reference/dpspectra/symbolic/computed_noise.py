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

from dpspectra.symbolic.laws import BESSEL, EXPONENTIAL, Law
from dpspectra.symbolic.noisy_numbers import Noisy, made, rows_of
from dpspectra.symbolic.tape import BITS, Block, Tape, current


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


@dataclass(frozen=True)
class Origin:
    """Where a computed draw comes from: a function of other draws, its roots."""

    roots: tuple[int, ...]
    forward: Callable[..., float]
    """The draw, from the values of its roots."""
    backward: Callable[[float], tuple[float, ...]]
    """Values of the roots that give a value of the draw; the only ones if there is one root."""
    rising: bool | None = None
    """Whether the draw grows with its only root; ``None`` if there are several."""
    image: tuple[float, float] = (-math.inf, math.inf)


def law_of(tape: Tape, draw: int) -> Block:
    """Return the block that a draw belongs to."""
    starts = [b.start for b in tape.blocks]
    return tape.blocks[int(np.searchsorted(starts, draw, side="right")) - 1]


def function_of(function: Any, x: Noisy) -> Any:
    """Return a function of numbers that have one draw each, as draws of their own; ``None`` if that cannot be done."""
    factor = {np.log2: 1 / log(2), np.log10: 1 / log(10)}.get(function, 1.0)
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
    if how is None or law.discrete or not isfinite(mu):
        return None
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
    return Origin((root,), forward, backward, ((coefficient > 0) == how.rising) == (sign > 0), (low, high))


def product_of(x: Noisy, y: Noisy) -> Any:
    """Return the product of exponential numbers and cosines of uniform angles; ``None`` if that is not what is asked.

    With E exponential and the angle uniform on (0, pi), ``E cos(angle)`` has the characteristic function
    ``1 / sqrt(1 + t^2)``, so the sum of two such products has that of a Laplace number.
    """
    if x.shape != y.shape or not x.size or x.size > 1000:
        return None
    tape = current()
    first, second = _single(tape, x), _single(tape, y)
    if first is None or second is None:
        return None
    if first[0][0].law.name == COSINE:
        first, second = second, first
    pairs = list(zip(first, second, strict=True))
    if not all(a.law is EXPONENTIAL and b.law.name == COSINE for (a, _, _), (b, _, _) in pairs):
        return None
    starts, factors = [], []
    for (a, i, f), (b, j, g) in pairs:
        value = float(a.values[i - a.start] * b.values[j - b.start])
        starts.append(tape.block(BESSEL, np.array([value]), Origin((i, j), _times, lambda v: (abs(v), np.sign(v)))))
        factors.append(f * g)
    shape = x.shape
    slots = (1, *shape)
    return made(tape, np.zeros(shape), np.array(starts).reshape(slots), np.array(factors).reshape(slots))


COSINE = f"cos of uniform 0.0 {math.pi!r}"


def _times(x: Any, y: Any) -> float:
    return float(x * y)


def _single(tape: Tape, x: Noisy) -> list[tuple[Block, int, float]] | None:
    """Block, number and coefficient of the draw of each number; ``None`` unless each is a multiple of one draw."""
    rows = rows_of(x)
    if np.any(rows.mu != 0) or np.any(np.count_nonzero(rows.coefficient, axis=0) != 1):
        return None
    slot, numbers = np.argmax(rows.coefficient != 0, axis=0), np.arange(x.size)
    draws, factors = rows.draw[slot, numbers], rows.coefficient[slot, numbers]
    return [(law_of(tape, int(j)), int(j), float(f)) for j, f in zip(draws, factors, strict=True)]


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


__all__ = ["Origin", "function_of", "law_of", "product_of"]
