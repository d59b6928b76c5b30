"""A whole orbit holds ``(c_im D g / zeta)^(2im)`` points more than ``zeta`` apart, for every pair of places ``i < j``.

``m = d - j + 1``, ``g`` is the gap between the two values, and ``D = sqrt(2 min(i, m))`` the diameter of the
Grassmannian of ``i``-planes in ``i + m`` dimensions: a ball of radius ``zeta / g`` has at most the share
``(c_im D g / zeta)^(-2im)``, and images of a packing stay apart. For spectra of two values the orbit is a scaled
Grassmannian. The entry for neighbouring places shares the packings.
"""

import itertools
from fractions import Fraction
from typing import Any, NamedTuple

from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.fast.packing import ball_constant, ball_measure
from dpspectra.ledger import AtMost, Parts, Verdict, statement
from dpspectra.lemmas.packing.grassmann_packing import LEAST, cross, diameter, exact_witness, witness
from dpspectra.lemmas.packing.images import exact_images, gap, images
from dpspectra.lemmas.packing.orbit_packing import pairs_of_places
from dpspectra.oracle import linalg as oracle
from dpspectra.oracle import packing as exact
from dpspectra.strategies import st

POINTS = 12
"""Number of points of a packing whose images are compared."""

LARGEST_DIMENSION = 5
"""Largest dimension in which all pairs of places have balls whose measure both faces compute."""


class Case(NamedTuple):
    """Spectrum, numbers of first and of last places, separation on the orbit, seed of a greedy packing.

    Where ``axis`` is not 0 the packing is a cross. ``sides`` are those of a rectangle for the constant.
    """

    spectrum: tuple[float, ...]
    i: int
    m: int
    zeta: float
    seed: int
    axis: int = 0
    sides: tuple[int, int] = (1, 1)


TWO_VALUES = [
    Case((1.0, 0.0), 1, 1, 0.5, 1),
    Case((3.0, 0.0, 0.0), 1, 2, 2.25, 2),
    Case((1.0, 1.0, -1.0), 2, 1, 1.5, 3),
    Case((3.0, 2.0, 2.0, 2.0), 1, 3, 1.0, 4),
    Case((0.0, 0.0, -3.0, -3.0), 2, 2, 3.0, 5),
    Case((1.0, 0.0), 1, 1, 1.375, 6),
    Case((1.0, *[0.0] * 7), 1, 7, 1.25, 7),
    Case((1.0, *[0.0] * 4), 1, 4, 1.25, 10),
]
"""Spectra of two values of either sign, whose orbits are scaled Grassmannians."""

ANY_PAIR = [Case((2.0, 1.0, -1.0), 1, 1, 1.5, 8), Case((3.0, 1.0, 0.0), 1, 1, 2.0, 9)]
"""Spectra with a pair of places that are no neighbours."""

RIGHT = Case((1.0, 0.0, 0.0), 1, 2, 1.4142135623730951, 0, 2, (4096, 4096))
"""Lines at distances above the diameter: there is one, and the bound is 1."""

NEAREST = Case((3.0, 1.0, 0.0), 1, 2, 2 - 2.0**-20, 0, 1)
"""Five lines whose images are hardly farther apart than the separation."""


def packed(case: Case) -> Any:
    """Bases of the packing of a case."""
    i, m, separation = case.i, case.m, case.zeta / gap(case.spectrum, case.i, case.m)
    if case.axis:
        return cross(i, m, case.axis, separation)
    return witness(i, m, diameter(i, m), separation, "complex", case.seed)


def power(i: int, m: int, share: float) -> Any:
    """Lower bound on the packing number of a Grassmannian for the separation ``share``."""
    return (ball_constant(i, m) * diameter(i, m) / share) ** (2 * i * m)


def exact_power(i: int, m: int, share: Any) -> Any:
    """`power` as the inverse of the largest measure of a ball, a ball of the chart."""
    return mp.mpmathify(exact.tableaux(i, m) / (share**2 / 2) ** (i * m))


def apart(case: Case) -> Parts:
    """State that images are apart, where there are two."""
    points = images(packed(case)[:POINTS], case.spectrum)
    if len(points) > 1:
        yield AtMost(case.zeta, fast.least_distance(points), part="separation of images")


def exactly_apart(case: Case) -> Parts:
    """`apart` in mpmath."""
    points = exact_images(packed(case)[:POINTS], case.spectrum)
    if len(points) > 1:
        yield AtMost(mp.mpf(case.zeta), oracle.least_distance(points), part="separation of images")


def number(case: Case) -> Any:
    """Size of the packing, where a greedy one is found in integers, more than the exact separation apart."""
    if case.axis:
        return mp.mpf(len(packed(case)))
    i, m, values = case.i, case.m, [Fraction(value) for value in case.spectrum]
    separation = Fraction(case.zeta) / (min(values[:i]) - max(values[-m:]))
    return mp.mpf(len(exact_witness(i, m, float(mp.sqrt(2 * min(i, m))), separation, "complex", case.seed)))


@statement
class WholeOrbitPacking:
    labels = ("MWKTV-E44",)
    given = r"P(\mathcal O_\Lambda,\zeta)\ge J"
    claim = {
        "universal constant": r"\tfrac{e^{1/4}}2\le c_{i,m}",
        "number of points": r"\max_{i<j}\Big(\frac{c_{i,m}\sqrt{2q}\,g}\zeta\Big)^{2im}\le J",
        "measure of a ball": (
            r"\max_{i<j}\Big(\frac{c_{i,m}\sqrt{2q}\,g}\zeta\Big)^{2im}\le\max_{i<j}\frac1{\mu(B(I_i,\zeta/g))}"
        ),
        "separation of images": r"\zeta\le\|\phi(P_a)-\phi(P_b)\|_F\ (a\ne b)",
    }
    printed = (
        r"$`P(\mathcal O_\Lambda,\lVert\cdot\rVert_F,\zeta)\ge n=\big(\frac{cD_{\lVert\cdot\rVert_F}(\mathcal "
        r"G_{d-j+i+1,i})(\lambda_i-\lambda_j)}\zeta\big)^{2i(d-j+1)}`$."
    )
    verdict = Verdict.VERIFIED
    uses = ("MWKTV-L8.1X", "MWKTV-E15", "MWKTV-T2.7R")
    note = "packing.md#packing-of-the-whole-orbit"
    digits = 30
    examples = 60

    def cases(self) -> Any:
        return st.sampled_from([*TWO_VALUES, *ANY_PAIR])

    def fast(self, *given: Any) -> Parts:
        case = Case(*given)
        shapes = [(i, m, case.zeta / g) for i, m, g in pairs_of_places(case.spectrum)]
        stated = max(power(*shape) for shape in shapes)
        yield AtMost(LEAST, ball_constant(*case.sides), part="universal constant")
        yield AtMost(stated, len(packed(case)), part="number of points")
        yield from apart(case)
        if len(case.spectrum) <= LARGEST_DIMENSION:
            yield AtMost(stated, max(1 / ball_measure(*shape) for shape in shapes), part="measure of a ball")

    def oracle(self, *given: Any) -> Parts:
        """Go through all pairs of places, with rational shares of the gap."""
        case = Case(*given)
        values, d, shapes = [Fraction(v) for v in case.spectrum], len(case.spectrum), []
        for i, j in itertools.combinations(range(d), 2):
            if values[i] > values[j]:
                shapes.append((i + 1, d - j, Fraction(case.zeta) / (values[i] - values[j])))
        stated = max(exact_power(*shape) for shape in shapes)
        yield AtMost(mp.exp(mp.mpf(1) / 4) / 2, exact.ball_constant(*case.sides), part="universal constant")
        yield AtMost(stated, number(case), part="number of points")
        yield from exactly_apart(case)
        if d <= LARGEST_DIMENSION:
            yield AtMost(
                stated, 1 / mp.mpmathify(min(exact.ball_measure(*shape) for shape in shapes)), part="measure of a ball"
            )

    def tight(self) -> list[Any]:
        """One line; images at the separation; and a pair of places that are no neighbours."""
        return [RIGHT, NEAREST, ANY_PAIR[0]]

    def beyond(self) -> dict[str, AtMost]:
        """Nine lines of the real plane are more than 7/16 apart, and no ten: the angles exceed ``pi / 10``."""
        return {"complex numbers": AtMost(exact_power(1, 1, mp.mpf(7) / 16), 9)}
