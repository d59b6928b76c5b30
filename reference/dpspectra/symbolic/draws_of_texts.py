"""Draws that a walked text may make, each by the law of what it gives."""

from __future__ import annotations

import random
import secrets
import types
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from dpspectra.symbolic.alike_rounds import is_ours
from dpspectra.symbolic.named_things import is_generator, wrapped
from dpspectra.symbolic.numpy_draws import Drawing
from dpspectra.symbolic.text_worlds import (
    MOST_LISTED,
    PLAIN,
    Drawn,
    Geometric,
    Ray,
    Refused,
    Thing,
    Uniform,
    Ways,
    World,
)

Draw = Callable[[World, list[Any], dict[str, Any]], Ways]
UNIT = ("random", "random_sample", "ranf", "sample", "rand")


def drawn_by(thing: Thing) -> Draw | None:
    """Return how a followed function draws, if it is one whose draws are known here."""
    value = thing.value
    if type(value) is types.MethodType and is_generator(value.__self__) and is_ours(value.__func__):
        name, numpys = value.__func__.__name__, issubclass(type(value.__self__), Drawing)
        if getattr(type(value.__self__), name, None) is not value.__func__:
            raise Refused("a draw of another name")
    else:
        tables = [(vars(np.random), True), (vars(random), False), (vars(secrets), False)]
        found = [(n, of_numpy) for table, of_numpy in tables for n in DRAWS if table.get(n) is value]
        if not found or not (is_ours(value) or type(value) is types.MethodType):
            return None
        name, numpys = found[0]
    if name not in DRAWS:
        raise Refused(f"{name} is drawn")
    return lambda world, args, named: DRAWS[name](world, numpys, *_checked(args), **_named(named))


def _checked(args: list[Any]) -> list[Any]:
    if any(type(a) not in PLAIN and type(a) is not tuple for a in args):
        raise Refused("a draw of what is no number")
    return args


def _named(named: dict[str, Any]) -> dict[str, Any]:
    if named.keys() - {"low", "high", "n", "p", "endpoint", "a", "k"}:
        raise Refused("a draw with other arguments")
    _checked(list(named.values()))
    return named


def _unit(world: World, numpys: bool) -> Ways:
    return [(1.0, world.draw(Uniform(Fraction(0), Fraction(1)), Drawn))]


def _whole(world: World, low: Any, high: Any, kind: type = int) -> Ways:
    """Return a uniform whole number, below the upper end."""
    if type(low) not in (int, np.int64) or type(high) not in (int, np.int64) or not low < high:
        raise Refused("ends of what is drawn")
    return [(1.0, world.draw(Uniform(int(low), int(high), kind), Drawn))]


def _integers(world: World, numpys: bool, low: Any, high: Any = None, endpoint: bool = False) -> Ways:
    low, high = (0, low) if high is None else (low, high)
    return _whole(world, low, high + 1 if endpoint else high, np.int64)


def _below(world: World, numpys: bool, low: Any, high: Any = None) -> Ways:
    return _whole(world, *((0, low) if high is None else (low, high)))


def _randint(world: World, numpys: bool, low: Any, high: Any = None) -> Ways:
    return _below(world, numpys, low, high) if numpys else _whole(world, low, high + 1)


def _bits(world: World, numpys: bool, k: Any) -> Ways:
    if type(k) is not int or not 0 < k <= 4096:
        raise Refused("bits")
    return _whole(world, 0, 2**k)


def _binomial(world: World, numpys: bool, n: Any, p: Any) -> Ways:
    if n != 1 or not 0 <= p <= 1 or not numpys:
        raise Refused("binomial")
    return [(chance, world.push(k)) for k, chance in ((0, 1 - float(p)), (1, float(p))) if chance]


def _geometric(world: World, numpys: bool, p: Any) -> Ways:
    if not 0 < p < 1:
        raise Refused("geometric")
    return [(1.0, world.draw(Geometric(1 - float(p)), lambda k: Ray(k, 1, 1)))]


def _choice(world: World, numpys: bool, a: Any) -> Ways:
    several = tuple(range(a)) if type(a) is int and numpys else a
    if type(several) is not tuple or not 0 < len(several) <= MOST_LISTED:
        raise Refused("choice")
    several = [wrapped(v) for v in np.asarray(several)] if numpys else several
    return [(1 / len(several), world.push(v)) for v in several]


DRAWS: dict[str, Callable[..., Ways]] = {
    **dict.fromkeys(UNIT, _unit),
    "integers": _integers,
    "randrange": _below,
    "randbelow": _below,
    "randint": _randint,
    "getrandbits": _bits,
    "randbits": _bits,
    "binomial": _binomial,
    "geometric": _geometric,
    "choice": _choice,
}
