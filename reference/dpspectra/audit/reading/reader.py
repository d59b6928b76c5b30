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
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction
from types import GeneratorType, ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.audit.reading import parts
from dpspectra.audit.reading.foreign import of_foreign
from dpspectra.audit.reading.labels import PLAIN, Label, has_address, label, shown, text_label, without_addresses
from dpspectra.audit.reading.memory import (
    HEAP,
    KNOWN,
    SCALARS,
    Unread,
    covers,
    foundation,
    importable,
    of_class,
    reduced,
    state,
)
from dpspectra.audit.reading.parts import ITEMS
from dpspectra.audit.reading.plain import EXACT, LOW, MODULI, as_float, exact, parts_of, plain_array
from dpspectra.audit.reading.texts import LONG, read_text
from dpspectra.ground.checks import NUMERIC

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
ITERATORS = ("builtins", "itertools")
"""Modules whose iterators hold nothing but their items."""


NUMBER, TEXT = parts.marked("number"), parts.marked("text")
CONTAINERS = {list, tuple, dict}


class Reader:
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

    def exact(self, x: Decimal | Fraction, path: str) -> None:
        """Read a number of any precision: by its text, and by the integers of which it consists."""
        self.label(path, type(x).__name__, str(x))
        self.numbers[path] = as_float(x)
        whole: tuple[int, ...]
        if isinstance(x, Fraction):
            whole = (x.numerator, x.denominator)
        else:
            _, digits, exponent = x.as_tuple()
            whole = (int("".join(map(str, digits)) or "0"), exponent) if isinstance(exponent, int) else ()
        for name, each in zip("ab", whole, strict=False):
            self.number(each, f"{path}.{name}")

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
            if isinstance(x, np.longdouble):
                self.numbers[path + ".rest"] = float(x - np.longdouble(float(x)))
        else:
            z = complex(x)
            if isinstance(x, np.clongdouble):
                self.numbers[path + ".rest"] = complex(x - np.clongdouble(z))
            if z.imag != 0:
                self.mark("complex")
            self.numbers[path] = z.real if z.imag == 0 else z

    def text(self, x: Any, path: str) -> None:
        """Read a text, or bytes."""
        if isinstance(x, str):
            x = str(x)
            self.structure.append(TEXT)
            seen = read_text(x)
            self.unread |= dict.fromkeys(seen.cut)
            self.labels[path] = seen.whole
            self.members |= seen.members
            if seen.numbers is not None:
                self.numbers[path + seen.suffix] = seen.numbers
            if len(seen.tails):
                self.numbers[path + ".tails"] = seen.tails
        else:
            if isinstance(x, memoryview):
                self.label(path + ".form", "memoryview", f"{x.format} {x.shape} {x.strides} {x.readonly}")
                if not (isinstance(x.obj, (bytes, bytearray)) and len(x.obj) == x.nbytes):
                    self.unread["memory of a memoryview"] = None
            x = bytes(x)
            self.label(path, "bytes", repr(x))
            seen = x[:LONG]
            if len(x) > LONG:
                self.unread[f"bytes beyond {LONG}"] = None
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

    def date(self, since: timedelta, zone: Any, words: str, path: str, depth: int, name: str) -> None:
        """Read a time: in seconds, in whole ones, what is beyond them, and the zone."""
        self.numbers[path] = since.total_seconds()
        self.numbers[path + ".second"] = float(since.days * 86400 + since.seconds)
        self.numbers[path + ".microsecond"] = float(since.microseconds)
        self.label(path + ".zone", name, without_addresses(words))
        if zone is not None:
            self.read(zone, path + ".tzinfo", depth + 1)

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

    def iterator(self, x: Iterator[Any], path: str, depth: int) -> None:
        """Read the items of an iterator, which are gone then."""
        found: list[Any] = []
        kind = type(x)
        if not (kind.__module__ in ITERATORS or kind is GeneratorType) or kind.__flags__ & HEAP:
            if foundation(kind) is not object:
                self.unread[kind.__qualname__] = None
            self.named(state(x), path + ".state", depth, "state")
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
        texts = sorted(shown(item) if _plain(item) else self.inside(item, depth) for item in x)
        self.members.update(map(text_label, texts))
        self.label(path, f"set {len(x)}", ", ".join(texts))
        self.numbers[path + ".length"] = float(len(x))
        if numbers := sorted(as_float(item) for item in x if type(item) in (int, float)):
            self.numbers[path + ".numbers"] = np.array(numbers)

    def inside(self, x: Any, depth: int) -> str:
        """Return all that is read of an item without a place, as a text."""
        one = Reader()
        one.nodes = self.nodes
        one.read(x, "item", depth + 1)
        self.nodes = one.nodes
        self.unread |= one.unread
        self.by_text |= one.by_text
        numbers = [(path, np.asarray(each).tolist()) for path, each in sorted(one.numbers.items())]
        found = [b"".join(one.structure), b"".join(one.types), numbers, sorted(one.labels.items())]
        return f"{type(x).__qualname__} {text_label(repr([*found, sorted(one.members)])):016x}"

    def stored(self, x: Any, path: str) -> None:
        """Note which places a sparse matrix stores, be it zeros."""
        places = x.tocoo(copy=False)
        coordinates = np.stack(places.coords if hasattr(places, "coords") else (places.row, places.col))
        ordered = coordinates[:, np.lexsort(coordinates)]
        if ordered.shape[1] > len(set(zip(*ordered.tolist(), strict=True))):
            self.unread["a place that a sparse matrix stores twice"] = None
        self.types.append(f"{x.dtype}{'' if np.array_equal(ordered, coordinates) else coordinates.tolist()};".encode())
        self.labels[path + ".stored"] = label(ordered.tobytes(), f"{ordered.shape[1]} stored places")
        self.numbers[path + ".count"] = float(ordered.shape[1])

    def named(self, items: Sequence[tuple[Any, Any]], path: str, depth: int, kind: str) -> None:
        """Read named parts; their order is structure too."""
        names = tuple(name if type(name) is str else self.key(name, depth) for name, _ in items)
        mark, order = parts.in_order(kind, names, path)
        self.structure.append(mark)
        self.numbers[path + ".length"] = float(len(items))
        for i, place in order:
            self.read(items[i][1], place, depth + 1)

    def key(self, x: Any, depth: int) -> tuple[str, str]:
        """Type and text of a key that is no text."""
        return type(x).__qualname__, shown(x) if _plain(x) else self.inside(x, depth)

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

    def array(self, x: NDArray[Any], path: str, depth: int) -> None:
        """Read an array of anything."""
        self.layout(x, path, depth)
        if isinstance(x, np.ma.MaskedArray):
            self.label(path + ".mask", "mask", np.packbits(np.ma.getmaskarray(x)).tobytes().hex())
            self.read(x.fill_value, path + ".fill", depth + 1)
            x = np.array(np.ma.getdata(x))
        elif type(x) is not np.ndarray:
            self.beside(x, path, depth)
            x = np.asarray(x)
        if x.dtype.names is not None:
            return self.named([(name, x[name].copy()) for name in x.dtype.names], path, depth, "record")
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
        if x.dtype.char in "gG":
            plain = x.astype(complex if x.dtype.kind == "c" else float)
            self.numbers[path + ".rest"] = (x - plain).astype(plain.dtype)
        if x.dtype.kind == "c":
            wide = bool(x.imag.any())
            if wide:
                self.mark("complex")
            x = x.astype(complex) if wide else x.real
        self.numbers[path] = x if x.dtype.kind == "c" else x.astype(float)
        return None

    def layout(self, x: NDArray[Any], path: str, depth: int) -> None:
        """Read what an array is besides its numbers: type, layout, and the memory of which it shows a part."""
        kind, flags = x.dtype, x.flags
        if kind.kind not in "fc" or kind.itemsize != (8 if kind.kind == "f" else 16):
            width = kind.itemsize if kind.kind in NUMERIC else ""
            self.types.append(f"array of {kind.kind}{width};".encode())
        if not kind.isnative or kind.metadata or (kind.kind in "mM" and kind.str[2:]):
            self.types.append(f"{kind.str} {shown(dict(kind.metadata or {}))};".encode())
        if not flags.carray:
            self.types.append(f"{x.strides} {flags.writeable} {flags.aligned};".encode())
        if kind.names is not None and kind.itemsize > sum(kind[name].itemsize for name in kind.names):
            self.unread["bytes between the fields of a record"] = None
        if not (flags.owndata or covers(x)):
            self.base(x.base, x.nbytes, path, depth)

    def base(self, x: Any, shown_bytes: int, path: str, depth: int) -> None:
        """Read the memory of which an array shows a part: whoever has the array can reach it."""
        if id(x) in self.held:
            self.met(x, path)
        elif isinstance(x, (np.ndarray, bytearray)) or (isinstance(x, bytes) and len(x) > shown_bytes):
            self.read(x, path + ".base", depth + 1)
        elif not isinstance(x, bytes):
            self.unread[f"memory of a {type(x).__qualname__}"] = None


def _plain(x: Any) -> bool:
    """Whether the text of a value says all of it."""
    return type(x) in PLAIN or (type(x) in (tuple, frozenset) and all(map(_plain, x)))
