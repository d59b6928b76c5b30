"""Loops of a walked text: chains of states, each of which is what variables that are still read stand for.

Worlds that come back to the head of a loop with the same variables are one state, whatever came before. Rounds that
leave their state as it was are summed up exactly, and rounds that do nothing to it but count give a geometric number.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from math import fsum
from typing import Any

from dpspectra.symbolic import unknown_numbers
from dpspectra.symbolic.text_worlds import LEAST, Counter, Geometric, Ray, Refused, Ways, World, merged
from dpspectra.symbolic.walked_expressions import Expressions

NEXT, BREAK, AGAIN, RETURN = "next", "break", "again", "return"
Ends = dict[str, Ways]
"""How a text ends, and in which worlds."""


class Loops(Expressions):
    """Walks of loops."""

    def block(self, body: list[ast.stmt], world: World) -> Ends:
        """Return how some statements end."""
        raise NotImplementedError

    def go_on(self, ends: Ends, step: Callable[[World], Ends]) -> Ends:
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

    def _round(self, node: ast.While, world: World) -> tuple[Ways, Ends]:
        """Return the worlds in which another round begins, and the others."""
        ends: Ends = {NEXT: self.truth(node.test, world)}
        over = [(weight, w.pop()[1]) for weight, w in ends[NEXT] if w is not None and not w.stack[-1]]
        ends[NEXT] = [(weight, w) for weight, w in ends[NEXT] if w is None or w.stack[-1]]
        ends = self.go_on(ends, lambda w: self.block(node.body, w.pop()[1]))
        live = self.within[-1][1][node]
        again = merged([(weight, w and w.kept(live)) for weight, w in [*ends.pop(NEXT, []), *ends.pop(AGAIN, [])]])
        lost = [way for way in again if way[1] is None]
        found = {NEXT: [*over, *ends.pop(BREAK, []), *lost], **ends}
        return [way for way in again if way[1] is not None], found

    def loop(self, node: ast.While, world: World) -> Ends:
        """Return how a loop ends: exactly, as far as its states come back."""
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
            others: Ways = [(weight, w) for weight, w in again if w is not None and w.key != key]
            scale = mass / _out(others, ends)
            for weight, w in others:
                assert w is not None
                left[w.key] = left[w.key][0] + weight * scale if w.key in left else weight * scale, w
            for how, ways in ends.items():
                found.setdefault(how, []).extend((weight * scale, w) for weight, w in ways)
            self.count()
        self.mass = mass_here
        for mass, here in late:
            for how, ways in self._late(node, here).items():
                found.setdefault(how, []).extend((mass * weight, w) for weight, w in ways)
        return {how: merged(ways) for how, ways in found.items()}

    def _late(self, node: ast.While, here: World) -> Ends:
        """Return how a loop may end from a state that it hardly ever reaches; its numbers may have grown by then."""
        mass = self.mass
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
            self.mass = mass
            return {NEXT: [(1.0, None)]}
        return {how: [(weight * scale, w) for weight, w in ways] for how, ways in ends.items()}

    def _counted(self, node: ast.While, start: World) -> Ends | None:
        """Return how a loop ends whose rounds only count; ``None`` if they do anything else."""
        names = [n for n in _counters(node) if type(start.names.get(n)) is int]
        if len(names) != 1:
            return None
        (name,) = names
        blank = start.bind(name, Counter(0))
        mass = self.mass
        try:
            again, ends = self._round(node, blank)
        except Refused:
            self.mass = mass
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
            number = w.unused

            def into(v: Any) -> Any:
                return Ray(number, begun + v.added, step) if type(v) is Counter else v

            names = {n: into(v) for n, v in w.names.items()}
            return World(names, tuple(map(into, w.stack)), w.laws | {number: Geometric(ratio)}).kept(None)

        scale = 1 / _out([], ends)
        return {
            how: merged([(weight * scale, None if w is None else put(w)) for weight, w in ways])
            for how, ways in ends.items()
        }

    def rounds(self, node: ast.For, name: str, world: World) -> Ends:
        """Walk the rounds of a loop over known values."""
        ends: Ends = {}
        for weight, before in self.value(node.iter, world):
            if before is None or not isinstance(before.stack[-1], (tuple, range)):
                raise Refused("a loop over what is not known")
            several, before = before.stack[-1], before.pop()[1]
            ways: Ends = {NEXT: [(weight, before)]}
            over: Ways = []
            for value in several:
                ways = self.go_on(ways, lambda w, v=value: self.block(node.body, w.bind(name, v)))  # type: ignore[misc]
                over += ways.pop(BREAK, [])
                live = self.within[-1][1][node] | {name}
                ways[NEXT] = [(m, w and w.kept(live)) for m, w in [*ways.get(NEXT, []), *ways.pop(AGAIN, [])]]
            ways[NEXT] += over
            for how, some in ways.items():
                ends.setdefault(how, []).extend(some)
        return ends


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
