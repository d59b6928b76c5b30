"""Where objects are held, and how others are put there: in modules, classes, objects, containers, closures."""

import gc
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from dpspectra.symbolic.replaced_sources import holds_real_names

MANY = 150
"""Number of objects from which on one pass in Python over all objects finds their holders sooner than one in C."""
BLOCK = 300
"""Number of objects that are asked together, in Python, what they hold."""


@dataclass(frozen=True)
class Holder:
    """Where a generator is held, and how something else is put there."""

    name: str
    get: Callable[[], Any]
    put: Callable[[Any], None]


Held = dict[int, list[Holder]]
"""Where each generator is held, by its identity."""


def holders(things: tuple[Any, ...]) -> Held:
    """Return where objects are held, by identity, as far as others can be put there."""
    found: Held = {id(thing): [] for thing in things}
    wanted = frozenset(found)
    for holder in _referrers(things, wanted):
        if isinstance(holder, tuple):
            continue
        if isinstance(holder, dict):
            held = _in_dict(holder, wanted)
        elif isinstance(holder, list):
            held = [(id(v), _item(f"{k} of a list", holder, k)) for k, v in enumerate(holder) if id(v) in wanted]
        else:
            held = _in_object(holder, wanted)
        for key, where in held:
            found[key].append(where)
    return found


def _referrers(things: tuple[Any, ...], wanted: frozenset[int]) -> Iterator[Any]:
    """Return the objects that hold generators; one pass in Python is quicker than one in C that compares with many."""
    if len(things) < MANY:
        yield from gc.get_referrers(*things) if things else ()
        return
    every = gc.get_objects()
    for start in range(0, len(every), BLOCK):
        block = every[start : start + BLOCK]
        if not wanted.isdisjoint(map(id, gc.get_referents(*block))):
            yield from (thing for thing in block if not wanted.isdisjoint(map(id, gc.get_referents(thing))))


def _in_object(holder: Any, wanted: frozenset[int]) -> list[tuple[int, Holder]]:
    """In the attributes of an object, or in a variable that functions share."""
    slots = [vars(k).get("__slots__", ()) for k in type(holder).__mro__]
    names = [name for several in slots for name in ([several] if isinstance(several, str) else several)]
    names += [*getattr(holder, "__dict__", ()), "cell_contents"]
    kind = type(holder).__name__
    values = [(n, id(_value(holder, n))) for n in names]
    return [(key, _attribute(f"{kind}.{n}", holder, n)) for n, key in values if key in wanted]


def _in_dict(holder: dict[Any, Any], wanted: frozenset[int]) -> list[tuple[int, Holder]]:
    """In a module, a class, an object or a dictionary of other things."""
    keys = [(k, id(v)) for k, v in holder.items() if id(v) in wanted]
    module = holder.get("__name__")
    if isinstance(module, str) and getattr(sys.modules.get(module), "__dict__", None) is holder:
        return [] if holds_real_names(module) else [(i, _item(f"{module}.{k}", holder, k)) for k, i in keys]
    for owner in _classes(object) if keys and "__module__" in holder else ():
        if any(thing is holder for thing in gc.get_referents(owner)):
            return [(i, _attribute(f"{owner.__name__}.{k}", owner, k)) for k, i in keys]
    return [(i, _item(f"{k!s:.40}", holder, k)) for k, i in keys]


def _classes(of: type) -> Iterator[type]:
    """Return a class and what inherits from it, some of them more than once."""
    yield of
    kinds: list[type] = type.__subclasses__(of)
    for kind in kinds:
        yield from _classes(kind)


def _item(name: str, holder: Any, key: Any) -> Holder:
    def get() -> Any:
        try:
            return holder[key]
        except LookupError:  # something was taken out since
            return None

    return Holder(name, get, lambda thing: holder.__setitem__(key, thing))


def _attribute(name: str, holder: Any, attribute: str) -> Holder:
    put = type.__setattr__ if isinstance(holder, type) else object.__setattr__
    return Holder(name, lambda: _value(holder, attribute), lambda thing: put(holder, attribute, thing))


def _value(holder: Any, attribute: str) -> Any:
    if isinstance(holder, type):
        return vars(holder).get(attribute)
    try:
        return object.__getattribute__(holder, attribute)
    except (AttributeError, ValueError):  # an empty cell
        return None
