"""One pass over a value of any type: its numbers, its labels, its members, its structure, its types.

Numbers are collected by where they stand (``output['count']``), and so are labels: hashes of values that are not
numbers (text, ``None``, masks). *Members* are items of sets, words of texts and short texts, wherever they stand. The
*structure* is a hash of shapes, keys and kinds of values, the *types* are those of everything but float64 and
complex128 numbers. A value that has neither a state nor a text of its own, or goes on past a limit, is noted as
*unread*.
"""

import enum
import math
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import fields, is_dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.audit.reading import parts
from dpspectra.audit.reading.labels import Label, has_address, label, shown, text_label, without_addresses
from dpspectra.audit.reading.parts import ITEMS
from dpspectra.audit.reading.plain import EXACT, LOW, MODULI, as_float, exact, parts_of, plain_array
from dpspectra.audit.reading.texts import read_text
from dpspectra.ground.checks import NUMERIC

DEPTH = 24
"""Deepest nesting that is read; a value below it is one label."""
NODES = 100_000
"""Largest number of values read in one output; each further one is one label."""
SHORT_TUPLE = 16
"""Items up to which a tuple is taken to be several values, and not one sequence of numbers."""
UNMARKED = {float, complex, np.float64, np.complex128}
"""Types that leave no mark: what stacks of numbers are made of."""
TYPES = 4096
"""Bytes of the names of types that are kept."""


NUMBER, TEXT = parts.marked("number"), parts.marked("text")
CONTAINERS = {list, tuple, dict}


class Reader:
    """One pass over a value."""

    def __init__(self) -> None:
        self.structure: list[bytes] = []
        self.numbers: dict[str, Any] = {}
        self.labels: dict[str, Label] = {}
        self.members: set[Label] = set()
        self.types = b""
        self.unread: dict[str, None] = {}
        self.by_text: dict[str, None] = {}
        self.drawn: list[Any] | None = None
        """Items of an iterator that is the whole value: nobody can draw them again."""
        self.entered: set[int] = set()
        self.nodes = 0

    def read(self, x: Any, path: str, depth: int) -> None:
        """Read a value that stands at a path."""
        self.nodes += 1
        kind = type(x)
        if depth > DEPTH or self.nodes > NODES:
            self.unread[f"more than {DEPTH} levels" if depth > DEPTH else f"more than {NODES} values"] = None
            return self.label(path, "deep", shown(x))
        if kind not in UNMARKED and kind is not np.ndarray and len(self.types) < TYPES:
            self.types += parts.type_name(kind)  # type: ignore[arg-type]
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
        elif isinstance(x, (float, np.floating, int, np.integer, complex, np.complexfloating)):
            self.number(x, path)
            self.beside(x, path, depth)
        elif isinstance(x, (Decimal, Fraction)):
            self.label(path, kind.__name__, str(x))
            self.numbers[path] = as_float(x)
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

    def mark(self, text: str) -> None:
        """Add to the structure."""
        self.structure.append(parts.marked(text))

    def label(self, path: str, kind: str, text: str) -> None:
        """Note a label."""
        self.mark(kind)
        self.labels[path] = text_label(text)

    def number(self, x: Any, path: str) -> None:
        """Read one number."""
        self.mark("number")
        if isinstance(x, (int, np.integer)):
            x = int(x)
            if abs(x) > EXACT:
                self.numbers |= {path + end: part for end, part in parts_of(x).items()}
            self.numbers[path] = as_float(x)
        elif isinstance(x, (float, np.floating)):
            self.numbers[path] = float(x)
        else:
            z = complex(x)
            if z.imag != 0:
                self.mark("complex")
            self.numbers[path] = z.real if z.imag == 0 else z

    def text(self, x: Any, path: str) -> None:
        """Read a text, or bytes."""
        if isinstance(x, str):
            x = str(x)
            self.structure.append(TEXT)
            seen = read_text(x)
            self.labels[path] = seen.whole
            self.members |= seen.members
            if seen.numbers is not None:
                self.numbers[path + seen.suffix] = seen.numbers
        else:
            x = bytes(x)
            self.label(path, "bytes", repr(x))
            seen = x[:ITEMS]
            self.numbers[path + ".bytes"] = np.frombuffer(seen, np.uint8).astype(float)
            if seen and len(seen) % 8 == 0:
                self.numbers[path + ".float64"] = np.frombuffer(seen, "<f8").astype(float)
        self.numbers[path + ".length"] = float(len(x))

    def compound(self, x: Any, path: str, depth: int) -> None:
        """Read what consists of parts."""
        if isinstance(x, (list, tuple)):
            self.sequence(x, path, depth)
            return self.beside(x, path, depth)
        if isinstance(x, dict) or isinstance(x, Mapping):  # noqa: SIM101, as the first is told much sooner
            self.named(list(x.items()), path, depth, "mapping")
            return self.beside(x, path, depth)
        name = type(x).__qualname__
        if isinstance(x, Set):
            return self.set(x, path, depth)
        if (date := parts.of_date(x)) is not None:
            self.numbers[path] = date[0]
            return self.label(path + ".zone", name, date[1])
        if isinstance(x, BaseException):
            return self.named(parts.of_exception(x), path, depth, f"exception {name}")
        if isinstance(x, Iterator):
            return self.iterator(x, path, depth)
        if (plain := parts.simpler(x)) is not None:
            return self.read(plain, path, depth + 1)
        for found in (parts.of_function(x), parts.of_table(x)):
            if found is not None:
                return self.named(found, path, depth, name)
        if hasattr(x, "toarray"):  # sparse matrices, and factors of matrices
            if hasattr(x, "tocoo"):
                self.stored(x, path)
            return self.array(np.asarray(x.toarray()), path, depth)
        if is_dataclass(x) and not isinstance(x, type):
            declared = [(f.name, getattr(x, f.name)) for f in fields(x)]
            names = {f.name for f in fields(x)}
            return self.named(declared + [each for each in parts.state(x) if each[0] not in names], path, depth, name)
        if not isinstance(x, type) and (array := parts.as_array(x)) is not None:
            self.types += f"{getattr(x, 'dtype', '')};".encode()
            return self.read(array, path, depth + 1)
        return self.object(x, path, depth)

    def object(self, x: Any, path: str, depth: int) -> None:
        """Read an object of a type that is not known here: by its state, else by its text."""
        name = type(x).__qualname__
        if not isinstance(x, type):
            held = parts.state(x)
            if held := held or parts.reduced(x):
                return self.named(held, path, depth, name)
            (self.unread if has_address(x) else self.by_text)[name] = None
        return self.label(path, name, shown(x))

    def beside(self, x: Any, path: str, depth: int) -> None:
        """Read what a value of a user's type holds besides being a number, a text or a container."""
        if type(x).__module__ not in ("builtins", "numpy", "collections") and (held := parts.state(x)):
            self.named(held, path + ".state", depth, "state")

    def iterator(self, x: Iterator[Any], path: str, depth: int) -> None:
        """Read the items of an iterator, which are gone then."""
        found: list[Any] = []
        try:
            for item in x:
                if len(found) == ITEMS:
                    self.unread[f"{type(x).__qualname__} beyond {ITEMS} items"] = None
                    break
                found.append(item)
        except Exception as problem:  # which is part of what the iterator shows
            self.label(path + ".raised", "raised", without_addresses(repr(problem)))
        self.drawn = found if depth == 0 else self.drawn
        self.sequence(found, path, depth)

    def set(self, x: Set[Any], path: str, depth: int) -> None:
        """Read a set: its items are members, its numbers in ascending order an array."""
        texts = sorted(map(shown, x))
        self.members.update(map(text_label, texts))
        self.label(path, f"set {len(x)}", ", ".join(texts))
        self.numbers[path + ".length"] = float(len(x))
        if numbers := sorted(as_float(item) for item in x if type(item) in (int, float)):
            self.numbers[path + ".numbers"] = np.array(numbers)
        for item in x:
            if has_address(item):  # its text says nothing of its state
                self.read(item, path + "{}", depth + 1)

    def stored(self, x: Any, path: str) -> None:
        """Note which places a sparse matrix stores, be it zeros."""
        places = x.tocoo(copy=False)
        coordinates = np.stack(places.coords if hasattr(places, "coords") else (places.row, places.col))
        ordered = coordinates[:, np.lexsort(coordinates)]
        self.labels[path + ".stored"] = label(ordered.tobytes(), f"{ordered.shape[1]} stored places")
        self.numbers[path + ".count"] = float(ordered.shape[1])

    def named(self, items: Sequence[tuple[Any, Any]], path: str, depth: int, kind: str) -> None:
        """Read named parts; their order is structure too."""
        names = tuple(name if isinstance(name, str) else shown(name) for name, _ in items)
        mark, order = parts.in_order(kind, names, path)
        self.structure.append(mark)
        self.numbers[path + ".length"] = float(len(items))
        for i, place in order:
            self.read(items[i][1], place, depth + 1)

    def sequence(self, x: Sequence[Any], path: str, depth: int) -> None:
        """Read a list or a tuple: numbers in nested lists of one shape as an array, anything else item by item."""
        if not (isinstance(x, tuple) and len(x) <= SHORT_TUPLE) and (array := plain_array(x)) is not None:
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

    def array(self, x: NDArray[Any], path: str, depth: int) -> None:
        """Read an array of anything."""
        if x.dtype.kind not in "fc" or x.dtype.itemsize != (8 if x.dtype.kind == "f" else 16):
            width = x.dtype.itemsize if x.dtype.kind in NUMERIC else ""
            self.types += f"array of {x.dtype.kind}{width};".encode()
        if isinstance(x, np.ma.MaskedArray):  # what is masked is hidden, and no statistic sees it
            self.label(path + ".mask", "mask", np.packbits(np.ma.getmaskarray(x)).tobytes().hex())
            x = np.ma.filled(x, 0)
        elif type(x) is not np.ndarray:
            self.beside(x, path, depth)
            x = np.asarray(x)
        if x.dtype.names is not None:
            return self.named([(name, x[name]) for name in x.dtype.names], path, depth, "record")
        if x.dtype.kind in "mM":
            x = x.astype(np.int64)
        if x.shape == () and x.dtype.kind in NUMERIC:
            return self.number(x.item() if x.dtype.kind != "b" else float(x), path)
        self.mark(f"array {x.shape}")
        if x.dtype.kind not in NUMERIC:
            return self.items(x.ravel().tolist(), path, depth)
        if x.dtype.kind in "iu" and not exact(x):
            self.numbers[path + ".low"] = (x & LOW).astype(float)
            self.numbers |= {f"{path}.mod {modulus}": (x % modulus).astype(float) for modulus in MODULI}
        if x.dtype.kind == "c":
            wide = bool(x.imag.any())
            if wide:
                self.mark("complex")
            x = x.astype(complex) if wide else x.real
        self.numbers[path] = x if x.dtype.kind == "c" else x.astype(float)
        return None
