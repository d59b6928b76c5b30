"""The state of a program: what it can reach, and what of that its calls change; read before an audit, put back after.

Read are the variables that the mechanism's code can name: globals, closures, defaults, attributes, containers, caches.
Objects that hold their state in C are said to be unseen. Variables that code names by strings are not read.
"""

import abc
import array
import collections
import contextvars
import functools
import pickle
import sys
import types
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from dpspectra.contents import object_state
from dpspectra.contents.foreign import is_foreign
from dpspectra.symbolic import loggers, torch_tensors, untraced_extensions
from dpspectra.symbolic.stateless import ASKED, is_installed, is_settled, names_of
from dpspectra.symbolic.variables import (
    GONE,
    Edge,
    Kept,
    in_slot,
    is_cached_anew,
    is_other,
    is_other_in_slot,
    is_same_item,
    is_special,
    of_bytes,
    of_function,
    put_method,
    registered,
    replaced,
)

MOST = 20_000
"""Objects that are read."""
CACHE = type(functools.lru_cache(lambda: None))
CONTAINERS = (dict, list, set, collections.deque)
ARRAYS = (bytearray, array.array)
BOUND = (types.BuiltinMethodType, types.MethodWrapperType)
PLAIN = frozenset((int, float, complex, bool, str, bytes, type(None)))
"""Types of what holds nothing, and is not counted."""
Edges = Iterator[Edge]


class State:
    """The state of a program at one time."""

    def __init__(self, mechanism: Any) -> None:
        self.kept: list[Kept] = []
        self.edges: list[Edge] = []
        self.unseen: dict[str, str] = {}
        """Reasons why all this may not be all that counts, one for each cause."""
        self._met: set[int] = set()
        self._alive: list[tuple[Any]] = []
        """Each object in a tuple of its own, as are all others that are kept here: a search for places, in which a
        generator is held by name, then finds those of the program only."""
        left = collections.deque[Edge]([("the mechanism", mechanism, None)])
        while left:
            edge = left.popleft()
            self.edges.append(edge)
            if id(edge[1]) not in self._met:
                if len(self._met) == MOST:
                    self.unseen["many"] = f"it can reach more than {MOST} objects, and not all of them are compared"
                    return
                left.extend(self._met_first(*edge[:2]))

    def _met_first(self, name: str, thing: Any) -> Edges:
        """Remember an object that was not met before; return the variables that it holds."""
        self._met.add(id(thing))
        self._alive.append((thing,))
        what = untraced_extensions.of_thing(thing)
        if what is not None:
            self.unseen.setdefault(what, f"it can call compiled code of {what} ({name}): {untraced_extensions.OUTSIDE}")
            return  # what such code keeps is its own
        yield from (edge for edge in self._read(name, thing) if type(edge[1]) not in PLAIN)

    def changed(self) -> set[str]:
        """Return the names of what has changed."""
        return {name for name, differs, _ in self.kept if differs()}

    def restore(self) -> list[str]:
        """Put back what has changed; return its names."""
        changed = [(name, back) for name, differs, back in self.kept if differs()]
        for _, back in changed:
            back()
        return sorted({name for name, _ in changed})

    def _read(self, name: str, thing: Any) -> Edges:
        """Remember one object, and return those that it holds. Only its type is asked: an object may lie about it."""
        kind = type(thing)
        if issubclass(kind, types.FunctionType):
            yield from self._function(name, thing)
        elif kind is CACHE:
            self.kept.append((name, partial(is_cached_anew, thing, thing.cache_info()), thing.cache_clear))
            yield name, thing.__wrapped__, None
        elif kind is types.MethodType:
            yield name, thing.__func__, None
            yield name, thing.__self__, None
        elif kind in BOUND:
            yield name, thing.__self__, None
        elif issubclass(kind, functools.partial):
            yield from self._partial(name, thing)
        elif issubclass(kind, property):
            yield from ((name, part, None) for part in (thing.fget, thing.fset, thing.fdel))
        elif issubclass(kind, CONTAINERS):
            yield from self._container(name, thing)
            if kind not in CONTAINERS:
                yield from self._object(name, thing)
        elif issubclass(kind, ARRAYS):
            self.kept.append((name, *of_bytes(thing, slice(None))))
        elif kind in (tuple, frozenset):
            yield from ((name, part, None) for part in thing)
        elif kind is np.ndarray:
            self.kept.append((name, *of_bytes(thing, ...)))
        elif kind in torch_tensors.kinds():
            yield from self._tensor(name, thing)
        elif issubclass(kind, (staticmethod, classmethod)):
            yield name, thing.__func__, None
        elif issubclass(kind, type):
            if not is_installed(thing.__module__):
                yield from self._class(name, thing)
        elif not issubclass(kind, types.ModuleType):
            yield from self._other(name, thing)

    def _other(self, name: str, thing: Any) -> Edges:
        """Remember an object of a class of its own; say so if that cannot be done."""
        kind = type(thing)
        loggers.settle(thing)
        if kind is contextvars.ContextVar:
            self._context(name, thing)
        elif issubclass(kind, np.ndarray) or is_foreign(thing):
            self._pickled(name, thing)
        elif is_settled(thing) or object_state.foundation(kind) is not None or untraced_extensions.is_followed(kind):
            yield from self._object(name, thing)
        else:
            self.unseen[name] = f"it holds {name}, and what a {kind.__qualname__} remembers cannot be compared"

    def _context(self, name: str, thing: Any) -> None:
        before = thing.get(GONE)
        gone = before is GONE  # and nobody can take a value away again
        called, back = (f"{name} (not put back)", lambda: None) if gone else (name, partial(thing.set, before))
        self.kept.append((called, lambda: thing.get(GONE) is not before, back))

    def _pickled(self, name: str, thing: Any) -> None:
        """Remember what a pickle would hold; nobody can put that back."""
        try:
            before = pickle.dumps(thing)
        except Exception:  # whatever cannot be pickled says so in its own way
            self.unseen[name] = f"it holds {name}, which cannot be compared"
        else:
            self.kept.append((f"{name} (not put back)", lambda: pickle.dumps(thing) != before, lambda: None))

    def _class(self, name: str, thing: type) -> Edges:
        """Remember the variables of a class, its methods and its bases, and which variables there are."""
        own, there = f"{thing.__name__}.", set(vars(thing))
        variables = [n for n, v in vars(thing).items() if not is_special(n) or isinstance(v, types.FunctionType)]
        if isinstance(thing, abc.ABCMeta) and "__subclasshook__" not in vars(thing):  # it caches its register
            variables = [n for n in variables if n != "_abc_impl"]
            before = registered(thing)
            self.kept.append((f"{own}register (not put back)", lambda: registered(thing) != before, lambda: None))
        yield from self._variables(own, vars(thing), variables, partial(setattr, thing))
        yield from ((name, base, None) for base in thing.__bases__)

        def new() -> list[str]:
            return [n for n in vars(thing) if n not in there and not is_special(n)]

        def put() -> None:
            for n in new():
                delattr(thing, n)

        self.kept.append((f"{own}*", lambda: bool(new()), put))

    def _object(self, name: str, thing: Any) -> Edges:
        """Remember the attributes of an object, those in slots of the user's classes, too."""
        owner = f"an object of the class {type(thing).__name__}"
        if type(getattr(thing, "__dict__", None)) is dict:
            yield from loggers.held(thing, self._container(owner, vars(thing)))
        for base in type(thing).__mro__:
            if not is_installed(base.__module__):
                slots = [v for v in vars(base).values() if isinstance(v, types.MemberDescriptorType)]
                for slot in slots:
                    yield from self._slot(owner, thing, slot)
        yield name, type(thing), None

    @staticmethod
    def _partial(name: str, thing: Any) -> Edges:
        """Return what a call with some arguments holds; all of it is set at once."""

        def put_function(new: Any) -> None:
            thing.__setstate__((new, *thing.__reduce__()[2][1:]))

        def put(position: int, new: Any) -> None:
            function, args, *others = thing.__reduce__()[2]
            thing.__setstate__((function, replaced(args, position, new), *others))

        yield name, thing.func, put_function
        yield from ((name, v, partial(put, k)) for k, v in enumerate(thing.args))
        yield name, thing.keywords, None

    def _function(self, name: str, function: types.FunctionType) -> Edges:
        if not is_installed(function.__globals__.get("__name__")):
            yield from self._globals(function)
        for cell_name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            yield from self._cell(cell_name, cell)

        def put(position: int, new: Any) -> None:
            function.__defaults__ = replaced(function.__defaults__, position, new)

        default = f"a default of {function.__name__}"
        yield from ((default, v, partial(put, k)) for k, v in enumerate(function.__defaults__ or ()))
        yield default, function.__kwdefaults__ or {}, None
        self.kept.append((f"an attribute of {function.__name__}", *of_function(function)))
        yield f"an attribute of {function.__name__}", vars(function), None

    def _globals(self, function: types.FunctionType) -> Edges:
        """Remember the globals that a function names, and those of modules that it names or imports."""
        names = set(names_of(function.__code__))
        self.unseen |= {ASKED[n]: f"it asks for {ASKED[n]}, in {function.__qualname__}" for n in names & ASKED.keys()}
        yield from loggers.others(function, names, self.kept)
        yield from self._variables("", function.__globals__, names, function.__globals__.__setitem__)
        left = [table.get(n) for table in (function.__globals__, sys.modules) for n in names]
        met: set[int] = set()
        while left:
            module = left.pop()
            if not isinstance(module, types.ModuleType) or id(module) in met:
                continue
            met.add(id(module))
            yield module.__name__, module, None
            if not is_installed(module.__name__):
                yield from self._variables(f"{module.__name__}.", vars(module), names, vars(module).__setitem__)
                left += [vars(module).get(n) for n in names]

    def _variables(self, owner: str, table: Any, names: Any, put: Callable[[str, Any], None]) -> Edges:
        """Remember variables of a module or of a class."""
        for name in sorted(names):
            value = table.get(name, GONE)
            differs = partial(is_other, table, name, value)
            back = partial(table.pop, name, None) if value is GONE else partial(put, name, value)
            self.kept.append((f"{owner}{name}", differs, back))
            if isinstance(value, (staticmethod, classmethod)):
                yield f"{owner}{name}", value.__func__, partial(put_method, partial(put, name), value)
            elif value is not GONE:
                yield f"{owner}{name}", value, partial(put, name)

    def _cell(self, name: str, cell: Any) -> Edges:
        try:
            value = cell.cell_contents
        except ValueError:  # empty
            return
        put = partial(setattr, cell, "cell_contents")
        self.kept.append((name, lambda: cell.cell_contents is not value, partial(put, value)))
        yield name, value, put

    def _slot(self, name: str, thing: Any, slot: Any) -> Edges:
        value = in_slot(slot, thing)
        back = partial(slot.__delete__, thing) if value is GONE else partial(slot.__set__, thing, value)
        self.kept.append((name, partial(is_other_in_slot, slot, thing, value), back))
        if value is not GONE:
            yield name, value, partial(slot.__set__, thing)

    def _container(self, name: str, thing: Any) -> Edges:
        before = tuple(thing.items()) if isinstance(thing, dict) else tuple(thing)

        def differs() -> bool:
            now = list(thing.items()) if isinstance(thing, dict) else list(thing)
            return len(now) != len(before) or not all(map(is_same_item, now, before))

        def put() -> None:
            thing.clear()
            if isinstance(thing, dict):
                for key, value in before:
                    thing[key] = value
            else:
                getattr(thing, "update" if isinstance(thing, set) else "extend")(before)

        self.kept.append((name, differs, put))
        if isinstance(thing, dict):
            yield from ((name, key, None) for key, _ in before)
        several = before if isinstance(thing, dict) else enumerate(before)
        put_at = getattr(thing, "__setitem__", None)  # sets have none
        yield from ((name, v, put_at and partial(put_at, k)) for k, v in several)

    def _tensor(self, name: str, thing: Any) -> Edges:
        if (found := torch_tensors.remembered(thing)) is None:
            self.unseen[name] = f"it holds {name}, a tensor that cannot be compared"
            return
        self.kept.append((name, *found))
        yield f"{name}.grad", thing.grad, None
        yield from self._container(name, vars(thing))
