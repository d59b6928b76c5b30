"""Loops with rounds that are alike: draw, decide, and begin anew, until something is returned.

A loop is known for one by its source, from which the very code that runs must compile. Its rounds may change nothing
but variables that each round writes before it reads them, on all ways through, and may call arithmetic and followed
draws only, with single numbers. So a round that is rejected leaves nothing behind, whatever its number is. A condition
is asked at the end of each round, when all of these variables are written.
"""

from __future__ import annotations

import ast
import builtins
import dis
import functools
import inspect
import linecache
import math
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, GetSetDescriptorType, MethodType, ModuleType, NoneType
from typing import Any

import numpy as np

from dpspectra.symbolic.noisy_numbers import Noisy
from dpspectra.symbolic.numpy_sources import FollowedGenerator, FollowedState
from dpspectra.symbolic.standard_sources import FollowedRandom, FollowedSystem
from dpspectra.symbolic.tape import current

UFUNCS = [u for u in vars(np).values() if type(u) is np.ufunc]
OWN = str(Path(__file__).parent)
_DRAWS = """
laplace normal gumbel logistic uniform exponential standard_normal standard_exponential random random_sample rand
randn standard_cauchy integers randint geometric poisson binomial gauss normalvariate expovariate
"""
DRAWS = frozenset(_DRAWS.split())
"""Draws that change nothing that they are given."""
NAMED = frozenset(("loc", "scale", "size", "low", "high", "p", "lam", "n"))
"""Arguments that draws may be given by name."""
BUILT_IN = [getattr(builtins, name) for name in ("abs", "min", "max", "int", "float", "bool", "round")]
NUMBERS = (int, float, bool, np.float64, np.int64, np.bool_, Noisy)
OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.USub, ast.UAdd, ast.Not)
ORDER = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
GENERATORS = (FollowedGenerator, FollowedState, FollowedRandom, FollowedSystem)
SUSPENDED = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
"""Flags of code that stops in between."""


class Unlike(Exception):
    """Something in a loop for which it is not known that its rounds are alike."""


@dataclass(frozen=True, eq=False)
class Loop:
    """A loop with rounds that are alike as long as the names that it reads stand for what they should."""

    node: ast.While
    written: frozenset[str]
    numbers: list[ast.expr] = field(default_factory=list)
    """Names and constants of modules that rounds read."""
    calls: list[ast.Call] = field(default_factory=list)

    @property
    def asks(self) -> bool:
        """Whether it has a condition."""
        return not isinstance(self.node.test, ast.Constant)


def span(node: ast.While | ast.expr) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return line and column of both ends."""
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    return (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)


@functools.lru_cache(maxsize=200)
def loops_of(code: CodeType) -> tuple[Loop, ...]:
    """Return such loops of a function; none if its source is not that of its code."""
    back = any("JUMP_BACKWARD" in i.opname for i in dis.get_instructions(code))
    node = source_of(code) if back and not code.co_flags & SUSPENDED else None
    found = []
    for loop in _loops(node.body if node is not None else []):
        written = frozenset(n.id for n in ast.walk(loop) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
        one = Loop(loop, written)
        try:
            if not written <= set(code.co_varnames) - set(code.co_cellvars):
                raise Unlike
            end = _block(one, loop.body, frozenset())
            if one.asks and end is not None:
                _all_written(one, end)
            _expression(one, loop.test, written)
        except Unlike:
            continue
        found.append(one)
    return tuple(found)


@functools.lru_cache(maxsize=20)
def _compiled(text: str) -> tuple[ast.Module, CodeType]:
    tree = ast.parse(text)
    return tree, compile(tree, "", "exec", dont_inherit=True)


def source_of(code: CodeType) -> ast.FunctionDef | None:
    """Return the definition that compiles to some code, if there is exactly one."""
    try:
        tree, whole = _compiled("".join(linecache.getlines(code.co_filename)))
    except (SyntaxError, ValueError):
        return None
    if sum(one == code for one in _codes(whole)) != 1:
        return None
    nodes = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.name == code.co_name]
    here = [n for n in nodes if min([n.lineno, *(d.lineno for d in n.decorator_list)]) == code.co_firstlineno]
    return here[0] if len(here) == 1 else None


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for one in code.co_consts:
        if isinstance(one, CodeType):
            yield from _codes(one)


def _loops(body: list[ast.stmt]) -> Iterator[ast.While]:
    """Return loops that stand in no other loop, and in no block that could catch what they raise."""
    for one in body:
        if isinstance(one, ast.While) and not one.orelse:
            yield one
        elif isinstance(one, ast.If):
            yield from _loops([*one.body, *one.orelse])


def _block(loop: Loop, body: list[ast.stmt], written: frozenset[str]) -> frozenset[str] | None:
    """Check statements; the variables that are written on all ways through them, ``None`` if no way leads on."""
    known: frozenset[str] | None = written
    for one in body:
        if known is None:
            raise Unlike("code that is never reached")
        known = _statement(loop, one, known)
    return known


def _statement(loop: Loop, one: ast.stmt, written: frozenset[str]) -> frozenset[str] | None:
    match one:
        case ast.Assign(targets=targets, value=value):
            _expression(loop, value, written)
            return written | {name for target in targets for name in _names(target)}
        case ast.If(test=test, body=body, orelse=orelse):
            _expression(loop, test, written)
            ways = [w for w in (_block(loop, body, written), _block(loop, orelse, written)) if w is not None]
            return frozenset.intersection(*ways) if ways else None
        case ast.Return(value=ast.Tuple(elts=several) | ast.List(elts=several)):
            for value in several:
                _expression(loop, value, written)
            return None
        case ast.Return(value=value):
            if value is not None:
                _expression(loop, value, written)
            return None
        case ast.Break():
            _all_written(loop, written)
            return None
        case ast.Continue():
            if loop.asks:
                _all_written(loop, written)
            return None
        case ast.Pass() | ast.Expr(value=ast.Constant()):
            return written
    raise Unlike(type(one).__name__)


def _all_written(loop: Loop, written: frozenset[str]) -> None:
    if not loop.written <= written:
        raise Unlike("a variable of an earlier round may be read after the round")


def _names(target: ast.expr) -> Iterator[str]:
    if isinstance(target, ast.Name):
        yield target.id
    elif isinstance(target, (ast.Tuple, ast.List)):
        for one in target.elts:
            yield from _names(one)
    else:
        raise Unlike(type(target).__name__)


def _expression(loop: Loop, one: ast.expr, written: frozenset[str]) -> None:
    match one:
        case ast.Constant(value=bool() | int() | float() | str() | None):
            return
        case ast.Name(id=name):
            if name not in loop.written:
                loop.numbers.append(one)
            elif name not in written:
                raise Unlike(f"{name} of an earlier round may be read")
            return
        case ast.Attribute():
            loop.numbers.append(one)
            return
        case ast.BinOp(op=op) | ast.UnaryOp(op=op) if not isinstance(op, OPERATORS):
            raise Unlike(type(op).__name__)
        case ast.Compare(ops=ops) if not all(isinstance(op, ORDER) for op in ops):
            raise Unlike("comparison")
        case ast.BinOp() | ast.UnaryOp() | ast.Compare() | ast.BoolOp() | ast.IfExp():
            several = [n for n in ast.iter_child_nodes(one) if isinstance(n, ast.expr)]
        case ast.Call(args=args, keywords=keywords):
            loop.calls.append(one)
            several = [*args, *(k.value for k in keywords)]
            base = _path(one.func)[0]
            if base in loop.written:
                raise Unlike(f"{base} is called, and written")
        case ast.Tuple(elts=several):
            pass
        case _:
            raise Unlike(type(one).__name__)
    for each in several:
        _expression(loop, each, written)


def _path(one: ast.expr) -> list[str]:
    """Return the names of a dotted expression."""
    if isinstance(one, ast.Name):
        return [one.id]
    if isinstance(one, ast.Attribute):
        return [*_path(one.value), one.attr]
    raise Unlike(type(one).__name__)


def are_alike(loop: Loop, frame: Any) -> bool:
    """Whether the names that a loop reads stand for numbers, known functions and followed draws, in a frame."""
    if current().seeded or not nobody_watches():
        return False
    try:
        for one in loop.numbers:
            if type(_held(frame, _path(one))[1]) not in NUMBERS:
                raise Unlike("no number")
        for call in loop.calls:
            _function(call, *_held(frame, _path(call.func)))
    except Unlike:
        return False
    return True


def nobody_watches() -> bool:
    """Whether no function of the program is told of each line."""
    return sys.gettrace() is None or type(sys.gettrace()).__module__.startswith("coverage.")


def _held(frame: Any, path: list[str]) -> tuple[Any, Any]:
    """Return what a dotted name stands for, and what that is an attribute of."""
    tables = (frame.f_locals, frame.f_globals, frame.f_builtins)
    thing, owner = next((t[path[0]] for t in tables if path[0] in t), None), None
    for name in path[1:]:
        owner = thing
        if type(thing) in GENERATORS:
            thing = getattr(thing, name, None)
        elif type(thing) is ModuleType or _holds(thing, name):
            thing = vars(thing).get(name)
        else:
            raise Unlike("an attribute that is computed")
    return owner, thing


def _holds(thing: Any, name: str) -> bool:
    """Whether an object simply holds an attribute."""
    tables = [vars(one) for one in type(thing).__mro__[:-1]]
    plain = all(type(t.get("__dict__")) in (NoneType, GetSetDescriptorType) for t in tables)
    hooks = ("__getattribute__", "__getattr__", name)
    return plain and not any(hook in t for t in tables for hook in hooks) and name in getattr(thing, "__dict__", {})


def _function(call: ast.Call, owner: Any, function: Any) -> None:
    """Require that a function changes nothing, for arguments that are numbers."""
    name, named = _path(call.func)[-1], {k.arg for k in call.keywords}
    if any(function is one for one in BUILT_IN) and not named:
        return
    if any(function is one for one in UFUNCS) and len(call.args) == function.nin and function.nout == 1 and not named:
        return
    if owner is math and not named and (type(function) is BuiltinFunctionType or is_ours(function)):
        return
    if name in DRAWS and named <= NAMED:
        if type(owner) in GENERATORS and type(function) is MethodType and function.__self__ is owner:
            if is_ours(function.__func__):
                return
        elif (owner is np.random or owner is random) and is_ours(function) and name in _cells(function):
            return
    raise Unlike(f"{name} is called")


def is_ours(function: Any) -> bool:
    """Whether a function is a stand-in of ours."""
    return type(function) is FunctionType and function.__code__.co_filename.startswith(OWN)


def _cells(function: Any) -> list[Any]:
    return [c.cell_contents for c in function.__closure__ or () if type(c.cell_contents) is str]
