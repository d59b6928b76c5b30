"""Packings of balls of the Grassmannian: how many subspaces, how far apart, how near to the centre.

The subspaces have dimension ``i`` in ``i + m`` dimensions, ``q = min(i, m)``. The printed bounds stop growing with the
radius at ``sqrt(q)``, below the diameter ``sqrt(2 q)``, and so are true; measures of balls prove them, and more. The
second one, which is used for the orbit, has half the denominator that the first one gives: a gap in the proof, closed
by the better constant. Over the reals the exponents are halved. `witness` and `cross` are the packings that other
modules of the chapter, and the lower bounds, map to orbits.
"""

import functools
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from flint import fmpq
from mpmath import mp

from dpspectra.fast import packing as fast
from dpspectra.fast.linalg import frobenius_norm, least_distance
from dpspectra.ledger import AtMost, Parts, Slack, Verdict, statement
from dpspectra.lemmas.packing.grassmann_measure import real_lines
from dpspectra.oracle import packing as oracle
from dpspectra.strategies import st

CANDIDATES = 200
"""Number of random points from which a greedy packing is chosen."""

LEAST = np.exp(0.25) / 2
"""Lower bound on all ball constants, and the largest ratio ``c / C`` for which (36) and (37) are proved."""


class Ball(NamedTuple):
    """Rank, corank, radius and separation of a packing of a ball; field and seed of a greedy one.

    Where ``axis`` is not 0 the packing is the `cross` with that axis, as far as it is one. ``sides`` are a rank, a
    corank and a radius at which the printed base of the power is compared with ours.
    """

    i: int
    m: int
    radius: float
    separation: float
    field: str
    seed: int
    axis: int = 0
    sides: tuple[int, int, float] = (1, 1, 1.0)


BALLS = [
    Ball(1, 1, 1.0, 0.25, "complex", 1),
    Ball(1, 2, 1.0, 0.5, "complex", 2),
    Ball(2, 1, 0.0625, 0.03125, "complex", 3),
    Ball(2, 2, 0.5, 0.375, "complex", 4),
    Ball(2, 2, 1.75, 1.0, "complex", 5),
    Ball(1, 1, 8.0, 0.5, "complex", 6),
    Ball(1, 1, 0.75, 0.0625, "real", 7),
    Ball(1, 3, 1.0, 0.5, "real", 8),
    Ball(2, 2, 0.75, 0.375, "real", 9),
    Ball(1, 1, 1.375, 1.3125, "real", 10),
    Ball(1, 7, 1.0, 0.9375, "complex", 11),
    Ball(4, 4, 1.0, 0.9375, "real", 12),
]
"""Balls whose packings are tried: small ones, large ones, and one larger than the Grassmannian."""


@st.composite
def _instances(draw: st.DrawFn) -> Ball:
    radius = draw(st.sampled_from([1.0, 0.25, 1.375, 1.5, 2.0, 3.0, 8.0]))
    return draw(st.sampled_from(BALLS))._replace(sides=(draw(st.integers(1, 8)), draw(st.integers(1, 8)), radius))


def candidates(i: int, m: int, radius: float, field: str, seed: int) -> Any:
    """Bases of random points of a ball, from which a packing is chosen."""
    return fast.ball_points(i, m, radius, CANDIDATES, field, np.random.default_rng(seed))


def witness(i: int, m: int, radius: float, separation: float, field: str, seed: int) -> Any:
    """Bases of a packing of a ball, chosen greedily from random points: none of the points tried can be added.

    Its size is at most the packing number; whether it reaches a lower bound depends on the points.
    """
    bases = candidates(i, m, radius, field, seed)
    return bases[fast.greedy_packing(fast.projectors(bases), separation)]


def cross(i: int, m: int, axis: int, separation: float) -> Any:
    """Bases of the first axes, and with the first of them turned by half a right angle towards another in four ways.

    The projectors of these four are at distance 1 from the first one, and each of them at distance 1 from two of the
    others. What is not more than the separation from an earlier one is left out.
    """
    bases = np.tile(np.eye(i + m, i, dtype=complex), (5, 1, 1))
    bases[1:, axis, 0] = [1, 1j, -1, -1j]
    return bases[fast.greedy_packing(fast.projectors(bases), separation)]


@functools.cache
def exact_witness(
    i: int, m: int, radius: float, separation: float | Fraction, field: str, seed: int
) -> list[oracle.Subspace]:
    """`witness` with every comparison in integers."""
    spaces = [oracle.subspace(basis) for basis in candidates(i, m, radius, field, seed)]
    square = fmpq(*Fraction(separation).as_integer_ratio()) ** 2
    return [spaces[a] for a in oracle.greedy_packing(spaces, lambda p, q: oracle.square_distance(p, q) > square)]


def diameter(i: int, m: int) -> float:
    """Largest distance of two projectors of rank ``i`` in ``i + m`` dimensions."""
    return float(np.sqrt(2.0 * min(i, m)))


def _packed(ball: Ball) -> tuple[AtMost, ...]:
    """State the number of points, their distances from each other and from the centre, which is the first of them."""
    i, m, radius, separation, field, seed, axis, _ = ball
    p = fast.projectors(cross(i, m, axis, separation) if axis else witness(i, m, radius, separation, field, seed))
    number = AtMost(np.exp(fast.log_local_packing(i, m, radius, separation, field)), len(p), part="number of points")
    if len(p) == 1:
        return (number,)
    return (
        number,
        AtMost(separation, least_distance(p), part="separation"),
        AtMost(np.max(frobenius_norm(p - p[0])), radius, part="radius"),
    )


def _exactly_packed(ball: Ball) -> tuple[AtMost, ...]:
    """`_packed` with squared distances that are not rounded."""
    i, m, radius, separation, field, seed, axis, _ = ball
    if axis:
        spaces = [oracle.subspace(basis) for basis in cross(i, m, axis, separation)]
    else:
        spaces = exact_witness(i, m, radius, separation, field, seed)
    bound = mp.exp(oracle.log_local_packing(i, m, radius, separation, field))
    number = AtMost(bound, mp.mpf(len(spaces)), part="number of points")
    if len(spaces) == 1:
        return (number,)
    squares = [[oracle.square_distance(p, q) for q in spaces[:a]] for a, p in enumerate(spaces)]
    least, most = min(min(row) for row in squares[1:]), max(row[0] for row in squares[1:])
    return (
        number,
        AtMost(mp.mpf(separation), mp.sqrt(mp.mpf(int(least.p)) / int(least.q)), part="separation"),
        AtMost(mp.sqrt(mp.mpf(int(most.p)) / int(most.q)), mp.mpf(radius), part="radius"),
    )


def _base(i: int, m: int, radius: float) -> Any:
    """Base of the power in our bound, times the separation."""
    return max(min(radius, np.sqrt(2.0)), fast.ball_constant(i, m) * min(radius, diameter(i, m)))


def _exact_base(i: int, m: int, radius: Any) -> Any:
    """`_base` with the constant counted box by box, or by hook lengths."""
    return max(mp.mpf(min(radius, mp.sqrt(2))), oracle.ball_constant(i, m) * min(radius, mp.sqrt(2 * min(i, m))))


@statement
class GrassmannPackingLocal:
    labels = ("MWKTV-E32",)
    given = (
        r"\beta=\max\{\min(\omega,\sqrt2),c_{i,m}\min(\omega,\sqrt{2q})\},\ \tfrac c{2C}<\tfrac12,\ "
        r"P(B(I_i,\omega)\cap\mathcal P,\zeta)\ge J"
    )
    claim = {
        "printed base": r"\tfrac12\min(\omega,\sqrt i,\sqrt m)\le\beta",
        "number of points": (
            r"\text{complex: }\max\{1,\tfrac\beta\zeta\}^{2im}\le J,\ "
            r"\text{real: }\max\{1,(\tfrac{\min(\omega,\sqrt2)}\zeta)^{im}\sqrt{1-\zeta^2/2}\}\le J"
        ),
        "separation": r"\zeta\le\|P_a-P_b\|_F\ (a\ne b)",
        "radius": r"\|P_a-I_i\|_F\le\omega",
    }
    printed = (
        r"The packing number of a ball of radius $`\omega`$ of the Grassmannian is "
        r"$`\ge\big(\frac{\min(\omega,\sqrt k,\sqrt{d-k})c}{2\zeta C}\big)^{2k(d-k)}`$."
    )
    where = {
        "c": "constant of the packing in print, any number below $`C`$",
        "C": "constant of the covering in print",
    }
    verdict = Verdict.VERIFIED
    uses = ("MWKTV-L8.1X",)
    note = "packing.md#packing-of-a-ball-of-the-grassmannian"
    examples = 25
    slack = {
        "printed base": Slack(0.7788, "measures of balls need no factor 2, and their constant is above 1/2 always"),
    }
    cases = staticmethod(_instances)

    def fast(self, *ball: Any) -> Parts:
        i, m, radius = ball[-1]
        yield AtMost(min(radius, np.sqrt(min(i, m))) / 2, _base(i, m, radius), part="printed base")
        yield from _packed(Ball(*ball))

    def oracle(self, *ball: Any) -> Parts:
        i, m, radius = ball[-1]
        printed = mp.mpf(min(radius, mp.sqrt(i), mp.sqrt(m))) / 2
        yield AtMost(printed, _exact_base(i, m, radius), part="printed base")
        yield from _exactly_packed(Ball(*ball))

    def tight(self) -> list[Ball]:
        """One line; and the cross, beside large squares at the radii where the printed bases stop growing."""
        return [
            Ball(1, 2, 2.0, 1.4142135623730951, "complex", 0, 2, (4096, 4096, 64.0)),
            Ball(1, 2, 1.0, 1 - 2.0**-21, "complex", 0, 2, (4096, 4096, 32.0)),
        ]

    def beyond(self) -> dict[str, AtMost]:
        """Lines of the complex plane at distances above 1 for ``c = 1/2``, ``C = 2``: no packing has more than 8."""
        most = (2 * mp.sqrt(2)) ** 2
        return {"no radius above the square root of the smaller side": AtMost((mp.mpf(32) / 8) ** 2, most)}


@statement
class GrassmannPackingMoved:
    labels = ("MWKTV-E36", "MWKTV-E37")
    given = (
        r"\beta=\max\{\min(R,\sqrt2),c_{i,m}\min(R,\sqrt{2q})\},\ R=\tfrac\omega{2\lambda_1},\ "
        r"z=\tfrac\zeta{\lambda_i-\lambda_j},\ \tfrac cC\le\tfrac{e^{1/4}}2"
    )
    claim = {
        "printed base": r"\tfrac{e^{1/4}}2\min(R,\tfrac{\sqrt i}2,\tfrac{\sqrt m}2)\le\beta",
        "number of points": (
            r"\text{complex: }\max\{1,\tfrac\beta z\}^{2im}\le J,\ "
            r"\text{real: }\max\{1,(\tfrac{\min(R,\sqrt2)}z)^{im}\sqrt{1-z^2/2}\}\le J"
        ),
        "separation": r"z\le\|P_a-P_b\|_F\ (a\ne b)",
        "radius": r"\|P_a-I_i\|_F\le R",
    }
    printed = {
        "MWKTV-E36": (
            r"There are $`J`$ points with $`\lVert M_s-M_t\rVert_F>\frac\zeta{\lambda_i-\lambda_j}`$ for all "
            r"$`s,t\in[J]`$."
        ),
        "MWKTV-E37": r"$`\lVert M_s-I_k\rVert_F<\frac\omega{2\lambda_1}`$ for all $`s\in[J]`$.",
    }
    where = {
        "z": "distance above which the projectors are from one another",
        "R": "radius of the ball of projectors",
        "c": "constant of the packing in print",
        "C": "constant of the covering in print",
    }
    verdict = Verdict.PROOF_GAP
    uses = ("MWKTV-L8.1X",)
    note = "packing.md#points-for-the-orbit"
    examples = 30
    cases = staticmethod(_instances)

    def fast(self, *ball: Any) -> Parts:
        i, m, radius = ball[-1]
        yield AtMost(LEAST * min(radius, np.sqrt(min(i, m)) / 2), _base(i, m, radius), part="printed base")
        yield from _packed(Ball(*ball))

    def oracle(self, *ball: Any) -> Parts:
        i, m, radius = ball[-1]
        printed = mp.exp(mp.mpf(1) / 4) / 2 * min(radius, mp.sqrt(i) / 2, mp.sqrt(m) / 2)
        yield AtMost(printed, _exact_base(i, m, radius), part="printed base")
        yield from _exactly_packed(Ball(*ball))

    tight = GrassmannPackingLocal.tight

    def beyond(self) -> dict[str, AtMost]:
        """Lines of the real plane more than ``2^-10`` apart, by their angles, against the power with exponent 2."""
        number = real_lines(mp.mpf(2) ** -10)
        return {"complex numbers": AtMost((mp.exp(mp.mpf(1) / 4) / 2 * mp.mpf(2) ** 9) ** 2, number)}
