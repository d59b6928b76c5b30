"""JSON from files of anybody: every field is checked by its type, in one place.

A *kind* is a function that returns a value as it is used, or raises `Misfit`. Kinds are put together as the file is:
``record({"name": text, "rows": optional(whole(0))})``. All that is not listed is refused.
"""

from __future__ import annotations

import functools
import json
import math
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

Kind = Callable[[Any], Any]
DEEPEST = 32
"""Lists and objects within each other, at most."""
LARGEST = 2**64
"""Integers are below this in modulus, unless a kind says otherwise."""


class Misfit(ValueError):
    """A value is not of the kind that a file has in its place."""


def read(text: str | bytes, kind: Kind, refusal: str) -> Any:
    """Return what a text holds, by its kind. Raises ``ValueError`` with the ``refusal`` alone for anything else."""
    try:
        return kind(parsed(text))
    except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError):
        raise ValueError(refusal) from None


def parsed(text: str | bytes) -> Any:
    """Return JSON as plain data: finite numbers, each name once, nothing deeper than `DEEPEST`.

    Raises `Misfit` for anything else.
    """
    try:
        data = json.loads(text, parse_float=_finite, parse_constant=_finite, object_pairs_hook=each_once)
    except (ValueError, RecursionError):
        raise Misfit("text must be strict JSON, got something else") from None
    layer = [data]
    for _ in range(DEEPEST):
        layer = [each for value in layer if isinstance(value, (list, dict)) for each in _within(value)]
        if not layer:
            return data
    raise Misfit(f"JSON must be at most {DEEPEST} deep, got more")


def remembered(kind: Kind) -> Callable[[str], Any]:
    """Return what reads texts of a kind, each of the latest 4096 once; what they hold must not be changed."""
    return functools.lru_cache(maxsize=2**12)(lambda text: kind(parsed(text)))


def each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON; raises `Misfit` if a name stands twice, as readers differ on what it means."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise Misfit("names must be there once, got one twice")
    return found


def record(fields: Mapping[str, Kind], besides: Mapping[str, Kind] | None = None) -> Kind:
    """Return the kind of objects with exactly these fields; those ``besides`` may be left out."""
    known = {**fields, **(besides or {})}

    def check(value: Any) -> dict[str, Any]:
        if type(value) is not dict or not fields.keys() <= value.keys() <= known.keys():
            raise Misfit("a record must have its fields and no other, got something else")
        return {name: known[name](each) for name, each in value.items()}

    return check


def named(kind: Kind) -> Kind:
    """Return the kind of objects with any names."""

    def check(value: Any) -> dict[str, Any]:
        if type(value) is not dict:
            raise Misfit("a field must be an object, got something else")
        return {name: kind(each) for name, each in value.items()}

    return check


def listed(kind: Kind, length: int | None = None) -> Kind:
    """Return the kind of lists, of one length if it is given; they become tuples."""

    def check(value: Any) -> tuple[Any, ...]:
        if type(value) is not list or (length is not None and len(value) != length):
            raise Misfit("a field must be a list of its length, got something else")
        return tuple(map(kind, value))

    return check


def tupled(*kinds: Kind) -> Kind:
    """Return the kind of lists with one entry of each kind; they become tuples."""

    def check(value: Any) -> tuple[Any, ...]:
        if type(value) is not list or len(value) != len(kinds):
            raise Misfit("a field must be a list of its entries, got something else")
        return tuple(kind(each) for kind, each in zip(kinds, value, strict=True))

    return check


def optional(kind: Kind) -> Kind:
    """Return the kind of what may be missing: null stands for it."""
    return lambda value: None if value is None else kind(value)


def among(*known: str | int) -> Kind:
    """Return the kind of some words or integers; ``True`` is no 1."""

    def check(value: Any) -> Any:
        if isinstance(value, bool) or not isinstance(value, (str, int)) or value not in known:
            raise Misfit("a field must be one of its words, got another one")
        return value

    return check


def whole(low: int = -LARGEST + 1, high: int = LARGEST - 1) -> Kind:
    """Return the kind of integers from ``low`` to ``high``."""

    def check(value: Any) -> int:
        if type(value) is not int or not low <= value <= high:
            raise Misfit("a field must be an integer in its range, got something else")
        return value

    return check


def number(low: float = -math.inf, high: float = math.inf, *, above: float = -math.inf) -> Kind:
    """Return the kind of finite numbers from ``low`` to ``high`` that are larger than ``above``, as floats."""

    def check(value: Any) -> float:
        if type(value) not in (int, float):
            raise Misfit("a field must be a number, got something else")
        try:
            found = float(value)
        except OverflowError:
            raise Misfit("a field must be a number that a float can hold, got a larger one") from None
        if not (math.isfinite(found) and low <= found <= high and found > above):
            raise Misfit("a field must be a number in its range, got another one")
        return found

    return check


def kept(value: Any) -> Any:
    """Return anything as it is, for who checks it next."""
    return value


def extended(value: Any) -> float:
    """Return a number, which may be infinite or NaN: strict JSON has these as text."""
    return float(value) if value in ("inf", "-inf", "nan") else float(number()(value))


def text(value: Any) -> str:
    """Return a text."""
    if not isinstance(value, str):
        raise Misfit("a field must be text, got something else")
    return value


def flag(value: Any) -> bool:
    """Return ``True`` or ``False``."""
    if type(value) is not bool:
        raise Misfit("a field must be true or false, got something else")
    return value


def hexadecimal(length: int) -> Kind:
    """Return the kind of texts of so many small hexadecimal digits."""

    def check(value: Any) -> str:
        if len(text(value)) != length or not set(value) <= set("0123456789abcdef"):
            raise Misfit("a field must be hexadecimal digits, got something else")
        return value

    return check


def label(value: Any) -> int:
    """Return a label: an integer of 64 bits, in hexadecimal digits as `hex` writes it."""
    if not re.fullmatch("0x[0-9a-f]{1,16}", text(value)):
        raise Misfit("a label must be hexadecimal digits, got something else")
    return int(value, 16)


def printable(line: str) -> str:
    """Return a line in which nothing moves the cursor or ends it, whoever wrote it: such characters are escaped."""
    return "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in line)


def _within(value: list[Any] | dict[str, Any]) -> Iterable[Any]:
    return value.values() if isinstance(value, dict) else value


def _finite(digits: str) -> float:
    if not math.isfinite(found := float(digits)):
        raise Misfit("numbers must be finite, got another one")
    return found
