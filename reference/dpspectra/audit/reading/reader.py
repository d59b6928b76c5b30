"""One pass over a value of any type: its numbers, its labels, its members, its structure, its types.

Numbers are collected by where they stand (``output['count']``), and so are labels: hashes of values that are not
numbers (text, ``None``, masks). *Members* are items of sets, words of texts and short texts, wherever they stand. The
*structure* is a hash of shapes, keys and kinds of values, the *types* are those of everything but float64 and
complex128 numbers. A value that has neither a state nor a text of its own, or goes on past a limit, is noted as
*unread*.
"""

import enum
import math
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import fields, is_dataclass
from decimal import Decimal
from fractions import Fraction
from types import ModuleType
from typing import Any

import numpy as np

from dpspectra.audit.reading import parts
from dpspectra.audit.reading.foreign import of_foreign
from dpspectra.audit.reading.labels import Label, has_address, shown, text_label
from dpspectra.audit.reading.memory import (
    HEAP,
    KNOWN,
    SCALARS,
    Unread,
    foundation,
    importable,
    of_class,
    reduced,
    state,
)
from dpspectra.audit.reading.parts import ITEMS
from dpspectra.audit.reading.pieces import Pieces
from dpspectra.audit.reading.plain import plain_array

DEPTH = 24
"""Deepest nesting that is read; a value below it is one label."""
NODES = 100_000
"""Largest number of values read in one output; each further one is one label."""
SHORT_TUPLE = 16
"""Items up to which a tuple is taken to be several values, and not one sequence of numbers."""
UNMARKED = {float, complex}
"""Types that leave no mark: what stacks of numbers are made of."""
LABELS = 512
"""Labels of an output that are told apart by where they stand."""
SHARED = {list, dict, set, bytearray, np.ndarray}
"""Types of which it matters whether two values are one object."""


NUMBER = parts.marked("number")
CONTAINERS = {list, tuple, dict}


class Reader(Pieces):
    """One pass over a value."""

    def __init__(self) -> None:
        self.structure: list[bytes] = []
        self.numbers: dict[str, Any] = {}
        self.labels: dict[str, Label] = {}
        self.members: set[Label] = set()
        self.types: list[bytes] = []
        self.unread: dict[str, None] = {}
        self.by_text: dict[str, None] = {}
        self.drawn: list[Any] | None = None
        """Items of an iterator that is the whole value: nobody can draw them again."""
        self.entered: set[int] = set()
        self.held: dict[int, tuple[str, Any]] = {}
        """Where objects were met that may be changed; they are kept, so that no other has their place in memory."""
        self.nodes = 0

    def read(self, x: Any, path: str, depth: int) -> None:
        """Read a value that stands at a path."""
        self.nodes += 1
        kind = type(x)
        if depth > DEPTH or self.nodes > NODES:
            self.unread[f"more than {DEPTH} levels" if depth > DEPTH else f"more than {NODES} values"] = None
            return self.label(path, "deep", shown(x))
        if kind not in UNMARKED and kind is not np.ndarray:
            self.types.append(parts.type_name(kind))  # type: ignore[arg-type]
        if kind in SHARED:
            self.met(x, path)
        if kind is float:
            self.structure.append(NUMBER)
            self.numbers[path] = x
        elif kind is str:
            self.text(x, path)
        elif kind in CONTAINERS:
            self.entered_into(x, path, depth)
        elif x is None or isinstance(x, (bool, np.bool_)):
            self.label(path, "truth", repr(x if x is None else bool(x)))
            self.numbers[path] = math.nan if x is None else float(x)
        elif isinstance(x, np.ndarray):
            self.array(x, path, depth)
        elif isinstance(x, enum.Enum):
            self.named(parts.of_enum(x), path, depth, kind.__qualname__)
            self.own_class(kind, path, depth)
        elif isinstance(x, (float, np.floating, int, np.integer, complex, np.complexfloating)):
            self.number(x, path)
            self.beside(x, path, depth)
        elif isinstance(x, (Decimal, Fraction)):
            self.exact(x, path)
            self.beside(x, path, depth)
        elif isinstance(x, (str, bytes, bytearray, memoryview)):
            self.text(x, path)
            self.beside(x, path, depth)
        else:
            self.entered_into(x, path, depth)
        return None

    def entered_into(self, x: Any, path: str, depth: int) -> None:
        """Read what consists of parts, unless it is part of itself."""
        if id(x) in self.entered:
            return self.label(path, "cycle", "a cycle")
        self.entered.add(id(x))
        self.compound(x, path, depth)
        self.entered.discard(id(x))
        return None

    def met(self, x: Any, path: str) -> None:
        """Note whether the same object was met before."""
        if id(x) in self.held:
            self.mark(f"the same as {self.held[id(x)][0]}")
        else:
            self.held[id(x)] = path, x

    def mark(self, text: str) -> None:
        """Add to the structure."""
        self.structure.append(parts.marked(text))

    def label(self, path: str, kind: str, text: str) -> None:
        """Note a label."""
        self.mark(kind)
        self.labels[path] = text_label(text)
        if len(self.labels) > LABELS:
            self.unread[f"more than {LABELS} labels"] = None

    def compound(self, x: Any, path: str, depth: int) -> None:
        """Read what consists of parts."""
        if isinstance(x, (list, tuple)):
            self.sequence(x, path, depth)
            return self.beside(x, path, depth)
        if isinstance(x, dict) or isinstance(x, Mapping):  # noqa: SIM101, as the first is told much sooner
            self.named(list(x.items()), path, depth, "mapping")
            if isinstance(x, defaultdict):
                self.read(x.default_factory, path + ".default", depth + 1)
            return self.beside(x, path, depth)
        name = type(x).__qualname__
        if isinstance(x, Set):
            self.set(x, path, depth)
            return self.beside(x, path, depth)
        if isinstance(x, Unread):
            self.unread[x.what] = None
            return self.label(path, "unread", x.what)
        if (found := of_foreign(x)) is not None:
            return self.named(found, path, depth, name)
        if (date := parts.of_date(x)) is not None:
            self.date(*date, path, depth, name)
            return self.beside(x, path, depth)
        if isinstance(x, BaseException):
            self.named(parts.of_exception(x), path, depth, f"exception {name}")
            if foundation(type(x)) is None:
                self.unread[name] = None
            return self.own_class(type(x), path, depth)
        if (found := parts.of_container(x)) is not None:
            self.named(found, path, depth, name)
            return self.beside(x, path, depth)
        if isinstance(x, Iterator):
            return self.iterator(x, path, depth)
        if (plain := parts.as_numbers(x)) is not None:
            self.array(plain, path, depth)
            return self.beside(x, path, depth)
        if (found := parts.of_function(x)) is not None:
            return self.named(found, path, depth, name)
        if hasattr(x, "toarray"):  # sparse matrices, and factors of matrices
            if hasattr(x, "tocoo"):
                self.stored(x, path)
            if foundation(type(x)) is None:
                self.unread[name] = None
            return self.array(np.array(x.toarray()), path, depth)
        if is_dataclass(x) and not isinstance(x, type):
            declared = [(f.name, getattr(x, f.name)) for f in fields(x)]
            names = {f.name for f in fields(x)}
            self.met(x, path)
            if foundation(type(x)) is not object:
                self.unread[name] = None
            self.own_class(type(x), path, depth)
            return self.named(declared + [each for each in state(x) if each[0] not in names], path, depth, name)
        if not isinstance(x, type) and (array := parts.as_array(x)) is not None:
            self.types.append(f"{getattr(x, 'dtype', '')};".encode())
            if type(x) not in SCALARS and foundation(type(x)) is not object:
                self.unread[name] = None
            return self.read(array, path, depth + 1)
        return self.object(x, path, depth)

    def object(self, x: Any, path: str, depth: int) -> None:
        """Read an object of a type that is not known here: by its state, else by its text."""
        kind = type(x)
        if isinstance(x, type):
            return self.own_class(x, path, depth, named=True)
        held, whole = state(x), foundation(kind) is object
        if isinstance(x, ModuleType):
            held, whole = ([], True) if sys.modules.get(x.__name__) is x else (list(vars(x).items()), True)
            self.mark(x.__name__)
        if not whole:
            whole = bool(pickled := reduced(x))
            held += pickled
        self.met(x, path)
        self.own_class(kind, path, depth)
        if not whole or (not held and has_address(x) and not isinstance(x, ModuleType)):
            self.unread[kind.__qualname__] = None
        elif not held:
            self.by_text[kind.__qualname__] = None
        if held:
            return self.named(held, path, depth, kind.__qualname__)
        return self.label(path, kind.__qualname__, shown(x))

    def own_class(self, kind: type, path: str, depth: int, named: bool = False) -> None:
        """Read a class that nobody finds under its name; with ``named`` what any class holds."""
        if named:
            self.label(path, "class", f"{kind.__module__}.{kind.__qualname__}")
        if (named or (kind.__flags__ & HEAP and not importable(kind))) and (held := of_class(kind)):
            if id(kind) in self.entered and not named:
                return
            self.entered.add(id(kind))
            self.named(held, path + ".class", depth, "class")

    def beside(self, x: Any, path: str, depth: int) -> None:
        """Read what a value of a user's type holds besides being a number, a text or a container."""
        kind = type(x)
        if kind in KNOWN:
            return
        if foundation(kind) in {None, object}:
            self.unread[kind.__qualname__] = None
        self.own_class(kind, path, depth)
        if held := state(x):
            self.named(held, path + ".state", depth, "state")

    def named(self, items: Sequence[tuple[Any, Any]], path: str, depth: int, kind: str) -> None:
        """Read named parts; their order is structure too."""
        names = tuple(name if type(name) is str else self.key(name, depth) for name, _ in items)
        mark, order = parts.in_order(kind, names, path)
        self.structure.append(mark)
        self.numbers[path + ".length"] = float(len(items))
        for i, place in order:
            self.read(items[i][1], place, depth + 1)

    def sequence(self, x: Sequence[Any], path: str, depth: int) -> None:
        """Read a list or a tuple: numbers in nested lists of one shape as an array, anything else item by item."""
        if not (isinstance(x, tuple) and len(x) <= SHORT_TUPLE) and (array := plain_array(x)) is not None:
            if isinstance(x[0], list) and len(same := dict.fromkeys(map(id, x))) < len(x):
                order = list(same)
                self.mark(f"the same {[order.index(id(item)) for item in x]}")
            return self.array(array, path, depth)
        self.mark(f"{'tuple' if isinstance(x, tuple) else 'list'} {len(x)}")
        if not isinstance(x, tuple):
            self.numbers[path + ".length"] = float(len(x))
        return self.items(x, path, depth)

    def items(self, x: Sequence[Any], path: str, depth: int) -> None:
        """Read values that have a place each."""
        if len(x) > ITEMS:
            self.unread[f"more than {ITEMS} items"] = None
        for i, item in enumerate(x[:ITEMS]):
            self.read(item, f"{path}[{i}]", depth + 1)
