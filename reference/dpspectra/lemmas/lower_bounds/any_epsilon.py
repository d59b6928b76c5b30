"""For every ``epsilon`` a private mechanism that sees ``M`` only errs by ``rho`` half of the time on some ``M``.

As in the explicit bound, but with the separation left free: points of the orbit within ``omega`` of ``Lambda`` are at
most ``L`` steps away, and as many of them as counting asks for, one more than ``e^(epsilon L)``, can be separated by
``2 rho``. No condition on ``epsilon`` is left, as ``L`` is at least ``2 q``. The best ``omega`` is where ``L`` is about
to grow; the steps have equal length.
"""

import math
from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import lower_bound_radii
from dpspectra.fast.neighbour_paths import step_counts
from dpspectra.fast.packing import ball_measure, log_tableaux
from dpspectra.ledger import AtMost, Parts, Real, Relation, Slack, Verdict, statement
from dpspectra.lemmas.lower_bounds.counting_steps import other_points
from dpspectra.lemmas.lower_bounds.explicit_bound import exactly_shaped, shaped
from dpspectra.lemmas.lower_bounds.neighbour_path import exactly_shorter
from dpspectra.lemmas.lower_bounds.row_counting import exceeded_half_of_the_time
from dpspectra.lemmas.packing.grassmann_measure import FEW
from dpspectra.oracle import linalg as oracle
from dpspectra.oracle import lower_bound_radii as exact_radii
from dpspectra.oracle import neighbour_paths as exact_paths
from dpspectra.oracle import packing as exact
from dpspectra.strategies import dimensions, epsilons, fields, spectra, st

FACTOR = float(np.sqrt(math.e) / 128 * 0.27846454276107)
"""Constant ``c_0'`` of the simpler form: ``sqrt(e) / 128`` times the largest ``x / (e^x + 1)``."""


def _exact_path(values: list[Any], planes: int, sine: Any) -> AtMost:
    """State the length of the path to a point whose planes, of axes from both ends, are rotated by this angle."""
    d, cosine = len(values), mp.sqrt(1 - sine**2)
    turn = mp.eye(d)
    for a in range(planes):
        b = d - 1 - a
        turn[a, a], turn[a, b], turn[b, a], turn[b, b] = cosine, -sine, sine, cosine
    difference = turn * mp.diag(values) * turn.T - mp.diag(values)
    moved = oracle.eigenvalues(difference)
    trace = exact_paths.step_count(mp.sqrt(planes * oracle.inner(difference, difference) / 2))
    return AtMost(mp.mpf(exactly_shorter(moved)), mp.mpf(2 * max(planes, trace)), part="length of a path")


@statement
class AnyEpsilon:
    labels = ("MWKTV-T2.4S",)
    given = (
        r"\mathcal A\text{ sees }M=X^*X\text{ only}\Rightarrow\exists M\in\mathcal O_\Lambda:\Pr[\|M-"
        r"\mathcal A(M)\|_F^2>\rho^2]\ge\tfrac12,\ \rho^2=\max_{i<j,\,\omega}"
        r"\tfrac{g^2}4K(1+e^{\varepsilon L})^{-1/N},\ K=\max\{\min(\tfrac{\omega^2}{s^2},2),"
        r"c_{i,m}^2\min(\tfrac{\omega^2}{s^2},2q)\},\ "
        r"L=2\max\{q,\lceil\sqrt{q/2}\,\omega\rceil\}\ (\text{real: }\rho^2=\max_{i<j}\tfrac{g^2}4v(1-"
        r"\tfrac v2)^{1/N},\ v=\min\{1,\max_\omega\min(\tfrac{\omega^2}{s^2},"
        r"2)(1+e^{\varepsilon L})^{-2/N}\}),\ U=\max\{V(\min(\tfrac\omega s,\sqrt2)),\min("
        r"\tfrac{\omega^2}{2qs^2},1)^N\},\ c_0'=\tfrac{\sqrt e}{128}\max_x\tfrac x{e^x+1}"
    )
    claim = {
        "error of a constant output": r"\rho^2\le\sum_l(\lambda_l-\bar\lambda)^2",
        "length of a path": (
            r"L_M\le2\max\{p,\lceil\sqrt{p/2}\,r\rceil\},\ r=\|M-\Lambda\|_F,\ "
            r"\operatorname{rank}(M-\Lambda)\le2p"
        ),
        "number of points": r"\text{complex},\ 2\rho^2\le g^2:\ \log\Big(\frac U{V(2\rho/g)}-1\Big)=\varepsilon L",
        "simpler form": (
            r"\text{complex: }c_0'e^{-2\varepsilon/\lceil d/2\rceil}\max_{i\le d/2}"
            r"\frac{d\,i(\lambda_i-\lambda_{d-i+1})^2}{\max\{\lambda_1^2\varepsilon,d\}}\le\rho^2"
        ),
        "number of points around large balls": (
            r"\text{complex},\ 2\rho^2>g^2:\ \varepsilon L\le\log\Big(\frac U{V(2\rho/g)}-1\Big)"
        ),
    }
    where = {
        "K": "squared separation that the packing has, as far as the ball allows",
        "c_0'": "explicit constant of the simpler bound",
        "v": "squared separation over the reals",
        "U": "share of the Grassmannian that the ball of the packing has at least",
        "x": "a free number",
        "r": "distance of a point of the orbit from the centre",
        "p": "number of planes that are rotated",
        "L_M": r"number of steps of equal length from $`\Lambda`$ to $`M`$",
    }
    verdict = Verdict.NEW
    relation = (Relation.REPLACE, Relation.ADD_REMOVE)
    uses = ("MWKTV-COUNT", "MWKTV-PATH", "MWKTV-M33", "MWKTV-L8.1X", "MWKTV-E34", "MWKTV-E35R")
    mentions = ("MWKTV-T2.4R",)
    note = "lower_bounds.md#a-bound-for-every-epsilon"
    examples = 40
    digits = 30
    slack = {
        "error of a constant output": Slack(
            0.499512, "volumes give a second point at half the squared distance of the farthest one only"
        ),
        "simpler form": Slack(0.02873, "half of the gap, the worst ball constant and the worst N are taken at once"),
    }

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, float, str, int, float]:
        """Non-negative spectrum that is not constant, ``epsilon``, field, and a point of the orbit.

        At that point so many planes, of the axes ``a`` and ``d - a + 1``, are rotated by the angle of a sine.
        """
        spectrum = draw(spectra(draw(dimensions(2))))
        spectrum[0] += draw(st.sampled_from([1.0, 0.0625, 4.0]))
        planes, sine = draw(st.integers(1, len(spectrum) // 2)), draw(st.sampled_from([1.0, 0.5, 0.125]))
        return spectrum, draw(epsilons(2.0**-6, 16.0)), draw(fields()), planes, sine

    def fast(self, spectrum: Any, epsilon: float, field: str, planes: int, sine: float) -> Parts:
        spectrum = np.array(spectrum)
        (squared_error, i, m, squared_radius, length), d = (
            lower_bound_radii.best(spectrum, epsilon, field),
            len(spectrum),
        )
        spread, gap = spectrum[0] - spectrum[-1], spectrum[i - 1] - spectrum[-m]
        moved = sine * (spectrum[:planes] - spectrum[::-1][:planes])
        steps = 2 * max(int(np.count_nonzero(moved)), int(step_counts(np.sum(moved))))
        limit = 2 * max(planes, int(np.ceil(np.sqrt(planes * np.sum(moved**2)))))
        yield AtMost(squared_error, np.sum((spectrum - np.mean(spectrum)) ** 2), part="error of a constant output")
        yield AtMost(float(steps), float(limit), part="length of a path")
        if field == "real":
            return
        if min(i, m) <= FEW:
            inner = ball_measure(i, m, 2 * np.sqrt(squared_error) / gap)
            ball = min(squared_radius / spread**2 / 2, float(min(i, m)))
            outer = max(min(ball, 1.0) ** (i * m) / np.exp(log_tableaux(i, m)), (ball / min(i, m)) ** (i * m))
            yield other_points(epsilon * length, np.log(outer / inner - 1), 2 * squared_error / gap**2)
        simpler = FACTOR * shaped(spectrum, epsilon) * np.exp(-2 * epsilon / -(-d // 2))
        yield AtMost(simpler, squared_error, part="simpler form")

    def oracle(self, spectrum: Any, epsilon: Real, field: str, planes: int, sine: Real) -> Parts:
        """Try all lengths of paths, measure balls by integration, and take a path from the eigenvalues of a matrix."""
        values, d = [mp.mpf(float(x)) for x in spectrum], len(spectrum)
        squared_error, i, m, squared_radius, length = exact_radii.best(values, epsilon, field)
        spread, gap = values[0] - values[-1], values[i - 1] - values[-m]
        mean = mp.fsum(values) / d
        yield AtMost(squared_error, mp.fsum((x - mean) ** 2 for x in values), part="error of a constant output")
        yield _exact_path(values, planes, sine)
        if field == "real":
            return
        if min(i, m) <= FEW:
            inner = exact.ball_measure(i, m, 2 * mp.sqrt(squared_error) / gap)
            reach = min(mp.sqrt(squared_radius) / spread, mp.sqrt(2 * min(i, m)))
            chart = mp.mpmathify(exact.ball_measure(i, m, min(reach, mp.sqrt(2))))
            outer = max(chart, (reach**2 / (2 * min(i, m))) ** (i * m))
            yield other_points(epsilon * length, mp.log(outer / mp.mpmathify(inner) - 1), 2 * squared_error / gap**2)
        x = 1 + mp.lambertw(mp.exp(-1))
        share = mp.sqrt(mp.e) / 128 * x / (mp.exp(x) + 1) * mp.exp(-2 * epsilon / -(-d // 2))
        yield AtMost(share * exactly_shaped(values, epsilon), squared_error, part="simpler form")

    def tight(self) -> list[Any]:
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

    def beyond(self) -> dict[str, AtMost]:
        """On ``diag(400, 0)`` the row-counting mechanism errs by less with probability above 1/2."""
        squared_error = exact_radii.best([mp.mpf(400), mp.mpf(0)], mp.mpf("0.1"), "complex")[0]
        return {"the output depends on M only": exceeded_half_of_the_time(squared_error)}
