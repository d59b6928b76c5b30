"""Loggers of a program: those that it names and those above them; others are read if it names a way to them.

All loggers of a process are in one table, which each of them holds. A library's logger there is no part of a program
that only writes to its own.
"""

import logging
from collections.abc import Iterable, Iterator
from typing import Any

LOGGERS = logging.Logger, logging.RootLogger
WAYS = frozenset(("getLogger", "getChild", "loggerDict"))
"""Names by which a program comes to any logger."""
Edge = tuple[str, Any, Any]


def settle(thing: Any) -> None:
    """Have a logger remember now which of the usual levels it writes, which is no state: it follows from all loggers'.

    Whatever else a program keeps there is compared.
    """
    if type(thing) in LOGGERS:
        for level in range(logging.DEBUG, logging.CRITICAL + 1, 10):
            logging.Logger.isEnabledFor(thing, level)


def without_table(thing: Any, edges: Iterable[Edge]) -> Iterator[Edge]:
    """Return what an object holds, but of the manager of loggers not the table of all of them."""
    is_manager = type(thing) is logging.Manager
    yield from (edge for edge in edges if not (is_manager and edge[1] is thing.loggerDict))


def table(names: Iterable[str]) -> Iterator[Edge]:
    """Return the table of all loggers if one of the names is a way to them."""
    if not WAYS.isdisjoint(names):
        yield "a logger", logging.root.manager.loggerDict, None
