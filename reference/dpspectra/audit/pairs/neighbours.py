"""Pairs of data sets that differ in one row, built from what the loss of a spectral mechanism depends on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dpspectra.audit.pairs.domain import Domain
from dpspectra.ground import checks, memory
from dpspectra.ground.array_types import Floats
from dpspectra.relations import Relation, among

FORMS = ("rows", "matrix", "sum")
"""Forms in which a mechanism is given the rows."""
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
    rows: Floats
    """Rows that both hold, ``(n, d)``; ``n`` may be 0."""
    before: Floats | None
    """The row that only the first holds, if any."""
    after: Floats | None
    """The row that only the second holds, if any."""

    @property
    def name(self) -> str:
        """Base and change."""
        return f"{self.base}: {self.change}"

    def pair(self, form: str) -> tuple[Floats, Floats]:
        """Return the data sets.

        Parameters
        ----------
        form
            ``"rows"``, their ``"sum"``, or the ``"matrix"`` that is the sum of ``x x'``.

        Returns
        -------
        tuple
            Both data sets in this form.

        """
        first, second = (self.rows if x is None else np.vstack([self.rows, x]) for x in (self.before, self.after))
        return in_form(first, form), in_form(second, form)


def in_form(rows: Floats, form: str) -> Floats:
    """Rows, or their sum, or the sum of ``x x'`` over them."""
    if form == "rows":
        return rows
    return rows.sum(axis=0) if form == "sum" else rows.T @ rows


def structured_pairs(dimension: int, relation: str, domain: str, norm_bound: float = 1.0) -> list[Neighbours]:
    """Combine all bases with all changes of one row that relation and domain allow; names say which.

    Bases are the rows that both data sets hold: none, a gap after the first axis, a tie of the first two, the weight on
    the second, on a third direction, everywhere equal. Changes are between axes, between oblique and dense directions,
    to the opposite, to nothing.

    Parameters
    ----------
    dimension
        Number of columns.
    relation
        ``"replace"``, ``"add_remove"`` or ``"zero_out"``.
    domain
        ``"ball"`` (rows of norm at most ``norm_bound``), ``"box"`` (numbers from 0 to 1), ``"cube"`` (from -1 to 1),
        ``"signs"`` (-1 and 1) or ``"one-hot"`` (one 1, else zeros).
    norm_bound
        Radius of the ball.

    Returns
    -------
    list of Neighbours
        Each pair once.

    Raises
    ------
    ValueError
        For a number out of its range, another relation or another domain.

    """
    d = checks.integer(dimension, "dimension", 1)
    memory.require(8 * d * d, "dimension", dimension)
    among(relation, RELATIONS)
    rows = Domain.checked(domain, d, norm_bound)
    found = [
        Neighbours(base, change, np.repeat(np.reshape(others, (-1, d)), COPIES, axis=0), before, after)
        for base, others in rows.bases.items()
        for change, before, after in rows.changes(relation)
        if len(others) or relation != "add_remove"
    ]
    if not found:
        raise ValueError(f"dimension must be at least 2 for rows of the domain {domain} to replace each other, got {d}")
    return found


def counted(rows: Floats) -> str:
    """Distinct rows with how often they occur."""
    if len(rows) == 0:
        return "none"
    distinct, counts = np.unique(rows, axis=0, return_counts=True)
    return ", ".join(f"{count} x {shown(row)}" for row, count in zip(distinct, counts, strict=True))


def shown(x: Floats | None) -> str:
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
