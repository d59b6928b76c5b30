"""One canonical form of an output: everything plain in it bit by bit, with places for the numbers that hold noise."""

import enum
import hashlib
import types
from collections.abc import Iterator
from typing import Any

import numpy as np

from dpspectra.symbolic.rows import noisy_rows
from dpspectra.symbolic.tape import current
from dpspectra.symbolic.values import Noisy, rows_of

NOISE = "a number that holds noise"
DEEPEST = 30
"""Depth of containers that are opened."""
LONGEST = 200
"""Characters of a member of a set that is written in full."""

Leaf = tuple[str, Any]


class NoForm(Exception):
    """An output of which nothing can be said, such as a function or an open file."""


def opened(x: Any) -> tuple[dict[str, Any], list[Noisy]]:
    """Leaves by path, and the values that hold noise, in the order of their paths' leaves.

    A leaf is a token that can be compared and hashed. A symbolic number that holds noise is the token `NOISE`, and is
    listed. Raises `NoForm` for what has no canonical form.
    """
    leaves: dict[str, Any] = {}
    noisy: list[Noisy] = []
    for path, leaf in _leaves(x, "output", 0, set()):
        if type(leaf) is not Noisy:
            leaves[path] = leaf
            continue
        rows = rows_of(leaf)
        mask = noisy_rows(rows, current().size)
        if leaf.ndim:
            leaves[path] = ("array", "float64", leaf.shape)
        for k in range(leaf.size):
            leaves[f"{path}[{k}]" if leaf.ndim else path] = NOISE if mask[k] else _number(float(rows.mu[k]))
        if np.any(mask):
            noisy.append(leaf.reshape(-1)[np.flatnonzero(mask)])
    return leaves, noisy


def _number(x: float) -> Leaf:
    return ("float", np.float64(x).tobytes() if x == x else b"nan")


def _leaves(x: Any, path: str, depth: int, above: set[int]) -> Iterator[tuple[str, Any]]:
    if depth > DEEPEST or id(x) in above:
        raise NoForm(f"{path} is nested too deeply, or within itself")
    if type(x) is Noisy or x is None or isinstance(x, (bool, str, bytes, complex)):
        yield path, x if type(x) is Noisy else (type(x).__name__, x if not isinstance(x, complex) else repr(x))
    elif isinstance(x, enum.Enum):
        yield path, (type(x).__name__, x.name)
    elif type(x) is int:
        yield path, ("int", x)
    elif type(x) is float:
        yield path, _number(x)
    elif isinstance(x, np.generic):
        yield path, ("float", _number(float(x))[1]) if x.dtype == float else (str(x.dtype), x.tobytes())
    elif isinstance(x, np.ndarray):
        yield from _array(x, path, depth, above)
    else:
        yield from _held(x, path, depth, above | {id(x)})


def _array(x: Any, path: str, depth: int, above: set[int]) -> Iterator[tuple[str, Any]]:
    if type(x) is not np.ndarray:
        raise NoForm(f"{path} is an array of the kind {type(x).__name__}")
    yield path, ("array", str(x.dtype), x.shape)
    flat = x.reshape(-1)
    for k in range(flat.size):
        item = flat[k]
        yield from _leaves(item if x.dtype == object else flat[k], f"{path}[{k}]", depth + 1, above)


def _held(x: Any, path: str, depth: int, above: set[int]) -> Iterator[tuple[str, Any]]:
    kind = f"{type(x).__module__}.{type(x).__qualname__}"
    if isinstance(x, dict):
        yield path, (kind, len(x))
        for number, (key, value) in enumerate(x.items()):
            yield from _leaves(key, f"{path}.key{number}", depth + 1, above)
            yield from _leaves(value, f"{path}[{key!r:.40}]", depth + 1, above)
    elif isinstance(x, (list, tuple)):
        yield path, (kind, len(x))
        for number, value in enumerate(x):
            yield from _leaves(value, f"{path}[{number}]", depth + 1, above)
    elif isinstance(x, (set, frozenset)):
        yield path, (kind, tuple(sorted(_text(_leaves(v, "", depth + 1, above)) for v in x)))
    elif isinstance(x, (type, types.ModuleType)):
        yield path, ("name", getattr(x, "__qualname__", x.__name__))
    else:
        yield path, (kind, "object")
        attributes = _attributes(x)
        if attributes is None:
            raise NoForm(f"{path} is of the kind {kind}, which has no canonical form")
        for name, value in attributes.items():
            yield from _leaves(value, f"{path}.{name}", depth + 1, above)


def _text(leaves: Iterator[tuple[str, Any]]) -> str:
    """Return leaves as a text; a long one by its hash, as the text of a set in a set doubles with each of them."""
    text = repr(list(leaves))
    return text if len(text) <= LONGEST else hashlib.sha256(text.encode()).hexdigest()


def _attributes(x: Any) -> dict[str, Any] | None:
    """All attributes of an object, ``None`` if it keeps others where they cannot be read."""
    if callable(x) or hasattr(x, "__next__") or hasattr(x, "read"):
        return None
    names = [n for kind in type(x).__mro__ for n in _slots(kind) if hasattr(x, n)]
    found = {n: getattr(x, n) for n in names} | dict(getattr(x, "__dict__", {}))
    plain = any("__dict__" in vars(kind) or "__slots__" in vars(kind) for kind in type(x).__mro__)
    return found if plain else None


def _slots(kind: type) -> tuple[str, ...]:
    slots = vars(kind).get("__slots__", ())
    return tuple(s for s in ((slots,) if isinstance(slots, str) else slots) if s not in ("__dict__", "__weakref__"))
