"""Arithmetic and comparisons of plain numbers and of draws of which only the law is known, in a walked text."""

from __future__ import annotations

import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from dpspectra.symbolic.text_worlds import (
    LEAST,
    MOST_LISTED,
    PLAIN,
    Counter,
    Drawn,
    Geometric,
    Ray,
    Refused,
    Uniform,
    Ways,
    World,
    then,
)


def first_of_ray(world: World, draw: int) -> Ways:
    """Tell the first value of a geometric draw from the others."""
    law = world.laws[draw]
    one = world.put(draw, None, lambda v: v.kind(v.start))
    rest = world.put(draw, law, lambda v: v.at(v.start + v.step, v.step))
    return [(1 - law.ratio, one), (law.ratio, rest)]


def split_ray(world: World, draw: int, count: int) -> Ways:
    """Tell so many first values of a geometric draw from the others."""
    if count > MOST_LISTED:
        raise Refused("a geometric number is asked for far from its first value")
    found: Ways = []
    weight = 1.0
    for _ in range(count):
        (chance, one), (left, world) = first_of_ray(world, draw)  # type: ignore[assignment]
        found.append((weight * chance, one))
        weight *= left
    return [*found, (weight, world)]


def residues(world: World, draw: int, count: int) -> Ways:
    """Tell the remainders of a geometric draw apart: what is left of it is geometric."""
    ratio = world.laws[draw].ratio
    if count > MOST_LISTED:
        raise Refused("too many remainders")
    total = 1 - ratio**count

    def of(k: int) -> World:
        return world.put(draw, Geometric(ratio**count), lambda v: v.at(v.start + v.step * k, v.step * count))

    return [(ratio**k * (1 - ratio) / total, of(k)) for k in range(count)]


def listed(world: World, value: Any) -> Ways:
    """Tell all values of a draw apart."""
    law = world.laws[value.draw]
    if isinstance(law, Geometric):
        found: Ways = []
        weight = 1.0
        while weight > LEAST:
            (chance, one), (left, world) = first_of_ray(world, value.draw)  # type: ignore[assignment]
            found.append((weight * chance, one))
            weight *= left
            if len(found) > MOST_LISTED:
                raise Refused("a geometric number has too many values")
        return [*found, (weight, None)]
    if not law.whole or law.high - law.low > MOST_LISTED:
        raise Refused("a uniform number has too many values")
    several = [law.whole(k) for k in range(law.low, law.high)]
    return [(1 / len(several), world.put(value.draw, None, lambda v, k=k: k)) for k in several]  # type: ignore[misc]


def plain(world: World, count: int) -> Ways:
    """Tell all values apart of the draws that the last values hold."""
    ways: Ways = [(1.0, world)]
    for position in range(-count, 0):
        ways = then(
            ways,
            lambda w, p=position: listed(w, w.stack[p]) if type(w.stack[p]) in (Ray, Drawn) else [(1.0, w)],  # type: ignore[misc]
        )
    return ways


def _as_is(world: World, value: Any) -> Ways:
    return [(1.0, world.push(value))]


WHOLE = (int, np.int64)


def combined(operation: Any, world: World) -> Ways:
    """Put what an operation makes of the last two values in their place."""
    (a, b), rest = world.pop(2)
    if Counter in (type(a), type(b)):
        if type(a) is not Counter or type(b) is not int or operation not in (operator.add, operator.sub):
            raise Refused("a counter is asked for")
        return _as_is(rest, Counter(operation(a.added, b)))
    if type(a) is Ray and type(b) in WHOLE:
        if operation in (operator.add, operator.sub):
            return _as_is(rest, a.at(operation(a.start, b), a.step, type(b)))
        if operation is operator.mul:
            return _as_is(rest, a.at(a.start * b, a.step * b, type(b)) if b else a.kind(0) * b)
        if operation in (operator.floordiv, operator.mod) and b > 0:
            return _divided(operation, world, a, b)
    if type(b) is Ray and type(a) in WHOLE and operation in (operator.add, operator.mul):
        return combined(operation, rest.push(b).push(a))
    if type(b) is Ray and type(a) in WHOLE and operation is operator.sub:
        return _as_is(rest, b.at(a - b.start, -b.step, type(a)))
    if {type(a), type(b)} & {Ray, Drawn}:
        return then(plain(world, 2), lambda w: combined(operation, w))
    return _as_is(rest, calculated(operation, a, b))


def _divided(operation: Any, world: World, a: Ray, b: int) -> Ways:
    if a.step % b == 0:
        start = operation(a.start, b)
        whole = operation is operator.floordiv
        found: Any = a.at(start, a.step // b, type(b)) if whole else operation(a.kind(a.start), b)
        return _as_is(world.pop(2)[1], found)
    count = next(k for k in range(1, b + 1) if a.step * k % b == 0)
    return then(residues(world, a.draw, count), lambda w: combined(operation, w))


def calculated(function: Callable[..., Any], *args: Any) -> Any:
    """Return what a function of plain values really gives."""
    if not all(type(a) in PLAIN or type(a) is tuple for a in args):
        raise Refused("no number")
    if function is operator.pow and not abs(args[1]) <= MOST_LISTED:
        raise Refused("too large a power")
    if function in (operator.add, operator.mul, operator.mod) and {str, tuple} & set(map(type, args)):
        raise Refused("arithmetic with texts")
    try:
        with np.errstate(all="raise"):
            found = function(*args)
    except RecursionError:
        raise
    except Exception as problem:
        raise Refused(f"it raises {type(problem).__name__}") from None
    if type(found) not in PLAIN and not (type(found) is tuple and all(type(v) in PLAIN for v in found)):
        raise Refused("no number")
    return found


SAME = (operator.eq, operator.ne)
RISING = (operator.gt, operator.ge)


def asked(comparison: Any, world: World) -> Ways:
    """Put whether a comparison of the last two values is true in their place."""
    (a, b), rest = world.pop(2)
    kinds = {type(a), type(b)}
    if Counter in kinds:
        raise Refused("a counter is asked for")
    if not kinds & {Ray, Drawn}:
        return _as_is(rest, calculated(comparison, a, b))
    if type(a) not in (Ray, Drawn):
        mirrored = {operator.lt: operator.gt, operator.gt: operator.lt, operator.le: operator.ge}
        mirrored |= {operator.ge: operator.le, operator.eq: operator.eq, operator.ne: operator.ne}
        return asked(mirrored[comparison], rest.push(b).push(a))
    if type(b) in (Ray, Drawn):
        return then(listed(world, b), lambda w: asked(comparison, w))
    if type(b) not in PLAIN or type(b) in (str, type(None)) or not abs(b) < 2**62:
        raise Refused("a draw is compared with no number")
    return _ray_asked(comparison, world, a, b) if type(a) is Ray else _drawn_asked(comparison, world, a, b)


def _ray_asked(comparison: Any, world: World, a: Ray, b: Any) -> Ways:
    (_, rest) = world.pop(2)
    edge = (Fraction(b) - a.start) / a.step if not isinstance(b, Fraction) else (b - a.start) / a.step
    if edge < 0:
        return _as_is(rest, bool(comparison(a.start, b)))
    ways = split_ray(rest.push(a), a.draw, int(edge) + 1)

    def answer(world: World) -> Ways:
        (value,), left = world.pop()
        return _as_is(left, bool(comparison(value.start if type(value) is Ray else value, b)))

    return then(ways, answer)


def _drawn_asked(comparison: Any, world: World, a: Drawn, b: Any) -> Ways:
    (_, rest), law = world.pop(2), world.laws[a.draw]
    if comparison in SAME and not (law.whole and b == int(b)):
        return _as_is(rest, comparison is operator.ne)
    if comparison in SAME:
        parts = [(law.low, min(b, law.high), False), (b, b + 1, True), (max(b + 1, law.low), law.high, False)]
        return _parted(
            rest,
            a.draw,
            [(max(low, law.low), min(high, law.high), same) for low, high, same in parts],
            lambda same: same == (comparison is operator.eq),
        )
    edge = Fraction(b)
    if law.whole:  # the first whole number for which a comparison from above is true
        strict = comparison in (operator.gt, operator.le)
        edge = Fraction(edge.__floor__() + 1 if strict else edge.__ceil__())
    parts = [(law.low, min(edge, law.high), False), (max(edge, law.low), law.high, True)]
    return _parted(rest, a.draw, parts, lambda above: above == (comparison in RISING))


def _parted(world: World, draw: int, parts: list[tuple[Any, Any, bool]], answer: Callable[[bool], bool]) -> Ways:
    """Tell parts of a uniform draw apart, each with what it answers."""
    law, found = world.laws[draw], []
    for low, high, of_part in parts:
        if low < high:
            ends = (int(low), int(high)) if law.whole else (low, high)
            part = world.put(draw, Uniform(ends[0], ends[1], law.whole), lambda v: v)
            found.append((float((high - low) / (law.high - law.low)), part.push(answer(of_part))))
    return list(found)
