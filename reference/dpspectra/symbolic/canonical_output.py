"""One canonical form of an output: everything plain in it bit by bit, with places for the numbers that hold noise.

Only what can be read whole has a form, as `dpspectra.contents` says it, and nothing that was made in the run has.
"""

import functools
import hashlib
import io
import struct
import types
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from dpspectra.contents.built_in_types import ITSELF, KNOWN, Unread
from dpspectra.contents.object_state import foundation, full_name, importable, of_class
from dpspectra.contents.whole import contents
from dpspectra.symbolic import pandas_operands, torch_tensors
from dpspectra.symbolic.noisy_numbers import PROTOCOLS, Noisy, raw_rows, seen
from dpspectra.symbolic.noisy_rows import noisy_rows
from dpspectra.symbolic.tape import current

NOISE = "a number that holds noise"
NOISES = {"float": NOISE, "int": "a whole number that holds noise", "int64": "a whole number of numpy with noise"}
"""Leaves of numbers that hold noise, by what they are without it."""
DEEPEST = 30
"""Depth of containers that are opened."""
LONGEST = 200
"""Characters of a member of a set that is written in full, and entries of an array whose places are kept."""
UNSURE = (np.longdouble, np.clongdouble, np.object_, np.void)
"""Kinds of numbers with bytes that mean nothing."""
NUMBERS = frozenset(
    kind for kind in vars(np).values() if isinstance(kind, type) and issubclass(kind, np.generic) and kind not in UNSURE
)

Leaf = tuple[str, Any]
Leaves = Iterator[tuple[str, Any]]


class Kind(tuple[Any, ...]):
    """Type, layout or identity, which a number that holds noise does not show; it is compared among plain runs only."""


FLOAT = (("output", Kind(("float",))),)
FLOATS = np.dtype(float)


class NoForm(Exception):
    """An output of which nothing can be said, such as a function or an open file."""


def opened(x: Any) -> tuple[dict[str, Any], list[Noisy]]:
    """Leaves by path, and the values that hold noise, in the order of their paths' leaves.

    A leaf is a token that can be compared and hashed. A symbolic number that holds noise is a token of `NOISES`, and is
    listed. Raises `NoForm` for what has no canonical form.
    """
    return read(x)[:2]


def read(x: Any) -> tuple[dict[str, Any], list[Noisy], tuple[tuple[str, Kind], ...]]:
    """Return leaves, values that hold noise, and the kinds of all numbers and arrays. Raises `NoForm`."""
    if type(x) is float:  # as below, sooner
        return {"output": _number(x)}, [], FLOAT
    if type(x) is np.ndarray and x.dtype is FLOATS:
        return {"output": _shape(x), **dict(_entries(x, "output"))}, [], (("output", _layout(x)),)
    leaves: dict[str, Any] = {}
    noisy: list[Noisy] = []
    kinds: list[tuple[str, Kind]] = []
    for path, leaf in _Reader().leaves(x, "output", 0, set()):
        if type(leaf) is Kind:
            kinds.append((path, leaf))
            continue
        while path in leaves:  # of another part that is called so
            path += "'"
        if type(leaf) is not Noisy:
            leaves[path] = leaf
        else:
            _put(path, leaf, leaves, noisy)
    return leaves, noisy, tuple(kinds)


def _put(path: str, leaf: Noisy, leaves: dict[str, Any], noisy: list[Noisy]) -> None:
    PROTOCOLS["as known"](leaf)
    rows = raw_rows(leaf)
    mask = noisy_rows(rows, current().size)
    if leaf.ndim:
        leaves[path] = ("array", str(leaf.dtype), leaf.shape)
    plain = np.int64 if leaf.whole else float
    token = NOISES["int" if leaf.whole and leaf.python else plain.__name__]
    for k in range(leaf.size):
        number = token if mask[k] else _scalar(int(rows.mu[k]) if token is NOISES["int"] else plain(rows.mu[k]))
        leaves[f"{path}[{k}]" if leaf.ndim else path] = number
    if np.any(mask):
        noisy.append(leaf.reshape(-1)[np.flatnonzero(mask)])


def _scalar(x: Any) -> Leaf:
    return _number(x) if type(x) is float else ("int", x) if type(x) is int else ("int64", x.tobytes())


def is_noise(leaf: Any) -> bool:
    """Whether a leaf is a number that holds noise."""
    return type(leaf) is str


def fits(noise: str, leaf: Any) -> bool:
    """Whether a plain leaf is of the kind of a number that holds noise: a float, or whole of Python or of numpy."""
    return str(leaf[0]).startswith("float") if noise == NOISE else noise == NOISES.get(leaf[0])


def _number(x: float) -> Leaf:
    return ("float", struct.pack("d", x))


def _layout(x: Any) -> Kind:
    return Kind((x.dtype.str, x.strides, x.base is None, x.flags.writeable))


def _shape(x: Any) -> Any:
    return ("array", "float64" if x.dtype is FLOATS else str(x.dtype), x.shape)


def _entries(x: Any, path: str) -> Leaves:
    """Leaves of the entries of an array of floats or truth values."""
    name = "float" if x.dtype == float else "bool"
    leaves = ((name, raw) for (raw,) in struct.iter_unpack(f"{x.itemsize}s", x.tobytes()))
    return zip(_places(path, x.size) if x.size <= LONGEST else _places.__wrapped__(path, x.size), leaves, strict=True)


@functools.lru_cache(maxsize=100)
def _places(path: str, size: int) -> tuple[str, ...]:
    return tuple(f"{path}[{k}]" for k in range(size))


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
            yield from self._again(x, path)
            other = _Reader._tensor if kind in torch_tensors.kinds() else _Reader._parts
            yield from _TAKEN.get(kind, other)(self, x, path, depth + 1, above | {id(x)})

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
        yield path, _layout(x)
        yield path, _shape(x)
        flat = x.reshape(-1)
        if x.dtype in (float, bool):  # their kind is the array's; entries hide which byte a truth value is
            yield from _entries(x, path)
        elif x.dtype.names is not None:
            for name in x.dtype.names:
                yield from self.leaves(flat[name], f"{path}.{name}", depth + 1, above)
        else:
            for k in range(flat.size):
                yield from self.leaves(flat[k], f"{path}[{k}]", depth + 1, above)

    def _tensor(self, x: Any, path: str, depth: int, above: set[int]) -> Leaves:
        """Leaves of a tensor of torch: its numbers as floats of 64 bits, its type, its gradient and attributes."""
        tensor = torch_tensors.opened(x)
        if isinstance(tensor, str):
            raise NoForm(f"{path} is a tensor {tensor}, which has no canonical form")
        yield path, Kind(tensor.kind)
        yield f"{path}.dtype", ("dtype", str(x.dtype))
        numbers = tensor.numbers
        if type(numbers) is Noisy or numbers.dtype != float:
            yield from self.leaves(numbers, path, depth, above)
        else:
            if numbers.ndim:
                yield path, ("array", "float64", numbers.shape)
            for k, number in enumerate(numbers.ravel()):
                yield f"{path}[{k}]" if numbers.ndim else path, _number(float(number))
        for name, value in tensor.beside:
            yield from self.leaves(value, f"{path}.{name}", depth, above)

    def _sequence(self, x: Any, path: str, depth: int, above: set[int]) -> Leaves:
        yield path, (type(x).__name__, len(x))
        for number, value in enumerate(x):
            yield from self.leaves(value, f"{path}[{number}]", depth, above)

    def _set(self, x: Any, path: str, depth: int, above: set[int]) -> Leaves:
        members = [list(self.leaves(v, "", depth, above)) for v in x]
        yield path, Kind(("order", *map(_text, members)))
        yield path, (type(x).__name__, tuple(sorted(_text(_plain(v)) for v in members)))

    def _dict(self, x: Any, path: str, depth: int, above: set[int]) -> Leaves:
        yield path, ("dict", len(x))
        for number, (key, value) in enumerate((seen(key), value) for key, value in x.items()):
            yield from self.leaves(key, f"{path}.key{number}", depth, above)
            called = f"{key!r:.40}" if type(key) in (str, int, float, bool, bytes) else f"item {number}"
            yield from self.leaves(value, f"{path}[{called}]", depth, above)

    def _parts(self, x: Any, path: str, depth: int, above: set[int]) -> Leaves:
        """Leaves of what is no number, text or container of Python itself: all that it consists of, or nothing."""
        kind = type(x)
        if kind is Unread:
            raise NoForm(f"{path} has no canonical form: {x.what} cannot be read")
        itself = isinstance(x, type)
        alive = callable(x) or hasattr(kind, "__next__") or hasattr(kind, "read")
        if not itself and alive and foundation(kind) in _MAYBE_ALIVE:
            raise NoForm(f"{path} is of the kind {full_name(kind)}, which has no canonical form")
        for each in (kind, x) if itself or isinstance(x, types.ModuleType) else (kind,):
            if each not in KNOWN and not importable(each):
                raise NoForm(f"{path} is of the kind {full_name(kind)}, and was made in the run")
        found = contents(pandas_operands.one_by_one(x))
        if not found.whole:
            raise NoForm(f"{path} is of the kind {full_name(kind)}, which has no canonical form")
        yield f"{path}.class", ("class", full_name(kind))
        for name, value in (*found.parts, *of_class(x if itself else kind, itself)):
            if name == ITSELF:
                yield from self.leaves(value, path, depth - 1, above)
            else:
                yield from self.leaves(value, f"{path}.{name}" if type(name) is str else f"{path}.part", depth, above)


_MAYBE_ALIVE = (None, object, io.StringIO, io.BytesIO)
"""Types on which functions, iterators and open files are built, which are more than their state."""
_TAKEN: dict[Any, Any] = {
    list: _Reader._sequence,
    tuple: _Reader._sequence,
    dict: _Reader._dict,
    set: _Reader._set,
    frozenset: _Reader._set,
}


def _check_dtype(dtype: Any, path: str) -> None:
    """Refuse types of entries with bytes that mean nothing, or with metadata."""
    if dtype.metadata is not None or (dtype.names is None and dtype.type not in NUMBERS and not dtype.hasobject):
        raise NoForm(f"{path} has entries of the kind {dtype}, which have no canonical form")
    fields = [dtype.fields[name] for name in dtype.names or ()]
    if (
        fields
        and len({at for kind, start, *_ in fields for at in range(start, start + kind.itemsize)}) < dtype.itemsize
    ):
        raise NoForm(f"{path} has entries with bytes between their fields, which have no canonical form")
    for kind, *_ in fields:
        _check_dtype(kind, path)


def _plain(leaves: Iterable[tuple[str, Any]]) -> Leaves:
    return ((path, leaf) for path, leaf in leaves if type(leaf) is not Kind)


def _text(leaves: Iterable[tuple[str, Any]]) -> str:
    """Return leaves as a text; a long one by its hash, as the text of a set in a set doubles with each of them."""
    text = repr(list(leaves))
    return text if len(text) <= LONGEST else hashlib.sha256(text.encode()).hexdigest()
