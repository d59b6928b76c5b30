"""Loggers of a program: those that it names and those above them; others are read if it names a way to them.

All loggers of a process are in one table, which each of them holds. A library's logger there is no part of a program
that only writes to its own.
"""

import logging
import types
from collections.abc import Iterable, Iterator
from typing import Any

from dpspectra.symbolic.stateless import texts_of
from dpspectra.symbolic.variables import Edge, Kept

LOGGERS = logging.Logger, logging.RootLogger
WAYS = frozenset(("getLogger", "getChild", "loggerDict"))
"""Names by which a program comes to any logger."""


def settle(thing: Any) -> None:
    """Have a logger remember now which of the usual levels it writes, which is no state: it follows from all loggers'.

    Whatever else a program keeps there is compared.
    """
    if type(thing) in LOGGERS:
        for level in range(logging.DEBUG, logging.CRITICAL + 1, 10):
            logging.Logger.isEnabledFor(thing, level)


def held(thing: Any, edges: Iterable[Edge]) -> Iterator[Edge]:
    """Return what an object holds, but of the manager of loggers not the table of all of them."""
    is_manager = type(thing) is logging.Manager
    yield from (edge for edge in edges if not (is_manager and edge[1] is thing.loggerDict))


def others(function: types.FunctionType, names: Iterable[str], kept: list[Kept]) -> Iterator[Edge]:
    """Return all loggers if a function names a way to them, and keep which there are, without those that it names.

    One of a name that stands in the code is made by the first call, and not by what it is called with.
    """
    if WAYS.isdisjoint(names):
        return
    table = logging.root.manager.loggerDict
    before, texts = set(table), {str(function.__globals__.get("__name__")), *texts_of(function.__code__)}

    def new() -> list[str]:
        later = (name for name in table if name not in before)
        return [name for name in later if not any(f"{text}.".startswith(f"{name}.") for text in texts)]

    def put_back() -> None:
        for name in new():
            del table[name]

    kept.append(("which loggers there are", lambda: bool(new()), put_back))
    yield "a logger", tuple(table.values()), None
