"""Things that names in a walked text stand for: numbers, followed draws, functions that change nothing, and others."""

from __future__ import annotations

import builtins
import inspect
import math
import types
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from dpspectra.symbolic.alike_rounds import GENERATORS, UFUNCS, is_ours
from dpspectra.symbolic.converted_numbers import FollowedFloat, FollowedInt
from dpspectra.symbolic.drawn_numbers import calculated
from dpspectra.symbolic.existing_generators import Before
from dpspectra.symbolic.numpy_sources import FollowedGenerator, followed_generator
from dpspectra.symbolic.standard_sources import FollowedRandom, FollowedSystem
from dpspectra.symbolic.text_worlds import (
    MOST_LISTED,
    PLAIN,
    Counter,
    Drawn,
    Ray,
    Refused,
    Thing,
    World,
)
from dpspectra.symbolic.unknown_numbers import Some

BUILT_IN = {getattr(builtins, name) for name in ("abs", "min", "max", "int", "float", "bool", "round", "divmod", "pow")}
OF_NUMBERS = ("is_integer", "as_integer_ratio", "bit_length", "limit_denominator", "numerator", "denominator")
"""Attributes of numbers that tell about them."""
ORIGINALS: dict[int, types.CodeType] = {}
"""Code of functions that something stands in for, by their place in memory."""
GONE = object()
GENERATOR_OF = {
    FollowedSystem: type.__call__(FollowedSystem),
    FollowedRandom: type.__call__(FollowedRandom),
    FollowedGenerator: followed_generator(),
}
"""Generators that stand for those with fresh seeds that a text makes."""


class Names:
    """Names as a walked text meets them, and what was read of the program for them."""

    def __init__(self) -> None:
        self.reads: dict[Any, tuple[Callable[[], Any], Any]] = {}
        """Ways to read each thing again, and its value."""

    def _read(self, holder: Any, name: str, get: Callable[[], Any]) -> Any:
        key = id(holder), name
        if key not in self.reads:
            self.reads[key] = get, get()
        return wrapped(self.reads[key][1])

    def code(self, function: types.FunctionType) -> types.CodeType:
        """Return the code of a function that it has when nobody follows it."""
        return ORIGINALS.get(id(function), function.__code__)

    def global_of(self, function: types.FunctionType, name: str) -> Any:
        """Return what a name stands for that is no variable of the function."""
        code = self.code(function)
        if name in code.co_varnames:
            raise Refused(f"{name} is not written yet")
        if name in code.co_freevars:
            cell = (function.__closure__ or ())[code.co_freevars.index(name)]
            return self._read(cell, name, lambda: cell.cell_contents)
        table = function.__globals__ if name in function.__globals__ else vars(builtins)
        if name not in table:
            raise Refused(f"{name} stands for nothing")
        return self._read(table, name, lambda: table.get(name, GONE))

    def attribute(self, thing: Any, name: str) -> Any:
        """Return an attribute that an object simply holds, a method of its class, or a property."""
        if not isinstance(thing, Thing):
            if name in OF_NUMBERS and type(thing) in PLAIN:
                found = calculated(getattr, thing, name) if name in OF_NUMBERS[-2:] else getattr(thing, name, GONE)
                return found if type(found) in PLAIN else Thing(found, thing)
            raise Refused(f"{name} of a number")
        value: Any = thing.value
        if type(value) is types.ModuleType:
            found = self._read(value, name, lambda: vars(value).get(name, GONE))
            return Thing(found.value, value) if isinstance(found, Thing) else found
        if is_generator(value):
            return Thing(getattr(value, name, GONE), value)
        if type(value) is super:
            above: Any = value
            return _of_class(above.__self__, above.__self_class__.__mro__, above.__thisclass__, name)
        kinds = type(value).__mro__[:-1]
        if isinstance(value, type) or any(
            hook in vars(k) for k in kinds for hook in ("__getattribute__", "__getattr__")
        ):
            raise Refused(f"{name} of a {type(value).__name__} is computed")
        own = getattr(value, "__dict__", None)
        if type(own) is dict and name in own and not any(name in vars(k) and _computes(vars(k)[name]) for k in kinds):
            return self._read(own, name, lambda: own.get(name, GONE))
        return _of_class(value, type(value).__mro__, None, name)

    def bound(self, function: types.FunctionType, args: tuple[Any, ...], named: dict[str, Any]) -> dict[str, Any]:
        """Return the variables with which a function begins."""
        code = self.code(function)
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        by_place = names[: code.co_argcount]
        given = dict(zip(by_place, args, strict=False)) | named
        before = function.__defaults__ or ()
        defaults = dict(zip(by_place[len(by_place) - len(before) :], before, strict=True))
        defaults |= function.__kwdefaults__ or {}
        wrong = len(given) < len(args) + len(named) or not set(named) <= set(names[code.co_posonlyargcount :])
        if wrong or code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS) or set(names) - {*given, *defaults}:
            raise Refused("arguments do not fit")
        return {n: given[n] if n in given else wrapped(defaults[n]) for n in names}


def is_generator(thing: Any) -> bool:
    """Whether something is a generator whose draws are followed."""
    return type(thing) in GENERATORS or issubclass(type(thing), Before)


def wrapped(value: Any) -> Any:
    """Return a value as walked texts have it."""
    if value is GONE:
        raise Refused("a name stands for nothing")
    if type(value) in PLAIN or (type(value) is tuple and all(type(v) in PLAIN for v in value)):
        return value
    return Thing(value)


def raw(value: Any, world: World) -> Any:
    """Return what a value really is, or another one of its type if that is not known."""
    if type(value) is tuple:
        return tuple(raw(v, world) for v in value)
    if isinstance(value, Thing):
        return value.value
    if type(value) is Counter:
        raise Refused("a counter is asked for")
    if type(value) is Some:
        return value.example
    if type(value) is Drawn:
        return (world.laws[value.draw].whole or float)(0)
    return 0 if type(value) is Ray else value


def _computes(thing: Any) -> bool:
    return hasattr(type(thing), "__set__") or hasattr(type(thing), "__delete__")


def _of_class(owner: Any, line: tuple[type, ...], below: type | None, name: str) -> Any:
    """Return a method or a constant of a class."""
    line = line if below is None else line[line.index(below) + 1 :]
    found = next((vars(k)[name] for k in line if name in vars(k)), GONE)
    if isinstance(found, types.FunctionType):
        return Thing(types.MethodType(found, owner), owner)
    if isinstance(found, staticmethod):
        return Thing(found.__func__)
    if isinstance(found, classmethod):
        return Thing(types.MethodType(found.__func__, owner if isinstance(owner, type) else type(owner)), owner)
    if type(found) is property or type(found) in PLAIN:
        return found
    raise Refused(f"{name} is computed")


def bound_to(thing: Thing) -> tuple[types.FunctionType, tuple[Any, ...]]:
    """Return a function of the program, and the object that it is a method of, if any."""
    value: Any = thing.value
    before: tuple[Any, ...] = ()
    if type(value) is types.MethodType:
        value, before = value.__func__, (wrapped(value.__self__),)
    if type(value) is not types.FunctionType or is_ours(value):
        raise Refused("something else is called")
    return value, before


def function_of(thing: Thing, within: types.FunctionType, names: dict[str, Any]) -> Any:
    """Return a function of numbers that changes nothing, or what `super` gives; ``None`` if it is another one."""
    value, owner = thing.value, thing.owner
    if value is super:
        code = ORIGINALS.get(id(within), within.__code__)
        if "__class__" not in code.co_freevars or not code.co_argcount:
            raise Refused("super")
        cell = (within.__closure__ or ())[code.co_freevars.index("__class__")]
        first = names.get(code.co_varnames[0])
        if not isinstance(first, Thing):
            raise Refused("super")
        return Thing(super(cell.cell_contents, first.value))
    if value is FollowedSystem or value is FollowedRandom:
        return Thing(GENERATOR_OF[value])
    if value is vars(np.random).get("default_rng") and is_ours(value):
        return Thing(GENERATOR_OF[FollowedGenerator])
    if value is isinstance or value is Fraction or any(value is f for f in UFUNCS):
        return value
    if value is range or value is np.arange:
        return _range if value is range else _arange
    if value is FollowedInt or value is FollowedFloat:
        return value.__mro__[1]
    if type(value) in (types.BuiltinFunctionType, type) and value in BUILT_IN:
        return value
    if any(value is f for f in vars(math).values()):  # the real one or its stand-in
        return value
    if owner is not None and type(owner) in PLAIN:
        return value
    return None


def _range(*args: int) -> tuple[int, ...]:
    found = range(*args)
    if len(found) > MOST_LISTED:
        raise Refused("too many rounds")
    return tuple(found)


def _arange(*args: Any) -> tuple[Any, ...]:
    found = np.arange(*args)
    if len(found) > MOST_LISTED:
        raise Refused("too many rounds")
    return tuple(found)
