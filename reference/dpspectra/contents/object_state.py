"""State of objects, and whether that is all: types that are read whole are listed, or all their memory is named.

An instance of a class that is written in Python holds a dictionary and slots, beside what its first base in C holds.
If the size of the instance is just that of these, nothing is hidden. Whatever else there is counts as unread.
"""

import builtins
import copyreg
import enum
import functools
import sys
import types
import warnings
from collections.abc import Callable, Iterable
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from dpspectra.contents.built_in_types import KNOWN, Parts

WORD = 8
"""Bytes of a reference."""
REMEMBERED = 1024
"""Types that are remembered."""
HEAP = 1 << 9
"""Flag of types that are made while a program runs."""
OF_C = (types.MethodDescriptorType, types.WrapperDescriptorType, types.GetSetDescriptorType)
"""Members that a class has of its own if it is made in C only, apart from the two that all have."""
SIMPLE = (int, float, str, bytes, bool, type(None), complex)
"""Types of data of a class that are read with each instance."""
PICKLING = ("__reduce_ex__", "__reduce__", "__getstate__")
LIBRARIES = frozenset(sys.stdlib_module_names) | {"numpy", "scipy", "sklearn"}
"""Modules whose pickles hold all of an object."""
EXTRAS = {"__dict__", "__weakref__", "_abc_impl", "__dataclass_fields__", "__dataclass_params__", "__annotations__"}
"""Names in a class that say nothing that its other names do not say."""
OF_MEMBERS = {"__objclass__", "_sort_order_"}
"""Attributes of a member of an enumeration that say nothing of it."""


def _foundation(kind: type) -> type | None:
    """Return the known type on which a type is built, if its instances hold but slots and a dictionary beside that."""
    if issubclass(kind, BaseException):
        base = next(each for each in kind.__mro__ if not each.__flags__ & HEAP)
        base = base if base.__module__ == "builtins" else object
    else:
        base = next(each for each in kind.__mro__ if each in KNOWN)
    if kind is base:
        return base
    if any(_made_in_c(each) for each in _own(kind, base)):
        return None
    size = WORD * len(_slots(kind, base))
    if not base.__dictoffset__ and (kind.__dictoffset__ > 0 or kind.__dictoffset__ == -WORD):
        size += WORD
    if not base.__weakrefoffset__ and kind.__weakrefoffset__ > 0:
        size += WORD
    same = kind.__basicsize__ - base.__basicsize__ == size and kind.__itemsize__ == base.__itemsize__
    return base if same else None


foundation = cast("Callable[[type], type | None]", functools.lru_cache(maxsize=REMEMBERED)(_foundation))


def _own(kind: type, base: type) -> tuple[type, ...]:
    return tuple(each for each in kind.__mro__ if each not in base.__mro__)


def _made_in_c(kind: type) -> bool:
    """Whether a class may keep state where nobody can read it, or conceals its dictionary."""
    concealed = "__dict__" in vars(kind) and not isinstance(vars(kind)["__dict__"], types.GetSetDescriptorType)
    members = (member for name, member in vars(kind).items() if name not in EXTRAS)
    in_c = any(isinstance(member, OF_C) and member.__objclass__ is kind for member in members)
    return concealed or in_c or not kind.__flags__ & HEAP


def _slots(kind: type, base: type) -> list[tuple[str, Any]]:
    """Names and descriptors of the members that a type has beside those of a base."""
    return [
        (name, member)
        for each in _own(kind, base)
        for name, member in vars(each).items()
        if isinstance(member, types.MemberDescriptorType)
    ]


def state(x: Any) -> Parts:
    """Attributes that an object holds: slots of all its classes, and its dictionary."""
    held, kind = [], type(x)
    for name, member in _members(kind, foundation(kind) in (None, object)):
        try:
            held.append((name, member.__get__(x)))
        except AttributeError:  # never set
            continue
    but = OF_MEMBERS if isinstance(x, enum.Enum) else ()
    return held + [each for each in attributes(x).items() if each[0] not in but]


def attributes(x: Any) -> dict[Any, Any]:
    """Return the dictionary of an object; an empty one if it has none."""
    try:
        inside = object.__getattribute__(x, "__dict__")
    except AttributeError:
        return {}
    return inside if isinstance(inside, dict) else {}


def _found_members(kind: type, in_c: bool) -> list[tuple[str, Any]]:
    found = [each for each in _slots(kind, object) if each[0] not in EXTRAS]
    return [each for each in found if in_c or each[1].__objclass__.__flags__ & HEAP]


_members = cast(
    "Callable[[type, bool], list[tuple[str, Any]]]", functools.lru_cache(maxsize=REMEMBERED)(_found_members)
)


def of_exception(x: BaseException) -> Parts:
    """Return what an exception keeps in C, where every field can be read: arguments, cause, errors in a group."""
    found: Parts = []
    for kind in type(x).__mro__:
        if kind is object or getattr(builtins, kind.__name__, None) is not kind:
            continue
        for name, member in vars(kind).items():
            field = isinstance(member, (types.MemberDescriptorType, types.GetSetDescriptorType))
            if field and name not in ("__dict__", "__traceback__"):
                try:
                    found.append((name, member.__get__(x)))
                except AttributeError:  # an empty field
                    continue
    named = {name: value for name, value in found if value is not None or name not in ("__cause__", "__context__")}
    if "__suppress_context__" in named:  # as a word: it is no number to bet on
        named["__suppress_context__"] = "suppressed" if named["__suppress_context__"] else "shown"
    return list(named.items())


def importable(x: Any) -> bool:
    """Whether a class, a function or a module is found under its name, so that the name says all."""
    if isinstance(x, types.ModuleType):
        return sys.modules.get(x.__name__) is x
    found: Any = sys.modules.get(getattr(x, "__module__", None) or "builtins")
    for name in getattr(x, "__qualname__", "").split("."):
        found = getattr(found, name, None)
    return found is x


def full_name(kind: type) -> str:
    """Return the name of a class, with its module."""
    return f"{kind.__module__}.{kind.__qualname__}"


def of_class(kind: type, itself: bool = False) -> Parts:
    """Return what a class holds that was put there: data that may be set anew if it can be imported, else everything.

    With ``itself`` the class is what is read; else an instance of it is, and only simple data of its class are.
    """
    if importable(kind) or _made_in_c(kind):
        held = [
            (f"{each.__qualname__}.{name}", value)
            for each in reversed(kind.__mro__)
            if each.__flags__ & HEAP
            for name, value in vars(each).items()
            if (type(value) in SIMPLE or (itself and _data(value)))
            and not (name in EXTRAS or (name.startswith("__") and name.endswith("__")))
        ]
    else:
        members = types.MemberDescriptorType
        held = [
            (name, value) for name, value in vars(kind).items() if name not in EXTRAS and not isinstance(value, members)
        ]
        held.append(("(bases)", list(kind.__bases__)))
    return [("(name)", full_name(kind)), *held] if held or itself else []


def _data(x: Any) -> bool:
    return not callable(x) and not hasattr(type(x), "__get__")


def reduced(x: Any) -> Parts:
    """Return what a pickle of an object would hold beside its type; nothing if it may leave something out."""
    kind = type(x)
    if any(_made_in_c(each) and not _of_libraries(each) for each in kind.__mro__):
        return []
    written = [vars(each).get(name) for each in kind.__mro__ for name in PICKLING]
    if any(isinstance(function, types.FunctionType) and not _of_libraries(function) for function in written):
        return []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            pickled = copyreg.dispatch_table[kind](x) if kind in copyreg.dispatch_table else x.__reduce_ex__(4)
        except Exception:  # whatever cannot be pickled says so in its own way
            return []
    if isinstance(pickled, str):  # the name of something that is there once
        return []
    function, arguments, *rest = pickled
    given = [each for each in arguments if each is not kind] if isinstance(arguments, tuple) else []
    held = [list(part) if isinstance(part, Iterable) and hasattr(part, "__next__") else part for part in rest]
    if not given and not any(part is not None for part in held):
        return []
    return [("made by", getattr(function, "__qualname__", "")), ("given", given), ("held", held)]


def _of_libraries(x: Any) -> bool:
    """Whether a type or a function is of one of these modules; types of Rust say that they are builtins."""
    module = x.__module__ or ""
    return module.partition(".")[0] in LIBRARIES and (module != "builtins" or importable(x))


def plain_memory(x: NDArray[Any]) -> bool:
    """Whether an array is laid out as usual, and whoever has it can reach nothing but its numbers."""
    flags = x.flags
    return flags.carray and (flags.owndata or covers(x))


def covers(x: NDArray[Any]) -> bool:
    """Whether an array shows all the memory of the array that it is a view of."""
    base = x.base
    return base is None or (type(base) is np.ndarray and base.nbytes == x.nbytes and x.flags.forc and covers(base))
