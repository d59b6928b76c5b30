"""How a run is given draws: symbols with a law, or points that are looked at where they are drawn."""

import math
from collections.abc import Callable
from math import log
from typing import Any

import numpy as np

from dpspectra.symbolic.laws import Law
from dpspectra.symbolic.noisy_numbers import Noisy, seen
from dpspectra.symbolic.number_kinds import of_kind
from dpspectra.symbolic.questions import constant, fresh
from dpspectra.symbolic.tape import PLAIN, current, place

MOST_LISTED = 512
"""Outcomes of a point up to which all are enumerated."""


def symbols(law: Law, shape: tuple[int, ...]) -> Any:
    """Draws of a law at location 0 and scale 1; ordinary numbers in a plain run."""
    tape = current()
    if tape.mode == PLAIN:
        values = np.asarray(tape.handed_out(law.name), dtype=float)
        if values.size != int(np.prod(shape)):
            raise tape.stop(f"draws at {place()} are of another number when draws are ordinary numbers")
        values = values.astype(np.int64) if law.discrete else values
        return values.reshape(shape) if shape else values.ravel()[0].item()
    first, _ = tape.draw(law, int(np.prod(shape)))
    return of_kind(fresh(tape, first, shape), law.discrete, not shape)


def shape_of(size: Any, *parameters: Any) -> tuple[int, ...]:
    """Shape of draws: ``size``, or that of the parameters."""
    if size is None:
        return np.broadcast_shapes(*(p.shape if type(p) is Noisy else np.shape(p) for p in parameters))
    return tuple(int(s) for s in np.atleast_1d(seen(size)))


def affine(law: Law, loc: Any, scale: Any, size: Any = None) -> Any:
    """``loc + scale * draws``."""
    z = symbols(law, shape_of(size, loc, scale))
    if not (type(scale) in (int, float) and scale == 1):
        z = z * scale
    return z if type(loc) in (int, float) and loc == 0 else z + loc


def into(out: Any, z: Any) -> Any:
    """Write draws into an array that the caller gave, if any."""
    if out is None:
        return z
    out[...] = z
    return out


def point(name: str, sample: Callable[[Any], Any], log_probability: Callable[[Any], float], options: int | None) -> Any:
    """Return a draw that is looked at where it is drawn; ``sample`` is given a generator."""
    tape = current()
    listed = options if options is not None and options <= MOST_LISTED else None
    return tape.point(name, lambda: sample(tape.rng), log_probability, listed)


def whole_numbers(low: Any, width: Any, size: Any, name: str) -> Any:
    """Whole numbers ``low, ..., low + width - 1``, all alike."""
    width = np.asarray(width)
    shape = shape_of(size, width, low)
    cells = np.broadcast_to(width, shape)
    log = -float(np.sum(np.log(cells.astype(float)))) if cells.size else 0.0

    def probability(outcome: Any) -> float:
        return log if np.all(np.asarray(outcome) < cells) else -math.inf

    if shape == ():
        count = int(width)
        return int(point(name, lambda rng: _below(rng, count), probability, count)) + int(low)
    found = point(name, lambda rng: rng.integers(0, cells), probability, None)
    return np.asarray(found) + low


def _below(rng: np.random.Generator, count: int) -> int:
    if count <= 2**63:
        return int(rng.integers(0, count))
    words = -(-count.bit_length() // 32) + 2
    total = 0
    for word in rng.integers(0, 2**32, size=words):
        total = total << 32 | int(word)
    return total % count


def chosen(options: int, probabilities: Any, size: Any, replace: bool, name: str) -> Any:
    """Return indices chosen with given probabilities, or with equal ones."""
    p = np.full(options, 1 / options) if probabilities is None else np.asarray(seen(probabilities), dtype=float)
    with np.errstate(divide="ignore"):
        logs = np.log(p)
    if size is None:
        sample = lambda rng: int(rng.choice(options, p=p))  # noqa: E731
        index = point(name, sample, lambda k: float(logs[k]) if k < options else -math.inf, options)
        return int(index)
    if not replace and probabilities is not None:
        raise current().stop(f"a weighted choice without replacement, at {place()}, has no law here")

    def probability(outcome: Any) -> float:
        if np.max(outcome, initial=-1) >= options:  # the other data set has more of them
            return -math.inf
        if replace:
            return float(np.sum(logs[outcome]))
        count = np.size(outcome)
        return -float(sum(log(options - i) for i in range(count)))

    return np.asarray(point(name, lambda rng: rng.choice(options, size, replace, p), probability, None))


def ordered(count: int, name: str) -> Any:
    """Return a permutation of so many things, all alike."""

    def probability(outcome: Any) -> float:
        return -math.lgamma(count + 1) if len(outcome) == count else -math.inf

    return point(name, lambda rng: rng.permutation(count), probability, None)


__all__ = ["affine", "chosen", "constant", "into", "ordered", "point", "shape_of", "symbols", "whole_numbers"]
