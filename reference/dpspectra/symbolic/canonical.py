"""One canonical form of an output: everything plain in it bit by bit, with places for the numbers that hold noise.

Only what can be read whole has a form: listed types, and classes of Python code whose state lies in attributes.
"""

import collections
import datetime
import decimal
import enum
import hashlib
import pathlib
import struct
import sys
import types
from collections.abc import Iterator
from typing import Any

import numpy as np

from dpspectra.symbolic.classes import attributes, fields_in_c, is_importable, is_of_python, of_class, qualified
from dpspectra.symbolic.rows import noisy_rows
from dpspectra.symbolic.tape import current
from dpspectra.symbolic.values import Noisy, rows_of

NOISE = "a number that holds noise"
DEEPEST = 30
"""Depth of containers that are opened."""
LONGEST = 200
"""Characters of a member of a set that is written in full."""
ATOMS = (int, float, complex, str, bytes)
"""Types that subclasses may add to."""
CONTAINERS = (dict, list, tuple, set, frozenset)
DATES = (datetime.date, datetime.datetime, datetime.time, datetime.timedelta, datetime.timezone)
PATHS = (pathlib.PurePosixPath, pathlib.PureWindowsPath, pathlib.PosixPath, pathlib.WindowsPath)
UNSURE = (np.longdouble, np.clongdouble, np.object_, np.void)
"""Kinds of numbers with bytes that mean nothing."""
NUMBERS = frozenset(
    kind for kind in vars(np).values() if isinstance(kind, type) and issubclass(kind, np.generic) and kind not in UNSURE
)

Leaf = tuple[str, Any]
Leaves = Iterator[tuple[str, Any]]


class Kind(tuple[Any, ...]):
    """Type, layout or identity, which a number that holds noise does not show; it is compared among plain runs only."""


class NoForm(Exception):
    """An output of which nothing can be said, such as a function or an open file."""


def opened(x: Any) -> tuple[dict[str, Any], list[Noisy]]:
    """Leaves by path, and the values that hold noise, in the order of their paths' leaves.

    A leaf is a token that can be compared and hashed. A symbolic number that holds noise is the token `NOISE`, and is
    listed. Raises `NoForm` for what has no canonical form.
    """
    return read(x)[:2]


def read(x: Any) -> tuple[dict[str, Any], list[Noisy], tuple[tuple[str, Kind], ...]]:
    """Return leaves, values that hold noise, and the kinds of all numbers and arrays. Raises `NoForm`."""
    leaves: dict[str, Any] = {}
    noisy: list[Noisy] = []
    kinds: list[tuple[str, Kind]] = []
    for path, leaf in _Reader().leaves(x, "output", 0, set()):
        if type(leaf) is Kind:
            kinds.append((path, leaf))
        elif type(leaf) is not Noisy:
            leaves[path] = leaf
        else:
            _put(path, leaf, leaves, noisy)
    return leaves, noisy, tuple(kinds)


def _put(path: str, leaf: Noisy, leaves: dict[str, Any], noisy: list[Noisy]) -> None:
    rows = rows_of(leaf)
    mask = noisy_rows(rows, current().size)
    if leaf.ndim:
        leaves[path] = ("array", "float64", leaf.shape)
    for k in range(leaf.size):
        leaves[f"{path}[{k}]" if leaf.ndim else path] = NOISE if mask[k] else _number(float(rows.mu[k]))
    if np.any(mask):
        noisy.append(leaf.reshape(-1)[np.flatnonzero(mask)])


def _number(x: float) -> Leaf:
    return ("float", struct.pack("d", x))


class _Reader:
    """Reads one output."""

    def __init__(self) -> None:
        self.met: dict[int, str] = {}
        """Paths of what can be changed, by identity."""
        self.kept: list[Any] = []
        """Things that were met, lest an identity be used again."""

    def leaves(self, x: Any, path: str, depth: int, above: set[int]) -> Leaves:
        """All leaves of a value."""
        kind = type(x)
        if depth > DEEPEST or id(x) in above:
            raise NoForm(f"{path} is nested too deeply, or within itself")
        if kind is Noisy:
            yield path, x
        elif x is None or kind in (bool, int, str, bytes):
            yield path, (kind.__name__, x)
        elif kind is float:
            yield path, Kind(("float",))
            yield path, _number(x)
        elif kind is complex:
            yield path, ("complex", struct.pack("dd", x.real, x.imag))
        elif kind in NUMBERS:
            yield from self._numpy(x, path)
        elif kind is np.ndarray:
            yield from self._array(x, path, depth, above | {id(x)})
        else:
            self._must_be_known(kind, path)
            yield from self._again(x, path)
            yield from self._held(x, path, depth + 1, above | {id(x)})

    def _again(self, x: Any, path: str) -> Leaves:
        """Whether the very same thing was met before."""
        if id(x) in self.met:
            yield path, Kind(("same as", self.met[id(x)]))
        self.met[id(x)] = path
        self.kept.append(x)

    @staticmethod
    def _numpy(x: Any, path: str) -> Leaves:
        if x.dtype.metadata is not None:
            raise NoForm(f"{path} has a dtype with metadata")
        yield path, Kind((x.dtype.str,))
        yield path, _number(float(x)) if x.dtype == float else (str(x.dtype), x.tobytes())

    def _array(self, x: Any, path: str, depth: int, above: set[int]) -> Leaves:
        _check_dtype(x.dtype, path)
        yield from self._again(x, path)
        yield path, Kind((x.dtype.str, x.strides, x.base is None, x.flags.writeable))
        yield path, ("array", str(x.dtype), x.shape)
        flat = x.reshape(-1)
        for k in range(flat.size):
            if x.dtype.names is not None:
                for name in x.dtype.names:
                    yield from self.leaves(flat[k][name], f"{path}[{k}].{name}", depth + 1, above)
            else:
                yield from self.leaves(flat[k], f"{path}[{k}]", depth + 1, above)

    def _must_be_known(self, kind: type, path: str) -> None:
        """Refuse classes that keep state where nobody can read it, and those that a run made."""
        known = (*ATOMS, *CONTAINERS, *DATES, *PATHS, *_LISTED, object)
        for part in kind.__mro__:
            builtin_error = issubclass(part, BaseException) and part.__module__ == "builtins"
            if not (part in known or builtin_error or is_of_python(part)):
                raise NoForm(f"{path} is of the kind {qualified(kind)}, which has no canonical form")
            if part in DATES and kind is not part and kind not in DATES:
                raise NoForm(f"{path} is of the kind {qualified(kind)}, which has no canonical form")
        if not is_importable(kind):
            raise NoForm(f"{path} is of the class {qualified(kind)}, which was made in the run")

    def _held(self, x: Any, path: str, depth: int, above: set[int]) -> Leaves:
        kind = type(x)
        name = qualified(kind)
        if isinstance(x, (type, types.ModuleType)):
            yield from self._named(x, path, depth, above)
        elif kind in DATES or kind is decimal.Decimal or kind in PATHS or kind is range or kind is bytearray:
            yield path, (name, repr(x))
            if getattr(x, "tzinfo", None) is not None:
                yield from self.leaves(x.tzinfo, f"{path}.tzinfo", depth, above)
        elif kind is slice:
            yield path, (name, "slice")
            yield from self.leaves([x.start, x.stop, x.step], f"{path}.ends", depth, above)
        elif isinstance(x, enum.Enum):
            yield path, (name, x.name)
            yield from self._parts(attributes(x), path, depth, above, but=("__objclass__", "_sort_order_"))
        elif isinstance(x, ATOMS):
            exact = next(k for k in ATOMS if isinstance(x, k))
            yield path, (name, "atom")
            yield from self.leaves(_atom(exact, x), f"{path}.value", depth, above)
            yield from self._own(x, path, depth, above)
        elif isinstance(x, (*CONTAINERS, collections.deque)):
            yield from self._contained(x, path, depth, above)
            yield from self._own(x, path, depth, above)
        elif isinstance(x, BaseException):
            yield path, (name, "exception")
            yield from self._parts(fields_in_c(x), path, depth, above)
            yield from self._own(x, path, depth, above)
        else:
            if callable(x) or hasattr(x, "__next__") or hasattr(x, "read"):
                raise NoForm(f"{path} is of the kind {name}, which has no canonical form")
            if not any("__dict__" in vars(k) or "__slots__" in vars(k) for k in kind.__mro__):
                raise NoForm(f"{path} is of the kind {name}, which has no canonical form")
            yield path, (name, "object")
            yield from self._own(x, path, depth, above)

    def _own(self, x: Any, path: str, depth: int, above: set[int]) -> Leaves:
        """Attributes of an object and of its class."""
        yield from self._parts(attributes(x), path, depth, above)
        yield from self._parts(of_class(type(x)), f"{path}.class", depth, above)

    def _parts(self, parts: dict[str, Any], path: str, depth: int, above: set[int], but: Any = ()) -> Leaves:
        for name, value in parts.items():
            if name not in but:
                yield from self.leaves(value, f"{path}.{name}", depth, above)

    def _named(self, x: Any, path: str, depth: int, above: set[int]) -> Leaves:
        there = sys.modules.get(x.__name__) is x if isinstance(x, types.ModuleType) else is_importable(x)
        if not there:
            raise NoForm(f"{path} is a class or a module that was made in the run")
        yield path, ("name", getattr(x, "__qualname__", x.__name__))
        if isinstance(x, type):
            yield from self._parts(of_class(x), path, depth, above)

    def _contained(self, x: Any, path: str, depth: int, above: set[int]) -> Leaves:
        name = qualified(type(x))
        if isinstance(x, dict):
            yield path, (name, dict.__len__(x))
            used = set()
            for number, (key, value) in enumerate(_items(x)):
                yield from self.leaves(key, f"{path}.key{number}", depth, above)
                called = f"{key!r:.40}" if type(key) in (str, int, float, bool, bytes) else f"item {number}"
                if called in used:
                    called = f"{number}: {called}"
                used.add(called)
                yield from self.leaves(value, f"{path}[{called}]", depth, above)
            if isinstance(x, collections.defaultdict):
                yield from self._factory(x.default_factory, path)
        elif isinstance(x, (set, frozenset)):
            members = sorted(_text(_plain(self.leaves(v, "", depth, above))) for v in _members(x))
            yield path, (name, tuple(members))
        else:
            several = list(_members(x))
            yield path, (name, len(several), getattr(x, "maxlen", None))
            for number, value in enumerate(several):
                yield from self.leaves(value, f"{path}[{number}]", depth, above)

    @staticmethod
    def _factory(factory: Any, path: str) -> Leaves:
        if factory is not None and not (isinstance(factory, type) and is_importable(factory)):
            raise NoForm(f"{path} makes missing values by a function, which has no canonical form")
        yield f"{path}.default", ("name", None if factory is None else qualified(factory))


_LISTED: tuple[type, ...] = (
    type(None),
    bool,
    decimal.Decimal,
    range,
    slice,
    bytearray,
    type,
    types.ModuleType,
    types.SimpleNamespace,
    datetime.tzinfo,
    collections.OrderedDict,
    collections.defaultdict,
    collections.deque,
)


def _check_dtype(dtype: Any, path: str) -> None:
    """Refuse types of entries with bytes that mean nothing, or with metadata."""
    if dtype.metadata is not None or (dtype.names is None and dtype.type not in NUMBERS and not dtype.hasobject):
        raise NoForm(f"{path} has entries of the kind {dtype}, which have no canonical form")
    for name in dtype.names or ():
        _check_dtype(dtype[name], path)


def _atom(exact: Any, x: Any) -> Any:
    """Return a plain value of a subclass, by the means of its base only."""
    if exact is str:
        return str.__str__(x)
    if exact is bytes:
        return bytes(bytearray(memoryview(x)))
    if exact is int:
        return int.__add__(x, 0)
    if exact is complex:
        return complex(*(vars(complex)[part].__get__(x) for part in ("real", "imag")))
    return float.__float__(x)


def _items(x: Any) -> Iterator[tuple[Any, Any]]:
    return iter(collections.OrderedDict.items(x) if isinstance(x, collections.OrderedDict) else dict.items(x))


def _members(x: Any) -> Iterator[Any]:
    base = next(k for k in (list, tuple, set, frozenset, collections.deque) if isinstance(x, k))
    return base.__iter__(x)


def _plain(leaves: Leaves) -> Leaves:
    return ((path, leaf) for path, leaf in leaves if type(leaf) is not Kind)


def _text(leaves: Leaves) -> str:
    """Return leaves as a text; a long one by its hash, as the text of a set in a set doubles with each of them."""
    text = repr(list(leaves))
    return text if len(text) <= LONGEST else hashlib.sha256(text.encode()).hexdigest()
