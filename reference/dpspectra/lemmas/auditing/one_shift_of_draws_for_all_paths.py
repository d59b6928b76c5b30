"""One shift of normal draws takes a program on one data set to the program on the other, whatever it decides.

If the run with draws ``z`` on the first data set gives what the run with ``z + v`` gives on the second one, then an
event of the output is an event of the draws, and that of the second data set is moved by ``v``. So the output tells the
data sets apart no better than a normal vector tells that it was moved. Comparisons and functions of noisy numbers need
no rule of their own. Without the same output, or with draws of another law, this is false.
"""

import math
from typing import Any

import numpy as np
from mpmath import mp
from scipy.special import ndtr

from dpspectra.fast import gaussian_profile
from dpspectra.ledger import AtMost, Parts, Real, Verdict, statement
from dpspectra.oracle import gaussian_profile as defined
from dpspectra.strategies import dyadics, epsilons, st


@statement
class OneShiftOfDrawsForAllPaths:
    labels = ("DPS-ALIGNMENT",)
    given = (
        r"Z\sim\mathcal N(0,I),\ F_A(z)=F_B(z+v)\text{ for all }z,\ \mu=\lVert v\rVert,\ "
        r"\delta(\varepsilon)=\max_S\big(P(F_A(Z)\in S)-e^\varepsilon P(F_B(Z)\in S)\big)"
    )
    claim = {
        "delta": (
            r"\delta(\varepsilon)\le\Phi\Big(\frac\mu2-\frac\varepsilon\mu\Big)"
            r"-e^\varepsilon\,\Phi\Big(-\frac\mu2-\frac\varepsilon\mu\Big)"
        )
    }
    where = {
        "F_A": "output on the first data set, as a function of the draws",
        "F_B": "output on the other data set, as a function of the draws",
        "Z": "normal draws",
        "z": "values of the draws",
        "v": "shift of the draws",
        r"\mu": "its length",
        r"\mathcal N": "normal law of this mean and covariance",
        "S": "set of outputs",
        r"\delta": "profile of the output: the smallest delta at epsilon",
        r"\Phi": "standard normal distribution function",
    }
    verdict = Verdict.NEW
    note = "auditing.md#one-shift-of-draws-for-all-paths"

    def cases(self) -> Any:
        """Shifts of two numbers, the bar of the first, an edge above it, the bar of the second, and epsilon."""
        bars = dyadics(-3.0, 3.0)
        return st.tuples(bars, bars, bars, dyadics(0.0, 2.0), bars, epsilons(2.0**-6, 4.0) | st.just(0.0))

    def fast(self, v: float, w: float, bar: float, above: float, other: float, epsilon: float) -> Parts:
        """A program that shows in which of two cells the first number lies if it is above a bar, else the second one.

        The numbers have places ``(v, w)`` on the first data set and 0 on the other one.
        """
        laws = []
        for a, b in ((v, w), (0.0, 0.0)):
            first = ndtr([a - bar - above, bar - a])
            second = ndtr([b - other, other - b])
            between = max(1.0 - first.sum(), 0.0) if above else 0.0
            laws.append(np.array([first[0], between, *(first[1] * second)]))
        exceeded = float(np.sum(np.maximum(laws[0] - math.exp(epsilon) * laws[1], 0)))
        yield AtMost(exceeded, float(gaussian_profile.profile(epsilon, math.hypot(v, w))), scale=1, part="delta")

    def oracle(self, v: Real, w: Real, bar: Real, above: Real, other: Real, epsilon: Real) -> Parts:
        """Outcome by outcome."""
        exceeded = mp.mpf(0)
        for cell in range(4):
            masses = []
            for a, b in ((v, w), (mp.mpf(0), mp.mpf(0))):
                low, high = bar - a, bar + above - a
                if cell < 2:
                    ends = (high, mp.inf) if cell == 0 else (low, high)
                    masses.append(_between(*ends))
                else:
                    ends = (other - b, mp.inf) if cell == 2 else (-mp.inf, other - b)
                    masses.append(_between(-mp.inf, low) * _between(*ends))
            exceeded += max(masses[0] - mp.exp(epsilon) * masses[1], 0)
        yield AtMost(exceeded, defined.profile(epsilon, mp.sqrt(v * v + w * w)), scale=1, part="delta")

    def tight(self) -> list[tuple[float, ...]]:
        """Bars at which the set of the largest losses ends: of the first number, and of the second one."""
        return [(1.0, 0.0, 1.0, 0.5, 0.0, 0.5), (0.0, 1.0, 40.0, 0.0, 1.0, 0.5), (2.0, 0.0, 1.25, 0.0, 1.0, 0.5)]

    def beyond(self) -> dict[str, AtMost]:
        """Two outputs that are the data set, with no shift; and a Laplace draw that is moved by 1."""
        return {
            "the same output of moved draws": AtMost(mp.mpf(1), mp.mpf(0)),
            "normal draws": AtMost(1 - mp.exp(mp.mpf(-1) / 2), defined.profile(0, 1)),
        }


def _between(low: Any, high: Any) -> Any:
    """Probability that a normal draw lies between two numbers: the integral of the tail that is shorter."""
    if low > 0:
        low, high = -high, -low
    return defined.cdf(high) - defined.cdf(low)
