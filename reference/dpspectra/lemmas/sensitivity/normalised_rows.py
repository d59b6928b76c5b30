"""DPS-UNITROWS: rows divided by their norms: neighbours stay neighbours, and every row lies in the unit ball.

A map applied to each row by itself changes a row of the result for each row that changes, and no other; it takes zero
rows to zero rows. So data sets of which one row is replaced, added, removed or zeroed stay such a pair. The program
divides by an upper bound on the norm: with ``h = 2**-52`` (an operation's error in any rounding mode) the computed sum
of squares is at least ``(1 - h)**d`` times the true one, and the root, the factor ``1 + (d + 8) h`` and the quotient
lose three more; so the norm of what comes out is at most 1 exactly, and at least ``1 - (2 d + 32) h``. Divided by the
computed norm, a row may leave the ball; divided by a norm of all rows, all rows change.
"""

from fractions import Fraction
from typing import Any

import numpy as np
from mpmath import mp
from scipy import sparse

from dpspectra.ledger import AtMost, Parts, Relation, Verdict, statement
from dpspectra.matrices.prepared_rows import unit_rows
from dpspectra.strategies import dimensions, rectangular, st

SIZES = (1.0, 2.0**-1060, 2.0**-500, 2.0**1000, 0.1)
"""Factors of integer rows, the second one so small that entries are subnormal."""


def shortest(d: int) -> Fraction:
    """Smallest norm of a computed row that was not zero."""
    return 1 - (2 * d + 32) * Fraction(1, 2**52)


def _computed(row: Any) -> list[Any]:
    with mp.workprec(53):
        numbers = [mp.mpf(float(v)) for v in row]
        length = mp.sqrt(_by_halves([v * v for v in numbers])) * (1 + mp.mpf(len(row) + 8) / 2**52)
        return [v / length for v in numbers] if length else numbers


def _by_halves(terms: list[Any]) -> Any:
    while len(terms) > 1:
        half = len(terms) // 2
        folded = [a + b for a, b in zip(terms[:half], terms[half:], strict=False)]
        if len(terms) % 2:
            folded[0] += terms[-1]
        terms = folded
    return terms[0]


@statement
class NormalisedRows:
    labels = ("DPS-UNITROWS",)
    given = r"u(0)=0,\ \#\{i:x_i\ne x_i'\}\le1"
    claim = {
        "rows that change": r"\#\{i:u(x_i)\ne u(x_i')\}\le1",
        "squared norm": r"\|u(x)\|^2\le1",
        "squared norm from below": r"x\ne0:\ \big(1-(2d+32)2^{-52}\big)^2\le\|u(x)\|^2",
    }
    where = {
        "u(": ("u(x)", "row divided by an upper bound on its norm, as computed in float64"),
        "x_i": "the rows of the data",
        "x_i'": "the rows of a neighbouring data set",
        "i": "number of a row",
        "x": "row",
    }
    verdict = Verdict.NEW
    relation = (Relation.REPLACE, Relation.ADD_REMOVE, Relation.ZERO_OUT)
    rounding = 0.0
    note = "sensitivity.md#rows-of-unit-length"

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, Any, Any]:
        """A row, the row that replaces it, and the rows beside it."""
        d = draw(dimensions())
        row, new = (draw(rectangular(1, d))[0] * draw(st.sampled_from(SIZES)) for _ in range(2))
        return row, new, draw(rectangular(draw(st.integers(0, 3)), d))

    def fast(self, row: Any, new: Any, others: Any) -> Parts:
        """Both data sets through the program, dense and sparse, the row first in one and last in the other."""
        before, after = np.vstack([row, *others]), np.vstack([*others, new])
        for read in (np.array, sparse.csr_array):
            u, w = (np.asarray(sparse.csr_array(unit_rows(read(x))).toarray()) for x in (before, after))
            same = np.all(u[1:] == w[:-1], axis=1)
            yield AtMost(len(same) - int(np.sum(same)) + int(np.any(u[0] != w[-1])), 1, part="rows that change")
            square = sum((Fraction(float(v)) ** 2 for v in u[0]), Fraction(0))
            yield AtMost(square, 1, part="squared norm")
            if np.any(row):
                yield AtMost(shortest(len(row)) ** 2, square, part="squared norm from below")

    def oracle(self, row: Any, new: Any, others: Any) -> Parts:
        """One row at a time, in 53 bits and any exponent, added by halves; sparse rows get the bits of dense ones."""
        for _ in ("dense", "sparse"):
            before, after = ([_computed(x) for x in rows] for rows in ([*others, row], [*others, new]))
            changed = sum(a != b for a, b in zip(before, after, strict=True))
            square = mp.fsum(v * v for v in before[-1])
            yield AtMost(changed, 1, part="rows that change")
            yield AtMost(square, 1, part="squared norm")
            if any(row):
                lower = 1 - mp.mpf(2 * len(row) + 32) / 2**52
                yield AtMost(lower**2, square, part="squared norm from below")

    def tight(self) -> list[Any]:
        """One row of two or three changes."""
        return [(np.array([3.0, 4.0]), np.array([0.0, -2.0]), np.ones((n, 2))) for n in (1, 2)]

    def beyond(self) -> dict[str, AtMost]:
        """``(3, 4)`` over its norm, both quotients rounded up; and rows over the largest norm, which grows."""
        square = mp.fsum(mp.mpf(v / 5) ** 2 for v in (3.0, 4.0))
        before, after = ([v / max(norms) for v in norms] for norms in ((1.0, 2.0, 2.0), (1.0, 2.0, 4.0)))
        changed = sum(a != b for a, b in zip(before, after, strict=True))
        return {
            "the divisor is an upper bound on the norm": AtMost(square, 1, part="squared norm"),
            "each row is divided by its own norm": AtMost(changed, 1, part="rows that change"),
        }
