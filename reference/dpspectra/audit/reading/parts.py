"""Named parts of objects: their state, the code and variables of a function, columns of tables."""

import array
import datetime
import enum
import functools
import inspect
import io
import sys
import types
from collections import deque
from collections.abc import Iterable, MappingView
from typing import Any

import numpy as np

from dpspectra.audit.reading.labels import without_addresses
from dpspectra.audit.reading.memory import Parts, state

ITEMS = 4096
"""Items of a sequence, and bytes, that are looked at one by one."""
FEW, REMEMBERED = 16, 1024
"""Largest number of names whose order is remembered; number of sets of names, and of types, that are remembered."""
EPOCH = datetime.datetime(1970, 1, 1)


def marked(text: str) -> bytes:
    """Return a mark of the structure."""
    return text.encode("utf-8", "backslashreplace") + b"\0"


@functools.lru_cache(maxsize=REMEMBERED)
def type_name(kind: type) -> bytes:
    """Return the name of a type, with its module."""
    return f"{kind.__module__}.{kind.__qualname__};".encode()


def in_order(kind: str, names: tuple[Any, ...], path: str) -> tuple[bytes, tuple[tuple[int, str], ...]]:
    """Return the mark of named parts, and the places and paths of the parts in the order of their names.

    A name is a text, or the type of a key that is none and its text.
    """
    return (_remembered if len(names) <= FEW else _ordered)(kind, names, path)


def _ordered(kind: str, names: tuple[Any, ...], path: str) -> tuple[bytes, tuple[tuple[int, str], ...]]:
    order = sorted(range(len(names)), key=lambda i: (isinstance(names[i], tuple), names[i]))
    found: dict[str, int] = {}
    paths = []
    for i in order:
        name = f"{path}[{names[i]!r}]" if isinstance(names[i], str) else f"{path}[{names[i][1]}]"
        found[name] = found.get(name, 0) + 1
        paths.append((i, name if found[name] == 1 else f"{name}#{found[name]}"))
    return marked(f"{kind} {list(names)}"), tuple(paths)


_remembered = functools.lru_cache(maxsize=REMEMBERED)(_ordered)


def of_container(x: Any) -> Parts | None:
    """Take a container, or a buffer, of the standard library apart; return ``None`` for anything else."""
    if isinstance(x, deque):
        return [("items", list(x)), ("maxlen", x.maxlen)]
    if isinstance(x, range):
        return [("start", x.start), ("stop", x.stop), ("step", x.step)]
    if isinstance(x, MappingView) and isinstance(x, Iterable):
        return [("items", list(x)), ("mapping", x.mapping if hasattr(x, "mapping") else None)]
    if isinstance(x, (io.StringIO, io.BytesIO)):
        return [("text", x.getvalue()), ("position", x.tell())]
    return None


def of_function(x: Any) -> Parts | None:
    """Take apart a function, a method or a `functools.partial`; return ``None`` for anything else."""
    if type(x) is functools.partial:
        return [("func", x.func), ("args", x.args), ("keywords", x.keywords), *x.__dict__.items()]
    if isinstance(x, types.MethodType):
        return [("self", x.__self__), ("func", x.__func__)]
    if isinstance(x, types.BuiltinFunctionType):
        there = x.__self__ is None or isinstance(x.__self__, types.ModuleType)
        return [("name", f"{x.__module__}.{x.__qualname__}"), ("self", None if there else x.__self__)]
    if isinstance(x, (staticmethod, classmethod)):
        return [("func", x.__func__)]
    if isinstance(x, property):
        return [("get", x.fget), ("set", x.fset), ("delete", x.fdel)]
    if isinstance(x, types.FunctionType):
        cells = [_content(cell) for cell in x.__closure__ or ()]
        names = [("name", x.__qualname__), ("notes", [x.__doc__, x.__annotations__])]
        globals_ = getattr(sys.modules.get(x.__module__), "__dict__", None)
        used = {} if x.__globals__ is globals_ else {n: x.__globals__.get(n) for n in x.__code__.co_names}
        defaults = ("defaults", (x.__defaults__, x.__kwdefaults__))
        return [*_of_code(x.__code__), *names, defaults, ("closure", cells), ("globals", used), *x.__dict__.items()]
    return None


def of_exception(x: BaseException) -> Parts:
    """Arguments, attributes and cause of an exception; what an error of the system holds besides."""
    arguments = [without_addresses(each) if isinstance(each, str) else each for each in x.args]
    chain = [(name, getattr(x, name)) for name in ("__cause__", "__context__") if getattr(x, name) is not None]
    own = [(name, each) for name, each in state(x, in_c=True) if name not in ("args", "__suppress_context__")]
    fields = [("errno", x.errno), ("filename", x.filename)] if isinstance(x, OSError) else []
    return [("args", arguments), *own, *fields, *chain]


def of_date(x: Any) -> tuple[datetime.timedelta, Any, str] | None:
    """Time of a date, a time or a duration since its first one, its time zone, in words too; ``None`` for others."""
    if isinstance(x, datetime.timedelta):
        return x, None, ""
    if isinstance(x, datetime.datetime):
        plain = datetime.datetime(x.year, x.month, x.day, x.hour, x.minute, x.second, x.microsecond)
        return plain - EPOCH, x.tzinfo, f"{x.tzinfo} {x.fold}"
    if isinstance(x, datetime.date):
        return datetime.date(x.year, x.month, x.day) - EPOCH.date(), None, ""
    if isinstance(x, datetime.time):
        since = datetime.datetime.combine(EPOCH.date(), x.replace(tzinfo=None))
        return since - EPOCH, x.tzinfo, f"{x.tzinfo} {x.fold}"
    return None


def as_numbers(x: Any) -> Any:
    """Return an `array.array` as an array of numpy; ``None`` for anything else."""
    return np.array(x) if isinstance(x, array.array) else None


def of_enum(x: enum.Enum) -> Parts:
    """Name and value of a member."""
    return [("name", x.name), ("value", x.value), *state(x)]


def as_array(x: Any) -> Any:
    """Return a tensor, or anything else that numpy can read, as an array; ``None`` for other values."""
    if hasattr(x, "detach") and hasattr(x, "cpu"):  # torch
        x = x.detach().cpu()
        x = x.to_dense() if getattr(x, "is_sparse", False) else x
    if not hasattr(x, "__array__"):
        return None
    found = np.array(x)
    return found if found.dtype != object else found.tolist()


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # empty
        return None


def _of_code(code: types.CodeType) -> Parts:
    inside = [_of_code(each) if inspect.iscode(each) else each for each in code.co_consts]
    return [("code", code.co_code), ("constants", inside), ("names", code.co_names)]
