"""Paths of both data sets that give the same output, whatever was decided on the way there.

The density of an output is the sum over its paths. If each path of one data set gets a share of a path of the other,
so that the shares of one path sum to 1, then what the sums exceed each other by is at most what each path exceeds its
share by, and the loss of the output is at most the largest loss of a path against its share (DPS-PATHSHARES).
"""

import contextlib
import copy
import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from math import fsum
from typing import Any

import numpy as np

from dpspectra.symbolic.canonical_output import NOISE, NOISES, is_noise
from dpspectra.symbolic.decision_paths import Key, Law, Path
from dpspectra.symbolic.faithful_runs import value_of
from dpspectra.symbolic.folded_paths import folded
from dpspectra.symbolic.hockey_stick import Matched, alone, showing, weight
from dpspectra.symbolic.independent_constraints import Part
from dpspectra.symbolic.log_ratios import bounds_of
from dpspectra.symbolic.mixture_loss import loss_of_mixtures
from dpspectra.symbolic.observed_constraints import Unsolved
from dpspectra.symbolic.rounded_laws import EXACT
from dpspectra.symbolic.single_numbers import Number
from dpspectra.symbolic.stepped_numbers import Stepped, point, stepped

WHOLE = frozenset(kind for kind, token in NOISES.items() if token != NOISE)
"""Kinds of plain numbers that are whole."""
MOST = 64
"""Forms of one output that are compared with each other."""
ROUNDING = 1e-9
"""Part of a loss that rounding may add, in nats."""


def matched_by_output(here: Law, there: Law, fold: bool = False) -> list[Matched]:
    """Match the paths of each output, maybe folded, with shares of those of the other data set. Raises `Unsolved`."""
    mine, theirs = (
        _forms(folded(law.paths, choice) if fold else law.paths) for law, choice in ((here, max), (there, min))
    )
    return [one for leaves, forms in mine.items() for one in _shared(forms, theirs.get(leaves, []))]


def matched_by_whole_numbers(here: Law, there: Law) -> list[Matched]:
    """Match the paths of outputs that may be the same as whole numbers, with noise or without. Raises `Unsolved`."""
    mine: dict[Key, list[tuple[Path, Any]]] = defaultdict(list)
    theirs: dict[Key, list[tuple[Path, Any]]] = defaultdict(list)
    for law, groups in ((here, mine), (there, theirs)):
        for path in law.paths:
            if path.points > -math.inf:
                form, numbers = _with_points(path)
                groups[form].append((path, (weight(path), numbers)))
    found: list[Matched] = []
    for form, several in mine.items():
        loss = loss_of_mixtures([m for _, m in several], [m for _, m in theirs.get(form, [])])
        found += [(path, None, loss) for path, _ in several]
    return found


def _with_points(path: Path) -> tuple[Key, tuple[Number | Stepped, ...]]:
    """Return an output without its whole numbers, and all numbers of it that hold noise or are whole."""
    if path.run.roots:
        raise Unsolved("functions of noise are shown")
    parts, form, numbers = iter(showing(path)), [], list[Number | Stepped]()
    for name, leaf in path.leaves:
        one = None
        if is_noise(leaf):
            part = next(parts)
            one = alone(part) or stepped(part)
            if one is None:
                raise Unsolved("a number of another kind is shown")
        elif leaf[0] in WHOLE and abs(value := value_of(leaf) or 0.0) < EXACT:
            one, leaf = point(int(value)), NOISES[leaf[0]]
        numbers += [one] if one is not None else []
        form.append((name, leaf))
    if next(parts, None) is not None:
        raise Unsolved("several numbers share their noise")
    return tuple(form), tuple(numbers)


def _forms(paths: Iterable[Path]) -> dict[Key, list[Path]]:
    """Paths by their output, those of one density as one; each has its weight as that of its points."""
    groups: dict[Key, dict[object, list[Path]]] = defaultdict(lambda: defaultdict(list))
    for path in paths:
        form = copy.copy(path)
        form.parts = [one for one in path.parts if len(one[2])]
        form.points = weight(path) if path.points > -math.inf else -math.inf
        if form.points > -math.inf:
            groups[path.leaves][tuple(map(_form_of, form.parts))].append(form)
    return {leaves: [_as_one(several) for several in forms.values()] for leaves, forms in groups.items()}


def _form_of(one: tuple[Part, tuple[int, ...], object]) -> tuple[object, ...]:
    it, _, equations = one
    numbers = (it.mu, it.B, it.c, it.C, np.asarray(equations))
    laws = (*(law.key for law in it.laws), *(k for k, _ in it.origins.items()), len(it.together))
    return (*((a.shape, a.tobytes()) for a in numbers), laws, id(it) if it.origins or it.together else 0)


def _as_one(several: list[Path]) -> Path:
    found = copy.copy(several[0])
    found.points = float(np.logaddexp.reduce([p.points for p in several]))
    return found


def _shared(mine: list[Path], theirs: list[Path]) -> list[Matched]:
    """Give each form a share of the one of the other data set that it is closest to."""
    if not theirs:
        return [(path, None, math.inf) for path in mine]
    at_once = _at_once(mine, theirs)
    if max(len(mine), len(theirs)) > MOST:
        return [(path, None, at_once) for path in mine]
    owners: dict[int, list[tuple[Path, float]]] = defaultdict(list)
    for path in mine:
        losses = [_loss(path, other) for other in theirs]
        k = min(range(len(theirs)), key=lambda j: (losses[j], _apart(path, theirs[j]), -theirs[j].points))
        owners[k].append((path, losses[k]))
    found: list[Matched] = []
    for k, several in owners.items():
        finite = all(loss < math.inf for _, loss in several)
        weights = np.array([path.points + (loss if finite else 0.0) for path, loss in several])
        shares = weights - np.logaddexp.reduce(weights)
        for (path, loss), share in zip(several, shares, strict=True):
            other = copy.copy(theirs[k])
            other.points = theirs[k].points + float(share)
            found.append((path, other, min(path.points - other.points + loss + ROUNDING, at_once)))
    return found


def _at_once(mine: Sequence[Path], theirs: Sequence[Path]) -> float:
    """Largest loss of an output by DPS-MIXLOSS and DPS-STEPS; infinite if its numbers are of other kinds."""
    with contextlib.suppress(Unsolved):
        first, second = ([_mixture(p) for p in paths] for paths in (mine, theirs))
        return loss_of_mixtures(first, second)
    return math.inf


def _mixture(path: Path) -> tuple[float, tuple[Number | Stepped, ...]]:
    numbers = [alone(it) or stepped(it) for it in showing(path)]
    if any(n is None for n in numbers):
        raise Unsolved("a number of another kind is shown")
    return weight(path), tuple(n for n in numbers if n is not None)


def _loss(path: Path, other: Path) -> float:
    """Largest loss of the values that hold noise, without the weights of both."""
    if [tuple(e) for _, _, e in path.parts] != [tuple(e) for _, _, e in other.parts]:
        return math.inf
    pairs = [(a, b) for (a, _, _), (b, _, _) in zip(path.parts, other.parts, strict=True)]
    return fsum(0.0 if _form_of((a, (), ())) == _form_of((b, (), ())) else bounds_of(a, b)[0] for a, b in pairs)


def _apart(path: Path, other: Path) -> float:
    """Largest distance of two locations, if both have as many values."""
    first, second = (np.concatenate([it.mu for it, _, _ in p.parts]) if p.parts else np.zeros(0) for p in (path, other))
    return float(np.max(np.abs(first - second), initial=0.0)) if len(first) == len(second) else math.inf
