"""The law of what a function returns, by its text: all ways through it are walked, with draws split where it asks.

The text is that of the very code that runs, and what it calls is real arithmetic, followed draws, and functions that
are walked in turn. The probability of all that is left out is known.
"""

from __future__ import annotations

import ast
import functools
import types
from typing import Any

from dpspectra.symbolic.alike_rounds import SUSPENDED, source_of
from dpspectra.symbolic.live_names import live_at_loops
from dpspectra.symbolic.text_worlds import Refused, Ways, World, merged
from dpspectra.symbolic.unknown_numbers import Some
from dpspectra.symbolic.walked_expressions import ARITHMETIC, MOST_STEPS, computed, table_of
from dpspectra.symbolic.walked_loops import AGAIN, BREAK, NEXT, RETURN, Ends, Loops

DEEPEST = 12
"""Calls within calls."""


@functools.lru_cache(maxsize=100)
def _text(code: types.CodeType) -> tuple[ast.FunctionDef, dict[ast.stmt, frozenset[str]]] | None:
    node = None if code.co_flags & SUSPENDED else source_of(code)
    return None if node is None else (node, live_at_loops(node))


class Walker(Loops):
    """Walks of texts."""

    def __init__(self) -> None:
        super().__init__()
        self.known: dict[Any, tuple[Any, float, Ways]] = {}
        """Laws by function and arguments, and the probability of the worlds that they were found for."""

    def law(self, function: types.FunctionType, given: dict[str, Any]) -> Ways:
        """Return worlds that hold what a function returns, for plain arguments. Raises `Refused`."""
        key = id(function), tuple((n, type(v), v) for n, v in given.items())
        if key in self.known and self.known[key][1] >= self.mass:
            return self.known[key][2]
        text = _text(self.names.code(function))
        if text is None or len(self.within) >= DEEPEST:
            raise Refused(f"{function.__name__} is called")
        self.within.append((function, text[1]))
        try:
            ends = self.block(text[0].body, World(given))
        finally:
            self.within.pop()
        if BREAK in ends or AGAIN in ends:
            raise Refused("no loop")
        ways = [(weight, world and world.push(None)) for weight, world in ends.get(NEXT, [])] + ends.get(RETURN, [])
        found = merged(
            [(weight, world and World({}, world.stack[-1:], world.laws).kept(None)) for weight, world in ways]
        )
        self.known[key] = function, self.mass, found
        return found

    def block(self, body: list[ast.stmt], world: World) -> Ends:
        """Return how some statements end."""
        ends: Ends = {NEXT: [(1.0, world)]}
        for one in body:
            ends = self.go_on(ends, functools.partial(self._statement, one))
        return {how: ways for how, ways in ends.items() if ways}

    def _statement(self, one: ast.stmt, world: World) -> Ends:
        self.count()
        try:
            return self._ends(one, world)
        except Refused:
            if self.steps > MOST_STEPS or Some not in map(type, world.names.values()):
                raise
            return {NEXT: [(1.0, None)]}  # what comes of an unknown number is lost

    def _ends(self, one: ast.stmt, world: World) -> Ends:
        match one:
            case ast.Assign(targets=targets, value=value):
                return {NEXT: self.then(self.value(value, world), lambda w: self._assigned(targets, w))}
            case ast.AnnAssign(target=ast.Name() as target, value=ast.expr() as value):
                return {NEXT: self.then(self.value(value, world), lambda w: self._assigned([target], w))}
            case ast.AugAssign(target=ast.Name(id=name) as target, op=op, value=value):
                ways = self.then(self.value(ast.Name(name, ast.Load()), world), lambda w: self.value(value, w))
                ways = self.then(ways, functools.partial(computed, table_of(ARITHMETIC, op)))
                return {NEXT: self.then(ways, lambda w: self._assigned([target], w))}
            case ast.Delete(targets=targets) if all(isinstance(t, ast.Name) for t in targets):
                gone = {t.id for t in targets if isinstance(t, ast.Name)}
                return {NEXT: [(1.0, world.kept(frozenset(world.names) - gone))]}
            case ast.Expr(value=ast.Constant()) | ast.Pass():
                return {NEXT: [(1.0, world)]}
            case ast.Expr(value=value):
                return {NEXT: self.then(self.value(value, world), lambda w: [(1.0, w.pop()[1])])}
            case ast.Return(value=returned):
                return {RETURN: self.value(returned or ast.Constant(None), world)}
            case ast.Break():
                return {BREAK: [(1.0, world)]}
            case ast.Continue():
                return {AGAIN: [(1.0, world)]}
            case ast.If(test=test, body=body, orelse=orelse):
                return self._branched(test, body, orelse, world)
            case ast.While(test=test, body=body, orelse=[]):
                return self.loop(one, world)
            case ast.For(target=ast.Name(id=name), orelse=[]):
                return self.rounds(one, name, world)
            case ast.Assert(test=test):
                if any(w is None or w.stack[-1] is not True for _, w in self.truth(test, world)):
                    raise Refused("an assertion may fail")
                return {NEXT: [(1.0, world)]}
        raise Refused(type(one).__name__)

    def _branched(self, test: ast.expr, body: list[ast.stmt], orelse: list[ast.stmt], world: World) -> Ends:
        ends: Ends = {NEXT: self.truth(test, world)}
        return self.go_on(ends, lambda w: self.block(body if w.stack[-1] else orelse, w.pop()[1]))

    def _assigned(self, targets: list[ast.expr], world: World) -> Ways:
        (value,), world = world.pop()
        for target in targets:
            if isinstance(target, ast.Name):
                world = world.bind(target.id, value)
                continue
            names = target.elts if isinstance(target, (ast.Tuple, ast.List)) else []
            if type(value) is not tuple or len(names) != len(value):
                raise Refused("what is written to")
            for name, part in zip(names, value, strict=True):
                if not isinstance(name, ast.Name):
                    raise Refused("what is written to")
                world = world.bind(name.id, part)
        return [(1.0, world)]
