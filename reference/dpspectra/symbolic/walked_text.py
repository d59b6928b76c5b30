"""The law of what a function returns, by its text: all ways through it are walked, with draws split where it asks.

The text is that of the very code that runs, and what it calls is real arithmetic, followed draws, and functions that
are walked in turn. A loop is a chain of states: what comes back to the head of the loop with the variables that are
still read is one state, whatever came before. Rounds that leave their state as it was are summed up exactly, and rounds
that do nothing to it but count give a geometric number. What is left out has a known probability.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import operator
import types
from collections.abc import Callable
from math import fsum
from typing import Any

from dpspectra.symbolic import unknown_numbers
from dpspectra.symbolic.alike_rounds import SUSPENDED, source_of
from dpspectra.symbolic.live_names import live_at_loops
from dpspectra.symbolic.named_things import Names, bound_to, drawn_by, function_of, raw
from dpspectra.symbolic.text_worlds import (
    LEAST,
    PLAIN,
    Counter,
    Drawn,
    Geometric,
    Ray,
    Refused,
    Thing,
    Ways,
    World,
    asked,
    calculated,
    combined,
    merged,
    plain,
    then,
)
from dpspectra.symbolic.unknown_numbers import Some

MOST_STEPS = 400_000
"""Statements and expressions that are walked for one law."""
DEEPEST = 12
"""Calls within calls."""
NEXT, BREAK, AGAIN, RETURN = "next", "break", "again", "return"
UNKNOWN = object()
Ends = dict[str, Ways]
"""How a text ends, and in which worlds."""
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


@functools.lru_cache(maxsize=100)
def _text(code: types.CodeType) -> tuple[ast.FunctionDef, dict[ast.stmt, frozenset[str]]] | None:
    node = None if code.co_flags & SUSPENDED else source_of(code)
    return None if node is None else (node, live_at_loops(node))


class Walker:
    """Walks of texts, with what they read of the program."""

    def __init__(self) -> None:
        self.steps = 0
        self.names = Names()
        self.mass = 1.0
        """Probability of the worlds that are walked on, at most; what matters depends on it."""
        self.known: dict[Any, tuple[Any, float, Ways]] = {}
        """Laws by function and arguments, and the probability of the worlds that they were found for."""
        self.within: list[tuple[Any, dict[ast.stmt, frozenset[str]]]] = []
        """The functions that are walked, and the variables that are live in their loops."""

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
            ends = self._block(text[0].body, World(given))
        finally:
            self.within.pop()
        if BREAK in ends or AGAIN in ends:
            raise Refused("no loop")
        ways = [(weight, world and world.push(None)) for weight, world in ends.get(NEXT, [])] + ends.get(RETURN, [])
        found = merged([(weight, world and World({}, world.stack[-1:], world.laws).kept(None)) for weight, world in ways])
        self.known[key] = function, self.mass, found
        return found

    # statements

    def _block(self, body: list[ast.stmt], world: World) -> Ends:
        ends: Ends = {NEXT: [(1.0, world)]}
        for one in body:
            ends = self._from(ends, functools.partial(self._statement, one))
        return {how: ways for how, ways in ends.items() if ways}

    def _from(self, ends: Ends, step: Any) -> Ends:
        """Go on from all worlds that end with the next statement."""
        found: Ends = {how: list(ways) for how, ways in ends.items() if how != NEXT}
        found[NEXT] = []
        mass = self.mass
        for weight, world in merged(ends[NEXT]):
            if world is None:
                found[NEXT].append((weight, None))
                continue
            self.mass = mass * min(weight, 1.0)
            for how, ways in step(world).items():
                found.setdefault(how, []).extend((weight * more, w) for more, w in ways)
        self.mass = mass
        return found

    def _statement(self, one: ast.stmt, world: World) -> Ends:
        self._count()
        try:
            return self._ends(one, world)
        except Refused:
            if self.steps > MOST_STEPS or Some not in map(type, world.names.values()):
                raise
            return {NEXT: [(1.0, None)]}  # what comes of an unknown number is lost

    def _ends(self, one: ast.stmt, world: World) -> Ends:
        match one:
            case ast.Assign(targets=targets, value=value):
                return {NEXT: self._then(self._value(value, world), lambda w: self._assigned(targets, w))}
            case ast.AnnAssign(target=ast.Name() as target, value=ast.expr() as value):
                return {NEXT: self._then(self._value(value, world), lambda w: self._assigned([target], w))}
            case ast.AugAssign(target=ast.Name(id=name) as target, op=op, value=value):
                ways = self._then(self._value(ast.Name(name, ast.Load()), world), lambda w: self._value(value, w))
                ways = self._then(ways, functools.partial(_combined, _known(ARITHMETIC, op)))
                return {NEXT: self._then(ways, lambda w: self._assigned([target], w))}
            case ast.Delete(targets=targets) if all(isinstance(t, ast.Name) for t in targets):
                gone = {t.id for t in targets if isinstance(t, ast.Name)}
                return {NEXT: [(1.0, world.kept(frozenset(world.names) - gone))]}
            case ast.Expr(value=ast.Constant()) | ast.Pass():
                return {NEXT: [(1.0, world)]}
            case ast.Expr(value=value):
                return {NEXT: self._then(self._value(value, world), lambda w: [(1.0, w.pop()[1])])}
            case ast.Return(value=value):
                return {RETURN: self._value(value, world) if value is not None else [(1.0, world.push(None))]}
            case ast.Break():
                return {BREAK: [(1.0, world)]}
            case ast.Continue():
                return {AGAIN: [(1.0, world)]}
            case ast.If(test=test, body=body, orelse=orelse):
                return self._branched(test, body, orelse, world)
            case ast.While(test=test, body=body, orelse=[]):
                return self._loop(one, world)
            case ast.For(target=ast.Name(id=name), orelse=[]):
                return self._rounds(one, name, world)
            case ast.Assert(test=test):
                if any(w is None or w.stack[-1] is not True for _, w in self._truth(test, world)):
                    raise Refused("an assertion may fail")
                return {NEXT: [(1.0, world)]}
        raise Refused(type(one).__name__)

    def _branched(self, test: ast.expr, body: list[ast.stmt], orelse: list[ast.stmt], world: World) -> Ends:
        ends: Ends = {NEXT: self._truth(test, world)}
        return self._from(ends, lambda w: self._block(body if w.stack[-1] else orelse, w.pop()[1]))

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

    # loops

    def _round(self, node: ast.While, world: World) -> tuple[Ways, Ends]:
        """Return the worlds in which another round begins, and the others."""
        ends: Ends = {NEXT: self._truth(node.test, world)}
        over = [(weight, w.pop()[1]) for weight, w in ends[NEXT] if w is not None and not w.stack[-1]]
        ends[NEXT] = [(weight, w) for weight, w in ends[NEXT] if w is None or w.stack[-1]]
        ends = self._from(ends, lambda w: self._block(node.body, w.pop()[1]))
        live = self.within[-1][1][node]
        again = merged([(weight, w and w.kept(live)) for weight, w in [*ends.pop(NEXT, []), *ends.pop(AGAIN, [])]])
        lost = [way for way in again if way[1] is None]
        found = {NEXT: [*over, *ends.pop(BREAK, []), *lost], **ends}
        return [way for way in again if way[1] is not None], found

    def _loop(self, node: ast.While, world: World) -> Ends:
        start = world.kept(self.within[-1][1][node])
        counted = self._counted(node, start)
        if counted is not None:
            return counted
        found: Ends = {NEXT: []}
        late: list[tuple[float, World]] = []
        met: set[Any] = set()
        left: dict[Any, tuple[float, World]] = {start.key: (1.0, start)}
        mass_here = self.mass
        while left:
            key = next(iter(left))
            mass, here = left.pop(key)
            self.mass = mass_here * min(mass, 1.0)
            if self.mass < LEAST:
                late += [(mass, here)] if key not in met else []  # what comes of a state that was met is found already
                continue
            met.add(key)
            again, ends = self._round(node, here)
            others = [(weight, w) for weight, w in again if w is not None and w.key != key]
            scale = mass / _out(others, ends)
            for weight, w in others:
                assert w is not None
                left[w.key] = left[w.key][0] + weight * scale if w.key in left else weight * scale, w
            for how, ways in ends.items():
                found.setdefault(how, []).extend((weight * scale, w) for weight, w in ways)
            self._count()
        self.mass = mass_here
        for mass, here in late:
            for how, ways in self._late(node, here).items():
                found.setdefault(how, []).extend((mass * weight, w) for weight, w in ways)
        return {how: merged(ways) for how, ways in found.items()}

    def _late(self, node: ast.While, here: World) -> Ends:
        """Return how a loop may end from a state that it hardly ever reaches; its numbers may have grown by then."""
        try:
            again, _ = self._round(node, here)
            ((_, after),) = again
            assert after is not None
            wide = unknown_numbers.widened(here, after)
            again, ends = self._round(node, wide)
            if any(w is None or not unknown_numbers.is_within(w, wide) for _, w in again):
                raise Refused("a state that is none of these")
            scale = 1 / _out([], ends)
        except (Refused, ValueError):
            return {NEXT: [(1.0, None)]}
        return {how: [(weight * scale, w) for weight, w in ways] for how, ways in ends.items()}

    def _counted(self, node: ast.While, start: World) -> Ends | None:
        """Return how a loop ends whose rounds only count; ``None`` if they do anything else."""
        names = [n for n in _counters(node) if type(start.names.get(n)) is int]
        if len(names) != 1:
            return None
        (name,) = names
        blank = start.bind(name, Counter(0))
        try:
            again, ends = self._round(node, blank)
        except Refused:
            return None
        counts = [(weight, w.names.get(name)) for weight, w in again if w is not None]
        same = all(w is not None and w.bind(name, Counter(0)).key == blank.key for _, w in again)
        steps = {count.added for _, count in counts if type(count) is Counter} - {0}
        if not same or len(steps) != 1 or any(type(count) is not Counter for _, count in counts):
            return None
        (step,) = steps
        counting = fsum(weight for weight, count in counts if count != Counter(0))
        ratio = counting / (counting + _out([], ends))
        begun = start.names[name]

        def put(w: World) -> World:
            number = next(k for k in range(len(w.laws) + 1) if k not in w.laws)
            into = lambda v: Ray(number, begun + v.added, step) if type(v) is Counter else v  # noqa: E731
            names = {n: into(v) for n, v in w.names.items()}
            return World(names, tuple(map(into, w.stack)), w.laws | {number: Geometric(ratio)}).kept(None)

        scale = 1 / _out([], ends)
        return {
            how: merged([(weight * scale, None if w is None else put(w)) for weight, w in ways])
            for how, ways in ends.items()
        }

    def _rounds(self, node: ast.For, name: str, world: World) -> Ends:
        """Walk the rounds of a loop over known values."""
        ends: Ends = {}
        for weight, before in self._value(node.iter, world):
            if before is None or not isinstance(before.stack[-1], (tuple, range)):
                raise Refused("a loop over what is not known")
            several, before = before.stack[-1], before.pop()[1]
            ways: Ends = {NEXT: [(weight, before)]}
            over: Ways = []
            for value in several:
                ways = self._from(ways, lambda w, v=value: self._block(node.body, w.bind(name, v)))  # type: ignore[misc]
                over += ways.pop(BREAK, [])
                live = self.within[-1][1][node] | {name}
                ways[NEXT] = [(m, w and w.kept(live)) for m, w in [*ways.get(NEXT, []), *ways.pop(AGAIN, [])]]
            ways[NEXT] += over
            for how, some in ways.items():
                ends.setdefault(how, []).extend(some)
        return ends

    # expressions

    def _truth(self, test: ast.expr, world: World) -> Ways:
        return self._then(self._value(test, world), _as_truth)

    def _value(self, one: ast.expr, world: World) -> Ways:
        """Put the value of an expression on top of what there is."""
        self._count()
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
                return self._then(self._value(value, world), functools.partial(self._attribute, attr))
            case ast.BinOp(left=left, op=op, right=right):
                return self._then(
                    self._several([left, right], world), functools.partial(_combined, _known(ARITHMETIC, op))
                )
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return self._then(self._truth(operand, world), lambda w: [(1.0, w.pop()[1].push(not w.stack[-1]))])
            case ast.UnaryOp(op=op, operand=operand):
                return self._then(self._value(operand, world), functools.partial(_signed, _known(SIGNS, op)))
            case ast.BoolOp(op=op, values=values):
                return self._chosen(values, isinstance(op, ast.And), world)
            case ast.Compare(left=left, ops=ops, comparators=comparators):
                return self._compared(left, ops, comparators, world)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return self._then(
                    self._truth(test, world), lambda w: self._value(body if w.stack[-1] else orelse, w.pop()[1])
                )
            case ast.Tuple(elts=elts) | ast.List(elts=elts):
                return self._then(self._several(elts, world), functools.partial(_together, len(elts)))
            case ast.Call(func=func, args=args, keywords=keywords) if all(k.arg for k in keywords):
                named = [k.arg for k in keywords if k.arg is not None]
                ways = self._several([func, *args, *(k.value for k in keywords)], world)
                return self._then(ways, functools.partial(self._called, len(args), named))
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
            ways = self._then(ways, functools.partial(self._value, one))
        return ways

    def _chosen(self, values: list[ast.expr], every: bool, world: World) -> Ways:
        first, *others = values
        if not others:
            return self._value(first, world)

        def decided(w: World) -> Ways:
            truth, w = w.stack[-1], w.pop()[1]
            return self._chosen(others, every, w.pop()[1]) if truth == every else [(1.0, w)]

        return self._then(self._then(self._value(first, world), lambda w: _as_truth(w.push(w.stack[-1]))), decided)

    def _compared(self, left: ast.expr, ops: list[ast.cmpop], comparators: list[ast.expr], world: World) -> Ways:
        ways = self._several([left, comparators[0]], world)
        if len(ops) > 1:
            if not isinstance(comparators[0], (ast.Name, ast.Constant)):
                raise Refused("a chain of comparisons")
            ways = self._then(ways, functools.partial(_asked, ops[0]))
            rest = functools.partial(self._compared, comparators[0], ops[1:], comparators[1:])
            return self._then(ways, lambda w: rest(w.pop()[1]) if w.stack[-1] else [(1.0, w)])
        return self._then(ways, functools.partial(_asked, ops[0]))

    def _attribute(self, name: str, world: World) -> Ways:
        if type(world.stack[-1]) in (Ray, Drawn):
            return self._then(plain(world, 1), functools.partial(self._attribute, name))
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
                return self._then(plain(world, total), functools.partial(self._called, count, named))
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
            return self._then(asked(operator.ge, rest.push(args[0]).push(args[0]).push(0)), _absolute)
        if known is not None and not named:
            return _of_plain(known, total, World(rest.names, (*rest.stack, *args), rest.laws))
        if any(type(a) is Counter for a in args):
            raise Refused("a counter is asked for")
        if any(type(a) in (Ray, Drawn) for a in args):
            return self._then(plain(world, total), functools.partial(self._called, count, named))
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

    def _then(self, ways: Ways, step: Callable[[World], Ways]) -> Ways:
        """Go on from all worlds, and know how probable they are meanwhile."""
        mass = self.mass

        def at(weight: float) -> None:
            self.mass = mass * weight

        try:
            return then(ways, step, at)
        finally:
            self.mass = mass

    def _count(self) -> None:
        self.steps += 1
        if self.steps > MOST_STEPS:
            raise Refused("it takes too many steps")


def _out(others: Ways, ends: Ends) -> float:
    """Return the probability that a round leaves the state that it began with."""
    found = fsum([weight for weight, _ in others] + [weight for ways in ends.values() for weight, _ in ways])
    if not found > 0:
        raise Refused("a loop without end")
    return found


def _counters(node: ast.While) -> list[str]:
    """Return variables that a loop adds a whole number to."""
    found = []
    for one in ast.walk(node):
        match one:
            case ast.AugAssign(target=ast.Name(id=name), op=ast.Add() | ast.Sub(), value=ast.Constant(value=int())):
                found.append(name)
            case ast.Assign(
                targets=[ast.Name(id=name)],
                value=ast.BinOp(left=ast.Name(id=other), op=ast.Add() | ast.Sub(), right=ast.Constant(value=int())),
            ) if name == other:
                found.append(name)
    return list(dict.fromkeys(found))


def _known(table: dict[Any, Any], op: ast.AST) -> Any:
    if type(op) not in table:
        raise Refused(type(op).__name__)
    return table[type(op)]


def _combined(operation: Any, world: World) -> Ways:
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
    return _compared(_known(COMPARISONS, op), world)


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
    ways = plain(world, count) if count else [(1.0, world)]

    def real(w: World) -> Ways:
        values, rest = w.pop(count) if count else ((), w)
        return [(1.0, rest.push(calculated(function, *values)))]

    return then(ways, real)


def _absolute(world: World) -> Ways:
    """Put the size of a geometric number in the place of it and of whether it is at least 0."""
    (value, positive), rest = world.pop(2)
    if type(value) is not Ray:
        return [(1.0, rest.push(abs(value)))]
    return [(1.0, rest.push(value if positive else Ray(value.draw, -value.start, -value.step)))]
