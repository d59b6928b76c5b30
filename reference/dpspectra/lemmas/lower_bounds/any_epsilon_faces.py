"""Cases and faces of MWKTV-T2.4S: the statement and its formulas stand in `any_epsilon`."""

import math
from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import radii
from dpspectra.fast.packing import ball_measure, log_tableaux
from dpspectra.fast.paths import step_counts
from dpspectra.ledger import AtMost, Parts, Real
from dpspectra.lemmas.lower_bounds import any_epsilon
from dpspectra.lemmas.lower_bounds.counting_steps import other_points
from dpspectra.lemmas.lower_bounds.row_counting import chance_of_error_above
from dpspectra.oracle import linalg as oracle
from dpspectra.oracle import packing as exact
from dpspectra.oracle import paths as exact_paths
from dpspectra.oracle import radii as exact_radii
from dpspectra.strategies import dimensions, epsilons, fields, spectra, st

SHARE = float(np.sqrt(math.e) / 128 * 0.27846454276107)
"""Constant ``c_0'`` of the simpler form: ``sqrt(e) / 128`` times the largest ``x / (e^x + 1)``."""
FEW = 2
"""Largest number of principal angles whose density the float64 face integrates."""


# A case: non-negative spectrum that is not constant, ``epsilon``, field, and one point of the orbit. That point has
# ``planes`` planes, of the axes ``a`` and ``d - a + 1``, rotated by the angle of the sine given.
@st.composite
def _instances(draw: st.DrawFn) -> tuple[Any, float, str, int, float]:
    spectrum = draw(spectra(draw(dimensions(2))))
    spectrum[0] += draw(st.sampled_from([1.0, 0.0625, 4.0]))
    planes = draw(st.integers(1, len(spectrum) // 2))
    return (spectrum, draw(epsilons(2.0**-6, 16.0)), draw(fields()), planes, draw(st.sampled_from([1.0, 0.5, 0.125])))


lemma = any_epsilon.lemma.checked_on(_instances)


@lemma.fast
def errors(spectrum: Any, epsilon: float, field: str, planes: int, sine: float) -> Parts:
    spectrum = np.array(spectrum)
    (rho, i, m, square, length), d = radii.best(spectrum, epsilon, field), len(spectrum)
    spread, gap = spectrum[0] - spectrum[-1], spectrum[i - 1] - spectrum[-m]
    moved = sine * (spectrum[:planes] - spectrum[::-1][:planes])
    short, even = int(np.sum(step_counts(moved))), int(step_counts(np.sum(moved)))
    steps = 2 * min(short, max(int(np.count_nonzero(moved)), even))
    limit = radii.path_length(2 * np.sum(moved**2), np.sqrt(planes * np.sum(moved**2)), planes)
    yield AtMost(rho, np.sum((spectrum - np.mean(spectrum)) ** 2), part="error of a constant output")
    yield AtMost(float(steps), float(limit), part="length of a path")
    if field == "real":
        return
    if min(i, m) <= FEW:
        inner = ball_measure(i, m, 2 * np.sqrt(rho) / gap)
        ball = min(square / spread**2 / 2, float(min(i, m)))
        outer = max(min(ball, 1.0) ** (i * m) / np.exp(log_tableaux(i, m)), (ball / min(i, m)) ** (i * m))
        yield other_points(epsilon * length, np.log(outer / inner - 1), 2 * rho / gap**2)
    most = max(a * (spectrum[a - 1] - spectrum[-a]) ** 2 for a in range(1, d // 2 + 1))
    shape = d * most / max(spectrum[0] ** 2 * epsilon, d) * np.exp(-2 * epsilon / -(-d // 2))
    yield AtMost(SHARE * shape, rho, part="simpler form")


@lemma.oracle
def exact_errors(spectrum: Any, epsilon: Real, field: str, planes: int, sine: Real) -> Parts:
    """Try all lengths of paths; measure balls by integration, and take the path from the eigenvalues of the matrix."""
    values, d = [mp.mpf(float(x)) for x in spectrum], len(spectrum)
    rho, i, m, square, length = exact_radii.best(values, epsilon, field)
    spread, gap = values[0] - values[-1], values[i - 1] - values[-m]
    mean = mp.fsum(values) / d
    yield AtMost(rho, mp.fsum((x - mean) ** 2 for x in values), part="error of a constant output")
    yield _exact_path(values, planes, sine)
    if field == "real":
        return
    if min(i, m) <= FEW:
        inner = _measure(i, m, 2 * mp.sqrt(rho) / gap)
        reach = min(mp.sqrt(square) / spread, mp.sqrt(2 * min(i, m)))
        outer = max(_measure(i, m, min(reach, mp.sqrt(2))), (reach**2 / (2 * min(i, m))) ** (i * m))
        yield other_points(epsilon * length, mp.log(outer / inner - 1), 2 * rho / gap**2)
    x = 1 + mp.lambertw(mp.exp(-1))
    most = max(a * (values[a - 1] - values[-a]) ** 2 for a in range(1, d // 2 + 1))
    share = mp.sqrt(mp.e) / 128 * x / (mp.exp(x) + 1) * mp.exp(-2 * epsilon / -(-d // 2))
    yield AtMost(share * d * most / max(values[0] ** 2 * epsilon, d), rho, part="simpler form")


def _exact_path(values: list[Any], planes: int, sine: Any) -> AtMost:
    d, cosine = len(values), mp.sqrt(1 - sine**2)
    turn = mp.eye(d)
    for a in range(planes):
        b = d - 1 - a
        turn[a, a], turn[a, b], turn[b, a], turn[b, b] = cosine, -sine, sine, cosine
    difference = turn * mp.diag(values) * turn.T - mp.diag(values)
    parts = [[s * x for x in oracle.eigenvalues(difference) if s * x > exact_paths.CUT] for s in (1, -1)]
    lengths = [
        sum(sum(map(exact_paths.step_count, part)) for part in parts),
        sum(max(len(part), exact_paths.step_count(mp.fsum(part))) for part in parts),
    ]
    square = oracle.inner(difference, difference)
    trace = exact_paths.step_count(mp.sqrt(planes * square / 2))
    limit = min(exact_paths.step_count(square) - 1 + 2 * planes, 2 * max(planes, trace))
    return AtMost(mp.mpf(min(lengths)), mp.mpf(limit), part="length of a path")


def _measure(i: int, m: int, radius: Any) -> Any:
    """Share of the Grassmannian in a ball."""
    share = exact.ball_measure(i, m, radius)
    return mp.mpf(share.numerator) / share.denominator


@lemma.tight
def few_values() -> list[Any]:
    """Two eigenvalues: points at a right angle are reached with all the steps allowed.

    In the last instance half the squared radius of the small balls is just above 1.
    """
    return [
        ((3.0, 0.0), 0.25, "complex", 1, 1.0),
        ((1.0, 0.0), 2.0**-10, "complex", 1, 1.0),
        ((9.0, 8.0, 1.0, 0.0), 0.375, "complex", 2, 1.0),
        ((2.0, 1.0, 0.0), 3.0, "complex", 1, 1.0),
        ((0.25, 0.25, 0.0, 0.0, 0.0), 0.3465, "complex", 2, 1.0),
    ]


@lemma.beyond
def of_the_rows() -> dict[str, AtMost]:
    """On ``diag(400, 0)`` the row-counting mechanism errs by less with probability above 1/2."""
    rho = exact_radii.best([mp.mpf(400), mp.mpf(0)], mp.mpf("0.1"), "complex")[0]
    chance = chance_of_error_above(rho, 400, mp.mpf("0.1"), 2.0**-10)
    return {"the output depends on M only": AtMost(mp.mpf(1) / 2, chance, part="chance of a larger error")}
