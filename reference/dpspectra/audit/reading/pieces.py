"""How a reader takes numbers, texts, arrays, sets, dates and iterators: what is not read of them is noted."""

from collections.abc import Callable, Iterator, Set
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction
from types import GeneratorType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.audit.reading import parts
from dpspectra.audit.reading.as_floats import EXACT, LOW, MODULI, as_float, exact, parts_of
from dpspectra.audit.reading.labels import PLAIN, Label, label, shown, text_label, without_addresses
from dpspectra.audit.reading.parts import ITEMS
from dpspectra.audit.reading.texts import LONG, read_text
from dpspectra.contents.built_in_types import as_known
from dpspectra.contents.object_state import HEAP, covers
from dpspectra.contents.whole import beside
from dpspectra.ground.checks import NUMERIC

ITERATORS = ("builtins", "itertools")
"""Modules whose iterators hold nothing but their items."""


TEXT = parts.marked("text")


class Pieces:
    """Numbers, texts, arrays, sets, dates and iterators, as parts of a value."""

    numbers: dict[str, Any]
    labels: dict[str, Label]
    members: set[Label]
    structure: list[bytes]
    types: list[bytes]
    unread: dict[str, None]
    by_text: dict[str, None]
    held: dict[int, tuple[str, Any]]
    drawn: list[Any] | None
    nodes: int
    read: Callable[[Any, str, int], None]
    mark: Callable[[str], None]
    met: Callable[[Any, str], None]
    label: Callable[[str, str, str], None]
    named: Callable[..., None]
    sequence: Callable[..., None]
    items: Callable[..., None]
    beside: Callable[[Any, str, int], None]

    def exact(self, x: Decimal | Fraction, path: str) -> None:
        """Read a number of any precision: by its text, and by the integers of which it consists."""
        self.label(path, type(x).__name__, str(x))
        self.numbers[path] = as_float(x)
        whole: tuple[int, ...]
        if isinstance(x, Fraction):
            whole = (x.numerator, x.denominator)
        else:
            _, digits, exponent = Decimal.as_tuple(x)
            whole = (int("".join(map(str, digits)) or "0"), exponent) if isinstance(exponent, int) else ()
        for name, each in zip("ab", whole, strict=False):
            self.number(each, f"{path}.{name}")

    def number(self, x: Any, path: str) -> None:
        """Read one number."""
        self.mark("number")
        if isinstance(x, (int, np.integer)):
            x = as_known(x, int) if isinstance(x, int) else int(x)
            if abs(x) > EXACT:
                self.numbers |= {path + end: part for end, part in parts_of(x).items()}
            self.numbers[path] = as_float(x)
        elif isinstance(x, (float, np.floating)):
            self.numbers[path] = as_known(x, float) if isinstance(x, float) else float(x)
            if isinstance(x, np.longdouble):
                self.numbers[path + ".rest"] = float(x - np.longdouble(float(x)))
        else:
            z = as_known(x, complex) if isinstance(x, complex) else complex(x)
            if isinstance(x, np.clongdouble):
                self.numbers[path + ".rest"] = complex(x - np.clongdouble(z))
            if z.imag != 0:
                self.mark("complex")
            self.numbers[path] = z.real if z.imag == 0 else z

    def text(self, x: Any, path: str) -> None:
        """Read a text, or bytes."""
        if isinstance(x, str):
            x = as_known(x, str)
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
            x = as_known(x, bytes, bytearray)
            self.label(path, "bytes", repr(x))
            seen = x[:LONG]
            if len(x) > LONG:
                self.unread[f"bytes beyond {LONG}"] = None
            self.numbers[path + ".bytes"] = np.frombuffer(seen, np.uint8).astype(float)
            if seen and len(seen) % 8 == 0:
                self.numbers[path + ".float64"] = np.frombuffer(seen, "<f8").astype(float)
        self.numbers[path + ".length"] = float(len(x))

    def date(self, since: timedelta, zone: Any, words: str, path: str, depth: int, name: str) -> None:
        """Read a time: in seconds, in whole ones, what is beyond them, and the zone."""
        self.numbers[path] = since.total_seconds()
        self.numbers[path + ".second"] = float(since.days * 86400 + since.seconds)
        self.numbers[path + ".microsecond"] = float(since.microseconds)
        self.label(path + ".zone", name, without_addresses(words))
        if zone is not None:
            self.read(zone, path + ".tzinfo", depth + 1)

    def iterator(self, x: Iterator[Any], path: str, depth: int) -> None:
        """Read the items of an iterator, which are gone then."""
        found: list[Any] = []
        kind = type(x)
        if not (kind.__module__ in ITERATORS or kind is GeneratorType) or kind.__flags__ & HEAP:
            held, whole = beside(x)
            if not whole:
                self.unread[kind.__qualname__] = None
            self.named(held, path + ".state", depth, "state")
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
        one = type(self)()
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

    def key(self, x: Any, depth: int) -> tuple[str, str]:
        """Type and text of a key that is no text."""
        return type(x).__qualname__, shown(x) if _plain(x) else self.inside(x, depth)

    def array(self, x: NDArray[Any], path: str, depth: int) -> None:
        """Read an array of anything."""
        self.layout(x, path, depth)
        if type(x) is not np.ndarray:
            self.beside(x, path, depth)
            x = as_known(x, np.ndarray)
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
