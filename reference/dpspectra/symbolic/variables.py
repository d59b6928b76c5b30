"""Variables: whether one holds something else than before, and how something else is put there."""

import _abc  # type: ignore[import-not-found]
from collections.abc import Callable
from typing import Any

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
