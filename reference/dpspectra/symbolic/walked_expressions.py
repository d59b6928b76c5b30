"""Values of expressions of a walked text, in all worlds that their draws lead to."""

from __future__ import annotations

import ast
import dataclasses
import functools
import operator
import types
from collections.abc import Callable
from typing import Any

from dpspectra.symbolic import unknown_numbers
from dpspectra.symbolic.drawn_numbers import asked, calculated, combined, plain
from dpspectra.symbolic.draws_of_texts import drawn_by
from dpspectra.symbolic.named_things import Names, bound_to, function_of, raw
from dpspectra.symbolic.text_worlds import PLAIN, Counter, Drawn, Ray, Refused, Thing, Ways, World, then
from dpspectra.symbolic.unknown_numbers import Some

MOST_STEPS = 400_000
"""Statements and expressions that are walked for one law."""
UNKNOWN = object()
ARITHMETIC = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
}
SIGNS = {ast.USub: operator.neg, ast.UAdd: operator.pos}
COMPARISONS = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}


class Expressions:
    """Walks of expressions, with what they read of the program."""

    def __init__(self) -> None:
        self.steps = 0
        self.names = Names()
        self.mass = 1.0
        """Probability of the worlds that are walked on, at most; what matters depends on it."""
        self.within: list[tuple[Any, dict[ast.stmt, frozenset[str]]]] = []
        """The functions that are walked, and the variables that are live in their loops."""

    def law(self, function: types.FunctionType, given: dict[str, Any]) -> Ways:
        """Return worlds that hold what a function returns."""
        raise NotImplementedError

    def truth(self, test: ast.expr, world: World) -> Ways:
        """Put whether an expression is true on top of what there is."""
        return self.then(self.value(test, world), _as_truth)

    def value(self, one: ast.expr, world: World) -> Ways:
        """Put the value of an expression on top of what there is."""
        self.count()
        known = self._known(one, world)
        if known is not UNKNOWN:
            return [(1.0, world.push(known))]
        match one:
            case ast.Constant(value=value) if type(value) in PLAIN:
                return [(1.0, world.push(value))]
            case ast.Name(id=name):
                found = world.names[name] if name in world.names else self.names.global_of(self.within[-1][0], name)
                return [(1.0, world.push(found))]
            case ast.Attribute(value=value, attr=attr):
                return self.then(self.value(value, world), functools.partial(self._attribute, attr))
            case ast.BinOp(left=left, op=op, right=right):
                return self.then(
                    self._several([left, right], world), functools.partial(computed, table_of(ARITHMETIC, op))
                )
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return self.then(self.truth(operand, world), lambda w: [(1.0, w.pop()[1].push(not w.stack[-1]))])
            case ast.UnaryOp(op=op, operand=operand):
                return self.then(self.value(operand, world), functools.partial(_signed, table_of(SIGNS, op)))
            case ast.BoolOp(op=op, values=values):
                return self._chosen(values, isinstance(op, ast.And), world)
            case ast.Compare(left=left, ops=ops, comparators=comparators):
                return self._compared(left, ops, comparators, world)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return self.then(
                    self.truth(test, world), lambda w: self.value(body if w.stack[-1] else orelse, w.pop()[1])
                )
            case ast.Tuple(elts=elts) | ast.List(elts=elts):
                return self.then(self._several(elts, world), functools.partial(_together, len(elts)))
            case ast.Call(func=func, args=args, keywords=keywords) if all(k.arg for k in keywords):
                named = [k.arg for k in keywords if k.arg is not None]
                ways = self._several([func, *args, *(k.value for k in keywords)], world)
                return self.then(ways, functools.partial(self._called, len(args), named))
        raise Refused(type(one).__name__)

    def _known(self, one: ast.expr, world: World) -> Any:
        """Return the value of an expression that asks for plain numbers only, at once."""
        match one:
            case ast.Constant(value=value):
                return value if type(value) in PLAIN else UNKNOWN
            case ast.Name(id=name):
                value = world.names.get(name, UNKNOWN)
                return value if type(value) in PLAIN else UNKNOWN
            case ast.BinOp(left=left, op=op, right=right):
                function, several = ARITHMETIC.get(type(op)), [left, right]
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                function, several = COMPARISONS.get(type(op)), [left, right]
            case _:
                return UNKNOWN
        values = [self._known(part, world) for part in several]
        return UNKNOWN if function is None or any(v is UNKNOWN for v in values) else calculated(function, *values)

    def _several(self, several: list[ast.expr], world: World) -> Ways:
        ways: Ways = [(1.0, world)]
        for one in several:
            ways = self.then(ways, functools.partial(self.value, one))
        return ways

    def _chosen(self, values: list[ast.expr], every: bool, world: World) -> Ways:
        first, *others = values
        if not others:
            return self.value(first, world)

        def decided(w: World) -> Ways:
            truth, w = w.stack[-1], w.pop()[1]
            return self._chosen(others, every, w.pop()[1]) if truth == every else [(1.0, w)]

        return self.then(self.then(self.value(first, world), lambda w: _as_truth(w.push(w.stack[-1]))), decided)

    def _compared(self, left: ast.expr, ops: list[ast.cmpop], comparators: list[ast.expr], world: World) -> Ways:
        ways = self._several([left, comparators[0]], world)
        if len(ops) > 1:
            if not isinstance(comparators[0], (ast.Name, ast.Constant)):
                raise Refused("a chain of comparisons")
            ways = self.then(ways, functools.partial(_asked, ops[0]))
            rest = functools.partial(self._compared, comparators[0], ops[1:], comparators[1:])
            return self.then(ways, lambda w: rest(w.pop()[1]) if w.stack[-1] else [(1.0, w)])
        return self.then(ways, functools.partial(_asked, ops[0]))

    def _attribute(self, name: str, world: World) -> Ways:
        if type(world.stack[-1]) in (Ray, Drawn):
            return self.then(plain(world, 1), functools.partial(self._attribute, name))
        (thing,), rest = world.pop()
        if type(thing) is Some:
            return [(1.0, rest.push(unknown_numbers.attribute(thing, name)))]
        found = self.names.attribute(thing, name)
        if isinstance(found, property):
            if not isinstance(found.fget, types.FunctionType):
                raise Refused("a property")
            return self._of_text(found.fget, (thing,), {}, rest)
        return [(1.0, rest.push(found))]

    def _called(self, count: int, named: list[str], world: World) -> Ways:
        total = count + len(named)
        (function, *args), rest = world.pop(total + 1)
        if not isinstance(function, Thing):
            raise Refused("a number is called")
        draw = drawn_by(function)
        if draw is not None:
            if any(type(a) in (Ray, Drawn) for a in args):
                return self.then(plain(world, total), functools.partial(self._called, count, named))
            if Some in map(type, args):
                return [(1.0, rest.push(unknown_numbers.below(args)))]
            return draw(rest, args[:count], dict(zip(named, args[count:], strict=True)))
        known = function_of(function, self.within[-1][0], rest.names)
        if isinstance(known, Thing):
            if any(a is not None for a in args):
                raise Refused("a generator with a seed")
            return [(1.0, rest.push(known))]
        if known is isinstance and not named and count == 2:
            return [(1.0, rest.push(isinstance(raw(args[0], rest), raw(args[1], rest))))]
        if known is not None and Some in map(type, args):
            return unknown_numbers.called(known, args, rest)
        if known is int and total == 1 and type(args[0]) is Ray:
            return [(1.0, rest.push(args[0]))]
        if known is abs and total == 1 and type(args[0]) is Ray:
            return self.then(asked(operator.ge, rest.push(args[0]).push(args[0]).push(0)), _absolute)
        if known is not None and not named:
            return _of_plain(known, total, World(rest.names, (*rest.stack, *args), rest.laws))
        if any(type(a) is Counter for a in args):
            raise Refused("a counter is asked for")
        if any(type(a) in (Ray, Drawn) for a in args):
            return self.then(plain(world, total), functools.partial(self._called, count, named))
        target, before = bound_to(function)
        return self._of_text(target, (*before, *args[:count]), dict(zip(named, args[count:], strict=True)), rest)

    def _of_text(self, function: types.FunctionType, args: tuple[Any, ...], named: dict[str, Any], rest: World) -> Ways:
        ways = self.law(function, self.names.bound(function, args, named))
        found: Ways = []
        for weight, world in ways:
            if world is None:
                found.append((weight, None))
                continue
            (value,) = world.stack
            if type(value) in (Ray, Drawn):
                law = world.laws[value.draw]
                after = rest.draw(law, lambda k, v=value: dataclasses.replace(v, draw=k))  # type: ignore[misc]
            else:
                after = rest.push(value)
            found.append((weight, after))
        return found

    def then(self, ways: Ways, step: Callable[[World], Ways]) -> Ways:
        """Go on from all worlds, and know how probable they are meanwhile."""
        mass = self.mass

        def at(weight: float) -> None:
            self.mass = mass * weight

        try:
            return then(ways, step, at)
        finally:
            self.mass = mass

    def count(self) -> None:
        """Count a step."""
        self.steps += 1
        if self.steps > MOST_STEPS:
            raise Refused("it takes too many steps")


def table_of(table: dict[Any, Any], op: ast.AST) -> Any:
    """Return what a table has for an operator."""
    if type(op) not in table:
        raise Refused(type(op).__name__)
    return table[type(op)]


def computed(operation: Any, world: World) -> Ways:
    """Put what an operation makes of the last two values in their place."""
    known = Some not in map(type, world.stack[-2:])
    return (combined if known else unknown_numbers.combined)(operation, world)


def _compared(comparison: Any, world: World) -> Ways:
    known = Some not in map(type, world.stack[-2:])
    return (asked if known else unknown_numbers.asked)(comparison, world)


def _asked(op: ast.cmpop, world: World) -> Ways:
    if isinstance(op, (ast.Is, ast.IsNot)):
        (a, b), rest = world.pop(2)
        if Counter in (type(a), type(b)):
            raise Refused("a counter is asked for")
        if not any(type(v) in (Thing, bool, type(None)) for v in (a, b)):
            raise Refused("whether two numbers are one object")
        same = raw(a, rest) is raw(b, rest)
        return [(1.0, rest.push(same == isinstance(op, ast.Is)))]
    return _compared(table_of(COMPARISONS, op), world)


def _signed(sign: Any, world: World) -> Ways:
    if type(world.stack[-1]) is Ray:
        return combined(operator.mul, world.push(sign(1)))
    return _of_plain(sign, 1, world)


def _as_truth(world: World) -> Ways:
    """Put whether the last value is true in its place."""
    if type(world.stack[-1]) in (Ray, Drawn, Some):
        return _compared(operator.ne, world.push(0))
    return _of_plain(bool, 1, world)


def _together(count: int, world: World) -> Ways:
    if not count:
        return [(1.0, world.push(()))]
    if any(type(v) in (Ray, Drawn) for v in world.stack[-count:]):
        return then(plain(world, count), functools.partial(_together, count))
    values, rest = world.pop(count)
    if not all(type(v) in PLAIN or type(v) is Thing for v in values):
        raise Refused("a tuple of what is no number")
    return [(1.0, rest.push(tuple(values)))]


def _of_plain(function: Any, count: int, world: World) -> Ways:
    """Put what a function of the last values really gives in their place."""
    ways: Ways = plain(world, count) if count else [(1.0, world)]

    def real(w: World) -> Ways:
        values, rest = w.pop(count) if count else ((), w)
        return [(1.0, rest.push(calculated(function, *values)))]

    return then(ways, real)


def _absolute(world: World) -> Ways:
    """Put the size of a geometric number in the place of it and of whether it is at least 0."""
    (value, positive), rest = world.pop(2)
    if type(value) is not Ray:
        return [(1.0, rest.push(abs(value)))]
    return [(1.0, rest.push(value if positive else value.at(-value.start, -value.step)))]
