"""A ball of the orbit holds ``(g omega / s zeta)^(2im)`` points more than ``zeta`` apart, for every pair ``i < j``.

``g`` is the gap between the eigenvalues ``i`` and ``j``, ``m = d - j + 1``, ``s`` the spread. Map a packing of a ball
of the Grassmannian in ``i + m`` dimensions to the orbit: distances are multiplied by at least ``g`` and at most ``s``.
Printed with ``lambda_1`` for ``s``, for every diagonal matrix: false if eigenvalues are negative, since then the orbit
can be much larger than ``lambda_1``. One display has the inequality reversed. Over the reals the exponents are halved.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.fast.packing import ball_constant, log_local_packing
from dpspectra.ledger import AtMost, Statement, Verdict, inequality
from dpspectra.lemmas.packing.grassmann_packing import WHOLE, diameter, exact_witness, witness
from dpspectra.lemmas.packing.images import CASES, Case, exact_images, gap, images, spread
from dpspectra.oracle import linalg as oracle
from dpspectra.oracle import packing as exact
from dpspectra.strategies.lazy import st

ALL = [*CASES, Case((1.0, -3.0), 1, 1, 4.0, 1.5, "complex", 8), Case((1.0, 0.0, 0.0), 1, 2, 8.0, 0.75, "complex", 9)]
COMPLEX = [case for case in ALL if case.field == "complex"]
LEAST = np.exp(0.25) / 2
"""Lower bound on all ball constants."""

sharp = Statement(
    labels=("MWKTV-T2.7R",),
    claim=r"\log P(B(X,\omega)\cap\mathcal O_\Lambda,\|\cdot\|_F,\zeta)\ge\max_{i<j}2im\log^+\frac{g}\zeta\max\{\min("
    r"\tfrac\omega s,\sqrt2),c_{i,m}\min(\tfrac\omega s,\sqrt{2q})\};\ m=d-j+1,\ q=\min(i,m),\ g=\lambda_i-\lambda_j,"
    r"\ s=\lambda_1-\lambda_d\text{. Real: }im\log^+(\tfrac g\zeta\min(\tfrac\omega s,\sqrt2))+\tfrac12\log(1-"
    r"\tfrac{\zeta^2}{2g^2})",
    verdict=Verdict.NEW,
    cases=lambda: st.sampled_from([*ALL, Case((2.0, 2.0), 1, 1, 1.0, 0.5, "complex", 0)]),
    uses=("MWKTV-L8.1X", "MWKTV-E34", "MWKTV-E35R", "MWKTV-E41"),
    note="packing.md#packing-of-an-orbit",
    digits=30,
)
explicit = Statement(
    labels=("MWKTV-T2.7", "MWKTV-E40"),
    claim=r"\log P(B(X,\omega)\cap\mathcal O_\Lambda,\|\cdot\|_F,\zeta)\ge\max_{i<j}2im\log\frac{e^{1/4}g}{2\zeta}"
    r"\min(\tfrac\omega{\lambda_1-\lambda_d},\sqrt{2q}),\qquad m=d-j+1,\ q=\min(i,m),\ g=\lambda_i-\lambda_j",
    verdict=Verdict.REPAIRED,
    cases=lambda: st.sampled_from(COMPLEX),
    uses=("MWKTV-T2.7R",),
    note="packing.md#packing-of-an-orbit-as-printed",
)
turned = Statement(
    labels=("MWKTV-E42",),
    claim=r"P(B(X,\omega)\cap\mathcal O_\Lambda,\zeta)=P(B(\Lambda,\omega)\cap\mathcal O_\Lambda,\zeta)\ge J\quad"
    r"(\text{printed: }\le J)",
    verdict=Verdict.REPAIRED,
    cases=lambda: st.sampled_from(COMPLEX),
    uses=("MWKTV-T2.7", "MWKTV-E41"),
    note="packing.md#the-inequality-turned-round",
)
whole = Statement(
    labels=("MWKTV-E44",),
    claim=r"\log P(\mathcal O_\Lambda,\|\cdot\|_F,\zeta)\ge\max_{i<j}2im\log\frac{c\sqrt q(\lambda_i-\lambda_j)}\zeta,"
    r"\qquad m=d-j+1,\ q=\min(i,m),\ c=\tfrac{e^{1/4}}{\sqrt2}>0.9079",
    verdict=Verdict.VERIFIED,
    cases=lambda: st.tuples(st.sampled_from(WHOLE), st.sampled_from([1.0, 3.0])),
    uses=("MWKTV-L8.1X", "MWKTV-E43"),
    note="packing.md#packing-of-the-whole-orbit",
)


def bound(spectrum: Any, radius: float, separation: float, field: str = "complex") -> float:
    """Lower bound on the logarithm of the packing number of a ball of the orbit; at least 0.

    ``spectrum`` is real and descending, the radius may exceed the diameter, both lengths are positive.
    """
    s, d, best = spread(spectrum), len(spectrum), 0.0
    for i, j in itertools.combinations(range(1, d + 1), 2):
        m = d - j + 1
        if (g := gap(spectrum, i, m)) > 0:
            best = max(best, float(log_local_packing(i, m, radius / s, separation / g, field)))
    return best


def exact_bound(spectrum: Any, radius: Any, separation: Any, field: str = "complex") -> Any:
    """`bound` in multiprecision."""
    values, d, best = [mp.mpf(value) for value in spectrum], len(spectrum), mp.mpf(0)
    for i, j in itertools.combinations(range(d), 2):
        if (g := values[i] - values[j]) > 0:
            reach = radius / (values[0] - values[-1])
            best = max(best, exact.log_local_packing(i + 1, d - j, reach, separation / g, field))
    return best


def _reach(spectrum: Any, i: int, m: int, omega: Any, zeta: Any) -> tuple[Any, Any]:
    """Radius and separation in the Grassmannian."""
    return omega / spread(spectrum), zeta / gap(spectrum, i, m)


@sharp.fast
def sizes(spectrum: Any, i: int, m: int, omega: float, zeta: float, field: str, seed: int) -> tuple[AtMost, ...]:
    if spread(spectrum) == 0:  # the orbit is a point
        return (AtMost(bound(spectrum, omega, zeta, field), 0.0, part="number of points"),)
    bases = witness(i, m, *_reach(spectrum, i, m, omega, zeta), field, seed)
    points = images(bases, spectrum)
    a, b = np.triu_indices(len(points), 1)
    return (
        AtMost(bound(spectrum, omega, zeta, field), np.log(len(points)), part="number of points"),
        AtMost(zeta, np.min(fast.frobenius_norm(points[a] - points[b])), part="separation"),
        AtMost(np.max(fast.frobenius_norm(points - np.diag(spectrum))), omega, part="radius"),
    )


@sharp.oracle
def exact_sizes(spectrum: Any, i: int, m: int, omega: float, zeta: float, field: str, seed: int) -> tuple[AtMost, ...]:
    if spread(spectrum) == 0:
        return (AtMost(exact_bound(spectrum, omega, zeta, field), mp.mpf(0), part="number of points"),)
    reach = _reach(spectrum, i, m, omega, zeta)
    points = exact_images(witness(i, m, *reach, field, seed), spectrum)
    centre = mp.diag([mp.mpf(value) for value in spectrum])
    return (
        AtMost(
            exact_bound(spectrum, omega, zeta, field),
            mp.log(len(exact_witness(i, m, *reach, field, seed))),
            part="number of points",
        ),
        AtMost(
            mp.mpf(zeta),
            min(oracle.frobenius_norm(x - y) for x, y in itertools.combinations(points, 2)),
            part="separation",
        ),
        AtMost(max(oracle.frobenius_norm(x - centre) for x in points), mp.mpf(omega), part="radius"),
    )


@explicit.fast
@turned.fast
def printed_sizes(spectrum: Any, i: int, m: int, omega: float, zeta: float, field: str, seed: int) -> AtMost:
    radius, separation = _reach(spectrum, i, m, omega, zeta)
    base = LEAST * min(radius, diameter(i, m)) / separation
    return AtMost(
        2 * i * m * np.log(base),
        np.log(len(witness(i, m, radius, separation, field, seed))),
        part="size of the packing",
    )


@explicit.oracle
@turned.oracle
def exact_printed_sizes(spectrum: Any, i: int, m: int, omega: float, zeta: float, field: str, seed: int) -> AtMost:
    values = [mp.mpf(value) for value in spectrum]
    g, s = values[i - 1] - values[-m], values[0] - values[-1]
    base = mp.exp(0.25) / 2 * g / zeta * min(omega / s, mp.sqrt(2 * min(i, m)))
    size = len(exact_witness(i, m, *_reach(spectrum, i, m, omega, zeta), field, seed))
    return AtMost(2 * i * m * mp.log(base), mp.log(size), part="size of the packing")


@explicit.as_printed
def divided_by_the_first_value(depth: float, constant: float, omega: float, zeta: float) -> AtMost:
    """Compare the printed bound for ``diag(1, -depth)`` and the largest number of points on the sphere.

    The base of the power is ``g omega / (2 C lambda_1 zeta)``.
    """
    omega, half = mp.mpf(omega), mp.mpf(zeta) / 2
    return AtMost(
        ((1 + mp.mpf(depth)) * omega / (4 * constant * half)) ** 2, ((omega + half) / half) ** 2, part="printed form"
    )


@explicit.counterexample
def deep_value() -> Any:
    return 15.0, 2.0, 1.0, 2.0**-6


@explicit.certificate
def deep_value_certificate() -> dict[str, Any]:
    printed, most = ["div", ["mul", "16", "64"], "4"], ["add", "128", "1"]
    return inequality(
        "MWKTV-T2.7",
        "diag(1, -15), omega = 1, zeta = 1/64, C = 2: the orbit is a sphere, whose caps have the area of flat discs",
        ["mul", printed, printed],
        ["mul", most, most],
    )


@turned.as_printed
def at_most(sine: float, cosine: float) -> AtMost:
    """Compare ``P`` with ``J`` on the orbit of ``diag(1, 0)``, for ``zeta = omega`` and the best constants: ``J = 1``.

    Two opposite points on the boundary of the ball are ``2 omega cos`` apart.
    """
    omega = mp.sqrt(2) * sine
    return AtMost(mp.mpf(2 if 2 * omega * cosine > omega else 1), mp.mpf(1), part="printed form")


@turned.counterexample
def opposite_points() -> Any:
    return 0.6, 0.8


@turned.certificate
def opposite_points_certificate() -> dict[str, Any]:
    return inequality("MWKTV-E42", "two points are 8/5 of the separation apart, and J = 1", ["add", "1", "1"], "1")


@whole.fast
def whole_sizes(shape: tuple[int, int, float, int], g: float) -> tuple[AtMost, AtMost]:
    i, m, separation, seed = shape
    size, n = len(witness(i, m, diameter(i, m), separation, "complex", seed)), 2 * i * m
    zeta, q = separation * g, min(i, m)
    sharpest = n * np.log(np.sqrt(2.0 * q) * ball_constant(i, m) * g / zeta)
    return (
        AtMost(n * np.log(LEAST * np.sqrt(2.0 * q) * g / zeta), sharpest, part="explicit constant"),
        AtMost(sharpest, np.log(size), part="number of points"),
    )


@whole.oracle
def exact_whole_sizes(shape: tuple[int, int, float, int], g: float) -> tuple[AtMost, AtMost]:
    i, m, separation, seed = shape
    size, n = len(exact_witness(i, m, diameter(i, m), separation, "complex", seed)), 2 * i * m
    zeta, q = mp.mpf(separation) * g, min(i, m)
    sharpest = n * mp.log(mp.sqrt(2 * q) * exact.ball_constant(i, m) * g / zeta)
    return (
        AtMost(n * mp.log(mp.exp(0.25) / mp.sqrt(2) * mp.sqrt(q) * g / zeta), sharpest, part="explicit constant"),
        AtMost(sharpest, mp.log(size), part="number of points"),
    )
