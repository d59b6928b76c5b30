"""The lower bound from a packing of the whole orbit: paths as long as its diameter, any ``epsilon``.

The bound falls exponentially in the length ``L`` of the longest path. The paper's exponent is the squared diameter,
without the steps that paths of fractional length are rounded up to: it is false for small orbits.
"""

import itertools
import math
from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast.packing import ball_constant, ball_measure
from dpspectra.ledger import AtMost, Parts, Real, Relation, Slack, Verdict, statement
from dpspectra.lemmas.lower_bounds.assembly import instances
from dpspectra.lemmas.lower_bounds.counting_steps import other_points
from dpspectra.lemmas.packing.grassmann_measure import FEW
from dpspectra.oracle import packing as exact


def steps(spread: Any, i: int, m: int) -> int:
    """Length of the longest path to an image of a projector of rank ``i`` on ``i + m`` dimensions."""
    q = min(i, m)
    return 2 * max(q, math.ceil(q * spread))


def whole_bound(spectrum: Any, i: int, m: int, epsilon: float) -> float:
    """A squared error exceeded half of the time by a mechanism that sees ``M`` only; any ``epsilon``."""
    log_points = np.logaddexp(0, epsilon * steps(spectrum[0] - spectrum[-1], i, m))
    square = min(i, m) / 2 * (ball_constant(i, m) * (spectrum[i - 1] - spectrum[-m])) ** 2
    return float(square * np.exp(-log_points / (i * m)))


@statement
class WholeOrbit:
    labels = ("MWKTV-E11",)
    given = (
        r"\mathcal A\text{ sees }M=X^*X\text{ only},\ \rho^2=\tfrac12q"
        r"\,c_{i,m}^2g^2(1+e^{\varepsilon L})^{-1/N},\ L=2\max(q,\lceil qs\rceil)"
    )
    claim = {
        "number of points": r"2\rho^2\le g^2:\ \log\Big(\frac1{V(2\rho/g)}-1\Big)=\varepsilon L",
        "error of a constant output": r"\max_{i<j}\rho^2\le\sum_l(\lambda_l-\bar\lambda)^2",
        "error of a private net": r"d=2:\ \rho^2\le8s^2e^{-\varepsilon}",
        "success of the exponential mechanism": (
            r"d=2:\ \frac{1-e^{-\varepsilon\rho^2/2s}}{1-e^{-\varepsilon s}}\le\tfrac12"
        ),
        "number of points around large balls": r"2\rho^2>g^2:\ \varepsilon L\le\log\Big(\frac1{V(2\rho/g)}-1\Big)",
    }
    printed = (
        r"$`\lVert M-\mathcal A(M)\rVert_F^2\ge c\hat D^2(\lambda_i-\lambda_j)^2\exp\big(\frac{-2\varepsilon "
        r"D^2}{i(d-j+1)}\big)`$, $`\hat D`$ the diameter of the Grassmannian."
    )
    verdict = Verdict.CORNER
    relation = (Relation.REPLACE, Relation.ADD_REMOVE)
    uses = ("MWKTV-E7", "MWKTV-T2.7R", "MWKTV-T2.4S")
    note = "lower_bounds.md#from-the-packing-of-the-whole-orbit"
    examples = 60
    slack = {
        "error of a constant output": Slack(
            0.499512, "volumes give a second point at half the squared distance of the farthest one only"
        ),
        "error of a private net": Slack(
            0.03125, "the net has the points of caps of half its radius, the bound two points at a right angle"
        ),
        "success of the exponential mechanism": Slack(
            0.249863, "its law is nearly uniform: the ball is that of half the distance of two points"
        ),
    }
    cases = staticmethod(instances)

    def fast(self, spectrum: Any, epsilon: float) -> Parts:
        d, spread, least = len(spectrum), spectrum[0] - spectrum[-1], 0.0
        for i, j in itertools.combinations(range(1, d + 1), 2):
            m, gap = d - j + 1, spectrum[i - 1] - spectrum[j - 1]
            squared_error = whole_bound(spectrum, i, m, epsilon)
            least = max(least, squared_error)
            if gap > 0 and min(i, m) <= FEW:
                count = 1 / ball_measure(i, m, 2 * np.sqrt(squared_error) / gap)
                yield other_points(epsilon * steps(spread, i, m), np.log(count - 1), 2 * squared_error / gap**2)
        yield AtMost(least, np.sum((spectrum - np.mean(spectrum)) ** 2), part="error of a constant output")
        if d == 2:
            yield AtMost(least, 8 * spread**2 * np.exp(-epsilon), part="error of a private net")
            within = np.expm1(-epsilon * least / (2 * spread)) / np.expm1(-epsilon * spread)
            yield AtMost(within, 0.5, part="success of the exponential mechanism")

    def oracle(self, spectrum: Any, epsilon: Real) -> Parts:
        """Count the points of each pair by the measure of a ball."""
        values, d = [mp.mpf(x) for x in spectrum], len(spectrum)
        spread, least = values[0] - values[-1], mp.mpf(0)
        for i, j in itertools.combinations(range(1, d + 1), 2):
            m, gap = d - j + 1, values[i - 1] - values[j - 1]
            q = min(i, m)
            length = max(2 * q, 2 * mp.ceil(q * spread))
            points = 1 + mp.exp(epsilon * length)
            squared_error = q * exact.ball_constant(i, m) ** 2 / 2 * gap**2 / mp.root(points, i * m)
            least = max(least, squared_error)
            if gap > 0 and q <= FEW:
                count = 1 / mp.mpmathify(exact.ball_measure(i, m, 2 * mp.sqrt(squared_error) / gap))
                yield other_points(epsilon * length, mp.log(count - 1), 2 * squared_error / gap**2)
        mean = mp.fsum(values) / d
        yield AtMost(least, mp.fsum((x - mean) ** 2 for x in values), part="error of a constant output")
        if d == 2:
            yield AtMost(least, 8 * spread**2 * mp.exp(-epsilon), part="error of a private net")
            within = mp.expm1(-epsilon * least / (2 * spread)) / mp.expm1(-epsilon * spread)
            yield AtMost(within, mp.mpf(1) / 2, part="success of the exponential mechanism")

    def tight(self) -> list[Any]:
        """Small and large spheres, two angles, and a ball just beyond the closed form of its volume."""
        return [
            (np.array([4.0, 0.0]), 2.0**-10),
            (np.array([1.0, 0.0]), 2.0**-10),
            (np.array([1.0, 0.0]), 1.0),
            (np.array([0.0625, 0.0]), 2.0),
            (np.array([3.0, 3.0, 0.0, 0.0]), 0.25),
            (np.array([1.0, 1.0, 0.0, 0.0, 0.0]), (np.log(4) - 2.0**-20) / 4),
        ]

    def beyond(self) -> dict[str, AtMost]:
        """A tight instance: the length 1/512 of the paths, not rounded up to whole steps."""
        square, epsilon = mp.mpf(2) ** -10, mp.mpf(64)
        value = exact.ball_constant(1, 1) ** 2 / 2 * square / (1 + mp.exp(2 * epsilon * square))
        net = 8 * square * mp.exp(-epsilon)
        return {"L counts the steps": AtMost(value, net, part="error of a private net")}

    def as_printed(self, share: float, rate: float, top: float, epsilon: float) -> AtMost:
        """Compare ``c s^2 exp(-C epsilon D^2)`` for ``diag(100 + s, 100)``, ``D^2 = 2 s^2``, with a net's error."""
        square = mp.mpf(top) ** 2
        printed = share * square * mp.exp(-2 * rate * epsilon * square)
        return AtMost(printed, 8 * square * mp.exp(-mp.mpf(epsilon)), part="printed form")

    def hypotheses(self, share: float, rate: float, top: float, epsilon: float) -> dict[str, AtMost]:
        """The overview takes ``lambda_1`` to be of the order of ``sqrt d`` at least."""
        return {
            "lambda_1 is at least sqrt d": AtMost(mp.sqrt(2), 100 + mp.mpf(top)),
            "the constants and epsilon are positive": AtMost(0, min(share, rate, epsilon)),
        }

    def counterexample(self) -> Any:
        return 2.0**-20, 4.0, 2.0**-5, 64.0

    certificate = (
        "diag(100 + 1/32, 100), epsilon = 64, c = 2^-20, C = 4: C epsilon D^2 = 1/2, and a net errs by 8 e^-64 / 1024",
        ["mul", "1/1048576", "1/1024", ["exp", "-1/2"]],
        ["mul", "8", "1/1024", ["exp", "-64"]],
    )
