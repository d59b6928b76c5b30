"""Which neighbours a call is private for, and what it takes as known: from its public arguments alone."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dpspectra.ground import checks
from dpspectra.matrices.foreign_data import require_no_index
from dpspectra.matrices.reading_rule import REFUSE, Reading, moderate
from dpspectra.mechanisms.claims import INTEGERS
from dpspectra.mechanisms.privacy_unit import FINITE, MODERATE, ONE_PART, SYMMETRIC, plain
from dpspectra.mechanisms.private_data import MOMENTS, SUM, Outside, outside
from dpspectra.relations import Relation

if TYPE_CHECKING:
    from dpspectra.matrices.column_bounds import ColumnBounds

UNSEEN = "nobody learns whether data were refused, and no bound was found by trying"
"""Assumption of the claim of a call that may refuse its data."""
ONE_ROW = "each person has one row in all parts together"
"""Assumption of the claim about rows that were read in parts."""
PEOPLE = (
    "'row' means all rows of one person, of which {0} count, chosen by a public rule and each within the bound, "
    "missing ones being zero; the number of people takes the place of that of rows"
)
"""Who is a row where people have several."""
NO_ROWS = (
    "center must be 'none' for Moments, which hold no rows to be centred: directions are then about zero, or the "
    "middle of bounds; those about the mean are components(private_covariance(X, ..), k)"
)
NO_PAIRS = "center must be 'mean' for Moments, which hold no rows to be paired"
LEAST = 5
"""Bytes for each entry of the arrays that a release holds: two thirds of 8, as ideal arithmetic holds fewer."""
NARROW = 4096
"""Columns of which a square matrix fits always."""
WITHOUT_SQUARE = "private_power_method finds leading directions, and makes no square matrix"
READING = ("norm_bound", "rows", "bad_rows", "bounds")
"""Arguments that say how rows are read."""
BY_DEFAULT = Reading()
KNOWN = (
    *(
        "basis",
        "directions",
        "eigenvalues",
        "entry_bound",
        "frame",
        "lambda1",
        "levels",
        "row_bound",
        "spectrum",
        "trace",
    ),
)
"""Arguments that are taken as known to everybody."""
SUMS = {Relation.REPLACE: Relation.MATRIX_REPLACE, Relation.ADD_REMOVE: Relation.MATRIX_ADD_REMOVE}


class Takes(NamedTuple):
    """Types that a mechanism takes as data."""

    rows: bool
    sums: bool
    """Whether a `Matrix` may stand for rows."""
    bounded: bool
    """Whether rows must have bounded norms."""
    moments: int
    """Order of the moments that are needed of rows; 0 if the rows themselves are."""
    arrays: int
    """Arrays of the size of second moments that are held at a time."""


def unit_of(takes: Takes, relation: Relation, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a claim that say who are neighbours, what is public, and what is assumed of refusals.

    Raises ``ValueError`` for bad ones, and for data that are a matrix where rows are needed.
    """
    known = [text(name, given[name]) for name in KNOWN if given.get(name) is not None]
    data = given.get("X", given.get("A"))
    looked = Outside("other", None, None, None) if data is None else outside(data)
    if takes.rows:
        return {**_of_rows(takes, relation, given, looked, known), "public": tuple(known)}
    domain = [FINITE]
    if looked.dtype is not None and looked.dtype.kind in "biu":
        domain.append(f"{INTEGERS}{looked.dtype}")
    if looked.count is not None and looked.count == looked.width and relation is Relation.SPECTRAL:
        domain.append(SYMMETRIC)
    if data is not None:  # products with an operator are taken for those of floats
        known.append(f"type of A: {looked.dtype or np.dtype(float)}")
    change = checks.positive(given.get("row_change", 1.0), "row_change")
    unit = {"relation": relation, "change": change, "domain": tuple(domain)}
    return {**unit, "public": tuple(known), "assumptions": (UNSEEN,)}


def _of_rows(
    takes: Takes, relation: Relation, given: Mapping[str, Any], looked: Outside, known: list[str]
) -> dict[str, Any]:
    reading = reading_of(given.get("X"), **{name: given[name] for name in READING if name in given})
    assumptions = _of_moments(takes, given, looked, known)
    of_people = looked.terms is not None and looked.terms.per_person is not None
    people = PEOPLE.format(reading.per_person) if of_people else None
    bounded = takes.bounded and reading.rows == REFUSE and given.get("center") != "pairs"
    if takes.sums or "k" in given:  # where eigenvalues are in squares of the bound
        moderate(reading.norm_bound)
    assumptions += (UNSEEN,) if bounded or reading.bad_rows == REFUSE else ()
    if looked.kind == SUM:
        if not takes.sums:
            raise ValueError("X must be rows, got a Matrix: how many people it is of is not known")
        if not reading.rows == reading.bad_rows == REFUSE:
            raise ValueError(
                "rows and bad_rows must be 'refuse', and bounds None, for a Matrix, which has no rows to be changed"
            )
        if reading.norm_bound not in (1.0, looked.norm_bound):
            raise ValueError(
                f"norm_bound must be that of the Matrix, {looked.norm_bound:g}, got {reading.norm_bound:g}"
            )
        known.append(f"type of M: {looked.dtype}")
        unit = {"relation": SUMS[relation], "norm_bound": looked.norm_bound, "domain": (FINITE, MODERATE)}
        return {**unit, "assumptions": (UNSEEN,)}
    if takes.moments == 2 and looked.width is not None and looked.width > NARROW and looked.kind != MOMENTS:
        from dpspectra.ground import memory

        needed = LEAST * takes.arrays * looked.width**2
        memory.require(needed, "the number of columns of X", looked.width, WITHOUT_SQUARE)
    square = looked.count is not None and looked.count == looked.width and looked.kind != MOMENTS
    if takes.sums and relation.counted and square:
        raise ValueError(
            "X must be rows or a Matrix, got a square array: say Matrix(X) if it is a sum, iter([X]) if it holds rows"
        )
    if reading.bounds is not None:
        if relation is Relation.ZERO_OUT:
            raise ValueError(f"relation must be replace with bounds, which move a row of zeros, got {relation}")
        if looked.width is not None:
            reading.bounds.require(looked.width)
        known.append(text("column bounds", reading.bounds.table))
    if looked.names is not None:
        known.append(f"columns: {', '.join(looked.names)}")
    domain = () if reading.bad_rows == "zero" else (FINITE,)
    bound = reading.norm_bound if bounded else None
    fields: dict[str, Any] = {"relation": relation, "norm_bound": bound, "domain": domain, "people": people}
    if of_people:
        fields["labels"] = ("DPS-PEOPLE",)
    return {**fields, "assumptions": assumptions}


def _of_moments(takes: Takes, given: Mapping[str, Any], looked: Outside, known: list[str]) -> tuple[str, ...]:
    """Return the assumptions of `Moments`; names of their columns become ``known``.

    Raises ``ValueError`` for unfit ones.
    """
    if looked.terms is None:
        return ()
    if not takes.moments:
        raise ValueError("X must be rows that can be read again for this mechanism, got Moments")
    if "k" in given and given.get("center", "none") != "none":
        raise ValueError(NO_ROWS)
    if given.get("center") == "pairs":
        raise ValueError(NO_PAIRS)
    if looked.terms.order < takes.moments:
        raise ValueError(f"X must hold second moments, got Moments of order {looked.terms.order}")
    if looked.terms.columns is not None:
        known.append(f"columns: {', '.join(looked.terms.columns)}")
    if looked.terms.salt:
        known.append(f"salt: {looked.terms.salt}")
    alone = ONE_ROW if looked.terms.per_person is None else ONE_PART
    return (alone,) if looked.parts > 1 else ()


def reading_of(
    data: Any,
    norm_bound: float = 1.0,
    rows: str = REFUSE,
    bad_rows: str = REFUSE,
    bounds: ColumnBounds | None = None,
) -> Reading:
    """How rows are read: as the arguments say; `Moments` as they were, and the arguments must say nothing else.

    Raises ``ValueError`` otherwise.
    """
    looked = outside(data)
    if looked.unfit:
        raise ValueError(looked.unfit)
    require_no_index(looked.names if looked.terms is None else None, "X")
    given, terms = Reading(norm_bound, rows, bad_rows, bounds=bounds), looked.terms
    if terms is None:
        return replace(given, bounds=given.bounds and given.bounds.of_columns(looked.names))
    agreed(
        {name: getattr(given, name) for name in READING}, {name: getattr(BY_DEFAULT, name) for name in READING}, terms
    )
    return terms.reading


def agreed(given: Mapping[str, Any], usual: Mapping[str, Any], terms: Any) -> None:
    """Refuse arguments that are neither the usual ones nor those by which `Moments` were read, their ``terms``."""
    for name, said in given.items():
        if said not in (usual[name], known := getattr(terms, name)):
            raise ValueError(f"{name} must be left out or be that of the Moments, {known}, got {checks.shown(said)}")


def text(name: str, value: Any) -> str:
    """Write a known value in words: a number, or the digest of an array."""
    try:
        numbers = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        return name
    if numbers.ndim == 0:
        return f"{name} = {plain(float(numbers))}"
    return f"{name}: sha256 {hashlib.sha256(np.ascontiguousarray(numbers).tobytes()).hexdigest()}"
