"""Changes by a plain run in the modules that a program can name, and in settings that Python and numpy keep.

Code may build the names of variables, and settings are no variables; so they are compared as a whole.
"""

import collections
import decimal
import locale
import logging
import operator
import os
import sys
import types
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from dpspectra.symbolic.stateless import is_installed
from dpspectra.symbolic.variables import Edge

Tables = dict[str, dict[str, Any]]
"""Names of modules, by the module."""
SIZED = (dict, list, set, collections.deque, collections.OrderedDict)


def _levels() -> list[Any]:
    loggers = [logging.root, *logging.root.manager.loggerDict.values()]
    return [(x.name, x.level, x.disabled, len(x.handlers)) for x in loggers if isinstance(x, logging.Logger)]


SETTINGS: dict[str, Callable[[], Any]] = {
    "the environment": lambda: dict(os.environ),
    "the context of decimal": lambda: repr(decimal.getcontext()),
    "how numpy prints": lambda: repr(np.get_printoptions()),
    "the locale": lambda: locale.setlocale(locale.LC_ALL),
    "levels of loggers": _levels,
}


class Read:
    """Modules and settings as they are: tables of names, and those of modules with these names."""

    def __init__(self, named: Tables, others: Iterable[str]) -> None:
        self.settings = {name: read() for name, read in SETTINGS.items()}
        tables = named | {name: vars(sys.modules[name]) for name in others if _is_module(name)}
        self.held = {name: tuple(_held(name, table)) for name, table in tables.items()}
        self.sizes = {n: [len(v) for v in table.values() if type(v) in SIZED] for n, table in tables.items()}

    def changed(self, now: "Read") -> list[str]:
        """Return what is another thing now, or of another size."""
        settings = [name for name, value in self.settings.items() if now.settings[name] != value]
        return settings + [n for n in now.held if n in self.held and not self._is_same(n, now)]

    def _is_same(self, name: str, now: "Read") -> bool:
        then, here = self.held[name], now.held[name]
        return self.sizes[name] == now.sizes[name] and len(then) == len(here) and all(map(operator.is_, then, here))


def named(edges: Iterable[Edge]) -> Tables:
    """Return the names in modules that the program names, and in those of its functions."""
    found: Tables = {}
    for _, thing, _ in edges:
        if isinstance(thing, types.ModuleType):
            found[thing.__name__] = vars(thing)
        elif isinstance(thing, types.FunctionType) and not is_installed(thing.__globals__.get("__name__")):
            found[str(thing.__globals__.get("__name__"))] = thing.__globals__
    return found


def without_file() -> list[str]:
    """Return the names of modules that have no file."""
    return [name for name in list(sys.modules) if _is_module(name) and sys.modules[name].__spec__ is None]


def _is_module(name: str) -> bool:
    return isinstance(sys.modules.get(name), types.ModuleType)


def _held(name: str, table: dict[str, Any]) -> Iterable[Any]:
    """Return what the names of a module hold, and what those of its classes do."""
    for value in table.values():
        yield value
        if issubclass(type(value), type) and value.__module__ == name:
            yield from vars(value).values()
