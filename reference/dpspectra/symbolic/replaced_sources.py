"""Put followed sources in place of real ones, under every name that loaded modules know them by, for a while.

One audit at a time: a lock is held, and an audit within an audit is refused.
"""

import contextlib
import functools
import linecache
import re
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from dpspectra.symbolic import (
    choke_points,
    numpy_sources,
    own_noise,
    pandas_operands,
    python_functions,
    scipy_sources,
    standard_sources,
    torch_modes,
    unseen_names,
    untraced_extensions,
)
from dpspectra.symbolic.noisy_numbers import Noisy, seen
from dpspectra.symbolic.number_kinds import of_kind
from dpspectra.symbolic.program_lines import SKIPPED, place
from dpspectra.symbolic.questions import constant, within
from dpspectra.symbolic.tape import CURRENT, PLAIN, current, following
from dpspectra.symbolic.variables import Edge

LOCK = threading.Lock()
"""Held while names are replaced."""
NOT_TOUCHED = frozenset((*SKIPPED, "random", "secrets", "math", "os", "builtins", "dpspectra.symbolic"))
"""Packages whose modules keep the real names."""
MISSING, BUILTIN = object(), type(len)
MAKERS = ("zeros", "ones", "empty", "full", "eye", "identity")
COPIERS = ("array", "asarray", "asanyarray", "ascontiguousarray")
_ON_LISTS = "argmax argmin max amax min amin sum mean cumsum clip round around median sort std var prod"
ON_LISTS = tuple(_ON_LISTS.split())
"""Functions that make an array of a list that they are given, in compiled code that would look at its numbers."""


@functools.cache
def holds_real_names(name: str) -> bool:
    """Whether a module keeps the real names."""
    return name.split(".")[0] in NOT_TOUCHED or name.startswith("dpspectra.symbolic")


@functools.cache
def _written(code: Any, instruction: int, name: str) -> bool:
    """Whether this very instruction is a call of the name: compiled code that calls it has no frame of its own."""
    line, end, start, stop = list(code.co_positions())[instruction // 2]
    if line is None:
        return False
    text = linecache.getline(code.co_filename, line)
    text = text.encode()[start:].decode(errors="replace") if end != line else text.encode()[start:stop].decode()
    return re.match(rf"(\w+\.)*{name}\s*\(", text) is not None


def _by_users(name: str, symbolic: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a function that makes arrays: if Python code outside of numeric libraries calls it, they can hold noise."""
    real = getattr(np, name)

    @functools.wraps(real)
    def called(*args: Any, **options: Any) -> Any:
        frame = sys._getframe(1)
        if not CURRENT or CURRENT[-1].mode == PLAIN or holds_real_names(frame.f_globals.get("__name__", "")):
            return real(*args, **options)
        if CURRENT[-1].thread != threading.get_ident():
            return real(*args, **options)
        if not within(list(args)) and not _written(frame.f_code, frame.f_lasti, name):
            return real(*args, **options)
        return symbolic(real, *args, **options)

    return called


def _blank(real: Callable[..., Any], *args: Any, **options: Any) -> Any:
    if real is _FULL and within(list(args[1:])):
        filled = constant(np.zeros(args[0]))
        filled[...] = args[1]
        return filled
    found = real(*args, **options)
    return constant(found) if found.dtype == float else found


def _copied(real: Callable[..., Any], x: Any, *args: Any, **options: Any) -> Any:
    """Return an array from values: symbolic if any of them is."""
    plain = not args and not options.keys() - {"dtype"} and options.get("dtype") in (None, float, np.float64)
    floats = bool(options)
    if type(x) is Noisy:
        if not plain:
            return real(seen(x), *args, **options)
        x = x.astype(float) if floats and x.whole else x
        if not x.ndim and real is not _CONTIGUOUS:
            return of_kind(x.copy(), x.whole, False)
        contiguous = real is not _CONTIGUOUS or (x.ndim > 0 and x.flags.c_contiguous)
        return x.copy("K") if real is _ARRAY else x if contiguous else x.copy().reshape(x.shape or (1,))
    if isinstance(x, (list, tuple)) and within(x) and plain:
        found: Any = np.stack([v if type(v) is Noisy else _copied(real, v) if within(v) else constant(v) for v in x])
        return of_kind(found, found.whole and not floats, False)
    return real(x, *args, **options)


def _on_list(real: Callable[..., Any], x: Any, *args: Any, **options: Any) -> Any:
    """Return what a function gives for the array of a list."""
    return real(_copied(_ARRAY, x) if isinstance(x, (list, tuple)) else x, *args, **options)


def _require(a: Any, *args: Any, **options: Any) -> Any:
    """Stand in for a function that may give a view of its argument in ways that are not followed."""
    if within([a]) and following():
        raise current().stop(f"require of numbers that hold noise is not followed, at {place()}")
    return _REQUIRE(a, *args, **options)


_REQUIRE = np.require
_ARRAY, _FULL, _CONTIGUOUS = np.array, np.full, np.ascontiguousarray


def _replacements() -> list[tuple[Any, str, Any]]:
    found = [*numpy_sources.replacements(), *standard_sources.replacements(), *scipy_sources.replacements()]
    found += [*own_noise.replacements(), *torch_modes.replacements(), *pandas_operands.replacements()]
    found += [*python_functions.replacements(), *unseen_names.replacements()]
    found += [*untraced_extensions.replacements(), *choke_points.replacements()]
    found.append((np, "require", _require))
    found += [(np, name, _by_users(name, _blank)) for name in MAKERS]
    found += [(np, name, _by_users(name, _copied)) for name in COPIERS]
    found += [(np, name, _by_users(name, _on_list)) for name in ON_LISTS]
    return found


def tables() -> list[dict[str, Any]]:
    """Return the names of each loaded module that does not keep the real ones."""
    modules = [m for m in list(sys.modules.values()) if not holds_real_names(getattr(m, "__name__", "") or "")]
    return [vars(m) for m in modules if hasattr(m, "__dict__")]


class Busy(ValueError):
    """Another audit from inside is under way."""


@contextlib.contextmanager
def followed_sources(edges: Iterable[Edge] = ()) -> Iterator[None]:
    """Replace all sources of randomness, in modules and in variables that the program can reach, and give them back.

    Raises ``ValueError`` if an audit from inside is under way already, in this thread or in another one.
    """
    if not LOCK.acquire(blocking=False):
        raise Busy("audits from inside must be made one at a time, got one within another or in another thread")
    try:
        new = _replacements()
        known_by = {id(getattr(owner, name)): value for owner, name, value in new if not isinstance(owner, type)}
        kinds = {type(getattr(owner, name)) for owner, name, _ in new}  # asked first, as Python tells of each `id`
        held = ((d, name, v) for d in tables() for name, v in list(d.items()) if type(v) in kinds)
        known = [(d, name, v) for d, name, v in held if id(v) in known_by]
        known_by |= {
            id(v): choke_points.GUARDED[v] for _, v, _ in edges if type(v) is BUILTIN and v in choke_points.GUARDED
        }
        reached = [(name, value, put) for name, value, put in edges if put is not None and id(value) in known_by]
        kept = [(owner, name, vars(owner).get(name, MISSING)) for owner, name, _ in new]
        try:
            for owner, name, value in new:
                setattr(owner, name, value)
            for table, name, value in known:
                table[name] = known_by[id(value)]
            for _, value, put in reached:
                put(known_by[id(value)])
            yield
        finally:
            for _, value, put in reached:
                put(value)
            for owner, name, old in reversed(kept):
                if old is MISSING:
                    delattr(owner, name)
                else:
                    setattr(owner, name, old)
            for table, name, value in known:
                table[name] = value
    finally:
        LOCK.release()
