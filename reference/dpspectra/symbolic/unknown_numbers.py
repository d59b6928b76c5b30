"""Numbers of which a walked text knows no more than bounds: all that may come of them is walked, without probabilities.

A loop that is left after many rounds goes on with such a number in place of its counter. So it is known what else the
text may give, although not how often.
"""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpspectra.symbolic.drawn_numbers import calculated
from dpspectra.symbolic.text_worlds import PLAIN, Drawn, Refused, Ways, World

MOST_REMAINDERS = 16


@dataclass(frozen=True)
class Some:
    """A number of a type between two bounds, both included."""

    kind: type
    low: Any
    high: Any = math.inf

    @property
    def example(self) -> Any:
        """A number of its type."""
        return self.kind(1)


def _one(world: World, value: Any) -> Ways:
    return [(1.0, world.push(value))]


def _any(world: World, values: tuple[Any, ...]) -> Ways:
    return [(1 / len(values), world.push(v)) for v in values]


def combined(operation: Any, world: World) -> Ways:
    """Put what an operation may make of the last two values in their place."""
    (a, b), rest = world.pop(2)
    if type(a) is Some and a.kind is int and type(b) is int:
        if operation in (operator.add, operator.sub):
            return _one(rest, Some(int, operation(a.low, b), operation(a.high, b)))
        if operation is operator.mod and 0 < b <= MOST_REMAINDERS:
            return _any(rest, tuple(range(b)))
    if operation is operator.truediv:
        return _one(rest, divided(a, b))
    raise Refused("an operation with an unknown number")


def divided(a: Any, b: Any) -> Some:
    """Return a quotient of a plain number that is not negative and a positive unknown one."""
    if type(a) not in PLAIN or type(b) is not Some or b.kind is not int or not b.low > 0 or not a >= 0:
        raise Refused("a quotient of an unknown number")
    most = calculated(operator.truediv, a, b.low)
    return Some(type(most), 0, most)


def asked(comparison: Any, world: World) -> Ways:
    """Put whether a comparison of the last two values is true in their place; both, if that is not known."""
    (a, b), rest = world.pop(2)
    if type(b) is Some and type(a) in PLAIN:
        mirrored = {operator.lt: operator.gt, operator.gt: operator.lt, operator.le: operator.ge}
        mirrored |= {operator.ge: operator.le}
        return asked(mirrored.get(comparison, comparison), rest.push(b).push(a))
    if type(a) is Some and type(b) in PLAIN:
        try:
            answers = {bool(comparison(end, b)) for end in (a.low, a.high)}
        except TypeError:
            raise Refused("an unknown number is compared") from None
        if len(answers) == 1 and comparison not in (operator.eq, operator.ne):
            return _one(rest, answers.pop())
    elif {type(a), type(b)} - {Some, Drawn}:
        raise Refused("an unknown number is compared")
    return _any(rest, (True, False))


def called(function: Any, args: list[Any], world: World) -> Ways:
    """Put what a function of numbers may give on top."""
    if function is Fraction and len(args) == 2 and type(args[0]) is int:
        return _one(world, divided(Fraction(args[0]), args[1]))
    raise Refused("a function of an unknown number")


def attribute(thing: Some, name: str) -> Some:
    """Return an attribute of a number."""
    if thing.kind in (int, Fraction) and thing.low >= 0 and name in ("numerator", "denominator"):
        return Some(int, 0 if name == "numerator" else 1)
    raise Refused("an attribute of an unknown number")


def below(args: list[Any]) -> Some:
    """Return a uniform whole number below an unknown one."""
    if len(args) == 1 and type(args[0]) is Some and args[0].kind is int and args[0].low >= 1:
        return Some(int, 0)
    raise Refused("a draw with an unknown number")


def widened(before: World, after: World) -> World:
    """Return the world in which each number that a round made larger is unknown."""
    if before.names.keys() != after.names.keys() or before.laws or after.laws:
        raise Refused("other variables")
    names = {}
    for name, value in before.names.items():
        later = after.names[name]
        grows = type(value) is type(later) is int and later > value
        if not grows and (type(value), value) != (type(later), later):
            raise Refused("a variable that does not only grow")
        names[name] = Some(int, value) if grows else value
    return World(names)


def is_within(world: World, wide: World) -> bool:
    """Whether the variables of a world are among those that another one stands for."""
    if world.names.keys() != wide.names.keys() or world.laws:
        return False
    for name, value in world.names.items():
        known = wide.names[name]
        if type(known) is Some and type(value) is Some and value.kind is known.kind and known.high == math.inf:
            if not value.low >= known.low:
                return False
        elif (type(value), value) != (type(known), known):
            return False
    return True
