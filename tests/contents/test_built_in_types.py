"""Values of known types are taken apart by means of these types, whatever a subclass says of itself."""

import array
import collections
import datetime
import decimal
import io
import math
import types
from typing import Any

import numpy as np
import pytest

from dpspectra.contents.built_in_types import BASES, ITSELF, Unread, as_known

ORDERED = collections.OrderedDict
MADE: dict[type, Any] = {
    int: lambda b: b,
    float: float,
    complex: lambda b: complex(1, b),
    str: str,
    bytes: lambda b: bytes([b]),
    bytearray: lambda b: bytearray([b]),
    memoryview: lambda b: memoryview(bytes([b])),
    bool: bool,
    list: lambda b: [b],
    tuple: lambda b: (b,),
    set: lambda b: {b},
    frozenset: lambda b: frozenset([b]),
    dict: lambda b: {"a": b},
    ORDERED: lambda b: ORDERED(a=b),
    collections.defaultdict: lambda b: collections.defaultdict((list, int)[b]),
    collections.deque: lambda b: collections.deque([1], 2 + b),
    type({}.keys()): lambda b: {b: 1}.keys(),
    type({}.values()): lambda b: {1: b}.values(),
    type({}.items()): lambda b: {1: b}.items(),
    type(ORDERED().keys()): lambda b: ORDERED({b: 1}).keys(),
    type(ORDERED().values()): lambda b: ORDERED({1: b}).values(),
    type(ORDERED().items()): lambda b: ORDERED({1: b}).items(),
    range: lambda b: range(0, 4, 2 + b),
    slice: lambda b: slice(0, 4, b),
    array.array: lambda b: array.array("bd"[b], [1]),
    decimal.Decimal: lambda b: decimal.Decimal(("1.1", "1.10")[b]),
    types.MappingProxyType: lambda b: types.MappingProxyType({"a": b}),
    datetime.date: lambda b: datetime.date(2000, 1, 1 + b),
    datetime.datetime: lambda b: datetime.datetime(2000, 1, 1, fold=b),
    datetime.time: lambda b: datetime.time(1, fold=b),
    datetime.timedelta: lambda b: datetime.timedelta(microseconds=b),
    datetime.timezone: lambda b: datetime.timezone(datetime.timedelta(0), ("a", "b")[b]),
    io.StringIO: lambda b: io.StringIO(str(b)),
    io.BytesIO: lambda b: io.BytesIO(bytes([b])),
    np.ndarray: lambda b: np.array([b]),
}


def test_all_known_types_are_tried():
    without: Any = {object, type(None), type(...), type(NotImplemented), types.SimpleNamespace, datetime.tzinfo}
    assert MADE.keys() == BASES.keys() - without
    assert all(BASES[kind](kind()) == [] for kind in without)


@pytest.mark.parametrize("kind", MADE, ids=lambda kind: kind.__name__)
def test_a_bit_shows_in_the_parts(kind):
    first, second, again = (BASES[kind](MADE[kind](bit)) for bit in (0, 1, 1))
    assert type(MADE[kind](0)) is kind
    assert repr(first) != repr(second) == repr(again)


def lies(base):
    """Return a class whose values say by any method that they are empty."""
    silent = ("__iter__", "__len__", "__getitem__", "__str__", "__repr__", "__int__", "__float__", "__complex__")
    more = ("items", "keys", "values", "copy", "as_tuple", "tolist", "view", "days", "year", "real", "imag", "maxlen")
    return type("Lies", (base,), dict.fromkeys((*silent, *more, "__add__", "__array__"), lambda *_: 0))


ARGUMENTS: dict[type, Any] = {
    complex: (1, 1),
    collections.defaultdict: (list,),
    collections.deque: ([1], 3),
    array.array: ("d", [1]),
    datetime.date: (2000, 1, 2),
    datetime.datetime: (2000, 1, 2, 3),
    datetime.time: (1, 2),
    datetime.timedelta: (1, 2),
}
"""Arguments that make a value, of types that do not take one of their own values."""
FINAL = {bool, memoryview, range, slice, types.MappingProxyType, datetime.timezone, io.StringIO, io.BytesIO}
OPEN = [kind for kind in MADE if kind not in FINAL and not kind.__name__.endswith(("keys", "values", "items"))]


@pytest.mark.parametrize("base", OPEN, ids=lambda kind: kind.__name__)
def test_subclasses_are_not_asked(base):
    lying = lies(base)
    if base is np.ndarray:
        honest, given = np.array([1]), np.ndarray.view(np.array([1]), lying)
    else:
        arguments = ARGUMENTS.get(base, (MADE[base](1),))
        honest, given = base(*arguments), lying(*arguments)
    assert repr(BASES[base](given)) == repr(BASES[base](honest))


def test_a_number_keeps_its_bits():
    class Ratio(float):
        pass

    assert math.copysign(1, as_known(Ratio(-0.0), float)) == -1
    assert type(as_known(Ratio(2.0), float)) is float


def test_memory_behind_a_view_is_unread():
    whole, part = (dict(BASES[memoryview](memoryview(b"ab")[k:])) for k in (0, 1))
    assert whole[ITSELF] == b"ab"
    assert "(memory)" not in whole
    assert type(part["(memory)"]) is Unread
