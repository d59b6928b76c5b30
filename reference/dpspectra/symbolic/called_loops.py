"""Functions with loops, in place of which their value is drawn from its law, if their text tells what that is.

A function is lent other code for as long as runs are followed, which asks for the law of what it returns for the
arguments that it is given. If that is known, the value is one draw of it; if not, the function runs as it would.
"""

from __future__ import annotations

import contextlib
import dis
import inspect
import sys
import types
import warnings
import weakref
from collections.abc import Callable, Iterator
from typing import Any

from dpspectra.symbolic.alike_rounds import SUSPENDED, nobody_watches
from dpspectra.symbolic.call_hooks import told, unwatched
from dpspectra.symbolic.few_outcomes import listed
from dpspectra.symbolic.given_draws import symbols
from dpspectra.symbolic.laws_of_loops import Found, found_law
from dpspectra.symbolic.named_things import ORIGINALS, is_generator, wrapped
from dpspectra.symbolic.noisy_numbers import Noisy
from dpspectra.symbolic.numpy_sources import FollowedGenerator
from dpspectra.symbolic.program_lines import is_of_python, is_program
from dpspectra.symbolic.tape import current, following
from dpspectra.symbolic.text_worlds import PLAIN, Refused, Thing
from dpspectra.symbolic.walked_text import Walker

MOST_KEPT = 200
"""Laws that are kept."""
LASTING = (types.FunctionType, types.BuiltinFunctionType, types.ModuleType)
"""Kinds of things, beside numbers, classes and generators, that may be kept alive; no program misses their end."""
DEEP = 10_000
"""Calls within calls that a walk may make."""


Functions = dict[types.CodeType, types.FunctionType]


@contextlib.contextmanager
def met(functions: Functions) -> Iterator[None]:
    """Note all functions with a loop that the program calls meanwhile, by their code."""

    def seen(frame: Any, event: str, function: Any) -> None:
        code = frame.f_code
        if event != "call" or code in functions or not is_program(frame) or is_of_python(code.co_filename):
            return
        found = _function(frame) if _has_loop(code) else None
        if found is not None:
            functions[code] = found

    with told(seen):
        yield


def _function(frame: Any) -> types.FunctionType | None:
    """Return the function of a frame, if its module, a class there or its caller holds it by its name."""
    first, *others = frame.f_code.co_qualname.rpartition("<locals>.")[2].split(".")
    for table in (frame.f_globals, frame.f_back.f_locals if frame.f_back else {}):
        thing = table.get(first)
        for name in others:
            thing = vars(thing).get(name) if isinstance(thing, type) else None
        while thing is not None:
            thing = thing.__func__ if isinstance(thing, (staticmethod, classmethod)) else thing
            if isinstance(thing, types.FunctionType) and thing.__code__ is frame.f_code:
                return thing
            thing = vars(thing).get("__wrapped__") if isinstance(thing, types.FunctionType) else None
    return None


def _has_loop(code: types.CodeType) -> bool:
    any_number = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS
    if code.co_flags & (SUSPENDED | any_number) or code.co_name.startswith("<"):
        return False
    return any(i.opname.startswith(("JUMP_BACKWARD", "POP_JUMP_BACKWARD")) for i in dis.get_instructions(code))


@contextlib.contextmanager
def stand_ins(functions: Functions) -> Iterator[None]:
    """Lend functions other code, and take it back."""
    lent = [(function, code) for code, function in functions.items()]
    try:
        for function, code in lent:
            ORIGINALS[id(function)] = code
            function.__code__ = _asking(function, code)
        yield
    finally:
        for function, code in lent:
            function.__code__ = code
            del ORIGINALS[id(function)]


def _asking(function: types.FunctionType, code: types.CodeType) -> types.CodeType:
    """Return code with the same arguments that calls a stand-in."""
    count, more = code.co_argcount, code.co_kwonlyargcount
    names = list(code.co_varnames[: count + more])
    before = ["/"] if code.co_posonlyargcount else []
    head = [*names[: code.co_posonlyargcount], *before, *names[code.co_posonlyargcount : count]]
    text = f"def f({', '.join([*head, *(['*', *names[count:]] if more else [])])}): return ''({', '.join(names)})"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        whole = compile(text, code.co_filename, "exec")
    (asking,) = (c for c in whole.co_consts if isinstance(c, types.CodeType))
    hook = _hook(function, code)
    consts = tuple(hook if c == "" else c for c in asking.co_consts)
    return asking.replace(
        co_consts=consts,
        co_name=code.co_name,
        co_qualname=code.co_qualname,
        co_firstlineno=code.co_firstlineno,
        co_freevars=code.co_freevars,
    )


def _hook(function: types.FunctionType, code: types.CodeType) -> Callable[..., Any]:
    real = types.FunctionType(code, function.__globals__, function.__name__, None, function.__closure__)
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    kept: dict[Any, Any] = {}

    def called(*args: Any) -> Any:
        if following() and not current().seeded and nobody_watches():
            with unwatched():
                found = _law(function, dict(zip(names, args, strict=True)), kept)
                if found is not None:
                    return _drawn(function, found)
        count = code.co_argcount
        return real(*args[:count], **dict(zip(names[count:], args[count:], strict=True)))

    return called


def _law(function: types.FunctionType, given: dict[str, Any], kept: dict[Any, Any]) -> Found | None:
    """Return the law of a call, kept for the next one unless that would keep an object of the program alive."""
    if any(type(v) is Noisy for v in given.values()):
        return None
    values = {n: wrapped(v) for n, v in given.items()}
    key = tuple((type(v), _identity(v) if isinstance(v, Thing) else v) for v in values.values())
    if key in kept:
        reads, handles, found = kept[key]
        if all(handle() is not None for handle in handles) and all(_is_same(get(), old) for get, old in reads):
            return found
    walker, found = Walker(), None
    with contextlib.suppress(Refused, RecursionError), _deep():
        found = found_law(walker.law(function, values))
    reads = tuple(walker.names.reads.values())
    if all(_lasts(before) for _, before in reads):
        with contextlib.suppress(TypeError):
            handles = tuple(_handle(v.value) for v in values.values() if isinstance(v, Thing))
            if len(kept) >= MOST_KEPT:
                kept.clear()
            kept[key] = reads, handles, found
    return found


def _identity(thing: Thing) -> tuple[Any, ...]:
    """Return what tells an object from others; a draw of numpy is the same by all generators that runs are given."""
    value = thing.value
    drawn = type(value) is types.MethodType and type(value.__self__) is FollowedGenerator
    return (FollowedGenerator, id(value.__func__)) if drawn else thing.parts


def _lasts(value: Any) -> bool:
    if type(value) is types.MethodType:
        return _lasts(value.__self__)
    return type(value) in (*PLAIN, *LASTING) or isinstance(value, type) or is_generator(value)


def _handle(value: Any) -> Callable[[], Any]:
    """Return what gives an object as long as it is alive, and does not keep it alive. Raises ``TypeError``."""
    if _lasts(value):
        return lambda: value
    return weakref.ref(value.__self__ if type(value) is types.MethodType else value)


@contextlib.contextmanager
def _deep() -> Iterator[None]:
    """Let a text be walked within itself; what runs around it is deep already."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, DEEP))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def _is_same(now: Any, before: Any) -> bool:
    return now is before or (type(now) is type(before) and type(now) in PLAIN and bool(now == before))


def _drawn(function: types.FunctionType, found: Found) -> Any:
    current().left_out = current().left_out or not found.is_whole
    if found.law is None:
        return listed(f"what {function.__name__} returns", found.values, found.chances)
    z = symbols(found.law, ())
    z = z if found.step == 1 else z * found.step
    if type(z) is not Noisy:
        return type(found.at)(found.at + z)
    z = z + found.at
    z.python = type(found.at) in (int, float)
    return z
