"""One output of any type, read by value: its numbers, its labels, its structure, or how the call failed.

Numbers are collected by where they stand (``output['count']``), and so are labels: hashes of what is no number (text,
``None``, members of a set, masks). The *structure* is a hash of types, shapes and keys. Two outputs with one hash are
one atom of every event, which can cost power and nothing else. Nothing that an output does when it is looked at stops
an audit: what cannot be read is an outcome of its own kind.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, fields, is_dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.ground.checks import NUMERIC

ROOT = "output"
"""Path of the output itself."""
DEPTH = 24
"""Nesting below which a value is one label."""
NODES = 100_000
"""Values in one output beyond which each is one label."""
ITEMS = 64
"""Items of a sequence that have a path of their own."""
TUPLE = 16
"""Items up to which a tuple is taken to be several outputs, and not one sequence of numbers."""
EXACT = 2**53
"""Integers beyond this are not all float64 numbers."""
LOW = 2**52 - 1
TEXT = 60
"""Characters of a label that are kept for people to read."""
NAMES = 4096
"""Labels whose text is kept."""
_ADDRESS = re.compile(r"0x[0-9a-fA-F]+")

Label = int
"""A hash of 64 bits."""
readable: dict[Label, str] = {}
"""Texts of the labels met in this process, by label, for people to read; nothing is decided by them."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One run of a mechanism, as it was read."""

    kind: Label
    """That it returned a value, or how it failed."""
    structure: Label
    numbers: Mapping[str, Any]
    """Real or complex arrays, by path."""
    labels: Mapping[str, Label]
    value: Any = None
    """The returned object, for statistics of the user's own."""
    unread: tuple[str, ...] = ()
    """What is in it and could not be read."""
    by_text: tuple[str, ...] = ()
    """Types in it of which only the ``repr`` was read."""

    @property
    def failed(self) -> bool:
        """Whether there is no value."""
        return self.kind != VALUE


def label(data: bytes, text: str) -> Label:
    """Hash some bytes; ``text`` says what they are."""
    name = int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "little")
    if len(readable) < NAMES:
        readable.setdefault(name, text if len(text) <= TEXT else text[:TEXT] + "...")
    return name


@cache
def named(text: str) -> Label:
    """Label of a word of the auditor's own."""
    return label(text.encode(), text)


VALUE = named("a value")
NOTHING = named("nothing")
"""Label of what an output does not have."""


def outcome(value: Any) -> Outcome:
    """Read a returned value."""
    reader = _Reader()
    try:
        reader.read(value, ROOT, 0)
    except Exception as problem:  # whatever an object does when it is looked at; too deep, too large
        what = f"unreadable {type(value).__name__}: {type(problem).__name__}"
        kind = named(what)
        return Outcome(kind, kind, {}, {}, unread=(what,))
    return Outcome(
        VALUE,
        label(b"".join(reader.structure), "structure"),
        reader.numbers,
        reader.labels,
        value,
        tuple(reader.unread),
        tuple(reader.by_text),
    )


def inner(output: Any) -> Any:
    """The ``value`` of an output, if it has one, else the output itself."""
    return output if isinstance(output, (float, np.ndarray)) else getattr(output, "value", output)


def failure(problem: BaseException) -> Outcome:
    """The outcome of a run that raised; the message is a label."""
    kind = named(f"failure: {type(problem).__name__}")
    try:
        text = str(problem)
    except Exception:
        text = "(a message that cannot be read)"
    return Outcome(kind, kind, {}, {"message": _text_label(text)})


class _Reader:
    """One pass over a value."""

    def __init__(self) -> None:
        self.structure: list[bytes] = []
        self.numbers: dict[str, Any] = {}
        self.labels: dict[str, Label] = {}
        self.unread: dict[str, None] = {}
        self.by_text: dict[str, None] = {}
        self.entered: set[int] = set()
        self.nodes = 0

    def read(self, x: Any, path: str, depth: int) -> None:
        self.nodes += 1
        if depth > DEPTH or self.nodes > NODES:
            self.label(path, "deep", _plain_repr(x))
        elif x is None or isinstance(x, (bool, np.bool_)):
            self.label(path, "truth", repr(x if x is None else bool(x)))
            self.numbers[path] = math.nan if x is None else float(x)
        elif isinstance(x, (float, np.floating, int, np.integer, complex, np.complexfloating)):
            self.number(x, path)
        elif isinstance(x, (Decimal, Fraction)):
            self.label(path, type(x).__name__, str(x))
            self.numbers[path] = _as_float(x)
        elif isinstance(x, (str, bytes, bytearray, memoryview)):
            self.text(x, path)
        elif isinstance(x, np.ndarray):
            self.array(x, path, depth)
        elif id(x) in self.entered:
            self.label(path, "cycle", "a cycle")
        else:
            self.entered.add(id(x))
            self.compound(x, path, depth)
            self.entered.discard(id(x))

    def mark(self, text: str) -> None:
        """Add to the structure."""
        self.structure.append(text.encode("utf-8", "backslashreplace") + b"\0")

    def label(self, path: str, kind: str, text: str) -> None:
        self.mark(kind)
        self.labels[path] = _text_label(text)

    def number(self, x: Any, path: str) -> None:
        self.mark("number")
        if isinstance(x, (int, np.integer)):
            x = int(x)
            if abs(x) > EXACT:
                self.numbers[path + ".low"], self.numbers[path + ".bits"] = float(x & LOW), float(x.bit_length())
            self.numbers[path] = _as_float(x)
        elif isinstance(x, (float, np.floating)):
            self.numbers[path] = float(x)
        else:
            z = complex(x)
            if z.imag != 0:
                self.mark("complex")
            self.numbers[path] = z.real if z.imag == 0 else z

    def text(self, x: Any, path: str) -> None:
        if isinstance(x, str):
            self.label(path, "text", repr(str(x)))
            if (value := _parsed(x)) is not None:
                self.numbers[path + ".number"] = value
        else:
            x = bytes(x)
            self.label(path, "bytes", repr(x))
        self.numbers[path + ".length"] = float(len(x))

    def compound(self, x: Any, path: str, depth: int) -> None:
        kind = type(x)
        if isinstance(x, Mapping):
            return self.members(list(x.items()), path, depth, "mapping")
        if isinstance(x, (list, tuple)):
            return self.sequence(x, path, depth)
        if isinstance(x, Set):
            self.label(path, f"set {len(x)}", ", ".join(sorted(_plain_repr(item) for item in x)))
            self.numbers[path + ".length"] = float(len(x))
            return None
        if hasattr(x, "columns") and hasattr(x, "to_dict"):  # a data frame
            columns = [(name, np.asarray(x[name])) for name in x.columns]
            return self.members([*columns, ("(index)", np.asarray(x.index))], path, depth, "frame")
        if hasattr(x, "toarray"):  # sparse matrices, and factors of matrices
            return self.array(np.asarray(x.toarray()), path, depth)
        if is_dataclass(x) and not isinstance(x, type):
            return self.members([(f.name, getattr(x, f.name)) for f in fields(x)], path, depth, kind.__qualname__)
        if hasattr(x, "__array__") and (array := np.asarray(x)).dtype != object:
            return self.array(array, path, depth)
        if isinstance(x, BaseException):
            return self.label(path, f"exception {kind.__qualname__}", str(x))
        state = getattr(x, "__dict__", None)
        if isinstance(state, dict) and state and not isinstance(x, type) and not callable(x):
            return self.members(list(state.items()), path, depth, kind.__qualname__)
        shown = _plain_repr(x)
        (self.unread if "0x" in shown and _ADDRESS.search(repr(x)) else self.by_text)[kind.__qualname__] = None
        return self.label(path, kind.__qualname__, shown)

    def members(self, items: Sequence[tuple[Any, Any]], path: str, depth: int, kind: str) -> None:
        """Named parts; their order is structure too."""
        names = [name if isinstance(name, str) else _plain_repr(name) for name, _ in items]
        self.mark(f"{kind} {names}")
        self.numbers[path + ".length"] = float(len(items))
        for name, (_, value) in sorted(zip(names, items, strict=True), key=lambda pair: pair[0]):
            self.read(value, f"{path}[{name!r}]", depth + 1)

    def sequence(self, x: Sequence[Any], path: str, depth: int) -> None:
        if not (isinstance(x, tuple) and len(x) <= TUPLE) and (array := _array(x)) is not None:
            return self.array(array, path, depth)
        self.mark(f"{type(x).__name__} {len(x)}")
        if not isinstance(x, tuple):
            self.numbers[path + ".length"] = float(len(x))
        for i, item in enumerate(x):
            self.read(item, f"{path}[{i}]" if i < ITEMS else f"{path}[...]", depth + 1)
        return None

    def array(self, x: NDArray[Any], path: str, depth: int) -> None:
        if isinstance(x, np.ma.MaskedArray):  # what is masked is hidden, and no statistic sees it
            self.label(path + ".mask", "mask", np.packbits(np.ma.getmaskarray(x)).tobytes().hex())
            x = np.ma.filled(x, 0)
        if x.dtype.names is not None:
            return self.members([(name, x[name]) for name in x.dtype.names], path, depth, "record")
        if x.dtype.kind in "mM":
            x = x.astype(np.int64)
        if x.shape == () and x.dtype.kind in NUMERIC:
            return self.number(x.item() if x.dtype.kind != "b" else float(x), path)
        self.mark(f"array {x.shape}")
        if x.dtype.kind not in NUMERIC:
            for i, item in enumerate(x.ravel().tolist()):
                self.read(item, f"{path}[{i}]" if i < ITEMS else f"{path}[...]", depth + 1)
            return None
        if x.dtype.kind in "iu" and not exact(x):
            self.numbers[path + ".low"] = (x & LOW).astype(float)
        if x.dtype.kind == "c":
            wide = bool(x.imag.any())
            if wide:
                self.mark("complex")
            x = x.astype(complex) if wide else x.real
        self.numbers[path] = x if x.dtype.kind == "c" else x.astype(float)
        return None


def exact(x: NDArray[Any]) -> bool:
    """Whether all numbers in an array of integers are float64 numbers."""
    return x.size == 0 or float(np.max(np.abs(x.astype(float)))) <= EXACT


def _text_label(text: str) -> Label:
    return label(text.encode("utf-8", "surrogatepass"), text)


def _plain_repr(x: Any) -> str:
    """``repr`` without addresses in memory."""
    return _ADDRESS.sub("0x", repr(x))


def _as_float(x: Any) -> float:
    try:
        return float(x)
    except OverflowError:
        return math.inf if x > 0 else -math.inf
    except ValueError:  # a signalling NaN
        return math.nan


def _parsed(x: str) -> float | None:
    """The number that a short text spells."""
    try:
        return float(x) if len(x) <= TEXT else None
    except ValueError:
        return None


def _array(x: Sequence[Any]) -> NDArray[Any] | None:
    """Plain numbers in nested lists of one shape as an array; ``None`` for anything else."""
    leaf: Any = x
    while isinstance(leaf, (list, tuple)) and leaf:
        leaf = leaf[0]
    if type(leaf) not in (int, float):
        return None
    try:
        array = np.array(x)
    except (ValueError, OverflowError):
        return None
    return array if array.dtype.kind in "if" and _plain(x) else None


def _plain(x: Any) -> bool:
    """Whether all numbers in nested lists are Python's own floats, and integers that are float64 numbers."""
    if isinstance(x, (list, tuple)):
        return all(map(_plain, x))
    return type(x) is float or (type(x) is int and abs(x) <= EXACT)
