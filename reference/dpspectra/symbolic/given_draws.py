"""How a run is given draws: symbols with a law, or points that are looked at where they are drawn."""

import math
from collections.abc import Callable
from math import log
from typing import Any

import numpy as np

from dpspectra.symbolic.laws import Law
from dpspectra.symbolic.noisy_numbers import Noisy, seen
from dpspectra.symbolic.number_kinds import of_kind
from dpspectra.symbolic.program_lines import place
from dpspectra.symbolic.questions import constant, fresh
from dpspectra.symbolic.tape import PLAIN, current

MOST_LISTED = 512
"""Outcomes of a point up to which all are enumerated."""
MOST_ALONE = 2048
"""Outcomes up to which those of one point of a run are enumerated, if no others are listed together."""
MOST_TOGETHER = 9
"""Draws of one call whose outcomes together are enumerated; two each make 512."""


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
    if options is not None and options > MOST_LISTED and not few(options, MOST_ALONE if tape.listed == 1 else 0):
        tape.hints.add(f"one of {options} outcomes is drawn at {place()}; one of {MOST_ALONE} at most is summed over")
        options = None
    return tape.point(name, lambda: sample(tape.rng), log_probability, options)


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
    bases = list(map(int, cells.ravel()))
    number = math.prod(bases) if len(bases) <= MOST_TOGETHER else 0
    if few(number):
        found = _listed(name, number, lambda k: _digits(k, bases), lambda outcome: log)
        return np.array(found, dtype=np.int64).reshape(shape) + low
    found = point(name, lambda rng: rng.integers(0, cells), probability, None)
    return np.asarray(found) + low


def few(number: int, most: int = MOST_LISTED) -> bool:
    """Whether draws with so many outcomes are listed: all such of a run may have so many at most together."""
    tape = current()
    if not 0 < number * tape.listed <= most:
        return False
    tape.listed *= number
    return True


def _digits(index: int, bases: list[int]) -> list[int]:
    """Return the digits of a number, each below a base of its own."""
    found = []
    for base in reversed(bases):
        index, digit = divmod(index, base)
        found.append(digit)
    return found[::-1]


def _ranked(index: int, options: int, count: int) -> list[int]:
    """Return one of the ordered choices of so many things without replacement, by its number."""
    left = list(range(options))
    return [left.pop(k) for k in _digits(index, [options - i for i in range(count)])]


def _below(rng: np.random.Generator, count: int) -> int:
    if count <= 2**63:
        return int(rng.integers(0, count))
    words = -(-count.bit_length() // 32) + 2
    total = 0
    for word in rng.integers(0, 2**32, size=words):
        total = total << 32 | int(word)
    return total % count


def chosen(options: int, probabilities: Any, size: Any, replace: bool, name: str, in_random_order: bool = True) -> Any:
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

    shape = shape_of(size)
    count = math.prod(shape)
    together = count <= MOST_TOGETHER and (replace or in_random_order)
    number = 0 if not together else options**count if replace else math.perm(options, count)
    if few(number):
        decoded = (lambda k: _digits(k, [options] * count)) if replace else (lambda k: _ranked(k, options, count))
        return np.array(_listed(name, number, decoded, probability), dtype=np.int64).reshape(shape)
    return np.asarray(point(name, lambda rng: rng.choice(options, size, replace, p), probability, None))


def _listed(name: str, number: int, decoded: Callable[[int], list[int]], probability: Callable[[Any], float]) -> Any:
    """Return one of so many outcomes, by its number in a list; ``probability`` is that of the outcome itself."""
    logs = np.array([probability(decoded(k)) for k in range(number)])
    weights = np.exp(logs) / np.sum(np.exp(logs))
    index = point(
        name,
        lambda rng: int(rng.choice(number, p=weights)),
        lambda k: float(logs[k]) if k < number else -math.inf,
        number,
    )
    return decoded(int(index))


def ordered(count: int, name: str) -> Any:
    """Return a permutation of so many things, all alike."""
    number = math.factorial(count) if count <= MOST_TOGETHER else 0
    if few(number):
        decoded = lambda k: _ranked(k, count, count)  # noqa: E731
        return np.array(_listed(name, number, decoded, lambda outcome: -math.lgamma(count + 1)), dtype=np.int64)

    def probability(outcome: Any) -> float:
        return -math.lgamma(count + 1) if len(outcome) == count else -math.inf

    return point(name, lambda rng: rng.permutation(count), probability, None)


__all__ = ["affine", "chosen", "constant", "into", "ordered", "point", "shape_of", "symbols", "whole_numbers"]
