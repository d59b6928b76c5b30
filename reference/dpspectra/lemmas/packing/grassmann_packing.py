"""Packings of the Grassmannian and its balls: the exponent is the real dimension ``2 i m``.

Here ``m = d - i``. The number of points more than ``zeta`` apart is between ``(c D / zeta)^(2im)`` and
``(2 D / zeta)^(2im)``, ``D = sqrt(2 min(i, m))`` the diameter in Frobenius norm: the lower bound holds because a
maximal packing covers, the upper one because balls of half the radius are disjoint. Printed once with ``d`` for ``m``,
which fails for small ``zeta``, and once for a ball of any radius, which fails beyond the diameter. Over the reals the
exponents are halved.
"""

from __future__ import annotations

import functools
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from mpmath import mp

from dpspectra.fast import packing as fast
from dpspectra.ledger import AtMost, Statement, Verdict, inequality
from dpspectra.oracle import packing as oracle
from dpspectra.strategies.lazy import st

WHOLE = [
    (1, 1, 0.5, 1),
    (1, 2, 0.75, 2),
    (2, 1, 0.75, 3),
    (1, 3, 1.0, 4),
    (2, 2, 1.0, 5),
    (1, 1, 1.375, 6),
    (1, 7, 1.25, 7),
]
"""Rank, corank, separation and seed of greedy packings of whole complex Grassmannians."""


class Ball(NamedTuple):
    """Rank, corank, radius, separation, field and seed of a greedy packing of a ball."""

    i: int
    m: int
    radius: float
    separation: float
    field: str
    seed: int


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

CANDIDATES = 200
"""Number of random points from which a greedy packing is chosen."""

whole = Statement(
    labels=("MWKTV-E14",),
    claim=r"(c_{i,m}D/\zeta)^{2im}\le N(\mathcal P_{d,i},\zeta)\le P(\mathcal P_{d,i},\zeta)\le(2D/\zeta)^{2im},\qquad"
    r"m=d-i,\ D=\sqrt{2\min(i,m)}\ge\zeta,\ c_{i,m}>\tfrac{e^{1/4}}2",
    verdict=Verdict.REPAIRED,
    cases=lambda: st.sampled_from(WHOLE),
    uses=("MWKTV-L8.1X",),
    note="packing.md#packing-of-the-grassmannian",
)
local = Statement(
    labels=("MWKTV-E32", "MWKTV-E36", "MWKTV-E37"),
    claim=r"\exists P_1,\dots,P_J:\ \|P_a-P_b\|_F>z\ (a\ne b),\ \|P_a-I_i\|_F\le R,\quad J\ge\max\{\tfrac{\min(R,"
    r"\sqrt2)}z,\tfrac{c_{i,m}\min(R,\sqrt{2q})}z\}^{2im}\qquad\big(R=\tfrac\omega{s_\Lambda},\ z=\tfrac\zeta g\big)",
    verdict=Verdict.REPAIRED,
    cases=lambda: st.sampled_from(BALLS),
    uses=("MWKTV-L8.1X",),
    note="packing.md#packing-of-a-ball-of-the-grassmannian",
)


def witness(i: int, m: int, radius: float, separation: float, field: str, seed: int) -> Any:
    """Bases of a packing of a ball, chosen greedily from random points; its size is at most the packing number.

    None of the points tried can be added. It is always a packing; whether it is large enough to reach a lower bound
    depends on the points.
    """
    bases = fast.ball_points(i, m, radius, CANDIDATES, field, np.random.default_rng(seed))
    return bases[fast.greedy_packing(fast.projectors(bases), separation)]


def cross(i: int, m: int, axis: int) -> Any:
    """Bases of the first axes, with the first of them turned by half a right angle towards another one in four ways.

    The first is not turned. The projectors of the other four are at distance 1 from its projector, and each of them
    at distance 1 from two of the others.
    """
    bases = np.tile(np.eye(i + m, i, dtype=complex), (5, 1, 1))
    bases[1:, axis, 0] = [1, 1j, -1, -1j]
    return bases


@functools.cache
def exact_witness(i: int, m: int, radius: float, separation: float, field: str, seed: int) -> list[oracle.Subspace]:
    """`witness` with every comparison in integers."""
    bases = fast.ball_points(i, m, radius, CANDIDATES, field, np.random.default_rng(seed))
    spaces, square = [oracle.subspace(basis) for basis in bases], Fraction(separation) ** 2
    return [spaces[a] for a in oracle.greedy_packing(spaces, lambda p, q: oracle.square_distance(p, q) > square)]


def diameter(i: int, m: int) -> float:
    """Largest distance of two projectors of rank ``i`` in ``i + m`` dimensions."""
    return float(np.sqrt(2.0 * min(i, m)))


@whole.fast
def entropy(i: int, m: int, separation: float, seed: int) -> tuple[AtMost, AtMost]:
    n, size = 2 * i * m, np.log(len(witness(i, m, diameter(i, m), separation, "complex", seed)))
    low = n * np.log(fast.ball_constant(i, m) * diameter(i, m) / separation)
    return (
        AtMost(low, size, part="lower bound"),
        AtMost(size, n * np.log(2 * diameter(i, m) / separation), part="upper bound"),
    )


@whole.oracle
def exact_entropy(i: int, m: int, separation: float, seed: int) -> tuple[AtMost, AtMost]:
    n, size = 2 * i * m, mp.log(len(exact_witness(i, m, diameter(i, m), separation, "complex", seed)))
    across = mp.sqrt(2 * min(i, m)) / separation
    return (
        AtMost(n * mp.log(oracle.ball_constant(i, m) * across), size, part="lower bound"),
        AtMost(size, n * mp.log(2 * across), part="upper bound"),
    )


@whole.as_printed
def with_the_whole_dimension(i: int, m: int, c: float, separation: float) -> AtMost:
    """Compare the printed lower bound, with constant ``c``, and the upper bound."""
    across, n = mp.sqrt(2 * min(i, m)) / separation, 2 * i * m
    return AtMost((c * across) ** (2 * i * (i + m)), (2 * across) ** n, part="printed form")


@whole.counterexample
def fine_lines() -> Any:
    """``c = 1/2`` and separation 1/8; any ``c`` fails at separations below ``c^2 / sqrt(2)``."""
    return 1, 1, 0.5, 0.125


@whole.certificate
def fine_lines_certificate() -> dict[str, Any]:
    across = ["mul", "8", ["sqrt", "2"]]
    half, double = ["mul", "1/2", across], ["mul", "2", across]
    return inequality(
        "MWKTV-E14",
        "lines of C^2, c = 1/2, zeta = 1/8: half of D / zeta to the power 2 d i = 4 against twice it to the power 2",
        ["mul", half, half, half, half],
        ["mul", double, double],
    )


@local.fast
def packing(i: int, m: int, radius: float, separation: float, field: str, seed: int) -> tuple[AtMost, ...]:
    p = fast.projectors(witness(i, m, radius, separation, field, seed))
    apart = np.sqrt(np.sum(np.abs(p[:, None] - p) ** 2, axis=(-2, -1)))
    return (
        AtMost(fast.log_local_packing(i, m, radius, separation, field), np.log(len(p)), part="number of points"),
        AtMost(separation, np.min(apart[~np.eye(len(p), dtype=bool)]), part="separation"),
        AtMost(np.max(apart[0]), radius, part="radius"),
    )


@local.oracle
def exact_packing(i: int, m: int, radius: float, separation: float, field: str, seed: int) -> tuple[AtMost, ...]:
    spaces = exact_witness(i, m, radius, separation, field, seed)
    squares = [[oracle.square_distance(p, q) for q in spaces[:a]] for a, p in enumerate(spaces)]
    least, most = min(min(row) for row in squares[1:]), max(row[0] for row in squares[1:])
    return (
        AtMost(oracle.log_local_packing(i, m, radius, separation, field), mp.log(len(spaces)), part="number of points"),
        AtMost(mp.mpf(separation), mp.sqrt(mp.mpf(least.numerator) / least.denominator), part="separation"),
        AtMost(mp.sqrt(mp.mpf(most.numerator) / most.denominator), mp.mpf(radius), part="radius"),
    )


@local.as_printed
def without_a_largest_radius(i: int, m: int, ratio: float, radius: float, separation: float) -> AtMost:
    """Compare the printed bound, with ``c / 2C = ratio``, and the upper bound for the whole Grassmannian."""
    across = mp.sqrt(2 * min(i, m))
    return AtMost(
        (ratio * mp.mpf(radius) / separation) ** (2 * i * m),
        (2 * across / separation) ** (2 * i * m),
        part="printed form",
    )


@local.counterexample
def beyond_the_diameter() -> Any:
    """``c = 1/2``, ``C = 2``; every other pair of constants fails at a larger radius."""
    return 1, 1, 0.125, 32.0, 1.0


@local.certificate
def beyond_the_diameter_certificate() -> dict[str, Any]:
    return inequality(
        "MWKTV-E32",
        "lines of C^2, c / 2C = 1/8, radius 32, separation 1: 4^2 points in a set that holds at most (2 sqrt(2))^2",
        ["mul", ["mul", "1/8", "32"], ["mul", "1/8", "32"]],
        ["mul", "2", ["sqrt", "2"], "2", ["sqrt", "2"]],
    )
