"""Neighbour relations: how two data sets may differ that a private mechanism must not tell apart."""

from __future__ import annotations

import enum
from collections.abc import Collection

from dpspectra.ground.values import nearest, shown


class Relation(enum.StrEnum):
    """A named neighbour relation; a member is equal to its name as a string. ``meaning`` is its defining sentence."""

    meaning: str

    def __new__(cls, name: str, meaning: str) -> Relation:
        """Make a member whose value is ``name``."""
        member = str.__new__(cls, name)
        member._value_ = name
        member.meaning = meaning
        return member

    REPLACE = "replace", "One row is replaced by another one; the number of rows is public."
    ADD_REMOVE = "add_remove", "One row is added or removed; the number of rows is not public."
    ZERO_OUT = "zero_out", "One row becomes zero, or a zero row becomes any other; the number of rows is public."
    MATRIX_REPLACE = (
        "matrix_replace",
        "A positive semidefinite matrix M becomes M - xx* + yy*, |x|, |y| <= 1, positive semidefinite too.",
    )
    ROW = "row", "One row of a matrix changes by a vector of Euclidean norm at most 1, or at most a stated bound."
    ENTRY = "entry", "One entry of a matrix changes by at most 1."
    PAIR = (
        "pair",
        "An entry of a symmetric matrix and its mirror image change by the same number, at most 1.",
    )
    SPECTRAL = "spectral", "A matrix changes by a matrix of spectral norm at most 1."
    RANK_ONE = "rank_one", "A symmetric matrix changes by vv' or -vv' with a vector v of Euclidean norm at most 1."


def among(value: object, allowed: Collection[Relation], name: str = "relation") -> Relation:
    """Return the relation named by ``value`` if it is one of those ``allowed``; raise ``ValueError`` otherwise."""
    for relation in allowed:
        if isinstance(value, str) and relation == value:
            return relation
    raise ValueError(f"{name} must be one of {', '.join(allowed)}, got {shown(value)}{nearest(value, allowed)}")
