"""DPS-CONTRACTION: entries rounded as ``q(a) = floor(2**t a + 1/2)`` move by at most ``2**t`` where ``a`` moves by 1.

``q`` increases, and ``q(a + 1) = q(a) + 2**t``. Any change ``e`` is followed up to one unit, as ``q`` is off by at most
1/2. The program computes ``floor(y) + [y - floor(y) >= 1/2]`` without an error: the difference is a float, or, for
``-1/2 < y < 0``, more than 1/2, and rounding is monotone. Rounding to the nearest even integer sends 1/2 to 0 and 3/2
to 2; and adding 1/2 first rounds, for the float below 1/2 up to 1.
"""

import math
from fractions import Fraction
from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.certified.products import nearest
from dpspectra.ledger import AtMost, Equal, Outcome, Parts, Verdict, statement
from dpspectra.strategies import st


@statement
class Contraction:
    labels = ("DPS-CONTRACTION",)
    given = r"q(a)=\lfloor2^ta+\tfrac12\rfloor,\ y=2^ta"
    claim = {
        "the program's integer": r"\lfloor y\rfloor+\mathbf 1[y-\lfloor y\rfloor\ge\tfrac12]=q(a)",
        "movement": r"|a-a'|\le1:\ |q(a)-q(a')|\le2^t",
        "error": r"|q(a)-2^ta|\le\tfrac12",
        "difference of errors": r"|q(b)-q(a)-2^t(b-a)|\le1",
    }
    where = {
        "q(": ("q(a)", "entry rounded half up to a whole number of steps"),
        "a": "entry",
        "a'": "entry of a neighbouring matrix",
        "b": "any other number",
        "t": "number of binary places of the grid",
        "y": "the entry in units of the grid, a float",
    }
    verdict = Verdict.NEW
    exact = ("the program's integer",)
    note = "arithmetic.md#entries-as-integers"

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[float, float, float, int]:
        """An entry, two changes of it, the first of at most 1, and digits.

        Entries at halves of a unit and at the floats beside them, of all sizes.
        """
        digits = draw(st.sampled_from([0, 1, 3, 20]))
        half = draw(st.integers(-9, 9) | st.sampled_from([2**21 - 1, -(2**30) - 1, 2**53, 2**60]))
        a = math.ldexp(half, -digits - 1)
        a = draw(st.sampled_from([a, math.nextafter(a, math.inf), math.nextafter(a, -math.inf)]))
        steps = st.sampled_from([1.0, -1.0, 0.5, 2.0**-20, -(2.0**-21), 2.0**-60])
        near, change = a + draw(steps), a + draw(steps | st.integers(-99, 99).map(lambda i: i / 64))
        near = near if abs(Fraction(near) - Fraction(a)) <= 1 else a
        return a, near, change, digits

    def fast(self, a: float, near: float, change: float, digits: int) -> Parts:
        """The program in floats; errors in rational numbers."""
        y = np.ldexp([a, near, change], digits)
        q, other, third = (int(v) for v in nearest(y))
        exact = [Fraction(v) for v in y.tolist()]
        yield Equal(q, (math.floor(2 * exact[0]) + 1) // 2, part="the program's integer")
        yield AtMost(abs(q - other), 2**digits, part="movement")
        yield AtMost(float(abs(q - exact[0])), 0.5, part="error")
        yield AtMost(float(abs(third - q - exact[2] + exact[0])), 1.0, part="difference of errors")

    def oracle(self, a: float, near: float, change: float, digits: int) -> Parts:
        """The definition in rational numbers, and half up by hand."""
        exact = [Fraction(v) * 2**digits for v in (a, near, change)]
        q, other, third = ((v + Fraction(1, 2)).__floor__() for v in exact)
        below = exact[0] // 1
        by_hand = below + (2 * (exact[0] - below) >= 1)
        yield Equal(q, by_hand, part="the program's integer")
        yield AtMost(abs(q - other), 2**digits, part="movement")
        yield AtMost(mp.mpmathify(abs(q - exact[0])), mp.mpf(1) / 2, part="error")
        yield AtMost(mp.mpmathify(abs(third - q - exact[2] + exact[0])), 1, part="difference of errors")

    def tight(self) -> list[Any]:
        """Halves a unit apart; and the float below 1/2 beside it, which goes down where the half goes up."""
        below = math.nextafter(0.5, 0)
        return [(0.5, 1.5, below, 0), (-0.5, -1.5, below, 0), (below, 1.5 - 2.0**-52, 0.5, 0)]

    def beyond(self) -> dict[str, Outcome]:
        """Entries rounded to the nearest even integer; and a half that is added in floats."""
        below = math.nextafter(0.5, 0)
        return {
            "halves go up": AtMost(abs(round(0.5) - round(1.5)), 1),
            "a half is not added in floats": AtMost(math.floor(below + 0.5) - mp.mpf(below), mp.mpf(1) / 2),
        }
