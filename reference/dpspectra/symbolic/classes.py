"""Which classes can be read whole: those made by Python code of a module, all of whose state lies in attributes."""

import builtins
import sys
import types
from typing import Any

IMPLEMENTED_IN_C = 1 << 9
"""Flag of types that a class statement (or a newer C library) made; all others keep state in C."""
POINTER = 8
SIMPLE = (int, float, str, bytes, bool, type(None), complex)


def qualified(kind: type) -> str:
    """Return the full name of a class."""
    return f"{kind.__module__}.{kind.__qualname__}"


def is_importable(kind: Any) -> bool:
    """Whether a class is what its name says; one that was made in a run may differ from its namesakes."""
    found: Any = sys.modules.get(kind.__module__)
    for name in kind.__qualname__.split("."):
        found = getattr(found, name, None)
    return found is kind


def is_of_python(kind: type) -> bool:
    """Whether a class of its own adds nothing but attributes to its base."""
    module = sys.modules.get(kind.__module__)
    source = str(getattr(module, "__file__", None) or ("main.py" if kind.__module__ == "__main__" else ""))
    if not kind.__flags__ & IMPLEMENTED_IN_C or not source.endswith(".py") or kind.__base__ is None:
        return False
    return kind.__basicsize__ - kind.__base__.__basicsize__ <= POINTER * (len(slots(kind)) + 2)


def slots(kind: type) -> list[str]:
    """Return the attributes that a class keeps room for, under the names that they are kept by."""
    given = vars(kind).get("__slots__", ())
    names = [given] if isinstance(given, str) else list(given)
    hidden = f"_{kind.__name__.lstrip('_')}"
    names = [hidden + n if n.startswith("__") and not n.endswith("__") else n for n in names]
    return [n for n in names if isinstance(vars(kind).get(n), types.MemberDescriptorType)]


def attributes(x: Any) -> dict[str, Any]:
    """Return all attributes of an object, without those that its class computes."""
    found: dict[str, Any] = {}
    for kind in type(x).__mro__:
        for name in slots(kind):
            try:
                found[name] = vars(kind)[name].__get__(x)
            except AttributeError:  # nothing was put there
                continue
    try:
        return found | dict(object.__getattribute__(x, "__dict__"))
    except AttributeError:
        return found


def of_class(kind: type) -> dict[str, Any]:
    """Return what a class itself holds that code could have put there."""
    mine = [k for k in kind.__mro__ if k.__flags__ & IMPLEMENTED_IN_C]
    return {
        f"{k.__qualname__}.{n}": v
        for k in reversed(mine)
        for n, v in vars(k).items()
        if type(v) in SIMPLE and not (n.startswith("__") and n.endswith("__"))
    }


def fields_in_c(x: BaseException) -> dict[str, Any]:
    """Return what an exception keeps in C; there every field can be read."""
    found = {}
    for kind in type(x).__mro__:
        if kind is object or getattr(builtins, kind.__name__, None) is not kind:
            continue
        for name, member in vars(kind).items():
            is_field = isinstance(member, (types.MemberDescriptorType, types.GetSetDescriptorType))
            if is_field and name not in ("__dict__", "__traceback__"):
                try:
                    found[name] = member.__get__(x)
                except AttributeError:  # an empty field
                    continue
    return found
