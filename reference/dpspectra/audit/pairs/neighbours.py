"""Pairs of data sets that differ in one row, built from what the loss of a spectral mechanism depends on."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.ground import checks, memory
from dpspectra.relations import Relation, among

Vector = NDArray[np.float64]

RELATIONS = (Relation.REPLACE, Relation.ADD_REMOVE, Relation.ZERO_OUT)
COPIES = 8
"""Rows that a base puts in each of its directions."""


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Two data sets that differ in one row."""

    base: str
    """Name of the other rows."""
    change: str
    """Name of the change of the one row."""
    rows: Vector
    """Rows that both hold, ``(n, d)``; ``n`` may be 0."""
    before: Vector | None
    """The row that only the first holds, if any."""
    after: Vector | None
    """The row that only the second holds, if any."""

    @property
    def name(self) -> str:
        """Base and change."""
        return f"{self.base}: {self.change}"

    def pair(self, form: str) -> tuple[Vector, Vector]:
        """The data sets as ``"rows"``, or as the ``"matrix"`` that is the sum of ``x x'`` over them."""
        first, second = (self.rows if x is None else np.vstack([self.rows, x]) for x in (self.before, self.after))
        return (first, second) if form == "rows" else (first.T @ first, second.T @ second)


def structured_pairs(dimension: int, relation: str = "replace", norm_bound: float = 1.0) -> list[Neighbours]:
    """All combinations of bases with changes; names say which.

    Bases: nothing, a gap after the first axis, a tie of the first two, the weight on the second, on a third direction,
    everywhere equal. Changes: between axes, between oblique and dense directions, to the opposite, to nothing. Raises
    ``ValueError`` for bad input.
    """
    d = checks.integer(dimension, "dimension", 1)
    memory.require(8 * d * d, "dimension", dimension)
    among(relation, RELATIONS)
    checks.positive(norm_bound, "norm_bound")
    axes = np.eye(d) * norm_bound
    dense = np.full(d, norm_bound / math.sqrt(d))
    bases = {"no other rows": [], "gap": [0], "tie": [0, 1], "low": [1], "third": [2], "isotropic": list(range(d))}
    vectors = {"e1": axes[0], "dense": dense}
    if d > 1:
        flip = np.where(np.arange(d) < (d + 1) // 2, dense, -dense)
        vectors |= {"e2": axes[1], "flip": flip}
        vectors |= {"oblique": (axes[0] + axes[1]) / math.sqrt(2), "mirrored": (axes[0] - axes[1]) / math.sqrt(2)}
    changes: list[tuple[str, Vector | None, Vector | None]]
    if relation == "replace":
        ends = [("e1", "e2"), ("oblique", "mirrored"), ("dense", "e1"), ("dense", "flip")]
        changes = [(f"{a} to {b}", vectors[a], vectors[b]) for a, b in ends if {a, b} <= vectors.keys()]
        changes += [("e1 to its opposite", axes[0], -axes[0])]
        changes += [(f"{a} to zero", vectors[a], 0 * axes[0]) for a in ("e1", "dense")]
    else:
        end = None if relation == "add_remove" else 0 * axes[0]
        word = "removed" if relation == "add_remove" else "to zero"
        changes = [(f"{a} {word}", x, end) for a, x in vectors.items()]
    return [
        Neighbours(base, change, np.repeat(axes[places], COPIES, axis=0), before, after)
        for base, places in bases.items()
        if max(places, default=0) < d and not (base == "isotropic" and d == 1)
        for change, before, after in changes
        if len(places) or relation != "add_remove"
    ]


def counted(rows: Vector) -> str:
    """Distinct rows with how often they occur."""
    if len(rows) == 0:
        return "none"
    distinct, counts = np.unique(rows, axis=0, return_counts=True)
    return ", ".join(f"{count} x {shown(row)}" for row, count in zip(distinct, counts, strict=True))


def shown(x: Vector | None) -> str:
    """One row, with four digits."""
    return "nothing" if x is None else "(" + ", ".join(f"{value:.4g}" for value in x + 0.0) + ")"


def checked_candidates(candidates: Any, dimension: int) -> list[Neighbours]:
    """Pairs given by the caller, at least one, whose rows have as many entries as they should."""
    if not isinstance(candidates, (tuple, list)) or not all(isinstance(each, Neighbours) for each in candidates):
        raise ValueError(f"candidates must be a list of Neighbours, got {checks.shown(candidates)}")
    if not candidates:
        raise ValueError("candidates must hold a pair, got none")
    for each in candidates:
        if any(np.shape(x)[-1:] != (dimension,) for x in (each.rows, each.before, each.after) if x is not None):
            raise ValueError(f"candidates must have rows of {dimension} numbers, got others in {each.name!r}")
    return list(candidates)
