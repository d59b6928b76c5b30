"""Checks of what is no number, which need no numpy; `dpspectra.ground.checks` offers them too.

Every function returns its argument, or raises ``ValueError`` with one line that names the parameter.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

LONGEST = 100
"""Characters of a value that an error shows."""
T = TypeVar("T")


def shown(value: Any) -> str:
    """A value in an error's line: its ``repr`` on one line, cut if it is long."""
    try:
        text = " ".join(repr(value).split())
    except Exception:  # what ``repr`` does is up to the value's type
        return f"an object of type {type(value).__name__}"
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


def choice(value: Any, name: str, options: Iterable[str]) -> str:
    """One of the named options."""
    known = tuple(options)
    if not isinstance(value, str) or value not in known:
        raise ValueError(f"{name} must be one of {', '.join(known)}, got {shown(value)}")
    return str(value)


def text(value: Any, name: str) -> str:
    """A string that is not empty."""
    if not isinstance(value, str) or not value:
        raise ValueError(f"{name} must be a string that is not empty, got {shown(value)}")
    return value


def instance(value: T, name: str, kind: Any) -> T:
    """An object of a type."""
    if not isinstance(value, kind):
        raise ValueError(f"{name} must be of type {kind.__name__}, got {shown(value)}")
    return value


def function(value: Any, name: str) -> Any:
    """A callable, or ``None``."""
    if value is not None and not callable(value):
        raise ValueError(f"{name} must be callable or None, got {shown(value)}")
    return value
