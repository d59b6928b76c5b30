"""Worlds of a text that is walked: variables, and draws of which only the law is known so far.

A draw splits a world only as far as the text asks: a uniform number into two intervals, a geometric one into its first
values and the rest, which is geometric again.
"""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from types import MethodType
from typing import Any

import numpy as np

PLAIN = (int, float, bool, Fraction, type(None), str, np.float64, np.int64, np.bool_)
"""Types of values that nothing can change."""
LEAST = 1e-31
"""Probability of a way that is left out, and counted as lost."""
MOST_LISTED = 4096
"""Values of one draw that are told apart."""


class Refused(Exception):
    """Something in a text whose law is not known."""


@dataclass(frozen=True)
class Ray:
    """The whole number ``start + step * g`` of a geometric draw ``g = 0, 1, ...``."""

    draw: int
    start: int
    step: int
    kind: type = int
    """Its type."""

    def at(self, start: Any, step: Any, beside: type = int) -> Ray:
        """Return another number of the same draw, computed with one of some type."""
        return Ray(self.draw, int(start), int(step), self.kind if beside is int else beside)


@dataclass(frozen=True)
class Drawn:
    """A uniform draw of an interval, or of the whole numbers from its lower end to below its upper one."""

    draw: int


@dataclass(frozen=True)
class Counter:
    """A number that rounds of a loop count up, and nothing may ask for."""

    added: int


@dataclass(frozen=True)
class Thing:
    """An object that is no number: it may only be asked for what it holds, or called."""

    value: Any
    owner: Any = None

    @property
    def parts(self) -> tuple[int, ...]:
        """Its identity, that of its parts for a method, which is made anew whenever it is asked for."""
        method = type(self.value) is MethodType
        return (id(self.value.__self__), id(self.value.__func__)) if method else (id(self.value),)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Thing) and self.parts == other.parts

    def __hash__(self) -> int:
        return hash(self.parts)


@dataclass(frozen=True)
class Geometric:
    """Law of a draw ``g`` of probability ``(1 - ratio) ratio^g``."""

    ratio: float


@dataclass(frozen=True)
class Uniform:
    """Law of a uniform draw of an interval, or of whole numbers of some type."""

    low: Any
    high: Any
    whole: type | None = None


@dataclass(frozen=True)
class World:
    """Variables of a function, values on the way, and laws of the draws that any of them holds."""

    names: dict[str, Any]
    stack: tuple[Any, ...] = ()
    laws: dict[int, Any] = dataclasses.field(default_factory=dict)

    def push(self, value: Any) -> World:
        """Return the world with one more value."""
        return World(self.names, (*self.stack, value), self.laws)

    def pop(self, count: int = 1) -> tuple[Any, World]:
        """Return the last values, and the world without them."""
        return self.stack[-count:], World(self.names, self.stack[:-count], self.laws)

    def bind(self, name: str, value: Any) -> World:
        """Return the world with a variable."""
        return World(self.names | {name: value}, self.stack, self.laws)

    def draw(self, law: Any, made: Callable[[int], Any]) -> World:
        """Return the world with the value of a new draw."""
        number = self.unused
        return World(self.names, (*self.stack, made(number)), self.laws | {number: law})

    @property
    def unused(self) -> int:
        """The number of the next draw."""
        return next(k for k in range(len(self.laws) + 1) if k not in self.laws)

    def kept(self, names: frozenset[str] | None) -> World:
        """Return the world with these variables only, and the laws that are needed."""
        left = self.names if names is None else {n: v for n, v in self.names.items() if n in names}
        used = {v.draw for v in (*left.values(), *self.stack) if type(v) in (Ray, Drawn)}
        return World(left, self.stack, {k: law for k, law in self.laws.items() if k in used})

    def put(self, draw: int, law: Any, value: Callable[[Any], Any]) -> World:
        """Return the world with another law of a draw, and others in place of the values that hold it."""

        def put(v: Any) -> Any:
            return value(v) if type(v) in (Ray, Drawn) and v.draw == draw else v

        laws = {k: v for k, v in self.laws.items() if k != draw} | ({draw: law} if law is not None else {})
        return World({n: put(v) for n, v in self.names.items()}, tuple(map(put, self.stack)), laws)

    @property
    def key(self) -> Any:
        """Key of all worlds that are the same."""
        return (
            tuple((n, type(v), v) for n, v in sorted(self.names.items(), key=_name)),
            tuple((type(v), v) for v in self.stack),
            tuple(sorted(self.laws.items(), key=_name)),
        )


_name = operator.itemgetter(0)


Ways = list[tuple[float, World | None]]
"""Worlds with their probabilities; ``None`` is what is lost."""


def then(ways: Ways, step: Callable[[World], Ways], at: Callable[[float], None] | None = None) -> Ways:
    """Go on from all worlds; ``at`` is told the probability of each."""
    if len(ways) == 1 and ways[0][1] is not None and ways[0][0] == 1.0:
        return step(ways[0][1])
    found: Ways = []
    lost = 0.0
    for weight, world in ways:
        if world is None:
            lost += weight
            continue
        if at is not None:
            at(weight)
        for more, after in step(world):
            if after is None or weight * more < LEAST:
                lost += weight * more
            else:
                found.append((weight * more, after))
    return [*found, (lost, None)] if lost else found


def merged(ways: Ways) -> Ways:
    """Add up the probabilities of worlds that are the same."""
    if len(ways) < 2:
        return ways
    found: dict[Any, tuple[float, World | None]] = {}
    for weight, world in ways:
        key = None if world is None else world.key
        found[key] = (weight + found[key][0], found[key][1]) if key in found else (weight, world)
    return list(found.values())
