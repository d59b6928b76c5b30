"""DPS-QUANTISER: rows of a ball become integers of the same ball, each by itself; no entry moves by more than a unit.

With ``B 2**p`` in ``(2**19, 2**20]`` the program rounds ``2**p x`` to the nearest integers; if their squared norm
exceeds ``L = floor(B**2 4**p)``, toward zero. Truncation shortens, and an integer at most ``B**2 4**p`` is at most
``L``. Sums of squares are exact below ``2**53`` and stay above once there, so the test is exact in any order. A row
that is over the bound by a relative 1e-12 is at most 3 over ``L`` then, and each entry comes one unit nearer to zero.
Without the test half of the rows of norm ``B`` leave the ball; rounding down instead of toward zero lengthens rows; and
no step of one unit helps a row farther out.
"""

import math
from fractions import Fraction
from typing import Any

import numpy as np
from mpmath import mp
from scipy import sparse

from dpspectra.certified.integer_rows import exponent, quantised, quantised_sparse
from dpspectra.ledger import AtMost, Parts, Verdict, statement
from dpspectra.strategies import dimensions, st


@statement
class Quantiser:
    labels = ("DPS-QUANTISER",)
    given = r"\|x\|\le(1+10^{-12})B,\ L=\lfloor4^pB^2\rfloor"
    claim = {
        "squared norm": r"\|q(x)\|^2\le L",
        "movement of an entry": r"|q_i(x)-2^px_i|\le1+\mathbf 1[\|\operatorname{trunc}(2^px)\|^2>L]",
        "unit from above": r"2^pB\le2^{20}",
        "unit from below": r"2^{19}\le2^pB",
    }
    where = {
        "x": "row",
        "x_i": "the entries of the row",
        "q_i": "the integers of the row",
        "B": "bound on the norm of a row",
        "p": "number of binary places of the grid",
        "L": "largest squared norm of a row of integers",
        r"\mathrm{trunc}": "cutting off toward zero, entry by entry",
    }
    verdict = Verdict.NEW
    rounding = 0.0
    note = "arithmetic.md#rows-as-integers"

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, Any, float]:
        """A row, rows that stand before and after it, and the bound on norms.

        Rows of the ball, many of them normalised in floats, so that their norm is the bound up to rounding.
        """
        d = draw(dimensions())
        mantissa = st.builds(lambda m, e: math.ldexp(m, e), st.integers(1, 2**10), st.sampled_from([-890, -14, 0, 800]))
        bound = draw(st.sampled_from([1.0, 0.1, math.pi, 1 + 2.0**-52, 1 - 2.0**-53]) | mantissa)
        directions = np.array(
            draw(st.lists(st.lists(st.integers(-9, 9), min_size=d, max_size=d), min_size=1, max_size=4))
        )
        norms = np.maximum(np.sqrt(np.sum(directions**2, axis=1, keepdims=True)), 1)
        sizes = draw(st.sampled_from([1.0, 1.0, 0.75, 2.0**-19, 2.0**-30]))
        rows = directions / norms * sizes * bound
        return rows[0], rows[1:], bound

    def fast(self, row: Any, others: Any, bound: float) -> Parts:
        """The row among others, dense and sparse, through the program."""
        p = exponent(bound)
        after, before = np.vstack([*others, row]), sparse.csr_array(np.vstack([row, *others]))
        radius, scaled = math.ldexp(bound, p), np.ldexp(row, p)
        limit = math.floor(Fraction(radius) ** 2)
        units = 1 + (sum(int(v) ** 2 for v in np.trunc(scaled)) > limit)
        for q in (quantised(after, bound, p)[-1], quantised_sparse(before, bound, p).toarray()[0]):
            yield AtMost(sum(int(v) ** 2 for v in q), limit, part="squared norm")
            for x in np.abs(q - scaled):
                yield AtMost(float(x), units, part="movement of an entry")
        yield AtMost(radius, 2**20, part="unit from above")
        yield AtMost(2**19, radius, part="unit from below")

    def oracle(self, row: Any, others: Any, bound: float) -> Parts:
        """The row alone, in rational numbers; the unit is found by halving and doubling."""
        unit = Fraction(1)
        while Fraction(bound) > 2**20 * unit:
            unit *= 2
        while Fraction(bound) <= 2**19 * unit:
            unit /= 2
        radius, scaled = Fraction(bound) / unit, [Fraction(float(x)) / unit for x in row]
        limit, units = math.floor(radius**2), 1
        q = [round(y) for y in scaled]
        if sum(v * v for v in q) > limit:
            q = [math.trunc(y) for y in scaled]
        if sum(v * v for v in q) > limit:
            q, units = [v - (v > 0) + (v < 0) for v in q], 2
        moved = [abs(v - y) for v, y in zip(q, scaled, strict=True)]
        for _ in ("dense", "sparse"):
            yield AtMost(sum(v * v for v in q), limit, part="squared norm")
            for x in moved:
                yield AtMost(mp.mpmathify(x), units, part="movement of an entry")
        length = mp.mpmathify(radius)
        yield AtMost(length, 2**20, part="unit from above")
        yield AtMost(2**19, length, part="unit from below")

    def tight(self) -> list[Any]:
        """A bound that is attained; an entry just below 1 that is truncated; the smallest bound for its unit.

        The fourth row is over the bound by rounding, one in ``2**40``. So is the last one, whose squared norm is the
        next integer after the squared bound, which lies between two integers.
        """
        none = np.zeros((0, 2))
        nearly, between = math.ldexp(1 - 2.0**-30, -20), 1 - 2.0**-20 + 2.0**-42
        return [
            (np.array([0.0, -1.0]), none, 1.0),
            (np.array([1 - 2.0**-42, nearly]), none, 1.0),
            (np.array([1 + 2.0**-52, 0.0]), none, 1 + 2.0**-52),
            (np.array([1.0, 2.0**-20]), none, 1.0),
            (np.array([1 - 2.0**-20, 2.0**-20]), none, between),
        ]

    def beyond(self) -> dict[str, AtMost]:
        """``(0.6, 0.8)`` to the nearest integers, ``-(0.6, 0.8)`` down, and a row twice as long."""
        three, four = Fraction(3, 5) * 2**20, Fraction(4, 5) * 2**20
        return {
            "the norm of the integers is tested": AtMost(round(three) ** 2 + round(four) ** 2, 2**40),
            "rounding is toward zero": AtMost(math.floor(-three) ** 2 + math.floor(-four) ** 2, 2**40),
            "a norm at most (1 + 1e-12) times the bound": AtMost((2**21 - 1) ** 2, 2**40),
        }
