"""DPS-COLUMNS: columns with public bounds become rows of norm at most 1, and results go back to the user's units.

With the middle ``m``, the half widths ``h > 0`` and weights ``w > 0`` let ``z_j = a_j clip((x_j - m_j) / h_j, -1, 1)``,
``a = w / |w|``. Then ``|z|**2 <= a_1**2 + .. + a_d**2 = 1`` whatever ``x`` is, with equality at corners of the box; and
``z`` is a function of this row and of public numbers, so that neighbours stay neighbours. With ``D = diag(h_j / a_j)``
the vector ``m + D z`` is ``x``, cut off at the bounds. The program clips the quotient after it was rounded, so it is at
most 1, and multiplies it by factors of which the squares add up to at most 1 exactly (DPS-UNITROWS). Clipped before the
division, a number and its bound may be rounded apart: a row of norm 2 comes out of [1e16, 1e16 + 2].
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.ledger import AtMost, Column, Equal, Outcome, Parts, Relation, Verdict, statement
from dpspectra.matrices.column_bounds import ColumnBounds
from dpspectra.strategies import dimensions, dyadics, rectangular, st

SIZES = (1.0, 2.0**40, 2.0**-40)
"""Units of columns."""


@statement
class ColumnsInBounds:
    labels = ("DPS-COLUMNS",)
    given = (
        r"z_j(x)=a_j\min(\max(\tfrac{x_j-m_j}{h_j},-1),1),\ a=\tfrac w{\|w\|},\ "
        r"D=\operatorname{diag}(\tfrac{h_j}{a_j}),\ \bar x_j=\min(\max(x_j,m_j-h_j),m_j+h_j)"
    )
    claim = {
        "rows that change": r"\#\{i:z(x_i)\ne z(x_i')\}\le\#\{i:x_i\ne x_i'\}",
        "squared norm": r"\|z(x)\|^2\le1",
        "a row in its own units": r"\sum_j(m+Dz(x))_j=\sum_j\bar x_j",
        "second moments in these units": r"\sum_{i,j}(Dz(x)z(x)^\top D)_{ij}=\big(\sum_j(\bar x_j-m_j)\big)^2",
    }
    where = {
        "x": "row of numbers",
        "x_i": r"entries of the row, one a column; behind $`\#`$ the rows of the data",
        "x_i'": "the rows of a neighbouring data set",
        r"\bar x_i": "the entries of the row, cut off at the bounds",
        "z": "row in the unit ball that stands for it",
        "z_i": "the entries of this row",
        "a": "weights, scaled to norm 1",
        "a_i": "the scaled weights of the columns",
        "w": "public weights of the columns",
        "m": "public middles of the columns",
        "m_i": "the public middles of the columns",
        "h_i": "the public half widths of the columns",
        "D": "diagonal matrix back to the columns' units",
        "i": r"behind $`\#`$ the number of a row; else an index",
    }
    verdict = Verdict.NEW
    relation = (Relation.REPLACE, Relation.ADD_REMOVE)
    uses = ("DPS-UNITROWS",)
    note = "sensitivity.md#columns-with-bounds"

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, Any, Any, Any, Any, Any]:
        """Middle, half widths, weights, a row, the row that replaces it, and rows beside it."""
        d = draw(dimensions(1, 5))
        units = np.array([draw(st.sampled_from(SIZES)) for _ in range(d)])
        half, weights = (np.array([draw(dyadics(2.0**-6, 8)) for _ in range(d)]) for _ in range(2))
        middle, row, new = draw(rectangular(3, d)) * units
        return middle, half * units, weights, row, new, draw(rectangular(draw(st.integers(0, 2)), d)) * units

    def fast(self, middle: Any, half: Any, weights: Any, row: Any, new: Any, others: Any) -> Parts:
        """Both data sets through the program; the norm is exact."""
        bounds = ColumnBounds(middle - half, middle + half, weights)
        before, after = (bounds.rows(np.vstack([first, *others])) for first in (row, new))
        yield AtMost(int(np.sum(np.any(before != after, axis=1))), int(np.any(row != new)), part="rows that change")
        yield AtMost(sum((Fraction(v) ** 2 for v in before[0].tolist()), Fraction(0)), 1, part="squared norm")
        cut, size = np.clip(row, middle - half, middle + half), float(np.sum(abs(middle) + half))
        back = float(np.sum(bounds.mean(before[0])))
        yield Equal(back, float(np.sum(cut)), scale=size, part="a row in its own units")
        moments = float(np.sum(bounds.moments(np.outer(before[0], before[0]))))
        yield Equal(moments, float(np.sum(cut - middle)) ** 2, scale=size**2, part="second moments in these units")

    def oracle(
        self, middle: Column, half: Column, weights: Column, row: Column, new: Column, others: list[Column]
    ) -> Parts:
        """One number at a time."""
        length = mp.norm(weights)
        places = range(len(row))

        def mapped(x: Column) -> list[Any]:
            shares = ((x[j] - middle[j]) / half[j] for j in places)
            return [weights[j] / length * min(max(share, -1), 1) for j, share in enumerate(shares)]

        before, after = ([mapped(x) for x in (first, *others)] for first in (row, new))
        changed = sum(a != b for a, b in zip(before, after, strict=True))
        yield AtMost(changed, int(list(row) != list(new)), part="rows that change")
        yield AtMost(mp.fsum(v * v for v in before[0]), 1, part="squared norm")
        size = mp.fsum(abs(middle[j]) + half[j] for j in places)
        moved = [half[j] * length / weights[j] * before[0][j] for j in places]
        cut = [min(max(row[j], middle[j] - half[j]), middle[j] + half[j]) for j in places]
        back = mp.fsum(middle[j] + moved[j] for j in places)
        yield Equal(back, mp.fsum(cut), scale=size, part="a row in its own units")
        square = mp.fsum(moved[i] * moved[j] for i in places for j in places)
        distance = mp.fsum(cut[j] - middle[j] for j in places)
        yield Equal(square, distance**2, scale=size**2, part="second moments in these units")

    def tight(self) -> list[Any]:
        """A row beyond a corner of the box, one at a corner, and one inside; one row gives way to another."""
        middle, half, weights = np.array([1.0, -2.0]), np.array([4.0, 0.5]), np.array([1.0, 3.0])
        return [
            (middle, half, weights, np.array([5.0, -9.0]), np.zeros(2), np.ones((2, 2))),
            (middle, half, weights, np.array([3.0, -1.75]), np.ones(2), np.zeros((1, 2))),
            (np.zeros(1), np.ones(1), np.ones(1), np.full(1, -7.0), np.ones(1), np.zeros((1, 1))),
        ]

    def beyond(self) -> dict[str, Outcome]:
        """The number clipped before the division; a half width found in the data, of two rows; factors as they are."""
        quotient = (min(1e300, 1e16 + 2) - (1e16 / 2 + (1e16 + 2) / 2)) / 1.0
        before, after = ([x / max(rows) for x in rows] for rows in ((1.0, 2.0), (1.0, 4.0)))
        changed = sum(x != y for x, y in zip(before[:1], after[:1], strict=True))
        return {
            "the quotient is clipped": AtMost(mp.mpf(quotient) ** 2, 1, part="squared norm"),
            "bounds are public": AtMost(changed, 0, part="rows that change"),
            "weights are divided by their norm": AtMost(1.0**2 + 1.0**2, 1, part="squared norm"),
        }
