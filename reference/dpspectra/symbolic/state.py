"""What a program can reach, and what of it changes between its calls: read before an audit, put back after it.

Read are the variables that the mechanism's code can name: globals, closures, defaults, attributes, containers, caches.
"""

import collections
import functools
import sys
import types
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from dpspectra.symbolic import compiled
from dpspectra.symbolic.classes import slots

MOST = 20_000
"""Objects that are read."""
ATOMS = frozenset((int, float, complex, bool, str, bytes, type(None)))
"""Types of objects that hold no others and cannot change."""
CACHE = type(functools.lru_cache(lambda: None))
CONTAINERS = (dict, list, set, collections.deque)
_GONE = object()
Put = Callable[[Any], None]
Edge = tuple[str, Any, Put | None]
"""Name of a variable, what it holds, and how something else is put there if that can be done."""
Edges = Iterator[Edge]


class State:
    """The state of a program at one time."""

    def __init__(self, mechanism: Any) -> None:
        self.kept: list[tuple[str, Callable[[], bool], Callable[[], None]]] = []
        """Name, whether it has changed, and how it is put back."""
        self.edges: list[Edge] = []
        """All variables in which something else can be put."""
        self.unseen: dict[str, None] = {}
        """What keeps all this from being all that counts, in words."""
        met: dict[int, Any] = {}
        left = collections.deque[Edge]([("the mechanism", mechanism, None)])
        while left:
            edge = left.popleft()
            name, thing, put = edge
            if type(thing) in ATOMS:
                continue
            if put is not None:
                self.edges.append(edge)
            if id(thing) in met:
                continue
            if len(met) == MOST:
                self.unseen[f"it can reach more than {MOST} objects, and not all of them are compared"] = None
                return
            met[id(thing)] = thing
            self._look_for_compiled(name, thing)
            left.extend(self._read(name, thing))

    def restore(self) -> list[str]:
        """Put back what has changed; return its names."""
        changed = [(name, back) for name, differs, back in self.kept if differs()]
        for _, back in changed:
            back()
        return sorted({name for name, _ in changed})

    def _look_for_compiled(self, name: str, thing: Any) -> None:
        what = compiled.of_thing(thing)
        if what is not None:
            self.unseen[f"it can call compiled code of {what} ({name}), whose noise shows from outside only"] = None

    def _read(self, name: str, thing: Any) -> Edges:
        """Remember one object, and return those that it holds."""
        if isinstance(thing, types.FunctionType):
            yield from self._function(name, thing)
        elif isinstance(thing, CACHE):
            size = thing.cache_info().currsize
            self.kept.append((name, lambda: thing.cache_info().currsize != size, thing.cache_clear))
            yield name, thing.__wrapped__, None
        elif isinstance(thing, types.MethodType):
            yield name, thing.__func__, None
            yield name, thing.__self__, None
        elif isinstance(thing, partial):
            yield from self._partial(name, thing)
        elif isinstance(thing, CONTAINERS):
            yield from self._container(name, thing)
        elif type(thing) in (tuple, frozenset):
            yield from ((name, part, None) for part in thing)
        elif type(thing) is np.ndarray:
            self._array(name, thing)
        elif isinstance(thing, (staticmethod, classmethod)):
            yield name, thing.__func__, None
        elif isinstance(thing, type):
            if not is_installed(thing.__module__):
                yield from self._variables(f"{thing.__name__}.", vars(thing), _own(thing), partial(setattr, thing))
        elif not isinstance(thing, types.ModuleType):
            yield from self._object(thing)

    def _object(self, thing: Any) -> Edges:
        kind = type(thing)
        called = f"an object of the class {kind.__name__}"
        if type(getattr(thing, "__dict__", None)) is dict:
            yield from self._container(called, vars(thing))
        names = [name for part in kind.__mro__ for name in slots(part)]
        yield from self._variables(f"{called}: ", _Slots(thing), names, partial(object.__setattr__, thing))
        yield called, kind, None

    @staticmethod
    def _partial(name: str, thing: Any) -> Edges:
        """Return what a call with some arguments holds; all of it is set at once."""

        def put(function: Any = None, position: int | None = None, new: Any = None) -> None:
            old, args, keywords, own = thing.__reduce__()[2]
            args = args if position is None else _replaced(args, position, new)
            thing.__setstate__((old if function is None else function, args, keywords, own))

        yield name, thing.func, put
        yield from ((name, v, partial(put, None, k)) for k, v in enumerate(thing.args))
        yield name, thing.keywords, None

    def _function(self, name: str, function: types.FunctionType) -> Edges:
        if not is_installed(function.__module__):
            yield from self._globals(function)
        for cell_name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            yield from self._cell(cell_name, cell)

        def put(position: int, new: Any) -> None:
            function.__defaults__ = _replaced(function.__defaults__, position, new)

        default = f"a default of {function.__name__}"
        yield from ((default, v, partial(put, k)) for k, v in enumerate(function.__defaults__ or ()))
        yield default, function.__kwdefaults__ or {}, None
        yield f"an attribute of {function.__name__}", vars(function), None

    def _globals(self, function: types.FunctionType) -> Edges:
        """Remember the globals that a function names, and those of modules that it names."""
        names = set(_names(function.__code__))
        yield from self._variables("", function.__globals__, names, function.__globals__.__setitem__)
        for name in names:
            module = function.__globals__.get(name, sys.modules.get(name))  # imported when it is called
            if isinstance(module, types.ModuleType):
                yield name, module, None
                if not is_installed(module.__name__):
                    yield from self._variables(f"{module.__name__}.", vars(module), names, vars(module).__setitem__)

    def _variables(self, owner: str, table: Any, names: Any, put: Callable[[str, Any], None]) -> Edges:
        """Remember variables of a module, of a class, or in slots."""
        for name in sorted(names):
            value = table.get(name, _GONE)
            differs = partial(_other, table, name, value)
            back = partial(table.pop, name, None) if value is _GONE else partial(put, name, value)
            self.kept.append((f"{owner}{name}", differs, back))
            if isinstance(value, (staticmethod, classmethod)):
                yield f"{owner}{name}", value.__func__, partial(_put_method, partial(put, name), value)
            elif value is not _GONE:
                yield f"{owner}{name}", value, partial(put, name)

    def _cell(self, name: str, cell: Any) -> Edges:
        try:
            value = cell.cell_contents
        except ValueError:  # empty
            return
        put = partial(setattr, cell, "cell_contents")
        self.kept.append((name, lambda: cell.cell_contents is not value, partial(put, value)))
        yield name, value, put

    def _container(self, name: str, thing: Any) -> Edges:
        before = list(thing.items()) if isinstance(thing, dict) else list(thing)

        def differs() -> bool:
            now = list(thing.items()) if isinstance(thing, dict) else list(thing)
            return len(now) != len(before) or not all(map(_same_item, now, before))

        def put() -> None:
            thing.clear()
            getattr(thing, "update" if isinstance(thing, (dict, set)) else "extend")(before)

        self.kept.append((name, differs, put))
        if isinstance(thing, dict):
            yield from ((name, key, None) for key, _ in before)
            yield from ((name, v, partial(thing.__setitem__, key)) for key, v in before)
        elif isinstance(thing, set):
            yield from ((name, v, None) for v in before)
        else:
            yield from ((name, v, partial(thing.__setitem__, k)) for k, v in enumerate(before))

    def _array(self, name: str, thing: Any) -> None:
        before = thing.copy()
        self.kept.append((name, lambda: thing.tobytes() != before.tobytes(), lambda: thing.__setitem__(..., before)))


class _Slots:
    """Attributes for which a class keeps room, as a table."""

    def __init__(self, thing: Any) -> None:
        self.thing = thing

    def get(self, name: str, missing: Any) -> Any:
        return getattr(self.thing, name, missing)

    def pop(self, name: str, missing: Any) -> None:
        object.__delattr__(self.thing, name)


def _own(kind: type) -> list[str]:
    """Return names of what a class holds: its variables, and all its functions."""
    return [n for n, v in vars(kind).items() if isinstance(v, types.FunctionType) or not n.startswith("__")]


def _put_method(put: Put, method: Any, new: Any) -> None:
    """Put a function in place of that of a static or class method."""
    put(method if new is method.__func__ else type(method)(new))


def _replaced(several: Any, position: int, new: Any) -> tuple[Any, ...]:
    return (*several[:position], new, *several[position + 1 :])


def is_installed(module: Any) -> bool:
    """Whether a module belongs to an installed package, the standard library or the interpreter."""
    found = sys.modules.get(str(module))
    file = getattr(found, "__file__", None)
    if file is None:
        return str(module) != "__main__"
    return file.startswith(compiled.INSTALLED) or str(module).split(".")[0] == "dpspectra"


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
