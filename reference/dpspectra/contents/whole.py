"""All parts of a value of any type, and whether they are all: what a known type holds, its attributes, its class."""

import types
from typing import Any, NamedTuple

from dpspectra.contents.built_in_types import BASES, KNOWN, Parts
from dpspectra.contents.foreign import of_foreign
from dpspectra.contents.object_state import foundation, importable, of_exception, reduced, state


class Contents(NamedTuple):
    """Parts of a value by name, and whether there is nothing else; some may be `Unread`."""

    parts: Parts
    whole: bool


def contents(x: Any) -> Contents:
    """Take a value apart; what it is in the first place comes first, then its attributes."""
    kind = type(x)
    if (found := of_foreign(x)) is not None:
        return Contents(found, whole=True)
    if isinstance(x, type):
        return Contents([], whole=True)
    if isinstance(x, types.ModuleType):
        return Contents([("name", x.__name__), *([] if importable(x) else vars(x).items())], whole=True)
    if isinstance(x, BaseException):
        more, whole = beside(x)
        return Contents(of_exception(x) + more, whole)
    base = foundation(kind)
    if kind is object or (base is not None and base not in BASES):
        return Contents([], whole=False)
    more, whole = beside(x)
    return Contents((BASES[base](x) if base else []) + more, whole)


def beside(x: Any) -> Contents:
    """Attributes of a value, and whether they, its class and what its known base holds are all of it."""
    kind = type(x)
    if kind in KNOWN and not kind.__dictoffset__:
        return Contents([], whole=True)
    held = state(x)
    if foundation(kind) is not None:
        return Contents(held, whole=True)
    pickled = reduced(x)
    return Contents(held + pickled, whole=bool(pickled))
