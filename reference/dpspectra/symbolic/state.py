"""State that a program keeps between its calls: read before an audit, compared and put back after it.

Read are the variables that the mechanism's code can name: globals, closures, defaults, attributes, containers, caches.
"""

import collections
import functools
import itertools
import sys
import sysconfig
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

MOST = 20_000
"""Objects that are read."""
INSTALLED = tuple(sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib"))
CACHE = type(functools.lru_cache(lambda: None))
CONTAINERS = (dict, list, set, collections.deque)
_GONE = object()


class State:
    """The state of a program at one time."""

    def __init__(self, mechanism: Any) -> None:
        self.kept: list[tuple[str, Callable[[], bool], Callable[[], None]]] = []
        """Name, whether it has changed, and how it is put back."""
        self._met: set[int] = set()
        self._alive: list[Any] = []
        left = collections.deque([("the mechanism", mechanism)])
        while left and len(self._met) < MOST:
            name, thing = left.popleft()
            if id(thing) in self._met:
                continue
            self._met.add(id(thing))
            self._alive.append(thing)
            left.extend(self._read(name, thing))

    def restore(self) -> list[str]:
        """Put back what has changed; return its names."""
        changed = [(name, back) for name, differs, back in self.kept if differs()]
        for _, back in changed:
            back()
        return sorted({name for name, _ in changed})

    def _read(self, name: str, thing: Any) -> Iterator[tuple[str, Any]]:
        """Remember one object, and return those that it holds."""
        if isinstance(thing, types.FunctionType):
            yield from self._function(name, thing)
        elif isinstance(thing, CACHE):
            size = thing.cache_info().currsize
            self.kept.append((name, lambda: thing.cache_info().currsize != size, thing.cache_clear))
            yield name, thing.__wrapped__
        elif isinstance(thing, types.MethodType):
            yield name, thing.__func__
            yield name, thing.__self__
        elif isinstance(thing, functools.partial):
            yield from ((name, part) for part in (thing.func, thing.args, thing.keywords))
        elif isinstance(thing, CONTAINERS):
            yield from self._container(name, thing)
        elif type(thing) in (tuple, frozenset):
            yield from ((name, part) for part in thing)
        elif type(thing) is np.ndarray:
            self._array(name, thing)
        elif isinstance(thing, (staticmethod, classmethod)):
            yield name, thing.__func__
        elif isinstance(thing, type):
            if not is_installed(thing.__module__):
                own = [n for n in vars(thing) if not (n.startswith("__") and n.endswith("__"))]
                yield from self._variables(f"{thing.__name__}.", vars(thing), own, functools.partial(setattr, thing))
        elif not isinstance(thing, types.ModuleType) and type(getattr(thing, "__dict__", None)) is dict:
            yield from self._container(f"an object of the class {type(thing).__name__}", vars(thing))
            yield name, type(thing)

    def _function(self, name: str, function: types.FunctionType) -> Iterator[tuple[str, Any]]:
        if not is_installed(function.__module__):
            yield from self._globals(function)
        for cell_name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            yield from self._cell(cell_name, cell)
        yield from ((f"a default of {function.__name__}", v) for v in function.__defaults__ or ())
        yield f"a default of {function.__name__}", function.__kwdefaults__ or {}
        yield f"an attribute of {function.__name__}", vars(function)

    def _globals(self, function: types.FunctionType) -> Iterator[tuple[str, Any]]:
        """Remember the globals that a function names, and those of modules that it names."""
        names = set(_names(function.__code__))
        yield from self._variables("", function.__globals__, names, function.__globals__.__setitem__)
        for module in (function.__globals__.get(n) for n in names):
            if isinstance(module, types.ModuleType) and not is_installed(module.__name__):
                yield from self._variables(f"{module.__name__}.", vars(module), names, vars(module).__setitem__)

    def _variables(
        self, owner: str, table: Any, names: Any, put: Callable[[str, Any], None]
    ) -> Iterator[tuple[str, Any]]:
        """Remember variables of a module or of a class."""
        for name in sorted(names):
            value = table.get(name, _GONE)
            differs = functools.partial(_other, table, name, value)
            back = functools.partial(table.pop, name, None) if value is _GONE else functools.partial(put, name, value)
            self.kept.append((f"{owner}{name}", differs, back))
            if value is not _GONE:
                yield f"{owner}{name}", value

    def _cell(self, name: str, cell: Any) -> Iterator[tuple[str, Any]]:
        try:
            value = cell.cell_contents
        except ValueError:  # empty
            return

        def put() -> None:
            cell.cell_contents = value

        self.kept.append((name, lambda: cell.cell_contents is not value, put))
        yield name, value

    def _container(self, name: str, thing: Any) -> Iterator[tuple[str, Any]]:
        before = list(thing.items()) if isinstance(thing, dict) else list(thing)

        def differs() -> bool:
            now = list(thing.items()) if isinstance(thing, dict) else list(thing)
            return len(now) != len(before) or not all(map(_same_item, now, before))

        def put() -> None:
            thing.clear()
            getattr(thing, "update" if isinstance(thing, (dict, set)) else "extend")(before)

        self.kept.append((name, differs, put))
        yield from ((name, v) for v in (itertools.chain.from_iterable(before) if isinstance(thing, dict) else before))

    def _array(self, name: str, thing: Any) -> None:
        before = thing.copy()
        self.kept.append((name, lambda: thing.tobytes() != before.tobytes(), lambda: thing.__setitem__(..., before)))


def is_installed(module: Any) -> bool:
    """Whether a module belongs to an installed package, the standard library or the interpreter."""
    found = sys.modules.get(str(module))
    file = getattr(found, "__file__", None)
    if file is None:
        return str(module) != "__main__"
    return file.startswith(INSTALLED) or str(module).split(".")[0] == "dpspectra"


def _names(code: types.CodeType) -> Iterator[str]:
    yield from code.co_names
    for part in code.co_consts:
        if isinstance(part, types.CodeType):
            yield from _names(part)


def _same_item(now: Any, before: Any) -> bool:
    if now is before:
        return True
    pairs = type(now) is type(before) is tuple and len(now) == len(before) == 2
    return pairs and now[0] is before[0] and now[1] is before[1]


def _other(table: Any, name: str, value: Any) -> bool:
    return table.get(name, _GONE) is not value
