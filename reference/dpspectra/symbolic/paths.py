"""The law of the output of a program with hidden decisions: the sum over all of their outcomes.

A decision is a comparison, the index of a largest number, or a point with a list of outcomes. Paths are walked by
running the program with decisions forced. Densities of different dimension are never added: at an output that was met,
a path whose values have more dimensions has density 0 beside one of fewer.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from dpspectra.symbolic.comparing import Loss, compared
from dpspectra.symbolic.likelihood import agrees, likelihood, pivots_of
from dpspectra.symbolic.parts import part
from dpspectra.symbolic.running import NOISE, Run
from dpspectra.symbolic.systems import Unsolved, families, points, system
from dpspectra.symbolic.tape import FORCED, VALUE, Floats

MOST_PATHS = 512

Key = tuple[tuple[str, Any], ...]


def key(leaves: dict[str, Any]) -> Key:
    """Leaves in a form that can be compared and hashed; keys of dictionaries are in their order already."""
    return tuple(leaves.items())


def walked(forced: Callable[[list[int]], Run]) -> list[Run]:
    """One run for each outcome of the hidden decisions. Raises `Unsolved` if there are too many."""
    runs: list[Run] = []
    decisions: list[int] = []
    while True:
        found = forced(decisions)
        assert found.tape.mode == FORCED
        if any(e.kind == VALUE for e in found.hidden):
            raise Unsolved("a path looks at values")
        runs.append(found)
        decisions = [*decisions, *[0] * len(found.tape.options)][: len(found.tape.options)]
        while decisions and decisions[-1] + 1 >= found.tape.options[len(decisions) - 1]:
            decisions.pop()
        if not decisions:
            return runs
        if len(runs) >= MOST_PATHS:
            raise Unsolved(f"more than {MOST_PATHS} outcomes of hidden decisions")
        decisions[-1] += 1


class Law:
    """The law of the output on one data set."""

    def __init__(self, runs: list[Run]) -> None:
        self.runs = runs
        self.noisy = any(r.rows is not None for r in runs)
        patterns = {tuple(p for p, leaf in r.leaves.items() if leaf == NOISE) for r in runs}
        discrete = any(b.law.discrete for r in runs for b in r.tape.blocks)
        if self.noisy and discrete and len(patterns) > 1:
            raise Unsolved("discrete noise shows on some paths only")

    @functools.cached_property
    def paths(self) -> list[_Path]:
        """All paths, taken apart."""
        return [_Path(r) for r in self.runs]

    def masses(self) -> dict[Key, tuple[float, float]]:
        """Log-probability of each output and its error, where no output holds noise."""
        found: dict[Key, list[tuple[float, float]]] = {}
        for path in self.paths:
            found.setdefault(path.leaves, []).append(path.at(np.zeros(0)))
        masses = {k: _added(v) for k, v in found.items()}
        total = _added(list(masses.values()))
        if abs(total[0]) > 1e-6 + total[1]:
            raise Unsolved(f"paths have probability {math.exp(total[0]):.9g} together")
        return masses

    def at(self, leaves: dict[str, Any], y: Floats) -> tuple[float, float, tuple[int, ...]]:
        """Log-density at an output, its error, and the numbers of the values that carry it."""
        wanted = key(leaves)
        given = [(*path.at(y), path.pivots) for path in self.paths if path.leaves == wanted]
        found = [(value, error, pivots) for value, error, pivots in given if value > -math.inf]
        if not found:
            return -math.inf, 0.0, ()
        fewest = min(len(p) for _, _, p in found)
        kept = [(v, e) for v, e, p in found if len(p) == fewest]
        pivots = {p for _, _, p in found if len(p) == fewest}
        if len(pivots) > 1:
            raise Unsolved("values lie where two families of noise meet")
        return (*_added(kept), pivots.pop())


def _added(several: list[tuple[float, float]]) -> tuple[float, float]:
    """Log of a sum, and its error: the largest of the errors bounds it, as all terms are positive."""
    values = [v for v, _ in several]
    with np.errstate(divide="ignore"):
        return float(np.logaddexp.reduce(values)), max(e for _, e in several)


class _Path:
    """One path, taken apart: its density at any values is then quickly found."""

    def __init__(self, r: Run) -> None:
        self.leaves, self.points = key(r.leaves), points(r.tape)
        one = system(r.tape)
        if not np.all(np.isfinite(one.mu)):
            raise Unsolved("a number is not finite")
        self.parts = []
        for rows in families(one):
            it = part(one, rows)
            if len(it.draws):
                equations = rows[rows < one.equations]
                self.parts.append((it, pivots_of(it), equations))
        chosen = [int(equations[k]) for _, some, equations in self.parts for k in some]
        self.pivots = tuple(sorted(chosen))

    def at(self, y: Floats) -> tuple[float, float]:
        """Log-density at values, and its error; minus infinity if the path cannot give them."""
        total, error = self.points, 0.0
        for it, chosen, equations in self.parts:
            if total == -math.inf:
                break
            here = dataclasses.replace(it, y=y[equations])
            if not agrees(here, chosen):
                return -math.inf, 0.0
            found = likelihood(here, chosen)
            total, error = total + found.value, error + found.error
        return total, error


def loss_at(mine: Law, theirs: Law, leaves: dict[str, Any], y: Floats) -> Loss:
    """Return the loss of the output at one that was met."""
    p, e, pivots = mine.at(leaves, y)
    if p == -math.inf:
        raise Unsolved("an output that was met is impossible in itself")
    q, f, others = theirs.at(leaves, y)
    if q == -math.inf or len(others) > len(pivots):
        return Loss(math.inf)
    if pivots != others:
        raise Unsolved("values lie where two families of noise meet")
    return Loss(p - q, e + f)


def bound_of(mine: Run, theirs: Run) -> float:
    """Largest loss that one path can show, decisions included, over all values; infinite if no bound is known."""
    if key(mine.leaves) != key(theirs.leaves):
        return math.inf
    here, there = points(mine.tape), points(theirs.tape)
    if here == -math.inf:
        return -math.inf
    if there == -math.inf:
        return math.inf
    return here - there + sum(t.bound for t in compared(system(mine.tape), system(theirs.tape)))
