"""Parts of values that readers of numbers need: the order of names, the code of functions, times, arrays."""

import datetime
import functools
import inspect
import sys
import types
from typing import Any

import numpy as np

from dpspectra.contents.built_in_types import BASES, Parts

ITEMS = 4096
"""Items of a sequence, and bytes, that are looked at one by one."""
FEW, REMEMBERED = 16, 1024
"""Largest number of names whose order is remembered; number of sets of names, and of types, that are remembered."""
FIRST: dict[str, Any] = {"year": 1970, "month": 1, "day": 1}
TIMES = (datetime.timedelta, datetime.datetime, datetime.date, datetime.time)


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


def of_date(x: Any) -> tuple[datetime.timedelta, Any, str] | None:
    """Time of a date, a time or a duration since its first one, its time zone, in words too; ``None`` for others."""
    base = next((each for each in TIMES if isinstance(x, each)), None)
    if base is None:
        return None
    held = dict(BASES[base](x))
    zone = held.pop("tzinfo", None)
    if base is datetime.timedelta:
        return datetime.timedelta(**held), None, ""
    words = f"{zone} {held['fold']}" if "fold" in held else ""
    return datetime.datetime(**{**FIRST, **held}) - datetime.datetime(**FIRST), zone, words


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
