"""Whether what was seen is the same function of the same noisy numbers on both data sets: then it loses no more."""

from typing import Any

import numpy as np

from dpspectra.symbolic.independent_constraints import AGREES, Part
from dpspectra.symbolic.laws import NORMAL
from dpspectra.symbolic.rounded_laws import NEAR, RoundedLaw, of_one_kind

SAME = 1e-12
"""Difference of locations, in scales of the noise, and of coefficients up to which two rows of own noise are alike."""


def settled_by_values(a: Part, b: Part, rows: list[int]) -> bool:
    """Whether the values determine all draws, and inequalities are the same function of them on both data sets."""
    if len(rows) != len(a.draws):
        return False
    for_values = []
    for it in (a, b):
        P = it.B[rows]
        G = np.linalg.solve(P.T, it.C.T).T
        for_values.append((G, it.c - G @ it.mu[rows]))
    (G, g), (H, h) = for_values
    size = np.maximum(np.max(np.abs(G), axis=1), 1e-300)
    scale = float(np.min(a.scales))
    return bool(np.all(np.max(np.abs(G - H), axis=1) <= SAME * size) and np.all(np.abs(g - h) <= SAME * size * scale))


def move_of_rounded(a: Part, b: Part) -> tuple[RoundedLaw, float] | None:
    """Return the law of one rounded number, and by how much the number that was rounded differs on the data sets.

    What was seen must be that it rounds to a whole number (a plain whole number may be added after rounding, except for
    that towards 0), and comparisons of it, before or after rounding, with the same numbers. ``None`` for all else.
    """
    mine, theirs = _rounded(a), _rounded(b)
    if mine is None or theirs is None:
        return None
    (j, law), (i, other) = mine, theirs
    factor = float(a.B[0, j])
    alike = of_one_kind(law, other) and float(b.B[0, i]) == factor
    added = float(a.mu[0] - b.mu[0]) / factor
    whole = round(added) if np.isfinite(added) else 0
    if not alike or abs(added - whole) > AGREES or (whole and law.way == "trunc"):
        return None
    if a.C.shape[0] != b.C.shape[0] or not _ask_alike(_asked(a, j, law, whole), _asked(b, i, other, 0), law.scale):
        return None
    return law, law.at + whole - other.at


def bounds_of_rounded(a: Part, b: Part) -> tuple[float, float] | None:
    """Bound the loss of one rounded number, and its distance in standard deviations, by those before rounding."""
    found = move_of_rounded(a, b)
    if found is None:
        return _bounds_of_sum(a, b)
    law, move = found
    shift = move / law.scale
    return law.root.loss(shift), abs(shift) if law.root is NORMAL else np.inf


def _bounds_of_sum(a: Part, b: Part) -> tuple[float, float] | None:
    """Bound the loss of a sum of several independent whole numbers by the losses of all of them."""
    if not (len(a.mu) == len(b.mu) == 1 and len(a.laws) == len(b.laws) > 1) or a.origins or b.origins:
        return None
    if len(a.c) or len(b.c) or not all(law.discrete for law in (*a.laws, *b.laws)) or not np.array_equal(a.B, b.B):
        return None
    losses = []
    for law, other in zip(a.laws, b.laws, strict=True):
        if law.key == other.key:
            losses.append(0.0)
        elif isinstance(law, RoundedLaw) and isinstance(other, RoundedLaw) and of_one_kind(law, other):
            losses.append(law.root.loss((law.at - other.at) / law.scale))
        else:
            return None
    move = float(a.mu[0] - b.mu[0])
    added = min(law.loss(move / factor) for law, factor in zip(a.laws, a.B[0], strict=True)) if move else 0.0
    return sum(losses) + added, np.inf


def _rounded(it: Part) -> tuple[int, RoundedLaw] | None:
    """Return the only draw in the only equation, if it is a rounded number; beside it may stand what was rounded."""
    if len(it.mu) != 1:
        return None
    used = np.flatnonzero(it.B[0])
    if len(used) != 1 or not isinstance(law := it.laws[int(used[0])], RoundedLaw):
        return None
    j = int(used[0])
    if len(it.draws) == 1 or (len(it.draws) == 2 and j in it.origins and it.laws[1 - j] is law.root):
        return j, law
    return None


def _asked(it: Part, j: int, law: RoundedLaw, added: int) -> list[tuple[bool, bool, float]] | None:
    """Return comparisons: whether they are of the rounded number, whether it is above, and the edge."""
    found = []
    for c, row in zip(it.c, it.C, strict=True):
        used = np.flatnonzero(row)
        if len(used) != 1:
            return None
        k, factor = int(used[0]), float(row[used[0]])
        edge = -float(c) / factor
        edge = edge + added if k == j else law.at + added + law.scale * edge
        above = factor > 0 if k == j else (factor > 0) == (law.scale > 0)
        found.append((k == j, above, edge))
    return found


def _ask_alike(mine: Any, theirs: Any, scale: float) -> bool:
    if mine is None or theirs is None:
        return False
    return all(
        a[:2] == b[:2] and abs(a[2] - b[2]) <= (NEAR if a[0] else SAME * abs(scale))
        for a, b in zip(mine, theirs, strict=True)
    )


__all__ = ["SAME", "bounds_of_rounded", "move_of_rounded", "settled_by_values"]
