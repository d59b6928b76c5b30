"""Whatever an ``epsilon``-private mechanism releases, on some matrix of the orbit it errs by ``rho`` half of the time.

Take two indices ``i < j`` of eigenvalues with gap ``g``; ``m = d - j + 1``, ``q = min(i, m)``, ``N = i m``, spread
``s``. A ball of the Grassmannian holds more than ``3^N`` projectors at pairwise distances above half its radius; their
images are ``2 rho`` apart, within ``omega`` of ``Lambda``, and differ from it by matrices of rank at most ``2 q``. So
short paths of neighbours lead to them, and counting applies. That needs ``epsilon < N log 3 / 2q``; for larger
``epsilon`` a private net can be better. The spectrum must be non-negative, since the matrices on the paths come from
data; the output may be any matrix.
"""

from __future__ import annotations

import functools
import itertools
from typing import Any, NamedTuple

import numpy as np
from mpmath import mp
from scipy.special import gammainccinv

from dpspectra.fast import linalg as fast
from dpspectra.fast.packing import ball_constant
from dpspectra.ledger import AtMost, Statement, Verdict
from dpspectra.lemmas.lower_bounds.neighbour_path import shorter
from dpspectra.lemmas.orbit.gap_domination import shape
from dpspectra.lemmas.packing.grassmann_packing import exact_witness, witness
from dpspectra.lemmas.packing.images import exact_images, images
from dpspectra.oracle import linalg as oracle
from dpspectra.oracle import packing as exact_packing
from dpspectra.oracle import paths as exact_paths
from dpspectra.relations import Relation
from dpspectra.strategies import dimensions, epsilons, fields, spectra
from dpspectra.strategies.lazy import st


class Packing(NamedTuple):
    """Packing for the first ``i`` and the last ``m`` eigenvalues, drawn with ``seed``."""

    i: int
    m: int
    seed: int


class Case(NamedTuple):
    """Non-negative spectrum, ``epsilon``, field, and the packing with which the proof is carried out, if it is."""

    spectrum: Any
    epsilon: float
    field: str
    packing: Packing | None = None


PACKED = [
    Case((1.0, 0.0), 0.25, "complex", Packing(1, 1, 1)),
    Case((6.0, 1.0), 0.125, "complex", Packing(1, 1, 2)),
    Case((3.0, 0.0, 0.0), 0.5, "complex", Packing(1, 2, 3)),
    Case((4.0, 3.0, 0.0), 0.25, "complex", Packing(2, 1, 4)),
    Case((8.0, 2.0, 2.0, 0.0), 0.375, "complex", Packing(1, 3, 5)),
    Case((5.0, 0.0), 0.125, "real", Packing(1, 1, 6)),
    Case((2.0, 2.0, 0.0), 0.5, "real", Packing(2, 1, 7)),
    Case((9.0, 8.0, 1.0, 0.0), 0.375, "complex", Packing(2, 2, 8)),
    Case((9.0, *[0.0] * 7), 0.5, "complex", Packing(1, 7, 9)),
]
"""Cases for which the proof is carried out."""

REACHED = 3
"""Largest ``N`` for which greedy packings have more than ``3^N`` points."""

POINTS = 20
"""Number of points of a packing whose distances and paths are computed."""


@st.composite
def _instances(draw: st.DrawFn) -> Case:
    """Cases without a packing; some ``epsilon`` are at the edges of validity."""
    d = draw(dimensions(2))
    edge = np.log(3.0) / 4 * -(-d // 2)
    return Case(draw(spectra(d)), draw(epsilons(2.0**-6, 4.0) | st.sampled_from([edge, 2 * edge])), draw(fields()))


lemma = Statement(
    labels=("MWKTV-T2.4R",),
    claim=r"\exists M\in\mathcal O_\Lambda:\Pr[\|M-\mathcal A(M)\|_F^2>\rho^2]\ge\tfrac12,\ \rho^2=\frac{g^2}{16}\max\{"
    r"\min(\tfrac{\omega^2}{s^2},2),c_{i,m}^2\min(\tfrac{\omega^2}{s^2},2q)\},\ \omega^2=\max\{b,"
    r"\tfrac{(b+2q-2)^2}{2q}\},\ b=\frac{N\log3}\varepsilon-2q>0;\ \ \rho^2\ge c_0\frac{d\,i\,(\lambda_i-"
    r"\lambda_{d-i+1})^2}{\max(\lambda_1^2\varepsilon,d)}\text{ if }\varepsilon\le\tfrac{\log3}4\lceil\tfrac d2\rceil,"
    r"\ c_0=\tfrac{\sqrt e\log3}{1024};"
    r"\quad\text{real: }\rho^2=\tfrac{g^2}{64}\min(\tfrac{\omega^2}{s^2},2)",
    verdict=Verdict.NEW,
    relation=(Relation.REPLACE, Relation.ADD_REMOVE),
    cases=lambda: st.sampled_from(PACKED) | _instances(),
    uses=("MWKTV-COUNT", "MWKTV-PATH", "MWKTV-M33", "MWKTV-L8.1X", "MWKTV-E34", "MWKTV-E35R"),
    note="lower_bounds.md#explicit-lower-bound",
    examples=80,
)

SHARE = np.sqrt(np.e) * np.log(3) / 1024
"""Constant ``c_0`` of the simpler form."""


def radius(i: int, m: int, epsilon: float) -> float:
    """Distance ``omega`` on the orbit within which paths are short enough; 0 if ``epsilon`` is too large."""
    rank, steps = 2 * min(i, m), i * m * np.log(3.0) / epsilon
    return float(np.sqrt(max(steps - rank, (steps - 2) ** 2 / rank))) if steps > rank else 0.0


def pair_bound(spectrum: Any, i: int, m: int, epsilon: float, field: str = "complex") -> float:
    """Squared error ``rho^2`` from the first ``i`` and the last ``m`` values of a descending spectrum.

    It is 0 where the argument gives nothing.
    """
    spread, gap = spectrum[0] - spectrum[-1], spectrum[i - 1] - spectrum[-m]
    if gap <= 0:
        return 0.0
    square = (radius(i, m, epsilon) / spread) ** 2
    if field == "real":
        return float(gap**2 / 64 * min(square, 2.0))
    return float(gap**2 / 16 * max(min(square, 2.0), ball_constant(i, m) ** 2 * min(square, 2.0 * min(i, m))))


def bound(spectrum: Any, epsilon: float, field: str = "complex") -> float:
    """A squared Frobenius error exceeded with probability 1/2 or more on some matrix of the orbit.

    ``spectrum`` is descending and non-negative; the mechanism is ``epsilon``-DP if one row is replaced, added or
    removed.
    """
    pairs = itertools.combinations(range(1, len(spectrum) + 1), 2)
    return max((pair_bound(spectrum, i, len(spectrum) - j + 1, epsilon, field) for i, j in pairs), default=0.0)


def shaped(spectrum: Any, epsilon: float) -> float:
    """The simpler form ``c_0 d i G_i^2 / max(lambda_1^2 epsilon, d)``, largest over ``i <= d / 2``."""
    d = len(spectrum)
    most = max(i * (spectrum[i - 1] - spectrum[-i]) ** 2 for i in range(1, d // 2 + 1))
    return float(SHARE * d * most / max(spectrum[0] ** 2 * epsilon, d))


def _valid(d: int, epsilon: float) -> bool:
    return bool(epsilon <= np.log(3.0) / 4 * -(-d // 2))


@lemma.fast
def errors(spectrum: Any, epsilon: float, field: str, packing: Any) -> tuple[AtMost, ...]:
    spectrum = np.array(spectrum)
    d, rho, spread = len(spectrum), bound(spectrum, epsilon, field), spectrum[0] - spectrum[-1]
    stated = [AtMost(rho, np.sum((spectrum - np.mean(spectrum)) ** 2), part="error of a constant output")]
    if field == "complex":
        if _valid(d, epsilon):
            stated.append(AtMost(shaped(spectrum, epsilon), rho, part="simpler form"))
        n = shape(spectrum)
        stated.append(
            AtMost(rho, 2 * spread / epsilon * gammainccinv(n, 0.5) if n else 0.0, part="median of the orbit mechanism")
        )
        if d == 2 and spread > 0:
            stated.append(
                AtMost(
                    np.expm1(-epsilon * rho / (2 * spread)) / np.expm1(-epsilon * spread),
                    0.5,
                    part="success of the exponential mechanism",
                )
            )
    return (*stated, *(_construction(tuple(spectrum), epsilon, field, *packing) if packing else ()))


@functools.cache
def _construction(spectrum: tuple[float, ...], epsilon: float, field: str, i: int, m: int, seed: int) -> Any:
    """The points of the proof: enough of them, at least ``2 rho`` apart, at the ends of paths that are short enough."""
    bases = witness(i, m, *_reach(spectrum, i, m, epsilon, field), field, seed)
    points = images(bases[:POINTS], spectrum)
    a, b = np.triu_indices(len(points), 1)
    lengths = [shorter(values) for values in fast.eigenvalues(points[1:] - np.diag(spectrum))]
    least = np.min(fast.frobenius_norm(points[a] - points[b]))
    return (
        *((AtMost(i * m * np.log(3.0), np.log(len(bases) - 1), part="number of points"),) if i * m <= REACHED else ()),
        AtMost(4 * pair_bound(spectrum, i, m, epsilon, field), least**2, part="distance of the points"),
        AtMost(float(max(lengths)), i * m * np.log(3.0) / epsilon, part="length of the paths"),
    )


def _reach(spectrum: Any, i: int, m: int, epsilon: float, field: str) -> tuple[float, float]:
    """Radius, at most ``sqrt(2)``, of the ball in the Grassmannian, and separation of the packing in it."""
    reach = min(radius(i, m, epsilon) / (spectrum[0] - spectrum[-1]), np.sqrt(2.0))
    return reach, reach / (2 if field == "complex" else 4)


def exact_bound(values: list[Any], epsilon: Any, field: str) -> Any:
    """`bound` in multiprecision."""
    pairs = itertools.combinations(range(1, len(values) + 1), 2)
    return max((_exact_pair(values, i, len(values) - j + 1, epsilon, field) for i, j in pairs), default=mp.mpf(0))


def _exact_pair(values: list[Any], i: int, m: int, epsilon: Any, field: str) -> Any:
    rank, gap, steps = 2 * min(i, m), values[i - 1] - values[-m], i * m * mp.log(3) / epsilon
    if gap <= 0 or steps <= rank:
        return mp.mpf(0)
    square = max(steps - rank, (steps - 2) ** 2 / rank) / (values[0] - values[-1]) ** 2
    if field == "real":
        return gap**2 / 64 * min(square, 2)
    return gap**2 / 16 * max(min(square, 2), exact_packing.ball_constant(i, m) ** 2 * min(square, rank))


@lemma.oracle
def exact_errors(spectrum: Any, epsilon: float, field: str, packing: Any) -> tuple[AtMost, ...]:
    values, d, exact_epsilon = [mp.mpf(float(x)) for x in spectrum], len(spectrum), mp.mpf(epsilon)
    rho = exact_bound(values, exact_epsilon, field)
    mean, spread = mp.fsum(values) / d, values[0] - values[-1]
    stated = [AtMost(rho, mp.fsum((x - mean) ** 2 for x in values), part="error of a constant output")]
    if field == "complex":
        if _valid(d, epsilon):
            most = max(i * (values[i - 1] - values[-i]) ** 2 for i in range(1, d // 2 + 1))
            share = mp.sqrt(mp.e) * mp.log(3) / 1024
            stated.append(AtMost(share * d * most / max(values[0] ** 2 * exact_epsilon, d), rho, part="simpler form"))
        stated.append(
            AtMost(rho, 2 * spread / exact_epsilon * _median(shape(spectrum)), part="median of the orbit mechanism")
        )
        if d == 2 and spread > 0:
            within = mp.expm1(-exact_epsilon * rho / (2 * spread)) / mp.expm1(-exact_epsilon * spread)
            stated.append(AtMost(within, mp.mpf(1) / 2, part="success of the exponential mechanism"))
    return (*stated, *(_exact_construction(tuple(spectrum), epsilon, field, *packing) if packing else ()))


@functools.cache
def _exact_construction(spectrum: tuple[float, ...], epsilon: float, field: str, i: int, m: int, seed: int) -> Any:
    values, reach = [mp.mpf(float(x)) for x in spectrum], _reach(spectrum, i, m, epsilon, field)
    points = exact_images(witness(i, m, *reach, field, seed)[:POINTS], spectrum)
    least = min(oracle.frobenius_norm(x - y) for x, y in itertools.combinations(points, 2))
    lengths = [_steps(oracle.eigenvalues(point - mp.diag(values))) for point in points[1:]]
    bases = exact_witness(i, m, *reach, field, seed) if i * m <= REACHED else []
    return (
        *((AtMost(i * m * mp.log(3), mp.log(len(bases) - 1), part="number of points"),) if bases else ()),
        AtMost(4 * _exact_pair(values, i, m, mp.mpf(epsilon), field), least**2, part="distance of the points"),
        AtMost(mp.mpf(max(lengths)), i * m * mp.log(3) / epsilon, part="length of the paths"),
    )


def _steps(values: list[Any]) -> int:
    """Number of steps, by vectors of equal length, along a difference with these eigenvalues."""
    parts = ([sign * x for x in values if sign * x > exact_paths.CUT] for sign in (1, -1))
    return sum(max(len(part), exact_paths.step_count(mp.fsum(part))) for part in parts)


def _median(n: int) -> Any:
    """Median of the Gamma law of integer shape ``n``."""
    if n == 0:
        return mp.mpf(0)
    return mp.findroot(lambda x: mp.gammainc(n, x, regularized=True) - mp.mpf(1) / 2, n - mp.mpf(1) / 3)
