"""Packing and covering numbers bracket each other: ``P(2 zeta) <= N(zeta) <= P(zeta)``.

A largest packing covers, or it could be enlarged; and no ball of radius ``zeta`` holds two points of a packing at
distance above ``2 zeta``. So the distances in a packing must be *strictly* above the separation. The paper prints both
definitions; with distances equal to the separation allowed, the first inequality fails where two points are exactly a
diameter apart, such as on three points of a line. Different points may be at distance 0, and the radius may be 0.
Centres of balls are points of the space and balls are closed; with open balls the second inequality would need packings
that are not strict.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import packing as fast
from dpspectra.ledger import AtMost, Parts, Real, Verdict, statement
from dpspectra.oracle import packing as oracle
from dpspectra.strategies import st


def _distances(points: Any) -> list[list[int]]:
    return [[sum(abs(x - y) for x, y in zip(a, b, strict=True)) for b in points] for a in points.tolist()]


@statement
class PackingAndCovering:
    labels = ("MWKTV-E4",)
    given = r"P(S,\zeta)=\max\{n:\exists x_1..x_n\in S,\ d(x_a,x_b)>\zeta\ (a\ne b)\}"
    claim = {
        "packing below covering": r"P(S,2\zeta)\le N(S,\zeta)",
        "covering below packing": r"N(S,\zeta)\le P(S,\zeta)",
    }
    printed = (
        r"$`P(S,\lVert\cdot\rVert,2\zeta)\le N(S,\lVert\cdot\rVert,\zeta)\le P(S,\lVert\cdot\rVert,\zeta)`$ "
        r"for all $`\zeta>0`$. A packing is defined with distances of at least $`\zeta`$ in the introduction, "
        r"and above $`\zeta`$ later."
    )
    where = {
        "P(": (
            r"P(S,\zeta)",
            "packing number: the largest number of points of the set at mutual distances above this one",
        ),
        "N": "covering number: how many closed balls of this radius, with centres in the set, cover the set, at least",
        "S": "set in a metric space",
        r"\zeta": "distance, or radius of a ball",
        "n": "number of points",
        "x_i": "the points of the packing",
        "x_1..x_n": "the points of the packing",
        "d(": ("d(x_a,x_b)", "distance of two points"),
    }
    verdict = Verdict.CORNER
    note = "packing.md#packing-and-covering"

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, ...]:
        """Up to seven points of an integer grid, some of them the same, and a radius: a multiple of 1/2, or 0."""
        width, dimension = draw(st.sampled_from([(6, 2), (12, 1), (3, 3)]))
        point = st.tuples(*[st.integers(0, width)] * dimension)
        points = draw(st.lists(point, min_size=1, max_size=7))
        return np.array(points), draw(st.integers(0, 8)) / 2

    def fast(self, points: Any, radius: float) -> Parts:
        distances = np.sum(np.abs(points[:, None] - points[None]), axis=-1)
        covering = fast.covering_number(distances, radius)
        yield AtMost(fast.packing_number(distances, 2 * radius), covering, part="packing below covering")
        yield AtMost(covering, fast.packing_number(distances, radius), part="covering below packing")

    def oracle(self, points: Any, radius: Real) -> Parts:
        distances = _distances(points)
        covering = mp.mpf(oracle.covering_number(distances, radius))
        yield AtMost(mp.mpf(oracle.packing_number(distances, 2 * radius)), covering, part="packing below covering")
        yield AtMost(covering, mp.mpf(oracle.packing_number(distances, radius)), part="covering below packing")

    def tight(self) -> list[Any]:
        """Three points hardly farther apart than a diameter: all numbers are 3; two at the distance of the radius."""
        three = [(np.array([[0], [5], [10]]), radius) for radius in (2.0, 4.5)]
        return [*three, (np.array([[0], [5]]), 5.0)]

    def beyond(self) -> dict[str, AtMost]:
        """Two points at the distance of the radius: open balls, closed ones of less, need two."""
        distances = _distances(np.array([[0], [1]]))
        covering = mp.mpf(oracle.covering_number(distances, mp.mpf(1) / 2))
        return {"closed balls": AtMost(covering, mp.mpf(oracle.packing_number(distances, mp.mpf(1))))}

    def as_printed(self, points: Any, radius: int) -> AtMost:
        """Compare both numbers if distances of at least the separation are allowed: above ``n - 1/2`` for integers."""
        distances = _distances(points)
        packing = oracle.packing_number(distances, mp.mpf(2 * radius) - mp.mpf(1) / 2)
        return AtMost(mp.mpf(packing), mp.mpf(oracle.covering_number(distances, radius)), part="printed form")

    def hypotheses(self, points: Any, radius: int) -> dict[str, AtMost]:
        """Printed for every metric space and radius; two points are exactly a diameter apart."""
        farthest = max(max(row) for row in _distances(points))
        return {
            "the radius is positive": AtMost(1, radius),
            "distances of a packing are at least the separation": AtMost(2 * radius, farthest),
        }

    def counterexample(self) -> Any:
        return (np.array([[-1], [0], [1]]), 1)

    certificate = (
        "in {-1, 0, 1} the ends are at distance 2, and one ball of radius 1 around 0 covers everything",
        ["add", "1", "1"],
        "1",
    )
