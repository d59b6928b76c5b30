"""If an ``epsilon``-private mechanism sees ``M`` only, on some matrix of the orbit it errs by ``rho`` half of the time.

The law of its output must be a function of ``M = X'X``, for a path changes rows that are in no data set on the way; a
mechanism that looks at the rows can do better (MWKTV-ROWEXP). Take two indices ``i < j`` of eigenvalues with gap ``g``;
``m = d - j + 1``, ``q = min(i, m)``, ``N = i m``, spread ``s``. A ball of the Grassmannian holds more than ``3^N``
projectors at pairwise distances above half its radius; their images are ``2 rho`` apart, within ``omega`` of
``Lambda``, and differ from it by matrices of rank at most ``2 q``. So short paths of neighbours lead to them, and
counting applies. That needs ``epsilon < N log 3 / 2q``; for larger ``epsilon`` a private net can be better. The
spectrum must be non-negative, since the matrices on the paths come from data; the output may be any matrix.
"""

import itertools
import math
from typing import Any, NamedTuple

import numpy as np
from mpmath import mp
from scipy.special import gammainccinv

from dpspectra.formulas import lower_bound_any_epsilon, lower_bound_uniform
from dpspectra.formulas.lower_bound_explicit import bound, radius, reach
from dpspectra.formulas.utility_gap_domination import shape
from dpspectra.ledger import AtMost, Parts, Real, Relation, Slack, Verdict, statement
from dpspectra.lemmas.lower_bounds.packed_points import exactly_measured, measured
from dpspectra.lemmas.lower_bounds.row_counting import exceeded_half_of_the_time
from dpspectra.oracle import lower_bound_radii as exact_radii
from dpspectra.oracle import packing as exact_packing
from dpspectra.strategies import dimensions, epsilons, fields, spectra, st


class Case(NamedTuple):
    """Non-negative spectrum, ``epsilon``, field, and the packing with which the proof is carried out, if it is.

    A packing is given by numbers of first and of last eigenvalues, radius and separation of a ball, and a seed.
    """

    spectrum: Any
    epsilon: float
    field: str
    packing: tuple[int, int, float, float, int] | None = None


def _packed(spectrum: tuple[float, ...], epsilon: float, field: str, i: int, m: int, seed: int) -> Case:
    """A case with a packing of the ball of radius ``omega / s``, at most ``sqrt(2)``; the faces judge what it shows."""
    reach = min(radius(i, m, epsilon) / (spectrum[0] - spectrum[-1]), np.sqrt(2.0))
    return Case(spectrum, epsilon, field, (i, m, reach, reach / (2 if field == "complex" else 4), seed))


PACKED = [
    _packed((1.0, 0.0), 0.25, "complex", 1, 1, 1),
    _packed((6.0, 1.0), 0.125, "complex", 1, 1, 2),
    _packed((3.0, 0.0, 0.0), 0.5, "complex", 1, 2, 3),
    _packed((8.0, 2.0, 2.0, 0.0), 0.375, "complex", 1, 3, 5),
    _packed((5.0, 0.0), 0.125, "real", 1, 1, 6),
    _packed((9.0, 8.0, 1.0, 0.0), 0.375, "complex", 2, 2, 8),
    _packed((9.0, *[0.0] * 7), 0.5, "complex", 1, 7, 9),
]
"""Cases for which the proof is carried out."""

REACHED = 3
"""Largest ``N`` for which greedy packings have more than ``3^N`` points."""

SHARE = math.log(3) / 256
"""Constant ``c_0`` of the simpler form."""


@st.composite
def _instances(draw: st.DrawFn) -> Case:
    """Cases without a packing; some ``epsilon`` are just within the edges of validity."""
    d = draw(dimensions(2))
    edge = np.log(3.0) / 4 * -(-d // 2) * (1 - 2.0**-40)
    return Case(draw(spectra(d)), draw(epsilons(2.0**-6, 4.0) | st.sampled_from([edge, 2 * edge])), draw(fields()))


def shaped(spectrum: Any, epsilon: float) -> float:
    """The simpler form without ``c_0``: ``d i G_i^2 / max(lambda_1^2 epsilon, d)``, largest over ``i <= d / 2``."""
    d = len(spectrum)
    most = max(i * (spectrum[i - 1] - spectrum[-i]) ** 2 for i in range(1, d // 2 + 1))
    return float(d * most / max(spectrum[0] ** 2 * epsilon, d))


def exactly_shaped(values: list[Any], epsilon: Any) -> Any:
    """`shaped` in multiprecision."""
    d = len(values)
    most = max(i * (values[i - 1] - values[-i]) ** 2 for i in range(1, d // 2 + 1))
    return d * most / max(values[0] ** 2 * epsilon, d)


def exact_bound(values: list[Any], epsilon: Any, field: str) -> Any:
    """`bound` in multiprecision."""
    pairs = itertools.combinations(range(1, len(values) + 1), 2)
    return max((_exact_pair(values, i, len(values) - j + 1, epsilon, field) for i, j in pairs), default=mp.mpf(0))


def _exact_pair(values: list[Any], i: int, m: int, epsilon: Any, field: str) -> Any:
    rank, gap, steps = 2 * min(i, m), values[i - 1] - values[-m], i * m * mp.log(3) / epsilon
    if gap <= 0 or steps <= rank:
        return mp.mpf(0)
    square = _exact_reach(values, i, m, epsilon, field)
    if field == "real":
        uniform = mp.mpf(i * m) / (i * m + 2) / 18 * mp.root(mp.mpf(2) / 9, i * m)
        return square * max(mp.mpf(1) / 64, uniform)
    return square * max(mp.mpf(1) / 16, mp.mpf(i * m) / (i * m + 1) / 6 / mp.root(2, i * m))


def _exact_reach(values: list[Any], i: int, m: int, epsilon: Any, field: str) -> Any:
    """`reach` in multiprecision, where it is not 0."""
    rank, steps = 2 * min(i, m), i * m * mp.log(3) / epsilon
    square = max(steps - rank, (steps - 2) ** 2 / rank) / (values[0] - values[-1]) ** 2
    far = 0 if field == "real" else exact_packing.ball_constant(i, m) ** 2 * min(square, rank)
    return (values[i - 1] - values[-m]) ** 2 * max(min(square, 2), far)


@statement
class ExplicitBound:
    labels = ("MWKTV-T2.4R",)
    given = (
        r"\mathcal A\text{ sees }M=X^*X\text{ only}\Rightarrow\exists M\in\mathcal O_\Lambda:\Pr[\|M-"
        r"\mathcal A(M)\|_F^2>\rho^2]\ge\tfrac12,\ \rho^2=\max_{i<j}\rho_{i,j}^2,\ "
        r"\rho_{i,j}^2=\kappa g^2K,\ K=\max\{\min(\tfrac{\omega^2}{s^2},2),"
        r"c_{i,m}^2\min(\tfrac{\omega^2}{s^2},2q)\}\ (\text{real: }\min(\tfrac{\omega^2}{s^2},2)),\ "
        r"\kappa=\max\{\tfrac1{16},\tfrac N{6(N+1)}2^{-1/N}\}\ (\text{real: }\max\{\tfrac1{64},"
        r"\tfrac N{18(N+2)}(\tfrac29)^{1/N}\}),\ \omega^2=\max\{b,\tfrac{(b+2q-2)^2}{2q}\},\ "
        r"b=\frac{N\log3}\varepsilon-2q>0,\ c_0=\tfrac{\log3}{256}"
    )
    claim = {
        "error of a constant output": r"\rho^2\le\sum_l(\lambda_l-\bar\lambda)^2",
        "bound for every epsilon": r"\text{complex: }\rho^2\le\max\{\rho_*,\rho_U\}^2",
        "simpler form": (
            r"\text{complex},\ \varepsilon\le\tfrac{\log3}4\lceil\tfrac d2\rceil:\ "
            r"c_0\max_{i\le d/2}\frac{d\,i(\lambda_i-\lambda_{d-i+1})^2}{\max\{\lambda_1^2\varepsilon,d\}}"
            r"\le\rho^2"
        ),
        "median of the orbit mechanism": r"\text{complex: }\rho^2\le\tfrac{2s}\varepsilon\gamma_\nu",
        "success of the exponential mechanism": (
            r"\text{complex},\ d=2:\ \frac{1-e^{-\varepsilon\rho^2/2s}}{1-e^{-\varepsilon s}}\le\tfrac12"
        ),
        "number of points": r"N\log3\le\log(n-1)",
        "distance of the points": (
            r"\tfrac14g^2K\ (\text{real: }\tfrac1{16}g^2K)\le\|M'-M''\|_F^2\text{ for any two of the points}"
        ),
        "length of the paths": r"L\le\tfrac{N\log3}\varepsilon",
    }
    where = {
        "K": "squared radius of the ball, as far as volumes count",
        r"\kappa": "share of it that is certain, by a packing or by the uniform law",
        r"\rho_U": "that of MWKTV-T2.4U for any output, over the complex numbers",
        "b": "largest squared radius of the ball for which the packing is large enough",
        "c_0": "explicit constant of the simpler bound",
        r"\rho_{i,j}": "the error from the pair of places",
        "M', M''": "points of the packing on the orbit",
        r"\gamma_i": "median of the Gamma law of this shape",
        r"\nu": "number of pairs of different values of the spectrum",
    }
    verdict = Verdict.NEW
    relation = (Relation.REPLACE, Relation.ADD_REMOVE)
    uses = ("MWKTV-T2.4U", "MWKTV-COUNT", "MWKTV-PATH", "MWKTV-M33", "MWKTV-L8.1X", "MWKTV-E34", "MWKTV-E35R")
    note = "lower_bounds.md#explicit-lower-bound"
    examples = 50
    slack = {
        "error of a constant output": Slack(0.25, "half the radius of the ball, of which half the distance is certain"),
        "bound for every epsilon": Slack(0.92957, "3^N points are asked for, whatever number of them is best"),
        "simpler form": Slack(0.191617, "half of the gap, the worst pair and half of epsilon's range"),
        "median of the orbit mechanism": Slack(0.0450842, "no mechanism of M is known that attains the bound"),
        "success of the exponential mechanism": Slack(0.156387, "the same, as a probability"),
        "number of points": Slack(0.682606, "a greedy packing has more points than a ratio of volumes promises"),
        "distance of the points": Slack(0.992608, "the nearest two of finitely many points are not at the separation"),
        "length of the paths": Slack(0.910239, "a length is an integer, the limit is not"),
    }

    def cases(self) -> Any:
        return st.sampled_from(PACKED) | _instances()

    def fast(self, spectrum: Any, epsilon: float, field: str, packing: Any) -> Parts:
        spectrum = np.array(spectrum)
        d, squared_error, spread = len(spectrum), bound(spectrum, epsilon, field), spectrum[0] - spectrum[-1]
        yield AtMost(squared_error, np.sum((spectrum - np.mean(spectrum)) ** 2), part="error of a constant output")
        if field == "complex":
            every = max(lower.bound(spectrum, epsilon) for lower in (lower_bound_any_epsilon, lower_bound_uniform))
            yield AtMost(squared_error, every, part="bound for every epsilon")
            if epsilon <= np.log(3.0) / 4 * -(-d // 2):
                yield AtMost(SHARE * shaped(spectrum, epsilon), squared_error, part="simpler form")
            n = shape(spectrum)
            median = 2 * spread / epsilon * gammainccinv(n, 0.5) if n else 0.0
            yield AtMost(squared_error, median, part="median of the orbit mechanism")
            if d == 2 and spread > 0:
                within = np.expm1(-epsilon * squared_error / (2 * spread)) / np.expm1(-epsilon * spread)
                yield AtMost(within, 0.5, part="success of the exponential mechanism")
        if packing:
            i, m, *_, seed = packing
            steps = i * m * np.log(3.0)
            count, least, longest = measured(tuple(spectrum), *packing[:4], field, seed)
            if i * m <= REACHED:
                yield AtMost(steps, np.log(count - 1), part="number of points")
            apart = reach(spectrum, i, m, epsilon, field) / (16 if field == "real" else 4)
            yield AtMost(float(apart), least, part="distance of the points")
            yield AtMost(longest, steps / epsilon, part="length of the paths")

    def oracle(self, spectrum: Any, epsilon: Real, field: str, packing: Any) -> Parts:
        values, d = [mp.mpf(float(x)) for x in spectrum], len(spectrum)
        squared_error = exact_bound(values, epsilon, field)
        mean, spread = mp.fsum(values) / d, values[0] - values[-1]
        yield AtMost(squared_error, mp.fsum((x - mean) ** 2 for x in values), part="error of a constant output")
        if field == "complex":
            yield AtMost(squared_error, _exact_every(values, epsilon), part="bound for every epsilon")
            if epsilon <= mp.log(3) / 4 * -(-d // 2):
                share = mp.log(3) / 256
                yield AtMost(share * exactly_shaped(values, epsilon), squared_error, part="simpler form")
            n = sum(a > b for a, b in itertools.combinations(values, 2))
            median = 2 * spread / epsilon * _median(n) if n else mp.mpf(0)
            yield AtMost(squared_error, median, part="median of the orbit mechanism")
            if d == 2 and spread > 0:
                within = mp.expm1(-epsilon * squared_error / (2 * spread)) / mp.expm1(-epsilon * spread)
                yield AtMost(within, mp.mpf(1) / 2, part="success of the exponential mechanism")
        if packing:
            i, m, *_, seed = packing
            steps = i * m * mp.log(3)
            count, least, longest = exactly_measured(tuple(spectrum), *packing[:4], field, seed, i * m <= REACHED)
            if i * m <= REACHED:
                yield AtMost(steps, mp.log(count - 1), part="number of points")
            apart = _exact_reach(values, i, m, epsilon, field) / (16 if field == "real" else 4)
            yield AtMost(apart, least, part="distance of the points")
            yield AtMost(longest, steps / epsilon, part="length of the paths")

    def tight(self) -> list[Case]:
        """Two packings that are carried out, two spectra at which little is lost, and many places of both fields."""
        many = [Case((9.0, 9.0, 9.0, 0.0, 0.0, 0.0), 0.25, field) for field in ("complex", "real")]
        return [PACKED[1], PACKED[4], Case((16.0, 0.0), 2.0**-5, "complex"), Case((8.0, 0.0), 0.25, "complex"), *many]

    def beyond(self) -> dict[str, AtMost]:
        """On ``diag(400, 0)`` the row-counting mechanism errs by less with probability above 1/2."""
        squared_error = exact_bound([mp.mpf(400), mp.mpf(0)], mp.mpf("0.1"), "complex")
        return {"the output depends on M only": exceeded_half_of_the_time(squared_error)}


def _median(n: int) -> Any:
    """Median of the Gamma law of integer shape ``n >= 1``."""
    return mp.findroot(lambda x: mp.gammainc(n, x, regularized=True) - mp.mpf(1) / 2, n - mp.mpf(1) / 3)


def _exact_every(values: list[Any], epsilon: Any) -> Any:
    """Largest squared error of MWKTV-T2.4S and MWKTV-T2.4U for any output, over the complex numbers."""
    d, found = len(values), [exact_radii.best(values, epsilon, "complex")[0]]
    for i, j in itertools.combinations(range(1, d + 1), 2) if values[0] > values[-1] else ():
        n, spread = i * (d - j + 1), values[0] - values[-1]
        square = exact_radii.separation(spread, i, d - j + 1, epsilon, "complex", uniform=True)[0]
        found.append((values[i - 1] - values[j - 1]) ** 2 * square * n / (2 * (n + 1)))
    return max(found)
