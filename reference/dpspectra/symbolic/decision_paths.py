"""The law of the output of a program with hidden decisions: the sum over all of their outcomes.

A decision is a comparison, the index of a largest number, a rounded number, or a point with a list of outcomes. Paths
are walked by running the program with decisions forced, the likeliest first. Densities of different dimension are never
added: at an output that was met, a path whose values have more dimensions has density 0 beside one of fewer.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import math
from math import exp
from typing import Any

import numpy as np

from dpspectra.ground.array_types import Floats
from dpspectra.symbolic.canonical_output import fits, is_noise
from dpspectra.symbolic.faithful_runs import AFTER_LOOKS, OF_SINGLE, is_near, value_of
from dpspectra.symbolic.independent_constraints import Loss, Part, part
from dpspectra.symbolic.likelihood import agrees, likelihood, pivots_of
from dpspectra.symbolic.log_ratios import compared
from dpspectra.symbolic.observed_constraints import Unsolved, families, points, system
from dpspectra.symbolic.one_run import Run
from dpspectra.symbolic.path_walks import Walk
from dpspectra.symbolic.tape import NotFollowed

MOST_PARTS = 50
"""Independent parts of an output of which it is asked whether they are possible."""

Key = tuple[tuple[str, Any], ...]


def key(leaves: dict[str, Any]) -> Key:
    """Leaves in a form that can be compared and hashed; keys of dictionaries are in their order already."""
    return tuple(leaves.items())


class Law:
    """The law of the output on one data set."""

    def __init__(self, walk: Walk) -> None:
        self.runs, self.rest, self.why, self.chances = walk.runs, walk.rest, walk.why, walk.chances
        self.again = walk.again
        runs = walk.runs
        self.of_functions = any(r.roots for r in runs)
        """Whether numbers are released that outputs are computed from, in place of these."""
        self.noisy = any(r.rows is not None for r in runs)
        patterns = {tuple(p for p, leaf in r.leaves.items() if is_noise(leaf)) for r in runs}
        self.discrete = any(r.tape.rounded or any(b.law.discrete for b in r.tape.blocks) for r in runs)
        self.mixed = self.noisy and self.discrete and len(patterns) > 1
        """Whether discrete noise shows on some paths only: then several paths of other patterns give one output."""
        self._known: dict[Any, Key | None] = {}
        """Patterns of outputs that were met."""

    @functools.cached_property
    def paths(self) -> list[Path]:
        """All paths, taken apart."""
        return [Path(r) for r in self.runs]

    @functools.cached_property
    def patterns(self) -> dict[Key, float]:
        """Probability of each output without its noise."""
        found: dict[Key, float] = {}
        for r, chance in zip(self.runs, self.chances, strict=True):
            found[key(r.leaves)] = found.get(key(r.leaves), 0.0) + (chance if points(r.tape) > -math.inf else 0.0)
        return found

    @functools.cached_property
    def _covered(self) -> frozenset[str]:
        """Places that hold noise in all patterns that have them. Only the kind of a number tells there."""
        places = {(path, is_noise(leaf)) for pattern in self.patterns for path, leaf in pattern}
        return frozenset(path for path, noisy in places if noisy and (path, False) not in places)

    def pattern_of(self, leaves: dict[str, Any]) -> Key | None:
        """Return the pattern that an output of a plain run has, if there is one with positive probability."""
        covered = self._covered
        seen = tuple([(path, leaf[0] if path in covered else leaf) for path, leaf in leaves.items()])
        if seen not in self._known:
            self._known[seen] = self._pattern_of(leaves)
        return self._known[seen]

    def _pattern_of(self, leaves: dict[str, Any]) -> Key | None:
        if (exact := key(leaves)) in self.patterns:
            return exact
        found = [pattern for pattern, chance in self.patterns.items() if chance > 0 and matches(pattern, leaves)]
        return min(found, key=lambda pattern: sum(is_noise(leaf) for _, leaf in pattern), default=None)

    def masses(self) -> dict[Key, tuple[float, float]]:
        """Log-probability of each output and its error, where no output holds noise.

        Raises `Unsolved` if one is not known, and `NotFollowed` if they do not make up a law.
        """
        found: dict[Key, list[tuple[float, float]]] = {}
        for path in self.paths:
            found.setdefault(path.leaves, []).append(path.at(np.zeros(0)))
        masses = {k: _added(v) for k, v in found.items()}
        log, error = _added(list(masses.values()))
        if log > 1e-6 + error or exp(log) + self.rest < 1 - 1e-6 - error:
            raise NotFollowed(f"paths have probability {exp(log):.9g} together")
        return masses

    def at(self, leaves: dict[str, Any], y: Floats, discrete: bool = False) -> tuple[float, float, tuple[int, ...]]:
        """Log-density at an output, its error, and the numbers of the values that carry it.

        Raises `Unsolved` if a path may give it with noise elsewhere, if some of it, or of the output, is ``discrete``.
        """
        wanted = key(leaves)
        if (discrete or self.discrete) and any(is_same_number(form, wanted, y) for form in self.patterns):
            raise Unsolved("discrete noise shows on some paths only")
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


def matches(pattern: Key, leaves: dict[str, Any]) -> bool:
    """Whether an output is the same as another one, except for its noise and rounding."""
    return len(pattern) == len(leaves) and all(
        path == mine and (fits(leaf, other) if is_noise(leaf) else is_near(leaf, other, AFTER_LOOKS))
        for (path, leaf), (mine, other) in zip(pattern, leaves.items(), strict=True)
    )


def is_same_number(form: Key, wanted: Key, y: Floats) -> bool:
    """Whether an output with noise elsewhere may be the same one, as a number without noise may be one with it."""
    if form == wanted or len(form) != len(wanted):
        return False
    numbers = iter(y.tolist())
    for (path, leaf), (other, mine) in zip(form, wanted, strict=True):
        value = next(numbers) if is_noise(mine) else value_of(mine)
        alike = leaf == mine or (is_noise(mine) and fits(mine, leaf)) or (is_noise(leaf) and fits(leaf, mine))
        if path != other or not alike:
            return False
        known = value_of(leaf)
        if value is not None and known is not None and abs(value - known) > AFTER_LOOKS * (1 + abs(value)):
            return False
    return True


def _added(several: list[tuple[float, float]]) -> tuple[float, float]:
    """Log of a sum of positive terms, and its error: terms that weigh little may be known less well."""
    values, errors = (np.array(x, dtype=float) for x in zip(*several, strict=True))
    with np.errstate(divide="ignore", invalid="ignore"):
        total = float(np.logaddexp.reduce(values))
        if total == -math.inf or len(several) == 1:
            return total, float(np.max(errors))
        apart = [abs(float(np.logaddexp.reduce(values + s * errors)) - total) for s in (1, -1)]
    return total, max(apart) + 1e-15


class Path:
    """One path, taken apart: its density at any values is then quickly found."""

    def __init__(self, r: Run) -> None:
        released = (("functions", r.tape.released),) if r.roots else ()  # paths with others are never compared
        self.run, self.leaves, self.points = r, (*key(r.leaves), *released), points(r.tape)
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

    def are_possible(self, values: Floats) -> bool:
        """Whether the path can give all of some outputs, a row each.

        Looked at is whether dependent numbers agree, and the ends of what noise can give; both up to the rounding of
        the numbers.
        """
        return all(self._can_give(*each, values) for each in self.parts[:MOST_PARTS])

    def _can_give(self, it: Part, chosen: tuple[int, ...], equations: Any, values: Floats) -> bool:
        least = 0.0
        if self.run.tape.single:
            sizes = np.max(np.abs(values[:, equations]), axis=0) + np.abs(it.mu)
            least = float(np.max(OF_SINGLE + 1e3 * np.finfo(np.float32).eps * sizes / it.scales))
        if len(equations) == len(it.draws) == 1:
            z, (low, high) = (values[:, equations[0]] - it.mu[0]) / it.B[0, 0], it.laws[0].support
            whole = not it.laws[0].discrete or bool(np.all(np.abs(z - np.round(z)) <= AFTER_LOOKS))
            return whole and bool(np.all((low - AFTER_LOOKS - least <= z) & (z <= high + AFTER_LOOKS + least)))
        if len(chosen) == len(equations):
            return True
        for y in values[:, equations]:
            with contextlib.suppress(Unsolved):  # too close to call
                if not agrees(dataclasses.replace(it, y=y), chosen, least):
                    return False
        return True

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
    p, e, pivots = mine.at(leaves, y, theirs.discrete)
    if p == -math.inf:
        raise Unsolved("an output that was met is impossible in itself")
    q, f, others = theirs.at(leaves, y, mine.discrete)
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
