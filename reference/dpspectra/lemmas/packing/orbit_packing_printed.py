"""The printed packing bounds for balls of an orbit, around the diagonal matrix and around any other point.

Printed with ``lambda_1`` where the proof needs the spread, for every diagonal matrix: true if no eigenvalue is
negative, and false otherwise, since then the orbit can be much larger than ``lambda_1``. One display has the sign of
the inequality misprinted. The repaired forms keep a universal constant, the smallest of the ball constants.
"""

import itertools
from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast.packing import ball_constant, log_local_packing
from dpspectra.ledger import AtMost, Parts, Slack, Verdict, statement
from dpspectra.lemmas.packing.grassmann_measure import real_lines
from dpspectra.lemmas.packing.grassmann_packing import LEAST, diameter
from dpspectra.lemmas.packing.images import FARTHEST, NEAREST, Case, exact_images, images, packed, reach, spread
from dpspectra.lemmas.packing.orbit_packing import ALL, RIGHT, exactly_spread_out, number, pairs_of_places, spread_out
from dpspectra.oracle import linalg as oracle
from dpspectra.oracle import packing as exact
from dpspectra.strategies import st

COMPLEX = [case for case in ALL if case.field == "complex"]
"""Orbits and balls over the complex numbers."""


@statement
class OrbitPackingAsPrinted:
    labels = ("MWKTV-T2.7", "MWKTV-E40")
    given = r"P(B(X,\omega)\cap\mathcal O_\Lambda,\zeta)\ge J"
    claim = {
        "number of points": r"\max_{i<j}\Big(\frac{e^{1/4}g}{2\zeta}\min(\tfrac\omega s,\sqrt{2q})\Big)^{2im}\le J",
        "universal constant": r"\tfrac{e^{1/4}}2\le c_{i,m}",
    }
    printed = {
        "MWKTV-T2.7": (
            r"There are universal constants $`C>c>0`$ such that for any real diagonal $`\Lambda`$, "
            r"$`\omega,\zeta>0`$ and $`X\in\mathcal O_\Lambda`$, display (2): $`\log "
            r"P(B(X,\omega)\cap\mathcal O_\Lambda,\lVert\cdot\rVert_F,\zeta)\ge\max_{1\le i<j\le "
            r"d}2i(d-j+1)\log\big(\frac{\min(\omega,\lambda_1\sqrt "
            r"i,\lambda_1\sqrt{d-j+1})(\lambda_i-\lambda_j)}{2C\lambda_1\zeta}\big)`$, and display (3): "
            r"$`\log P(\mathcal O_\Lambda,\lVert\cdot\rVert_F,\zeta)\ge\max_{1\le i<j\le "
            r"d}2i(d-j+1)\log\big(\frac{c\min(\sqrt i,\sqrt{d-j+1})(\lambda_i-\lambda_j)}\zeta\big)`$."
        ),
        "MWKTV-E40": r"$`P(B(\Lambda,\omega)\cap\mathcal O_\Lambda,\lVert\cdot\rVert,\zeta)\ge J`$.",
    }
    verdict = Verdict.REPAIRED
    uses = ("MWKTV-T2.7R",)
    note = "packing.md#packing-of-an-orbit-as-printed"
    digits = 30
    examples = 30
    slack = {
        "number of points": Slack(
            0.41218, "equality needs a constant of 1, that of lines, and the universal one is 0.642"
        )
    }

    def cases(self) -> Any:
        return st.tuples(st.sampled_from(COMPLEX), st.tuples(st.integers(1, 8), st.integers(1, 8)))

    def fast(self, case: Any, sides: tuple[int, int]) -> Parts:
        radius = case.omega / spread(case.spectrum)
        powers = [
            2 * i * m * np.log(LEAST * min(radius, diameter(i, m)) * g / case.zeta)
            for i, m, g in pairs_of_places(case.spectrum)
        ]
        yield AtMost(np.exp(max(powers)), len(packed(case)), part="number of points")
        yield AtMost(LEAST, ball_constant(*sides), part="universal constant")

    def oracle(self, case: Any, sides: tuple[int, int]) -> Parts:
        values, d, best = [mp.mpf(value) for value in case.spectrum], len(case.spectrum), mp.mpf(0)
        for i, j in itertools.combinations(range(d), 2):
            radius = min(case.omega / (values[0] - values[-1]), mp.sqrt(2 * min(i + 1, d - j)))
            base = mp.exp(mp.mpf(1) / 4) / 2 * (values[i] - values[j]) / case.zeta * radius
            best = max(best, base ** (2 * (i + 1) * (d - j)))
        yield AtMost(best, mp.mpf(number(case)), part="number of points")
        yield AtMost(mp.exp(mp.mpf(1) / 4) / 2, exact.ball_constant(*sides), part="universal constant")

    def tight(self) -> list[Any]:
        """One line, where the sharp bound is attained, and a square whose constant is nearly the universal one."""
        return [(RIGHT, (4096, 4096))]

    def beyond(self) -> dict[str, AtMost]:
        """Lines of the real plane more than ``2^-10`` apart, against the power with the complex exponent."""
        lines = real_lines(mp.mpf(2) ** -10)
        return {"complex numbers": AtMost((mp.exp(mp.mpf(1) / 4) / 2 * mp.sqrt(2) * 1024) ** 2, lines)}

    def as_printed(self, depth: float, constant: float, omega: float, zeta: float) -> AtMost:
        """Compare the printed bound for ``diag(1, -depth)`` and the largest number of points on the sphere.

        The base of the power is ``g min(omega, lambda_1) / (2 C lambda_1 zeta)``, with all terms of the minimum.
        """
        omega, half = mp.mpf(omega), mp.mpf(zeta) / 2
        printed = ((1 + mp.mpf(depth)) * min(omega, 1) / (4 * constant * half)) ** 2
        return AtMost(printed, ((omega + half) / half) ** 2, part="printed form")

    def hypotheses(self, depth: float, constant: float, omega: float, zeta: float) -> dict[str, AtMost]:
        """Printed for every real diagonal matrix, positive radii, and a constant that is universal."""
        return {
            "the values descend": AtMost(-mp.mpf(depth), mp.mpf(1)),
            "omega and zeta are positive": AtMost(0, min(omega, zeta)),
            "C is a constant of the covering numbers": AtMost(mp.mpf(2), mp.mpf(constant)),
        }

    def counterexample(self) -> Any:
        return (15.0, 2.0, 1.0, 2.0**-6)

    certificate = (
        "diag(1, -15), omega = 1, zeta = 1/64, C = 2: the orbit is a sphere, whose caps have the area of flat discs",
        ["mul", ["div", "1024", "4"], ["div", "1024", "4"]],
        ["mul", ["add", "128", "1"], ["add", "128", "1"]],
    )


def _turn(d: int) -> Any:
    """A rational rotation by the angle of the triangle 3, 4, 5 in the plane of the first and the last axis."""
    turn = np.eye(d) * 5
    turn[0, 0] = turn[-1, -1] = 3
    turn[0, -1], turn[-1, 0] = -4, 4
    return turn


@statement
class OrbitPackingElsewhere:
    labels = ("MWKTV-E42",)
    given = (
        r"X=V\Lambda V^*,\ \beta=\max\{\min(\tfrac\omega s,\sqrt2),"
        r"c_{i,m}\min(\tfrac\omega s,\sqrt{2q})\},\ P(B(X,\omega)\cap\mathcal O_\Lambda,\zeta)\ge J"
    )
    claim = {
        "number of points": r"\max\{1,\tfrac{g\beta}\zeta\}^{2im}\le J",
        "separation": r"\zeta\le\|V\phi(P_a)V^*-V\phi(P_b)V^*\|_F\ (a\ne b)",
        "radius": r"\|V\phi(P_a)V^*-X\|_F\le\omega",
    }
    printed = (
        r"$`P(B(X,\omega)\cap\mathcal "
        r"O_\Lambda,\lVert\cdot\rVert_F,\zeta)\le\big(\frac{\min(\omega,\lambda_1\sqrt "
        r"i,\lambda_1\sqrt{d-j+1})\,c\,(\lambda_i-\lambda_j)}{2\lambda_1\zeta C}\big)^{2i(d-j+1)}`$."
    )
    where = {
        "V": "unitary matrix that takes the centre elsewhere on the orbit",
    }
    verdict = Verdict.REPAIRED
    uses = ("MWKTV-T2.7", "MWKTV-E41")
    examples = 25
    note = "packing.md#packing-around-any-point"
    digits = 30

    def cases(self) -> Any:
        return st.sampled_from(COMPLEX)

    def fast(self, *given: Any) -> tuple[AtMost, ...]:
        case = Case(*given)
        v = _turn(len(case.spectrum)) / 5
        stated = np.exp(log_local_packing(case.i, case.m, *reach(case)))
        return spread_out(stated, v @ images(packed(case), case.spectrum) @ v.T, v @ np.diag(case.spectrum) @ v.T, case)

    def oracle(self, *given: Any) -> tuple[AtMost, ...]:
        case = Case(*given)
        v, values = oracle.exact(_turn(len(case.spectrum))) / 5, [mp.mpf(value) for value in case.spectrum]
        separation, radius = case.zeta / (values[case.i - 1] - values[-case.m]), case.omega / (values[0] - values[-1])
        stated = mp.exp(exact.log_local_packing(case.i, case.m, radius, separation))
        points = [v * point * v.T for point in exact_images(packed(case), case.spectrum)]
        return exactly_spread_out(stated, points, v * mp.diag(values) * v.T, case)

    def tight(self) -> list[Any]:
        """One line; and crosses whose images are at the separation, and at the radius."""
        return [RIGHT, NEAREST, FARTHEST]

    def beyond(self) -> dict[str, AtMost]:
        """``J`` for ``diag(1, 0)`` and the separation ``2^-10``, against the number of real lines so far apart."""
        z = mp.mpf(2) ** -10
        return {"complex numbers": AtMost(mp.exp(exact.log_local_packing(1, 1, mp.sqrt(2), z)), real_lines(z))}

    as_printed = OrbitPackingAsPrinted.as_printed
    hypotheses = OrbitPackingAsPrinted.hypotheses
    counterexample = OrbitPackingAsPrinted.counterexample
    certificate = OrbitPackingAsPrinted.certificate
