"""A ball of an orbit has a packing of size ``P(orbit, r) / N(orbit, delta)``, wherever its centre lies.

``N`` balls of radius ``delta`` cover the orbit, so one of them holds at least the share ``1 / N`` of a largest packing;
and isometries carry every ball of the orbit to every other one of the same radius. Without a group that acts
transitively on the centres, this holds for some ball, but not for each. The equality of packing numbers is printed
twice: for balls of the orbit, and for balls of the whole space, which translations carry to each other.
"""

import itertools
from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import packing as fast
from dpspectra.ledger import AtMost, Equal, Verdict, statement
from dpspectra.oracle import packing as oracle
from dpspectra.strategies import st

CUBE = np.array([[(a ^ b).bit_count() for b in range(8)] for a in range(8)])
"""Distances of the corners of a cube along its edges."""


def _circle(n: int) -> Any:
    """Distances of ``n`` points around a circle."""
    steps = np.arange(n)
    return np.minimum(steps, n - steps)[np.abs(steps[:, None] - steps)]


def _on_a_line(points: list[int]) -> Any:
    """Distances of points of a line."""
    return np.abs(np.subtract.outer(points, points))


@st.composite
def _instances(draw: st.DrawFn) -> tuple[Any, ...]:
    """Distances in a finite orbit, a centre besides the first point, a radius, and a separation that may exceed it."""
    kind = draw(st.sampled_from(["spectrum", "cycle", "cube"]))
    if kind == "cycle":
        distances = _circle(draw(st.integers(2, 8)))
    elif kind == "cube":
        distances = CUBE
    else:  # diagonal matrices that permute a spectrum: an orbit inside the orbit
        spectrum = draw(st.sampled_from([(2, 1, 0), (1, 1, 0), (4, 1, 0), (3, 3, 1), (1, 1, 0, 0), (3, 0, 0, 0, 0)]))
        orbit = np.array(sorted(set(itertools.permutations(spectrum))))
        distances = np.sqrt(np.sum((orbit[:, None] - orbit[None]) ** 2, axis=-1))
    radius = draw(st.integers(2, 10)) / 2 + 0.125
    return distances, draw(st.integers(0, len(distances) - 1)), radius, draw(st.integers(1, 18)) / 8 * radius


def _ball(distances: Any, centre: int, radius: float) -> Any:
    inside = distances[centre] <= radius
    return distances[np.ix_(inside, inside)]


def _exact_ball(distances: Any, centre: int, radius: float) -> list[list[Any]]:
    rows = distances.tolist()
    members = [point for point, distance in enumerate(rows[centre]) if distance <= radius]
    return [[rows[a][b] for b in members] for a in members]


@statement
class InvariantBallAnywhere:
    labels = ("MWKTV-E41", "MWKTV-E30")
    given = r"X,Y\in\mathcal O"
    claim = {
        "packings around two centres": r"P(B(X,\omega)\cap\mathcal O,\zeta)=P(B(Y,\omega)\cap\mathcal O,\zeta)",
    }
    printed = {
        "MWKTV-E41": (
            r"$`P(B(\Lambda,\omega)\cap\mathcal "
            r"O_\Lambda,\lVert\cdot\rVert_F,\zeta)=P(B(X,\omega)\cap\mathcal "
            r"O_\Lambda,\lVert\cdot\rVert,\zeta)`$ for all $`X\in\mathcal O_\Lambda`$."
        ),
        "MWKTV-E30": (
            r"$`P(B(M,\lVert\cdot\rVert,\delta),\lVert\cdot\rVert,r)=P(B(M',\lVert\cdot\rVert,\delta),\lVert"
            r"\cdot\rVert,r)`$."
        ),
    }
    where = {
        r"\mathcal O": "orbit, or any set on which a group acts transitively by isometries",
        "Y": "another point of the orbit",
    }
    verdict = Verdict.VERIFIED
    exact = ("packings around two centres",)
    note = "packing.md#every-centre-is-alike"
    cases = staticmethod(_instances)

    def fast(self, distances: Any, centre: int, radius: float, separation: float) -> Equal:
        sizes = [fast.packing_number(_ball(distances, place, radius), separation) for place in (0, centre)]
        return Equal(sizes[0], sizes[1], part="packings around two centres")

    def oracle(self, distances: Any, centre: int, radius: float, separation: float) -> Equal:
        sizes = [mp.mpf(oracle.packing_number(_exact_ball(distances, x, radius), separation)) for x in (0, centre)]
        return Equal(sizes[0], sizes[1], part="packings around two centres")

    def tight(self) -> list[Any]:
        """Two opposite points of a circle of six, and of the cube: balls of one step hold three and four points."""
        return [(_circle(6), 3, 1.125, 0.5), (CUBE, 7, 1.125, 1.5)]

    def beyond(self) -> dict[str, Equal]:
        """Three points of a line: no isometry carries the end to the middle, whose ball is larger."""
        return {"transitive group of isometries": self.oracle(_on_a_line([0, 1, 2]), 1, 1.125, 0.5)}


@statement
class InvariantBallShare:
    labels = ("MWKTV-L8.4",)
    claim = {
        "packing of a ball": r"\frac{P(\mathcal O,r)}{N(\mathcal O,\delta)}\le P(B(M,\delta)\cap\mathcal O,r)",
    }
    printed = (
        r"Displays (30), (31): $`P(B(M,\lVert\cdot\rVert,\delta),\lVert\cdot\rVert,r)\ge\frac{P(\mathcal "
        r"O_\Lambda,\lVert\cdot\rVert,r)}{N(\mathcal O_\Lambda,\lVert\cdot\rVert,\delta)}`$."
    )
    where = {
        "M": "any point of the set",
        r"\delta": "radius of the ball",
        r"\mathcal O": "set on which a group acts transitively by isometries, such as an orbit",
        "r": "distance above which the points are from one another",
        "N": "covering number: how many closed balls of this radius, with centres in the set, cover the set, at least",
        "B(": (r"B(M,\delta)", "closed ball of this centre and radius"),
    }
    verdict = Verdict.VERIFIED
    uses = ("MWKTV-E41",)
    note = "packing.md#packing-of-a-ball"
    cases = staticmethod(_instances)

    def fast(self, distances: Any, centre: int, radius: float, separation: float) -> AtMost:
        covering = fast.covering_number(distances, radius)
        local = fast.packing_number(_ball(distances, centre, radius), separation)
        return AtMost(fast.packing_number(distances, separation) / covering, local, part="packing of a ball")

    def oracle(self, distances: Any, centre: int, radius: float, separation: float) -> AtMost:
        local = oracle.packing_number(_exact_ball(distances, centre, radius), separation)
        exact = distances.tolist()
        whole = mp.mpf(oracle.packing_number(exact, separation))
        return AtMost(whole / oracle.covering_number(exact, radius), mp.mpf(local), part="packing of a ball")

    def tight(self) -> list[Any]:
        """Six points on a circle: balls of one step hold three points, two of them cover, and all points are apart."""
        return [(_circle(6), 0, 1.125, 0.5)]

    def beyond(self) -> dict[str, AtMost]:
        """A point far from three others on a line: two balls cover four points, and its own ball holds one."""
        return {"transitive group of isometries": self.oracle(_on_a_line([0, 10, 11, 12]), 0, 1.125, 0.5)}
