"""Variables: whether one holds something else than before, and how something else is put there."""

import _abc  # type: ignore[import-not-found]
import copy
from collections.abc import Callable
from typing import Any

Edge = tuple[str, Any, Callable[[Any], None] | None]
"""Name of a variable, what it holds, and how something else is put there if that can be done."""
Kept = tuple[str, Callable[[], bool], Callable[[], None]]
"""Name of a variable, whether it has changed, and how it is put back."""
GONE = object()
"""Stands for what is not there."""


def put_method(put: Callable[[Any], None], method: Any, new: Any) -> None:
    """Put a function in place of that of a static or class method."""
    put(method if new is method.__func__ else type(method)(new))


def replaced(several: Any, position: int, new: Any) -> tuple[Any, ...]:
    """Return a tuple with another thing at a position."""
    return (*several[:position], new, *several[position + 1 :])


def is_same_item(now: Any, before: Any) -> bool:
    """Whether two items of a list, or of a dictionary with their keys, are the same things."""
    if now is before:
        return True
    pairs = type(now) is type(before) is tuple and len(now) == len(before) == 2
    return pairs and now[0] is before[0] and now[1] is before[1]


def is_other(table: Any, name: str, value: Any) -> bool:
    """Whether a table holds another thing under a name."""
    return table.get(name, GONE) is not value


def is_special(name: str) -> bool:
    """Whether a name is one of Python's own."""
    return name.startswith("__") and name.endswith("__")


def is_cached_anew(function: Any, before: Any) -> bool:
    """Whether a cache holds other results than before, as far as its counts say it."""
    now = function.cache_info()
    return now.currsize != before.currsize or (now.misses != before.misses and now.currsize == now.maxsize)


def registered(kind: type) -> set[Any]:
    """Return the classes that were registered as subclasses of an abstract one, by weak references."""
    return set(_abc._get_dump(kind)[0])


def in_slot(slot: Any, thing: Any) -> Any:
    """Return what an object holds in a slot."""
    try:
        return slot.__get__(thing)
    except AttributeError:  # empty
        return GONE


def is_other_in_slot(slot: Any, thing: Any, value: Any) -> bool:
    """Whether an object holds another thing in a slot."""
    return in_slot(slot, thing) is not value


Change = tuple[Callable[[], bool], Callable[[], None]]
"""Whether something has changed, and how it is put back."""


def of_bytes(thing: Any, everything: Any) -> Change:
    """Remember an array by its bytes; it is put back by an assignment to this index."""
    before = copy.copy(thing)
    read: Any = bytes if isinstance(thing, bytearray) else type(thing).tobytes
    return lambda: read(thing) != read(before), lambda: thing.__setitem__(everything, before)


OF_FUNCTION = ("__code__", "__doc__", "__name__", "__defaults__", "__kwdefaults__")


def of_function(function: Any) -> Change:
    """Remember what a function is made of; defaults count one by one, as others may put them back in a new tuple."""
    before = {name: getattr(function, name) for name in OF_FUNCTION}

    def parts(own: dict[str, Any]) -> list[int]:
        return [*(id(v) for name, v in own.items() if name != "__defaults__"), *map(id, own["__defaults__"] or ())]

    def put() -> None:
        for name, value in before.items():
            setattr(function, name, value)

    return lambda: parts({name: getattr(function, name) for name in before}) != parts(before), put
