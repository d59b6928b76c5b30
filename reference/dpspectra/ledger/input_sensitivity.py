"""Input sensitivity: which numbers of a case could leave a right side without any tight instance noticing it.

A right side that is loose in a number at every tight instance may hold any power of that number there. So each number
of a case is moved inside the right side alone, the left side staying as it is. Where a part is at equality, a right
side that moves tells; a number that moves right sides of drawn cases, and none at a tight instance, is unnoticed. So is
a size that varies in drawn cases and is 1 at all tight instances: every exponent of 1 is 1. Both concern inequalities:
an equality that changes is false at the drawn cases themselves.
`dpspectra.ledger.baseline` records the known unnoticed numbers, with the reason; they may only get fewer.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from inspect import signature
from typing import TYPE_CHECKING, Any

import numpy as np

from dpspectra.ledger.cases import drawn
from dpspectra.ledger.judgement import EQUALITY, SLACK, Judgement, named, outcomes
from dpspectra.ledger.outcomes import Equal, Frequency, Outcome

if TYPE_CHECKING:
    from dpspectra.ledger.entry import Statement

MOVED = 0.99
"""Factor on a number, downwards: probabilities stay probabilities. An integer grows by a hundredth, at least by 1."""
SEEN = 1e-4
"""Change of a right side, relative to both sides, that tells: a hundredth of that of the number."""
BEYOND = 10
"""Smallest ratio of such a change to the rounding that is allowed for."""
DRAWN = 6
"""Drawn cases that show on which numbers a right side depends."""
LARGE = 64
"""Integer above which a number is no size; seeds are far above."""
MOST = 40
"""Numbers of a case that are moved, at most."""

Path = tuple[int | str, ...]
"""Way to a number in a case: places, and names of fields."""
Unnoticed = tuple[str, str]
"""A part, and the name of a number; no part for a size that is always 1."""


def unnoticed(statement: Statement, tight: Sequence[Judgement]) -> set[Unnoticed]:
    """Return the unnoticed numbers on the first cases that are drawn without a seed: every run finds the same ones."""
    if statement.cases is None:
        return set()
    cases = drawn(statement.cases(), DRAWN, f"{statement.id}, seed None")
    return insensitive(statement, cases, zip(statement.faces["tight"](), tight, strict=False))


def told(part: str, number: str) -> str:
    """Return how a fault speaks of an unnoticed number."""
    if not part:
        return f"{number} is 1 at every tight instance, and not in drawn cases"
    return f"no tight instance notices that the right side of {named(part)} depends on {number}"


def insensitive(
    statement: Statement, drawn: Sequence[tuple[Any, ...]], judged: Iterable[tuple[tuple[Any, ...], Judgement]]
) -> set[Unnoticed]:
    """Return the numbers that right sides depend on in drawn cases and at no tight instance, and the sizes 1."""
    judged = list(judged)
    bounds = {o.part for case in drawn for o in outcomes(statement, "fast", case) if not isinstance(o, Equal)}
    needed = {
        (part, number)
        for case in drawn[:DRAWN]
        for (part, number), change, _ in _changes(statement, case)
        if part in bounds and change > statement.rounding
    }
    noticed = {
        (part, number)
        for case, judgement in judged
        for (part, number), change, share in _changes(statement, case)
        if share >= SEEN and change > BEYOND * statement.rounding and _shown(statement, part, judgement)
    }
    varied, tight = (_sizes(statement, cases) for cases in (drawn, [case for case, _ in judged]))
    ones = {size for size, seen in varied.items() if len(seen) > 1 and max(seen) <= LARGE and tight[size] == {1}}
    return (needed - noticed) | {("", size) for size in ones if bounds}


def _shown(statement: Statement, part: str, judgement: Judgement) -> bool:
    """Whether a part is at its closest at this instance."""
    if part not in judgement.parts:
        return False
    ratio, declared = judgement.parts[part].closest, statement.slack.get(part)
    if declared is not None:
        return ratio is not None and abs(ratio - declared.ratio) <= SLACK * declared.ratio
    return ratio is None or ratio >= 1 - EQUALITY


def _changes(statement: Statement, case: tuple[Any, ...]) -> Iterator[tuple[Unnoticed, float, float]]:
    """Yield by how much the right side of each part moves with each number of a case: over its size, over both sides.

    To its size rounding errors are relative.
    """
    names, case = list(signature(statement.faces["fast"]).parameters), tuple(case)
    with np.errstate(all="ignore"):
        before = outcomes(statement, "fast", case)
        for path in list(_numbers(case))[:MOST]:
            value = _at(case, path)
            try:
                after = outcomes(statement, "fast", _with(case, path, _moved(value)))
            except Exception:  # it is no case any more
                continue
            if [o.part for o in before] == [o.part for o in after]:
                for a, b in zip(before, after, strict=True):
                    yield (a.part, _name(names, path)), *_difference(a, b)


def _moved(value: Any) -> Any:
    return value + max(1, abs(value) // 100) if isinstance(value, int) else value * MOVED


def _difference(before: Outcome, after: Outcome) -> tuple[float, float]:
    one, other = (o.bound if isinstance(o, Frequency) else o.right for o in (before, after))
    if one == other:
        return 0.0, 0.0
    sides = max(abs(one), abs(other), 0 if isinstance(before, Frequency) else abs(before.left))
    size = sides if isinstance(before, Frequency) else max(sides, before.scale)
    return float(abs(one - other) / size), float(abs(one - other) / sides)


def _numbers(value: Any, path: Path = ()) -> Iterator[Path]:
    """Yield the ways to the numbers and to the arrays of floats, each of which is moved as a whole."""
    if isinstance(value, np.ndarray):
        if value.dtype.kind in "fc" and np.any(value):
            yield path
    elif isinstance(value, int | float | complex) and not isinstance(value, bool):
        if value:
            yield path
    elif isinstance(value, tuple | list):
        for place, inner in zip(getattr(value, "_fields", range(len(value))), value, strict=True):
            yield from _numbers(inner, (*path, place))


def _at(value: Any, path: Path) -> Any:
    for place in path:
        value = getattr(value, place) if isinstance(place, str) else value[place]
    return value


def _with(value: Any, path: Path, new: Any) -> Any:
    """Return a copy in which one number is another."""
    if not path:
        return new
    place, *rest = path
    if isinstance(place, str):
        return value._replace(**{place: _with(getattr(value, place), tuple(rest), new)})
    return type(value)(_with(x, tuple(rest), new) if i == place else x for i, x in enumerate(value))


def _name(names: list[str], path: Path) -> str:
    """Return the name of the argument, with the fields on the way; all that is in a list has one name."""
    argument = names[min(int(path[0]), len(names) - 1)]
    return ".".join([argument, *(place for place in path[1:] if isinstance(place, str))])


def _sizes(statement: Statement, cases: Iterable[tuple[Any, ...]]) -> dict[str, set[int]]:
    """Return the values of each integer, and of each dimension of an array."""
    names, found = list(signature(statement.faces["fast"]).parameters), defaultdict[str, set[int]](set)
    for case in cases:
        for path in _numbers(tuple(case)):
            value, name = _at(case, path), _name(names, path)
            if name.startswith("_"):  # the face does not use it
                continue
            if isinstance(value, int):
                found[name].add(value)
            for axis, size in enumerate(getattr(value, "shape", ())):
                found[f"axis {axis} of {name}"].add(size)
    return found
