"""DPS-SCALER: how far the sums of rows and of the squares of their entries move together when one row is replaced.

For rows ``x`` of norm at most 1 let ``(a x, x o x)`` hold the row and the squares of its entries. Its squared change
``a**2 |x - y|**2 + |x o x - y o y|**2`` is part of the squared Frobenius norm of ``v v' - w w'`` with ``v = (b, x)``,
``w = (b, y)`` and ``2 b**2 = a**2``, of which it leaves out what is off the diagonal of ``x x' - y y'``
(DPS-AUGMENTED). So it is at most ``2 (1 + a**2 / 2)**2 = 2 + 2 a**2 + a**4 / 2`` for ``a <= sqrt 2``, attained by unit
rows of two columns with exchanged entries and ``<x, y> = -a**2 / 2``; and at most ``4 a**2`` for larger ``a``, attained
by ``y = -x``. Squares alone move by at most 2 in l1, as each row has a sum of squares of at most 1.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.ledger import AtMost, Column, Outcome, Parts, Real, Relation, Verdict, statement
from dpspectra.lemmas.sensitivity.rows_with_constant import RowsWithConstant


def squared_change(a: Fraction) -> Fraction:
    """The largest squared change of ``(a x, x o x)``, exactly."""
    square = a * a
    return 2 * (1 + square / 2) ** 2 if square <= 2 else 4 * square


def _exchanged(factor: float) -> tuple[Any, Any, float]:
    """Rows of two columns with exchanged entries, at the angle of the largest change, cut off to 26 digits."""
    angle = math.asin(-(factor**2) / 2) / 2
    row = np.trunc(np.array([math.cos(angle), math.sin(angle)]) * 2.0**26) / 2.0**26
    return row, row[::-1].copy(), factor


@statement
class Scaler:
    labels = ("DPS-SCALER",)
    given = r"\|x\|,\|y\|\le1"
    claim = {
        "squared change": (
            r"a^2\|x-y\|^2+\|x\circ x-y\circ y\|^2\le"
            r"2+2a^2+\tfrac{a^4}2\ (a\le\sqrt2),\ 4a^2\ (a\ge\sqrt2)"
        ),
        "change of squares in l1": r"\|x\circ x-y\circ y\|_1\le2",
    }
    where = {
        "a": "weight of the sum against the sum of squares, above 0",
        r"\circ": "product entry by entry",
    }
    verdict = Verdict.NEW
    relation = (Relation.REPLACE,)
    uses = ("DPS-AUGMENTED",)
    note = "sensitivity.md#rows-and-the-squares-of-their-entries"

    cases = staticmethod(RowsWithConstant.cases)
    """A row of norm at most 1, the row that replaces it, and the factor of rows."""

    def fast(self, x: Any, y: Any, factor: float) -> Parts:
        one, two = (np.concatenate([factor * row, row**2]) for row in (x, y))
        yield AtMost(float(np.sum((one - two) ** 2)), float(squared_change(Fraction(factor))), part="squared change")
        yield AtMost(float(np.sum(abs(x**2 - y**2))), 2.0, part="change of squares in l1")

    def oracle(self, x: Column, y: Column, factor: Real) -> Parts:
        """One coordinate at a time; the bound by the angle between unit rows that are farthest apart."""
        places = range(x.rows)
        moved = mp.fsum((x[j] - y[j]) ** 2 * (factor**2 + (x[j] + y[j]) ** 2) for j in places)
        cosine = -min(factor**2 / 2, mp.one)
        largest = 2 * factor**2 * (1 - cosine) + 2 * (1 - cosine**2)
        yield AtMost(moved, largest, part="squared change")
        yield AtMost(mp.fsum(abs(x[j] ** 2 - y[j] ** 2) for j in places), 2, part="change of squares in l1")

    def tight(self) -> list[Any]:
        """Exchanged entries for small factors, opposite rows for large ones; and two axes."""
        return [
            *(_exchanged(factor) for factor in (0.5, 1.0, 1.375)),
            (np.array([1.0, 0.0]), np.array([0.0, 1.0]), 2.0**-6),
            (np.array([1.0]), np.array([-1.0]), 3.0),
        ]

    def beyond(self) -> dict[str, Outcome]:
        moved, _ = self.oracle(np.array([2.0, 0.0]), np.array([0.0, 2.0]), 0.5)
        return {"rows of norm at most 1": moved}
