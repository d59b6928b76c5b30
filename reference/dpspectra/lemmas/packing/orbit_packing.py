"""A ball of the orbit holds ``(g omega / s zeta)^(2im)`` points more than ``zeta`` apart, for every pair ``i < j``.

``g`` is the gap between the eigenvalues ``i`` and ``j``, ``m = d - j + 1``, ``s`` the spread. Map a packing of a ball
of the Grassmannian in ``i + m`` dimensions to the orbit: distances are multiplied by at least ``g`` and at most ``s``.
Over the reals the exponents are halved. Other modules use this bound; the printed forms stand in one of them, with the
same packings.
"""

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
from mpmath import mp
from scipy.special import betainc

from dpspectra.fast import linalg as fast
from dpspectra.fast.packing import ball_measure, log_local_packing
from dpspectra.ledger import AtMost, Parts, Slack, Verdict, statement
from dpspectra.lemmas.packing.grassmann_measure import real_lines
from dpspectra.lemmas.packing.grassmann_packing import exact_witness
from dpspectra.lemmas.packing.images import CASES, FARTHEST, NEAREST, Case, exact_images, images, packed, spread
from dpspectra.oracle import linalg as oracle
from dpspectra.oracle import packing as exact
from dpspectra.strategies import st

ALL = [*CASES, Case((1.0, -3.0), 1, 1, 4.0, 1.5, "complex", 8), Case((1.0, 0.0, 0.0), 1, 2, 8.0, 0.75, "complex", 9)]
"""Orbits and balls, also with a negative value and with a radius above the diameter."""

RIGHT = Case((1.0, 0.0, 0.0), 1, 2, 2.0, 1.4142135623730951, "complex", 0, 2)
"""Lines at distances above the diameter: there is one, and the bound is 1."""

POINT = Case((2.0, 2.0), 1, 1, 1.0, 0.5, "complex", 0)
"""A constant spectrum, whose orbit is a point."""

LARGEST_DIMENSION = {"complex": 5, "real": 3}
"""Largest dimension in which all pairs of places have balls whose measure both faces compute, by field."""


def bound(spectrum: Any, radius: float, separation: float, field: str = "complex") -> float:
    """Lower bound, at least 0, on the logarithm of the packing number of a ball of the orbit of a descending spectrum.

    The radius may exceed the diameter, and both lengths are positive.
    """
    s = spread(spectrum)
    shapes = [log_local_packing(i, m, radius / s, separation / g, field) for i, m, g in pairs_of_places(spectrum)]
    return float(max(shapes, default=0.0))


def pairs_of_places(spectrum: Any) -> list[tuple[int, int, float]]:
    """Number of first places, number of last places and gap of every pair of places with different values."""
    d = len(spectrum)
    pairs = [
        (i, d - j + 1, float(spectrum[i - 1] - spectrum[j - 1])) for i, j in itertools.combinations(range(1, d + 1), 2)
    ]
    return [pair for pair in pairs if pair[-1] > 0]


def exact_bound(spectrum: Any, radius: Any, separation: Any, field: str = "complex") -> Any:
    """`bound` in multiprecision."""
    values, d, best = [mp.mpf(value) for value in spectrum], len(spectrum), mp.mpf(0)
    for i, j in itertools.combinations(range(d), 2):
        if (g := values[i] - values[j]) > 0:
            reach = radius / (values[0] - values[-1])
            best = max(best, exact.log_local_packing(i + 1, d - j, reach, separation / g, field))
    return best


def number(case: Case) -> int:
    """Size of the packing, where a greedy one is found in integers, more than the exact separation apart."""
    if case.axis:
        return len(packed(case))
    values = [Fraction(value) for value in case.spectrum]
    radius = Fraction(case.omega) / (max(values) - min(values))
    separation = Fraction(case.zeta) / (min(values[: case.i]) - max(values[-case.m :]))
    return len(exact_witness(case.i, case.m, float(radius), separation, case.field, case.seed))


def spread_out(stated: Any, points: Any, centre: Any, case: Case) -> tuple[AtMost, ...]:
    """State the number of the points, their smallest distance, and the largest one from the centre."""
    counted = AtMost(stated, len(points), part="number of points")
    if len(points) == 1:
        return (counted,)
    return (
        counted,
        AtMost(case.zeta, fast.least_distance(points), part="separation"),
        *(AtMost(x, case.omega, part="radius") for x in fast.frobenius_norm(points - centre)),
    )


def _real_lines(i: int, m: int, radius: float) -> float:
    """Share of the real lines, or hyperplanes, of ``i + m`` dimensions in a ball."""
    return float(betainc(i * m / 2, 0.5, min(radius**2 / 2, 1.0)))


def exactly_spread_out(stated: Any, points: Any, centre: Any, case: Case) -> tuple[AtMost, ...]:
    """`spread_out` in mpmath, with the number that is found in integers."""
    counted = AtMost(stated, mp.mpf(number(case)), part="number of points")
    if len(points) == 1:
        return (counted,)
    return (
        counted,
        AtMost(mp.mpf(case.zeta), oracle.least_distance(points), part="separation"),
        *(AtMost(oracle.distance(x, centre), mp.mpf(case.omega), part="radius") for x in points),
    )


def _share(i: int, m: int, radius: Fraction, field: str) -> Any:
    """Share of the Grassmannian in a ball."""
    if field == "complex":
        return mp.mpmathify(exact.ball_measure(i, m, radius))
    top = mp.asin(min(mp.mpmathify(radius) / mp.sqrt(2), mp.mpf(1)))
    near, all_lines = (mp.quad(lambda angle: mp.sin(angle) ** (i * m - 1), [0, x]) for x in (top, mp.pi / 2))
    return near / all_lines


@statement
class OrbitPacking:
    labels = ("MWKTV-T2.7R",)
    given = (
        r"\beta=\max\{\min(\tfrac\omega s,\sqrt2),c_{i,m}\min(\tfrac\omega s,\sqrt{2q})\},\ "
        r"K=\max_{i<j}\max\{1,\tfrac{g\beta}\zeta\}^{2im}\ \big(\text{real: }\max_{i<j}\max\{1,"
        r"(\tfrac g\zeta\min(\tfrac\omega s,\sqrt2))^{im}\sqrt{1-\zeta^2/2g^2}\}\big),\ "
        r"P(B(X,\omega)\cap\mathcal O_\Lambda,\zeta)\ge J"
    )
    claim = {
        "number of points": r"K\le J",
        "separation": r"\zeta\le\|\phi(P_a)-\phi(P_b)\|_F\ (a\ne b)",
        "radius": r"\|\phi(P_a)-\Lambda\|_F\le\omega",
        "measures of complex balls": (
            r"\text{complex: }K\le\max\Big\{1,\max_{i<j}\frac{\mu(B(I_i,\omega/s))}{\mu(B(I_i,\zeta/g))}\Big\}"
        ),
        "measures of real balls": (
            r"\text{real: }K\le\max\Big\{1,\max_{i<j}\frac{\mu(B(I_i,\omega/s))}{\mu(B(I_i,\zeta/g))}\Big\}"
        ),
    }
    where = {
        "K": "number of points that are guaranteed",
    }
    verdict = Verdict.NEW
    uses = ("MWKTV-L8.1X", "MWKTV-E34", "MWKTV-E35R", "MWKTV-E41")
    examples = 15
    note = "packing.md#packing-of-an-orbit"
    digits = 30
    slack = {
        "measures of real balls": Slack(
            0.997555, "the density of the chart is constant in the limit of small balls only"
        )
    }

    def cases(self) -> Any:
        return st.sampled_from([*ALL, POINT])

    def fast(self, *given: Any) -> Parts:
        case = Case(*given)
        spectrum, zeta, d, field = case.spectrum, case.zeta, len(case.spectrum), case.field
        stated = np.exp(bound(spectrum, case.omega, zeta, field))
        if spread(spectrum) == 0:  # the orbit is a point
            yield AtMost(stated, 1.0, part="number of points")
            return
        yield from spread_out(stated, images(packed(case), spectrum), np.diag(spectrum), case)
        if d > LARGEST_DIMENSION[field]:
            return
        measure = ball_measure if field == "complex" else _real_lines
        shapes = [
            measure(i, m, case.omega / spread(spectrum)) / measure(i, m, zeta / g)
            for i, m, g in pairs_of_places(spectrum)
        ]
        yield AtMost(stated, max(1.0, *shapes), part=f"measures of {field} balls")

    def oracle(self, *given: Any) -> Parts:
        """Compare with measures for every pair: rational ones; over the reals integrals over the angle of a line."""
        case = Case(*given)
        spectrum, zeta, field = case.spectrum, case.zeta, case.field
        stated = mp.exp(exact_bound(spectrum, case.omega, zeta, field))
        if spectrum[0] == spectrum[-1]:
            yield AtMost(stated, mp.mpf(1), part="number of points")
            return
        centre = mp.diag([mp.mpf(value) for value in spectrum])
        yield from exactly_spread_out(stated, exact_images(packed(case), spectrum), centre, case)
        if len(spectrum) > LARGEST_DIMENSION[field]:
            return
        best, radius = mp.mpf(1), Fraction(case.omega) / (Fraction(spectrum[0]) - Fraction(spectrum[-1]))
        for i, j in itertools.combinations(range(len(spectrum)), 2):
            if g := Fraction(spectrum[i]) - Fraction(spectrum[j]):
                inner, outer = (_share(i + 1, len(spectrum) - j, x, field) for x in (Fraction(zeta) / g, radius))
                best = max(best, outer / inner)
        yield AtMost(stated, best, part=f"measures of {field} balls")

    def tight(self) -> list[Case]:
        """Images at the separation, and at the radius; one line; a pair that is not the best; a point; real lines."""
        choice = Case((2.0, 1.0, 0.0), 1, 1, 1.5, 0.3125, "complex", 3)
        return [NEAREST, FARTHEST, RIGHT, choice, POINT, Case((1.0, 0.0, 0.0), 1, 2, 0.125, 0.0625, "real", 6)]

    def beyond(self) -> dict[str, AtMost]:
        """``diag(1, -15)`` with ``lambda_1`` for the spread; real lines of the plane with the complex exponent."""
        lines = real_lines(mp.mpf(2) ** -10)
        return {
            "spread": AtMost((mp.mpf(16) * 64) ** 2, mp.mpf(129) ** 2),
            "complex numbers": AtMost(mp.exp(exact_bound((1.0, 0.0), 2.0, 2.0**-10)), lines),
        }
