"""Values of Python's and numpy's own types, taken apart by means of these types only, whatever a subclass says.

This is the list of what is known: any other type is built on one of these by Python code, or cannot be read whole.
"""

import array
import collections
import datetime
import decimal
import gc
import io
import types
from collections.abc import Callable
from typing import Any

import numpy as np

Parts = list[tuple[Any, Any]]
Taken = Callable[[Any], Parts]

ITSELF = "(value)"
"""Name of the part that a value is in the first place; other parts stand beside it."""
SCALARS = frozenset(kind for kind in np.sctypeDict.values() if isinstance(kind, type))


class Unread:
    """Stands for a part that cannot be read."""

    def __init__(self, what: str) -> None:
        self.what = what


def _nothing(x: Any) -> Parts:
    return []


def _itself(take: Callable[[Any], Any]) -> Taken:
    return lambda x: [(ITSELF, take(x))]


def _fields(kind: type, *names: str) -> Taken:
    members = [(name, getattr(kind, name)) for name in names]
    return lambda x: [(name, member.__get__(x)) for name, member in members]


def _complex(x: complex) -> complex:
    return complex(*(vars(complex)[part].__get__(x) for part in ("real", "imag")))


def _view(x: Any) -> Parts:
    """Bytes and form of a view of memory; the memory may be larger, or be written to."""
    held = [(ITSELF, x.tobytes()), *((name, getattr(x, name)) for name in ("format", "shape", "strides", "readonly"))]
    whole = type(x.obj) in (bytes, bytearray) and len(x.obj) == x.nbytes
    return held if whole else [*held, ("(memory)", Unread("memory of a memoryview"))]


def _proxied(x: Any) -> Any:
    """Return the mapping behind a proxy, which has no other door to it."""
    (held,) = gc.get_referents(x)
    return held


def _keys(x: Any) -> Parts:
    return [("items", list(x)), ("mapping", x.mapping)]


DAY = ("year", "month", "day")
TIME = ("hour", "minute", "second", "microsecond", "fold", "tzinfo")
ENDS = ("start", "stop", "step")
OF_DICT: dict[Any, Any] = {}
ORDERED: dict[Any, Any] = collections.OrderedDict()
BASES: dict[type, Taken] = {
    **dict.fromkeys((object, type(None), type(...), type(NotImplemented), types.SimpleNamespace), _nothing),
    datetime.tzinfo: _nothing,
    bool: _itself(lambda x: x),
    int: _itself(lambda x: int.__add__(x, 0)),
    float: _itself(float.__float__),
    complex: _itself(_complex),
    str: _itself(str.__str__),
    bytes: _itself(lambda x: bytes.__getitem__(x, slice(None))),
    bytearray: _itself(lambda x: bytes(bytearray.__getitem__(x, slice(None)))),
    memoryview: _view,
    list: _itself(lambda x: list(list.__iter__(x))),
    tuple: _itself(lambda x: tuple(tuple.__iter__(x))),
    set: _itself(set),
    frozenset: _itself(frozenset),
    dict: _itself(lambda x: dict(dict.items(x))),
    collections.OrderedDict: _itself(lambda x: dict(collections.OrderedDict.items(x))),
    collections.defaultdict: lambda x: [
        (ITSELF, dict(dict.items(x))),
        *_fields(collections.defaultdict, "default_factory")(x),
    ],
    collections.deque: lambda x: [
        (ITSELF, list(collections.deque.__iter__(x))),
        *_fields(collections.deque, "maxlen")(x),
    ],
    types.MappingProxyType: _itself(_proxied),
    **dict.fromkeys(map(type, (OF_DICT.keys(), OF_DICT.values(), OF_DICT.items())), _keys),
    **dict.fromkeys(map(type, (ORDERED.keys(), ORDERED.values(), ORDERED.items())), _keys),
    range: _fields(range, *ENDS),
    slice: _fields(slice, *ENDS),
    array.array: lambda x: [(ITSELF, array.array.tolist(x)), *_fields(array.array, "typecode")(x)],
    decimal.Decimal: _itself(lambda x: tuple(decimal.Decimal.as_tuple(x))),
    datetime.date: _fields(datetime.date, *DAY),
    datetime.datetime: _fields(datetime.datetime, *DAY, *TIME),
    datetime.time: _fields(datetime.time, *TIME),
    datetime.timedelta: _fields(datetime.timedelta, "days", "seconds", "microseconds"),
    datetime.timezone: _itself(datetime.timezone.__getinitargs__),  # type: ignore[attr-defined]
    io.StringIO: lambda x: [("text", io.StringIO.getvalue(x)), ("position", io.StringIO.tell(x))],
    io.BytesIO: lambda x: [("text", io.BytesIO.getvalue(x)), ("position", io.BytesIO.tell(x))],
    np.ndarray: _itself(lambda x: np.ndarray.view(x, np.ndarray)),
}
KNOWN = SCALARS | BASES.keys()
"""Types of which everything but what subclasses add is read; scalars of numpy are read by their bytes."""


def as_known(x: Any, *bases: type) -> Any:
    """Return a value of a subclass of one of some known types, as one of the known type itself."""
    base = next(each for each in bases if isinstance(x, each))
    return x if type(x) is base else dict(BASES[base](x))[ITSELF]
