"""Named parts of objects: their state, the code and variables of a function, columns of tables."""

import array
import datetime
import enum
import functools
import inspect
import io
import types
import warnings
from collections import deque
from collections.abc import Iterable, MappingView
from typing import Any

import numpy as np

from dpspectra.audit.reading.labels import without_addresses

ITEMS = 4096
"""Items of a sequence, and bytes, that are looked at one by one."""
FEW, REMEMBERED = 16, 1024
"""Largest number of names whose order is remembered; number of sets of names, and of types, that are remembered."""
EPOCH = datetime.datetime(1970, 1, 1)
HIDDEN = {"__dict__", "__weakref__"}

Parts = list[tuple[Any, Any]]


def marked(text: str) -> bytes:
    """Return a mark of the structure."""
    return text.encode("utf-8", "backslashreplace") + b"\0"


@functools.lru_cache(maxsize=REMEMBERED)
def type_name(kind: type) -> bytes:
    """Return the name of a type, with its module."""
    return f"{kind.__module__}.{kind.__qualname__};".encode()


def in_order(kind: str, names: tuple[str, ...], path: str) -> tuple[bytes, tuple[tuple[int, str], ...]]:
    """Return the mark of named parts, and the places and paths of the parts in the order of their names."""
    return (_remembered if len(names) <= FEW else _ordered)(kind, names, path)


def _ordered(kind: str, names: tuple[str, ...], path: str) -> tuple[bytes, tuple[tuple[int, str], ...]]:
    order = sorted(range(len(names)), key=names.__getitem__)
    return marked(f"{kind} {list(names)}"), tuple((i, f"{path}[{names[i]!r}]") for i in order)


_remembered = functools.lru_cache(maxsize=REMEMBERED)(_ordered)


def state(x: Any) -> Parts:
    """Attributes that an object holds: slots of all its classes, and its dictionary."""
    slots = [getattr(kind, "__slots__", ()) for kind in type(x).__mro__]
    names = [name for own in slots for name in ([own] if isinstance(own, str) else own) if name not in HIDDEN]
    held = [(name, getattr(x, name)) for name in dict.fromkeys(names) if hasattr(x, name)]
    inside = getattr(x, "__dict__", None)
    return held + (list(inside.items()) if isinstance(inside, dict) else [])


def simpler(x: Any) -> Any:
    """Return the plain value that says the same as a value of the standard library; ``None`` if it is no such value."""
    if isinstance(x, deque | range) or (isinstance(x, MappingView) and isinstance(x, Iterable)):
        return list(x)
    if isinstance(x, array.array):
        return np.array(x)
    if isinstance(x, (io.StringIO, io.BytesIO)):
        return x.getvalue()
    return None


def of_function(x: Any) -> Parts | None:
    """Take apart a function, a method or a `functools.partial`; return ``None`` for anything else."""
    if isinstance(x, functools.partial):
        return [("func", x.func), ("args", x.args), ("keywords", x.keywords)]
    if isinstance(x, types.MethodType):
        return [("self", x.__self__), ("name", x.__name__)]
    if isinstance(x, types.FunctionType):
        cells = [_content(cell) for cell in x.__closure__ or ()]
        return [*_of_code(x.__code__), ("defaults", (x.__defaults__, x.__kwdefaults__)), ("closure", cells), *state(x)]
    return None


def of_exception(x: BaseException) -> Parts:
    """Arguments, attributes and cause of an exception."""
    cause = x.__cause__ or (None if x.__suppress_context__ else x.__context__)
    arguments = [without_addresses(each) if isinstance(each, str) else each for each in x.args]
    return [("args", arguments), *state(x), *([] if cause is None else [("cause", cause)])]


def of_table(x: Any) -> Parts | None:
    """Columns of a data frame or a table of pandas, polars or Arrow by name; ``None`` for anything else."""
    if hasattr(x, "column_names") and hasattr(x, "schema") and hasattr(x, "to_pydict"):  # Arrow
        return [*((name, x[i].to_pylist()) for i, name in enumerate(x.column_names)), ("(schema)", str(x.schema))]
    if hasattr(x, "columns") and hasattr(x, "to_dict") and hasattr(x, "iloc"):  # pandas
        columns = [(name, np.asarray(x.iloc[:, i])) for i, name in enumerate(x.columns)]
        kinds = [str(kind) for kind in x.dtypes]
        return [*columns, ("(index)", np.asarray(x.index)), ("(types)", kinds), ("(attributes)", dict(x.attrs))]
    if hasattr(x, "get_columns") and hasattr(x, "schema"):  # polars
        return [*((column.name, column.to_list()) for column in x.get_columns()), ("(schema)", str(x.schema))]
    return None


def of_date(x: Any) -> tuple[float, str] | None:
    """Seconds of a date, a time or a duration, and its time zone; ``None`` for anything else."""
    if isinstance(x, datetime.timedelta):
        return x.total_seconds(), ""
    if isinstance(x, datetime.datetime):
        return (x.replace(tzinfo=None) - EPOCH).total_seconds(), f"{x.tzinfo} {x.fold}"
    if isinstance(x, datetime.date):
        return (x - EPOCH.date()).total_seconds(), ""
    if isinstance(x, datetime.time):
        since = datetime.datetime.combine(EPOCH.date(), x.replace(tzinfo=None))
        return (since - EPOCH).total_seconds(), f"{x.tzinfo} {x.fold}"
    return None


def of_enum(x: enum.Enum) -> Parts:
    """Name and value of a member."""
    return [("name", x.name), ("value", x.value)]


def as_array(x: Any) -> Any:
    """Return a tensor, or anything else that numpy can read, as an array; ``None`` for other values."""
    if hasattr(x, "detach") and hasattr(x, "cpu"):  # torch
        x = x.detach().cpu()
        x = x.to_dense() if getattr(x, "is_sparse", False) else x
    if not hasattr(x, "__array__"):
        return None
    found = np.asarray(x)
    return found if found.dtype != object else found.tolist()


def reduced(x: Any) -> Parts:
    """Return what a pickle of an object would hold beside its type; nothing if there can be no pickle."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            pickled = x.__reduce_ex__(4)
        except Exception:  # whatever cannot be pickled says so in its own way
            return []
    if isinstance(pickled, str):  # the name of something that is there once
        return []
    _, arguments, *rest = pickled
    given = [each for each in arguments if not isinstance(each, type)] if isinstance(arguments, tuple) else []
    held = [list(part) if isinstance(part, Iterable) and hasattr(part, "__next__") else part for part in rest]
    return [] if not given and not any(part is not None for part in held) else [("given", given), ("held", held)]


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # empty
        return None


def _of_code(code: types.CodeType) -> Parts:
    inside = [_of_code(each) if inspect.iscode(each) else each for each in code.co_consts]
    return [("code", code.co_code), ("constants", inside), ("names", code.co_names)]
