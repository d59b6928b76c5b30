"""State of objects, and whether that is all: types that are read whole are listed, or all their memory is named.

An instance of a class that is written in Python holds a dictionary and slots, beside what its first base in C holds.
If the size of the instance is just that of these, nothing is hidden. Whatever else there is counts as unread.
"""

import array
import collections
import copyreg
import datetime
import decimal
import functools
import io
import sys
import types
import warnings
from collections.abc import Callable, Iterable
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

Parts = list[tuple[Any, Any]]

WORD = 8
"""Bytes of a reference."""
REMEMBERED = 1024
"""Types that are remembered."""
HEAP = 1 << 9
"""Flag of types that are made while a program runs."""
SCALARS = frozenset(kind for kind in np.sctypeDict.values() if isinstance(kind, type))
KNOWN = SCALARS | {
    *(object, int, float, complex, bool, str, bytes, bytearray, memoryview, type(None)),
    *(list, tuple, dict, set, frozenset, range, types.SimpleNamespace, types.MappingProxyType),
    *(collections.deque, collections.defaultdict, collections.OrderedDict, array.array, io.StringIO, io.BytesIO),
    *(datetime.date, datetime.datetime, datetime.time, datetime.timedelta, decimal.Decimal),
    *(np.ndarray, np.ma.MaskedArray),
    *(type({}.keys()), type({}.values()), type({}.items())),
}
"""Types of which everything but what subclasses add is read."""
PICKLING = ("__reduce_ex__", "__reduce__", "__getstate__")
LIBRARIES = frozenset(sys.stdlib_module_names) | {"numpy"}
"""Modules whose pickles hold all of an object."""
EXTRAS = {"__dict__", "__weakref__", "_abc_impl", "__dataclass_fields__", "__dataclass_params__", "__annotations__"}
"""Names in a class that say nothing that its other names do not say."""


class Unread:
    """Stands for a part that cannot be read."""

    def __init__(self, what: str) -> None:
        self.what = what


def _foundation(kind: type) -> type | None:
    """Return the known type on which a type is built, if its instances hold but slots and a dictionary beside that."""
    if issubclass(kind, BaseException):
        base = next(each for each in kind.__mro__ if not each.__flags__ & HEAP)
        base = base if base.__module__ == "builtins" else object
    else:
        base = next(each for each in kind.__mro__ if each in KNOWN)
    if kind is base:
        return base
    size = WORD * len(_slots(kind, base))
    if not base.__dictoffset__ and (kind.__dictoffset__ > 0 or kind.__dictoffset__ == -WORD):
        size += WORD
    if not base.__weakrefoffset__ and kind.__weakrefoffset__ > 0:
        size += WORD
    same = kind.__basicsize__ - base.__basicsize__ == size and kind.__itemsize__ == base.__itemsize__
    return base if same else None


foundation = cast("Callable[[type], type | None]", functools.lru_cache(maxsize=REMEMBERED)(_foundation))


def _slots(kind: type, base: type) -> list[tuple[str, Any]]:
    """Names and descriptors of the members that a type has beside those of a base."""
    own = kind.__mro__[: kind.__mro__.index(base)]
    return [
        (name, member)
        for each in own
        for name, member in vars(each).items()
        if isinstance(member, types.MemberDescriptorType)
    ]


def state(x: Any, in_c: bool = False) -> Parts:
    """Attributes that an object holds: slots of all its classes, and its dictionary; ``in_c`` those of C, too."""
    held, kind = [], type(x)
    for name, member in _members(kind, in_c or foundation(kind) is object):
        try:
            held.append((name, member.__get__(x)))
        except AttributeError:  # never set
            continue
    inside = getattr(x, "__dict__", None)
    return held + (list(inside.items()) if isinstance(inside, dict) else [])


def _found_members(kind: type, in_c: bool) -> list[tuple[str, Any]]:
    found = [each for each in _slots(kind, object) if each[0] not in EXTRAS]
    return [each for each in found if in_c or each[1].__objclass__.__flags__ & HEAP]


_members = cast(
    "Callable[[type, bool], list[tuple[str, Any]]]", functools.lru_cache(maxsize=REMEMBERED)(_found_members)
)


def importable(x: Any) -> bool:
    """Whether a class or a function is found under its name, so that the name says all."""
    found: Any = sys.modules.get(getattr(x, "__module__", None) or "builtins")
    for name in getattr(x, "__qualname__", "").split("."):
        found = getattr(found, name, None)
    return found is x


def of_class(kind: type) -> Parts:
    """Name, bases and attributes of a class; of one that can be imported its data alone, as they may be set anew."""
    there = importable(kind)
    held = [(name, each) for name, each in vars(kind).items() if name not in EXTRAS]
    if there:
        held = [(name, each) for name, each in held if not name.startswith("__") and _data(each)]
    else:
        held = [(name, each) for name, each in held if not isinstance(each, types.MemberDescriptorType)]
        held.append(("(bases)", list(kind.__bases__)))
    return [("(name)", f"{kind.__module__}.{kind.__qualname__}"), *held] if held else []


def _data(x: Any) -> bool:
    return not callable(x) and not hasattr(type(x), "__get__")


def reduced(x: Any) -> Parts:
    """Return what a pickle of an object would hold beside its type; nothing if it may leave something out."""
    kind = type(x)
    written = [vars(each).get(name) for each in kind.__mro__ for name in PICKLING]
    for function in written:
        if isinstance(function, types.FunctionType) and function.__module__.partition(".")[0] not in LIBRARIES:
            return []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            pickled = copyreg.dispatch_table[kind](x) if kind in copyreg.dispatch_table else x.__reduce_ex__(4)
        except Exception:  # whatever cannot be pickled says so in its own way
            return []
    if isinstance(pickled, str):  # the name of something that is there once
        return []
    _, arguments, *rest = pickled
    given = [each for each in arguments if not isinstance(each, type)] if isinstance(arguments, tuple) else []
    held = [list(part) if isinstance(part, Iterable) and hasattr(part, "__next__") else part for part in rest]
    return [] if not given and not any(part is not None for part in held) else [("given", given), ("held", held)]


def plain_memory(x: NDArray[Any]) -> bool:
    """Whether an array is laid out as usual, and whoever has it can reach nothing but its numbers."""
    flags = x.flags
    return flags.carray and (flags.owndata or covers(x))


def covers(x: NDArray[Any]) -> bool:
    """Whether an array shows all the memory of the array that it is a view of."""
    base = x.base
    return base is None or (type(base) is np.ndarray and base.nbytes == x.nbytes and x.flags.forc and covers(base))
