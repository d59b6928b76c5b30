"""Which neighbours a call is private for, and what it takes as known: from its public arguments alone."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from dpspectra.ground import checks
from dpspectra.matrices.reading import REFUSE, Reading, moderate
from dpspectra.mechanisms.claims import INTEGERS
from dpspectra.mechanisms.door import SUM, Outside, outside
from dpspectra.mechanisms.unit import FINITE, MODERATE, SYMMETRIC, plain
from dpspectra.relations import Relation

UNSEEN = "nobody learns whether data were refused, and no bound was found by trying"
"""What the claim assumes of a call that may refuse its data."""
KNOWN = ("basis", "eigenvalues", "entry_bound", "lambda1", "row_bound", "spectrum", "trace")
"""Arguments that are taken as known to everybody."""
SUMS = {Relation.REPLACE: Relation.MATRIX_REPLACE, Relation.ADD_REMOVE: Relation.MATRIX_ADD_REMOVE}


class Takes(NamedTuple):
    """What a mechanism takes as data."""

    rows: bool
    sums: bool
    """Whether a `Matrix` may stand for rows."""
    bounded: bool
    """Whether rows must have bounded norms."""


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
    reading = Reading(**{name: given[name] for name in ("norm_bound", "rows", "bad_rows") if name in given})
    bounded = takes.bounded and reading.rows == REFUSE and given.get("center") != "pairs"
    if takes.sums or "k" in given:  # where eigenvalues are in squares of the bound
        moderate(reading.norm_bound)
    refusing = (UNSEEN,) if bounded or reading.bad_rows == REFUSE else ()
    if looked.kind == SUM:
        if not takes.sums:
            raise ValueError("X must be rows, got a Matrix: how many people it is of is not known")
        if not reading.rows == reading.bad_rows == REFUSE:
            raise ValueError("rows and bad_rows must be 'refuse' for a Matrix, which has no rows to be changed")
        if reading.norm_bound not in (1.0, looked.norm_bound):
            raise ValueError(
                f"norm_bound must be that of the Matrix, {looked.norm_bound:g}, got {reading.norm_bound:g}"
            )
        known.append(f"type of M: {looked.dtype}")
        unit = {"relation": SUMS[relation], "norm_bound": looked.norm_bound, "domain": (FINITE, MODERATE)}
        return {**unit, "assumptions": (UNSEEN,)}
    if takes.sums and relation.counted and looked.count is not None and looked.count == looked.width:
        raise ValueError(
            "X must be rows or a Matrix, got a square array: say Matrix(X) if it is a sum, iter([X]) if it holds rows"
        )
    domain = () if reading.bad_rows == "zero" else (FINITE,)
    bound = reading.norm_bound if bounded else None
    return {"relation": relation, "norm_bound": bound, "domain": domain, "assumptions": refusing}


def text(name: str, value: Any) -> str:
    """What is taken as known, in words: a number, or the digest of an array."""
    try:
        numbers = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        return name
    if numbers.ndim == 0:
        return f"{name} = {plain(float(numbers))}"
    return f"{name}: sha256 {hashlib.sha256(np.ascontiguousarray(numbers).tobytes()).hexdigest()}"
