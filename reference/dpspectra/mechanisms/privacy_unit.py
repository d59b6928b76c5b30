"""The unit of a claim: which two data sets are neighbours, in numbers and words that can be compared."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from dpspectra.ground import checks
from dpspectra.relations import Relation, among

RELATIONS = tuple(Relation.__members__.values())
FINITE = "all numbers are finite"
MODERATE = "no entry exceeds 2**400 or 2**400 squared norm bounds"
SYMMETRIC = "the matrix is symmetric"
ONE_PART = "each person has rows in one part of the data only"
IN_PARTS = "data come in parts, or chunks, that share no people: each person's part is public, the same in all releases"
"""People of data in parts. Fewer data sets are neighbours than without it, as a replaced row stays in its part."""
EARLIER = "chunks hold rows of different people, and in which chunk a person's row would be is public"
"""Its words in files of earlier versions."""


def texts(value: object, name: str) -> tuple[str, ...]:
    """Texts in a tuple."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise ValueError(f"{name} must be texts in a tuple, got {checks.shown(value)}")
    found = tuple(value)
    if bad := [text for text in found if not isinstance(text, str)]:
        raise ValueError(f"{name} must be texts in a tuple, got {checks.shown(bad[0])} among them")
    return found


@dataclass(frozen=True, slots=True)
class Unit:
    """A neighbour relation with its numbers: what one person may change. Raises ``ValueError`` for bad input.

    >>> Unit("row", change=4).sentence
    'One row of a matrix changes by a vector of Euclidean norm at most 4.'
    """

    relation: Relation
    norm_bound: float | None = None
    """Bound on the norms of all rows, or of the vectors in a matrix; ``None`` for rows of any norm."""
    change: float | None = None
    """Largest change of a row, an entry, a pair or a matrix, 1 by default; ``None`` for other relations."""
    domain: tuple[str, ...] = ()
    """Conditions on both data sets, in words and in alphabetical order."""
    people: str | None = None
    """Which people share a part of the data, in words, where there are several parts."""

    def __post_init__(self) -> None:
        relation = among(self.relation, RELATIONS)
        norm_bound, change = self.norm_bound, self.change
        if relation.of_rows or relation.of_sums:
            if change is not None:
                raise ValueError(f"change must be None for relation {relation}, got {checks.shown(change)}")
            if norm_bound is None and relation.of_sums:
                norm_bound = 1.0
            norm_bound = None if norm_bound is None else checks.positive(norm_bound, "norm_bound")
        else:
            if norm_bound is not None:
                raise ValueError(f"norm_bound must be None for relation {relation}, got {checks.shown(norm_bound)}")
            change = 1.0 if change is None else checks.positive(change, "change")
        if self.people is not None and not isinstance(self.people, str):
            raise ValueError(f"people must be text or None, got {checks.shown(self.people)}")
        object.__setattr__(self, "people", IN_PARTS if self.people == EARLIER else self.people)
        implied = {FINITE} if relation.of_rows and norm_bound is not None else set()
        domain = tuple(sorted(set(texts(self.domain, "domain")) - implied))
        for name, value in (("relation", relation), ("norm_bound", norm_bound), ("change", change), ("domain", domain)):
            object.__setattr__(self, name, value)

    @property
    def size(self) -> float:
        """The norm bound or the change; infinite for rows of any norm."""
        return _size(self.change if self.norm_bound is None else self.norm_bound)

    @property
    def sentence(self) -> str:
        """The neighbours in one sentence, with all numbers exactly as they are."""
        unbounded = math.isinf(self.size)
        said = self.relation.unbounded if unbounded else self.relation.bounded.format(plain(self.size))
        return "; ".join([said.removesuffix("."), *self.domain, *([self.people] if self.people else [])]) + "."

    def covers(self, other: Unit) -> bool:
        """Whether all neighbours under ``other`` are so under this unit."""
        return (
            self.relation == other.relation
            and self.people in (other.people, None if other.people == IN_PARTS else other.people)
            and _size(self.norm_bound) >= _size(other.norm_bound)
            and _size(self.change) >= _size(other.change)
            and self._assured <= other._assured
        )

    def meet(self, other: Self) -> Unit:
        """Return the neighbours under both. Raises ``ValueError`` for other relations or people."""
        in_parts = {self.people, other.people} - {None} == {IN_PARTS}  # who stays in a part is among all people
        for name in ("relation",) if in_parts else ("relation", "people"):
            if getattr(self, name) != getattr(other, name):
                raise ValueError(f"claims must have one {name}, got {getattr(self, name)} and {getattr(other, name)}")
        bound, change = (
            min((getattr(self, name), getattr(other, name)), key=_size) for name in ("norm_bound", "change")
        )
        people = IN_PARTS if in_parts else self.people
        return Unit(self.relation, bound, change, (*self._assured, *other._assured), people)

    @property
    def _assured(self) -> frozenset[str]:
        """The domain, with what a bound on rows implies."""
        implied = {FINITE} if self.relation.of_rows and self.norm_bound is not None else set()
        return frozenset({*self.domain, *implied})


def plain(number: float) -> str:
    """All digits of a number, and no more."""
    return repr(float(number)).removesuffix(".0")


def _size(number: float | None) -> float:
    return math.inf if number is None else number
