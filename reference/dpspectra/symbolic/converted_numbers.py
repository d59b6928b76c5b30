"""Conversions to `int` and `float` that keep noise: their names, in the globals of code that converts noise by them.

Python makes ordinary numbers of whatever the real types are asked to convert, so code that says ``int(x)`` is given
stand-ins under these names, and only while its draws are symbols. The check by ordinary numbers has the real ones.
"""

import builtins
import contextlib
import sys
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from dpspectra.symbolic.noisy_numbers import PROTOCOLS, Noisy, rows_of
from dpspectra.symbolic.tape import SKIPPED, current
from dpspectra.symbolic.whole_numbers import are_whole

Table = dict[str, Any]


class _Kind(type):
    """Kind of the stand-ins: whatever they are asked, they answer as the type does that they inherit from."""

    def __call__(cls, *args: Any, **options: Any) -> Any:
        real = cls.__mro__[1]
        if len(args) == 1 and not options and type(args[0]) is Noisy and not args[0].ndim:
            return np.trunc(args[0]) if real is int else args[0].copy()
        return real(*args, **options)

    def __instancecheck__(cls, thing: Any) -> bool:
        real = cls.__mro__[1]
        if type(thing) is Noisy and not thing.ndim:
            return bool(np.all(are_whole(rows_of(thing), current()))) == (real is int)
        return isinstance(thing, real)

    def __subclasscheck__(cls, kind: type) -> bool:
        return issubclass(kind, cls.__mro__[1])

    def __eq__(cls, other: object) -> bool:
        return other is cls or other is cls.__mro__[1]

    def __hash__(cls) -> int:
        return hash(cls.__mro__[1])


class FollowedInt(int, metaclass=_Kind):
    """Stand-in for `int`."""

    dtype = np.dtype(int)


class FollowedFloat(float, metaclass=_Kind):
    """Stand-in for `float`."""

    dtype = np.dtype(float)


STAND_INS: dict[str, type] = {"int": FollowedInt, "float": FollowedFloat}


def converted(x: Noisy) -> None:
    """Note the globals of code that converts a number that holds noise to an ordinary one."""
    tape, frame = current(), sys._getframe(2)
    table = frame.f_globals
    name = str(table.get("__name__", ""))
    foreign = name.split(".")[0] in SKIPPED or name.startswith("dpspectra.symbolic") or table is vars(builtins)
    if not x.ndim and not tape.at_once and not foreign and all(table is not known for known in tape.converting):
        tape.converting.append(table)


@contextlib.contextmanager
def conversions(tables: Iterable[Table]) -> Iterator[None]:
    """Put stand-ins for the types into some globals that do not name them, for a while."""
    put = [(table, name) for table in tables for name in STAND_INS if name not in table]
    for table, name in put:
        table[name] = STAND_INS[name]
    try:
        yield
    finally:
        for table, name in put:
            if table.get(name) is STAND_INS[name]:
                del table[name]


PROTOCOLS["converted"] = converted
