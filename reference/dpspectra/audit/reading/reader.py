"""One pass over a value of any type: its numbers, its labels, its members, its structure, its types.

Numbers are collected by where they stand (``output['count']``), and so are labels: hashes of values that are not
numbers (text, ``None``, masks). *Members* are items of sets, words of texts and short texts, wherever they stand. The
*structure* is a hash of shapes, keys and kinds of values, the *types* are those of everything but float64 and
complex128 numbers. A value that has neither a state nor a text of its own, or goes on past a limit, is noted as
*unread*.
"""

import enum
import math
from collections import OrderedDict, defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from decimal import Decimal
from fractions import Fraction
from types import ModuleType
from typing import Any

import numpy as np

from dpspectra.audit.reading import parts
from dpspectra.audit.reading.as_floats import plain_array
from dpspectra.audit.reading.labels import Label, has_address, shown, text_label
from dpspectra.audit.reading.parts import ITEMS
from dpspectra.audit.reading.pieces import Pieces
from dpspectra.contents.built_in_types import KNOWN, Unread, as_known
from dpspectra.contents.foreign import is_foreign
from dpspectra.contents.object_state import of_class
from dpspectra.contents.whole import beside, contents

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
            self.entered_into(x, path, depth)
        elif isinstance(x, (float, np.floating, int, np.integer, complex, np.complexfloating)):
            self.number(x, path)
            self.beside(x, path, depth)
        elif isinstance(x, (Decimal, Fraction)):
            self.exact(x, path)
            self.beside(x, path, depth)
        elif isinstance(x, (str, bytes, bytearray)):
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
        kind, name = type(x), type(x).__qualname__
        if isinstance(x, Unread):
            self.unread[x.what] = None
            return self.label(path, "unread", x.what)
        if isinstance(x, (list, tuple)):
            self.sequence(as_known(x, list, tuple), path, depth)
        elif isinstance(x, dict) or (isinstance(x, Mapping) and kind not in KNOWN):
            held = as_known(x, OrderedDict, dict) if isinstance(x, dict) else x
            self.named(list(held.items()), path, depth, "mapping")
            if isinstance(x, defaultdict):
                self.read(x.default_factory, path + ".default", depth + 1)
        elif isinstance(x, Set) and (kind not in KNOWN or isinstance(x, (set, frozenset))):
            self.set(as_known(x, set, frozenset) if isinstance(x, (set, frozenset)) else x, path, depth)
        elif isinstance(x, (BaseException, enum.Enum, ModuleType, type)) or is_foreign(x):
            return self.object(x, path, depth)
        elif (date := parts.of_date(x)) is not None:
            self.date(*date, path, depth, name)
        elif isinstance(x, Iterator):
            return self.iterator(x, path, depth)
        elif (found := parts.of_function(x)) is not None:
            return self.named(found, path, depth, name)
        elif hasattr(x, "toarray"):  # sparse matrices, and factors of matrices
            if hasattr(x, "tocoo"):
                self.stored(x, path)
            self.array(np.array(x.toarray()), path, depth)
        elif kind not in KNOWN and (array := parts.as_array(x)) is not None:
            self.types.append(f"{getattr(x, 'dtype', '')};".encode())
            self.read(array, path, depth + 1)
        else:
            return self.object(x, path, depth)
        return self.beside(x, path, depth)

    def object(self, x: Any, path: str, depth: int) -> None:
        """Read a value of a type that has no numbers of its own: by its parts, else by its text."""
        kind = type(x)
        held, whole = contents(x)
        self.met(x, path)
        if isinstance(x, type):
            return self.own_class(x, path, depth, named=True)
        self.own_class(kind, path, depth)
        if not whole or (not held and has_address(x)):
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
        if held := of_class(kind, named):
            if id(kind) in self.entered and not named:
                return
            self.entered.add(id(kind))
            self.named(held, path + ".class", depth, "class")

    def beside(self, x: Any, path: str, depth: int) -> None:
        """Read what a value of a user's type holds besides being a number, a text or a container."""
        kind = type(x)
        if kind in KNOWN:
            return
        held, whole = beside(x)
        if not whole:
            self.unread[kind.__qualname__] = None
        self.own_class(kind, path, depth)
        if held:
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
