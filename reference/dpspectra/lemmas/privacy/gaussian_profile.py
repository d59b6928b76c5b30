"""Noise ``N(0, sigma^2 I)`` on points at distance ``m sigma``: ``delta(e) = Phi(m/2 - e/m) - e^e Phi(-m/2 - e/m)``.

By rotation only the coordinate along the difference matters; there the log-ratio is increasing, so the worst event is a
half-line. The profile grows with ``m``: the worst neighbours are those at the full sensitivity ``c``, and the smallest
noise for ``(e, delta)`` is ``c / m`` at the only root ``m`` of ``delta(e) = delta``. Both orders of the pair give the
same profile. It is never 0 unless ``c = 0``; without a bound on ``c`` no noise is enough.
"""

import math
from typing import Any

import numpy as np
from flint import arb
from mpmath import mp
from scipy.special import ndtr

from dpspectra.fast import gaussian_profile as fast
from dpspectra.fast.quadrature import gauss_legendre
from dpspectra.ledger import AtMost, Equal, Parts, Real, Reals, Relation, Verdict, statement
from dpspectra.oracle import gaussian_profile as oracle
from dpspectra.oracle.quadrature import integral, working
from dpspectra.strategies import ball_vectors, dyadics, epsilons, st

UNDERFLOW = 2.0**-1000
"""Probability below which float64 counts as zero."""


def _panels(threshold: float, m: float) -> list[float]:
    """Endpoints of intervals, narrow near ``threshold > 0``, with all mass of ``N(m, 1)`` and ``N(0, 1)`` above it."""
    first, length = 1 / (1 + threshold), threshold + m + 40
    return [0.0, *(first * 2.0**i for i in range(math.ceil(math.log2(length / first)) + 1))]


@statement
class GaussianProfile:
    labels = ("HR-T2.6R",)
    given = (
        r"m=\tfrac{\|x-y\|}\sigma,\ \delta_G(\varepsilon,m)"
        r"=\Phi\big(\tfrac m2-\tfrac\varepsilon m\big)-e^\varepsilon\Phi\big(-\tfrac m2-\tfrac\varepsilon m\big)"
    )
    claim = {
        "profile": r"\int(p-e^\varepsilon q)_+=\delta_G(\varepsilon,m)",
        "profile of closer points": r"0\le c\le1:\ \delta_G(\varepsilon,cm)\le\delta_G(\varepsilon,m)",
        "inverse of the profile": r"\delta_G(\varepsilon,m)=\delta_G(\varepsilon,\mu),\ \mu>0:\ \mu=m",
    }
    where = {
        "m": "distance of the two means in standard deviations",
        "x": "mean of the output on one data set",
        "y": "mean of the output on the neighbouring one",
        "p": r"density of the output on one data set, $`N(x,\sigma^2I)`$",
        "q": r"density of the output on the neighbouring one, $`N(y,\sigma^2I)`$",
        "c": "factor that brings the means closer",
        r"\mu": "root of the profile, as it is searched for",
    }
    verdict = Verdict.NEW
    relation = (Relation.ROW, Relation.REPLACE)
    uses = ("MWKTV-D1.1",)
    note = "privacy.md#exact-gaussian-mechanism"
    without_beyond = "It is an identity for all shifts and all scales of spherical normal noise."
    examples = 25
    rounding = 1e-12

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, Any, float, float, float]:
        """Two points, ``sigma``, ``epsilon``, and a factor of at most 1 that brings the points closer."""
        x, y = (draw(ball_vectors(d)) for d in [draw(st.integers(1, 4))] * 2)
        sigma = draw(st.sampled_from([1.0, 0.0625, 0.25, 4.0]) | dyadics(0.125, 8))
        none = st.just(0.0)  # the only choice for close points, where delta underflows for any other
        return x, y, sigma, draw(none | epsilons() if math.dist(x, y) > 2.0**-10 else none), draw(dyadics(0, 1))

    def fast(self, x: Any, y: Any, sigma: float, epsilon: float, closer: float) -> Parts:
        m = math.dist(x, y) / sigma
        delta = fast.profile(epsilon, m)
        if m == 0:
            yield Equal(0.0, delta, part="profile")
            return
        threshold = epsilon / m + m / 2
        ends, (nodes, weights) = np.array(_panels(threshold, m)), gauss_legendre(40)
        beyond = ends[:-1, None] + np.diff(ends)[:, None] * (nodes + 1) / 2
        density = np.exp(-((threshold - m + beyond) ** 2) / 2) / math.sqrt(2 * math.pi)
        integral = np.sum(np.diff(ends)[:, None] / 2 * weights * density * -np.expm1(-m * beyond))
        size = ndtr(m / 2 - epsilon / m) + UNDERFLOW
        yield Equal(integral, delta, scale=size, part="profile")
        yield AtMost(fast.profile(epsilon, closer * m), delta, scale=size, part="profile of closer points")
        if size / 2**10 < delta < 0.99:
            yield Equal(fast.mu_for(epsilon, delta), m, part="inverse of the profile")

    def oracle(self, x: Reals, y: Reals, sigma: Real, epsilon: Real, closer: Real) -> Parts:
        m = mp.sqrt(mp.fsum((a - b) ** 2 for a, b in zip(x, y, strict=True))) / sigma
        delta = oracle.profile(epsilon, m)
        if m == 0:
            yield Equal(0, delta, part="profile")
            return
        threshold = epsilon / m + m / 2
        unit, peak, steps = 1 / (1 + max(threshold - m, 0)), max(m - threshold, 0), [2**j for j in range(8)]
        before = [peak - step for step in reversed(steps) if peak > step]
        with working():
            rate, start = arb(m), arb(threshold - m)

            def excess(beyond: Any) -> Any:  # the other density, times exp(epsilon), is exp(-m beyond) of this one
                away = start + beyond
                return (-away * away / 2).exp() * -(-rate * beyond).expm1()

            total = integral(excess, [0, *before, peak, *(peak + unit * step for step in steps)])
            seen = mp.mpf(total / (2 * arb.pi()).sqrt())
        size = oracle.cdf(m / 2 - epsilon / m) + UNDERFLOW
        yield Equal(seen, delta, scale=size, part="profile")
        yield AtMost(oracle.profile(epsilon, closer * m), delta, scale=size, part="profile of closer points")
        if size / 2**10 < delta < 0.99:
            yield Equal(oracle.mu_for(epsilon, delta), m, part="inverse of the profile")

    def tight(self) -> list[Any]:
        """Standard deviations 1 and ``sqrt(log(1.25 / 1e-8))``, claimed for ``(1, 1e-8)`` in one reading."""
        line = [(np.array([1.0]), np.array([0.0]), sigma, 1.0, 1.0) for sigma in (1.0, math.sqrt(math.log(1.25e8)))]
        return [*line, (np.array([1.5, 0.0]), np.array([0.9, -0.8]), 1.0, 1.0, 1.0)]
