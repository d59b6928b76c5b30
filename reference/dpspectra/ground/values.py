"""Checks of arguments other than numbers, which need no numpy; `dpspectra.ground.checks` offers them too.

Every function returns its argument, or raises ``ValueError`` with one line that names the parameter.
"""

from collections.abc import Iterable
from typing import Any, TypeVar

LONGEST = 100
"""Characters of a value that an error shows."""
NEAR = 0.75
"""Share of letters in common, by `difflib`, from which a name is near to another one."""
NEAREST = 3
"""Near names that an error shows at most."""
T = TypeVar("T")


class NoNumber(ValueError):
    """Refusal of an object that is missing or no number; of it only the place is told."""


def shown(value: Any) -> str:
    """Return a value in an error's line: its ``repr`` on one line, cut if it is long."""
    try:
        text = " ".join(repr(value).split())
    except Exception:  # what ``repr`` does is up to the value's type
        return f"an object of type {type(value).__name__}"
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


def choice(value: Any, name: str, options: Iterable[str]) -> str:
    """One of the named options."""
    known = tuple(options)
    if not isinstance(value, str) or value not in known:
        raise ValueError(f"{name} must be one of {', '.join(known)}, got {shown(value)}{nearest(value, known)}")
    return str(value)


def nearest(value: Any, known: Iterable[str]) -> str:
    """Return the names that a misspelt one is near to, as the end of an error's line; nothing if there are none.

    Those with the value as one of their words count if no other is near.
    """
    import difflib

    names = list(known) if isinstance(value, str) else []
    near = difflib.get_close_matches(value, names, NEAREST, NEAR) if names else []
    near = near or [name for name in names if value in name.split("_")][:NEAREST]
    return f"; near: {', '.join(near)}" if near else ""


def text(value: Any, name: str) -> str:
    """Return a string that is not empty."""
    if not isinstance(value, str) or not value:
        raise ValueError(f"{name} must be a string that is not empty, got {shown(value)}")
    return value


def instance(value: T, name: str, kind: Any, way_out: str = "") -> T:
    """Return an object of a type; a ``way_out`` ends the refusal of others."""
    if not isinstance(value, kind):
        raise ValueError(f"{name} must be of type {kind.__name__}, got {shown(value)}{way_out}")
    return value


def function(value: Any, name: str) -> Any:
    """Return a callable, or ``None``."""
    if value is not None and not callable(value):
        raise ValueError(f"{name} must be callable or None, got {shown(value)}")
    return value
