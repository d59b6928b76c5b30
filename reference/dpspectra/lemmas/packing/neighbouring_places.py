"""A whole orbit holds ``(c_im D g / zeta)^(2im)`` points more than ``zeta`` apart; ``g = lambda_i - lambda_(i+1)``.

Here ``m = d - i``. For spectra of two values the orbit is a scaled Grassmannian, and balls of half the separation are
disjoint: so the exponent is the right one. Printed with ``2 d i`` in the exponent, which fails for small ``zeta``.
"""

from fractions import Fraction
from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast.packing import ball_measure, log_tableaux
from dpspectra.ledger import AtMost, Parts, Slack, Verdict, inequality, statement
from dpspectra.lemmas.packing.images import gap
from dpspectra.lemmas.packing.whole_orbit_packing import (
    NEAREST,
    RIGHT,
    TWO_VALUES,
    Case,
    apart,
    exact_power,
    exactly_apart,
    number,
    packed,
    power,
)
from dpspectra.oracle import packing as exact
from dpspectra.strategies import st

MORE_VALUES = [
    Case((2.0, 1.0, -1.0), 1, 2, 1.0, 1),
    Case((2.0, 1.0, -1.0), 2, 1, 1.5, 2),
    Case((1.0, 0.5, 0.0, -1.0), 1, 3, 0.75, 4),
    Case((4.0, 3.0, 1.0, 1.0), 2, 2, 3.0, 5),
]
"""Spectra of three or four values, with the pair of neighbouring places that carries the packing."""


@statement
class NeighbouringPlaces:
    labels = ("MWKTV-E14",)
    given = r"m=d-i,\ g=\lambda_i-\lambda_{i+1},\ D=\sqrt{2q},\ P(\mathcal O_\Lambda,\zeta)\ge J"
    claim = {
        "number of points": r"\Big(\frac{c_{i,m}Dg}\zeta\Big)^{2im}\le J",
        "measure of a ball": r"\Big(\frac{c_{i,m}Dg}\zeta\Big)^{2im}\le\frac1{\mu(B(I_i,\zeta/g))}",
        "upper bound": (
            r"\lambda_1=\lambda_i,\ \lambda_{i+1}=\lambda_d,\ \zeta\le2\sqrt2\,g:\ "
            r"J\le f(i,m)\Big(\frac{8g^2}{\zeta^2}\Big)^{im}"
        ),
        "separation of images": r"\zeta\le\|\phi(P_a)-\phi(P_b)\|_F\ (a\ne b)",
    }
    printed = (
        r"$`P(\mathcal "
        r"O_\Lambda,\lVert\cdot\rVert_F,\zeta)\ge\big(\zeta^{-1}cD_{\lVert\cdot\rVert_F}(\mathcal "
        r"G_{d,i})(\lambda_i-\lambda_{i+1})\big)^{2di}`$ for all $`i\in[d]`$."
    )
    where = {
        "D": "diameter of the Grassmannian in Frobenius norm",
        "i": "place of the spectrum",
        "g": r"gap $`\lambda_i-\lambda_{i+1}`$",
        "m": "number of places below the place $`i`$",
    }
    verdict = Verdict.REPAIRED
    uses = ("MWKTV-L8.1X", "MWKTV-E15")
    examples = 35
    note = "packing.md#packing-of-the-grassmannian"
    digits = 30
    slack = {"upper bound": Slack(0.625, "disjoint balls around the points of a packing leave gaps")}

    def cases(self) -> Any:
        return st.sampled_from([*TWO_VALUES, *MORE_VALUES])

    def fast(self, *given: Any) -> Parts:
        case = Case(*given)
        i, m, share = case.i, case.m, case.zeta / gap(case.spectrum, case.i, case.m)
        size, low = len(packed(case)), power(i, m, share)
        yield AtMost(low, size, part="number of points")
        yield from apart(case)
        yield AtMost(low, 1 / ball_measure(i, m, share), part="measure of a ball")
        if len(set(case.spectrum)) == 2:
            yield AtMost(size, np.exp(log_tableaux(i, m)) * (8 / share**2) ** (i * m), part="upper bound")

    def oracle(self, *given: Any) -> Parts:
        """Take the upper bound from the measure of a ball of half the separation."""
        case = Case(*given)
        i, m, size = case.i, case.m, number(case)
        share = Fraction(case.zeta) / (Fraction(case.spectrum[i - 1]) - Fraction(case.spectrum[i]))
        low = exact_power(i, m, share)
        yield AtMost(low, size, part="number of points")
        yield from exactly_apart(case)
        yield AtMost(low, 1 / mp.mpmathify(exact.ball_measure(i, m, share)), part="measure of a ball")
        if len(set(case.spectrum)) == 2:
            yield AtMost(size, 1 / mp.mpmathify(exact.ball_measure(i, m, share / 2)), part="upper bound")

    def tight(self) -> list[Case]:
        """One line; images at the separation; and five points of a sphere, whose disjoint caps cover most of it."""
        return [RIGHT, NEAREST, Case((1.0, 0.0), 1, 1, 1 - 2.0**-20, 0, 1)]

    def beyond(self) -> dict[str, AtMost]:
        """``diag(17, 16, 0)``: its second gap gives points more than 8 apart, and the upper bound of its first is 1/64.

        Nine lines of the real plane are more than 7/16 apart, and no ten: the angles exceed ``pi / 10``.
        """
        points, first = exact_power(2, 1, mp.mpf(8) / 16), exact_power(1, 2, mp.mpf(8) / 2)
        return {
            "two values, for the upper bound": AtMost(points, first),
            "complex numbers": AtMost(exact_power(1, 1, mp.mpf(7) / 16), 9),
        }

    def as_printed(self, i: int, m: int, c: float, separation: float) -> AtMost:
        """Compare the printed lower bound, with constant ``c`` and a gap of 1, and the upper bound."""
        across, n = mp.sqrt(2 * min(i, m)) / separation, 2 * i * m
        return AtMost((c * across) ** (2 * i * (i + m)), (2 * across) ** n, part="printed form")

    def hypotheses(self, i: int, m: int, c: float, separation: float) -> dict[str, AtMost]:
        """Printed for every place ``i`` of ``d = i + m`` and every separation."""
        return {"c and the separation are positive": AtMost(0, min(c, separation)), "1 <= i < d": AtMost(1, min(i, m))}

    def counterexample(self) -> Any:
        """``c = 1/2`` and separation 1/8; any ``c`` fails at separations below ``c^2 / sqrt(2)``."""
        return 1, 1, 0.5, 0.125

    def certificate(self) -> dict[str, Any]:
        across = ["mul", "8", ["sqrt", "2"]]
        half, double = ["mul", "1/2", across], ["mul", "2", across]
        return inequality(
            "MWKTV-E14",
            "diag(1, 0), c = 1/2, zeta = 1/8: half of D / zeta to the power 2 d i = 4 against twice it to the power 2",
            ["mul", half, half, half, half],
            ["mul", double, double],
        )
