"""Installed code and objects that remember nothing, which need no look between calls; and the names in code."""

import datetime
import io
import operator
import random
import re
import struct
import sys
import threading
import types
import weakref
import zoneinfo
from collections.abc import Iterator
from typing import Any

from dpspectra.symbolic import untraced_extensions

_ASKED = {
    "the time": "now today utcnow",
    "the hash of an object": "__hash__",
    "the frames of the run": "_getframe currentframe f_back tb_frame gi_frame cr_frame ag_frame",
    "how a function is made": "__func__ __code__ __wrapped__",
    "whether garbage is collected": "isenabled",
}
ASKED = {name: what for what, names in _ASKED.items() for name in names.split()}
"""Names, and texts, by which a program asks for what no event tells, or for what is another thing in a followed run."""
SETTLED = frozenset(
    (
        *(type(re.compile("")), type(len), type(str.join), type(dict.__dict__["fromkeys"]), type(int.real)),
        *(type(str.__add__), types.MemberDescriptorType, types.MethodWrapperType, types.CodeType, types.GenericAlias),
        *(types.UnionType, type(...), type(NotImplemented), type(threading.Lock()), type(threading.RLock())),
        *(threading.local, weakref.ref, operator.itemgetter, operator.attrgetter, operator.methodcaller),
        *(struct.Struct, range, slice, datetime.timezone, zoneinfo.ZoneInfo),
    )
)
"""Types written in C whose objects remember nothing, or nothing but attributes."""


def is_settled(thing: Any) -> bool:
    """Whether an object of C remembers nothing; generators of random numbers are looked after elsewhere."""
    kind = type(thing)
    if issubclass(kind, io.IOBase):
        return not thing.closed and not thing.readable()
    return kind in SETTLED or issubclass(kind, random.Random) or kind.__name__ in untraced_extensions.FUNCTIONS


def is_installed(module: Any) -> bool:
    """Whether a module belongs to an installed package, the standard library or the interpreter.

    One that is not among the imported ones was made by the user, as by ``exec``.
    """
    found = sys.modules.get(str(module))
    if found is None:
        return False
    file = getattr(found, "__file__", None)
    if file is None:
        return str(module) != "__main__"
    return file.startswith(untraced_extensions.INSTALLED) or str(module).split(".")[0] == "dpspectra"


def codes_of(code: types.CodeType) -> Iterator[types.CodeType]:
    """Return code and all code that is written in it."""
    yield code
    for part in code.co_consts:
        if isinstance(part, types.CodeType):
            yield from codes_of(part)


def texts_of(code: types.CodeType) -> Iterator[str]:
    """Return the texts in code."""
    yield from (part for each in codes_of(code) for part in each.co_consts if isinstance(part, str))


def names_of(code: types.CodeType) -> Iterator[str]:
    """Return what code names, and the texts in it that are names of `ASKED`."""
    for each in codes_of(code):
        yield from each.co_names
    yield from ASKED.keys() & {text.lower() for text in texts_of(code)}
