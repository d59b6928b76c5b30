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
        """Show in which of two intervals the first number lies if it is above a bar, else on which side the second."""
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
        laws = []
        for a, b in ((v, w), (mp.mpf(0), mp.mpf(0))):
            low, high, below = bar - a, bar + above - a, _between(-mp.inf, bar - a)
            second = _between(other - b, mp.inf), _between(-mp.inf, other - b)
            laws.append([_between(high, mp.inf), _between(low, high), *(below * x for x in second)])
        exceeded = mp.fsum(max(p - mp.exp(epsilon) * q, 0) for p, q in zip(*laws, strict=True))
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
