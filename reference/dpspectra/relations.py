"""Neighbour relations: how two data sets may differ that a private mechanism must not tell apart."""

from __future__ import annotations

import enum
from collections.abc import Collection

from dpspectra.ground.values import nearest, shown


class Relation(enum.StrEnum):
    """A named neighbour relation; a member is equal to its name as a string."""

    bounded: str
    """Its defining sentence, in which ``{}`` stands for a norm bound or for the size of a change."""
    unbounded: str
    """Its sentence where rows may be of any norm; empty for relations that need a number."""

    def __new__(cls, name: str, bounded: str, unbounded: str = "") -> Relation:
        """Make a member whose value is ``name``."""
        member = str.__new__(cls, name)
        member._value_ = name
        member.bounded, member.unbounded = bounded, unbounded
        return member

    REPLACE = (
        "replace",
        "One row of norm at most {0} is replaced by another of norm at most {0}; all rows have norm at most {0}, the "
        "number of rows is public.",
        "One row is replaced by any other; the number of rows is public.",
    )
    ADD_REMOVE = (
        "add_remove",
        "One row of norm at most {0} is added or removed; all rows have norm at most {0}.",
        "One row is added or removed; the number of rows is not public.",
    )
    ZERO_OUT = (
        "zero_out",
        "One row of norm at most {0} becomes zero, or a zero row becomes another of norm at most {0}; all rows have "
        "norm at most {0}, the number of rows is public.",
        "One row becomes zero, or a zero row becomes any other; the number of rows is public.",
    )
    MATRIX_REPLACE = (
        "matrix_replace",
        "A positive semidefinite matrix M becomes M - xx* + yy*, exactly and in float64, with vectors x and y of norm "
        "at most {0}; it stays positive semidefinite.",
    )
    MATRIX_ADD_REMOVE = (
        "matrix_add_remove",
        "A positive semidefinite matrix M becomes M + xx* or M - xx*, exactly and in float64, with a vector x of norm "
        "at most {0}; it stays positive semidefinite.",
    )
    ROW = "row", "One row of a matrix changes by a vector of Euclidean norm at most {0}."
    ENTRY = "entry", "One entry of a matrix changes by at most {0}."
    PAIR = "pair", "An entry of a symmetric matrix and its mirror image change by the same number, at most {0}."
    SPECTRAL = "spectral", "A matrix changes by a matrix of spectral norm at most {0}."
    RANK_ONE = "rank_one", "A symmetric matrix changes by vv' or -vv' with a vector v of squared norm at most {0}."

    @property
    def meaning(self) -> str:
        """The sentence for rows of any norm, else for a norm or a change of at most 1."""
        return self.unbounded or self.bounded.format("1")

    @property
    def of_rows(self) -> bool:
        """Whether data are rows of people."""
        return bool(self.unbounded)

    @property
    def counted(self) -> bool:
        """Whether the number of rows is public."""
        return self is not Relation.ADD_REMOVE

    @property
    def of_sums(self) -> bool:
        """Whether data are a matrix that somebody summed over people."""
        return self in (Relation.MATRIX_REPLACE, Relation.MATRIX_ADD_REMOVE)


def among(value: object, allowed: Collection[Relation], name: str = "relation") -> Relation:
    """Return the relation named by ``value`` if it is one of those ``allowed``; raise ``ValueError`` otherwise."""
    for relation in allowed:
        if isinstance(value, str) and relation == value:
            return relation
    raise ValueError(f"{name} must be one of {', '.join(allowed)}, got {shown(value)}{nearest(value, allowed)}")
