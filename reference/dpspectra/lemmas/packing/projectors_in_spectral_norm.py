"""``R^d`` has ``N >= s^(-k (d - k))`` projectors of rank ``k``, any two more than ``s`` apart in spectral norm.

In the chart ``Y``, the part of an orthonormal frame outside a fixed subspace, the distance to that subspace is
``|Y|_2`` and Haar measure has the density ``|I - Y'Y|^(-1/2)``, which increases outwards. So a ball has measure at most
``s^(k(d-k))``, also at most ``(1 - s^2)^(-k/2)`` times Lebesgue measure, and a maximal packing covers. Printed (as we
read it): disjoint balls of any radius below 1. Above ``1 / sqrt 2`` no two balls are disjoint: for any two subspaces
there is a third at half the angles.
"""

from typing import Any

import numpy as np
from mpmath import mp
from scipy.special import betainc, gammaln

from dpspectra.fast import linalg as fast
from dpspectra.ledger import AtMost, Frequency, Parts, Real, Verdict, statement
from dpspectra.oracle import linalg as oracle
from dpspectra.oracle import top_eigenvalue
from dpspectra.sampling.haar import haar
from dpspectra.strategies import dyadics, seeds, st

TRIALS = 4000
"""Number of subspaces drawn for a frequency."""

SHAPES = [(1, 2), (1, 3), (2, 4), (1, 6), (2, 5), (3, 6), (2, 3), (3, 4)]
"""Ranks and dimensions in which measures are compared with frequencies."""


def _radii() -> st.SearchStrategy[float]:
    return dyadics(2.0**-6, 1) | st.just(2.0**-10)


def log_ball(s: Any, k: int, d: int) -> Any:
    """Logarithm of a bound on the Haar measure of a ball of radius ``s``, ``0 < s <= 1``, ``0 < k < d``."""
    power = k * (d - k) * np.log(s)
    if s == 1:
        return power
    gammas = gammaln((k + 1) / 2) + gammaln((d - k + 1) / 2) - gammaln(0.5) - gammaln((d + 1) / 2)
    return power + min(0.0, gammas - min(k, d - k) / 2 * np.log1p(-(s**2)))


def _ball(s: Any, k: int, d: int) -> Any:
    """The bound, with the Gamma functions as Lebesgue measure over Haar measure of the chart, column by column.

    Given the later columns, the ``j``-th is in an ellipsoid; mapped to a ball its densities under the two measures are
    ``(1 - r^2)^(j/2)`` and ``(1 - r^2)^((j-1)/2)``, so a radial integral of each remains.
    """
    power, q, rest = s ** (k * (d - k)), min(k, d - k), max(k, d - k)
    if s == 1:
        return power
    ratio = mp.fprod(
        mp.beta(mp.mpf(rest) / 2, 1 + mp.mpf(j) / 2) / mp.beta(mp.mpf(rest) / 2, mp.mpf(1 + j) / 2) for j in range(q)
    )
    return power * min(1, ratio / (1 - s**2) ** (mp.mpf(q) / 2))


@statement
class ProjectorsInSpectralNorm:
    labels = ("JXZ-L5",)
    given = r"q=\min(k,d-k);\ \exists P_1,\dots,P_N:\ \|P_i-P_j\|_2>s\ (i\ne j),\ N\ge s^{-k(d-k)}"
    claim = {
        "measure of a ball": (
            r"\mu\{\|P-P_0\|_2\le s\}\le s^{k(d-k)}\min\Big\{1,(1-s^2)^{-q/2}"
            r"\frac{\Gamma(\frac{k+1}2)\Gamma(\frac{d-k+1}2)}{\Gamma(\frac12)\Gamma(\frac{d+1}2)}\Big\}"
        ),
        "measure of a ball of lines": (
            r"k=1:\ \mu\{\|P-P_0\|_2\le s\}\le s^{d-1}\min\Big\{1,"
            r"(1-s^2)^{-1/2}\frac{\Gamma(\frac d2)}{\Gamma(\frac12)\Gamma(\frac{d+1}2)}\Big\}"
        ),
    }
    printed = (
        r"Not at hand; read as: for every $`\delta\in(0,1)`$ there are "
        r"$`\big(\frac1\delta\big)^{\Omega(k(d-k))}`$ subspaces of dimension $`k`$ whose balls of radius "
        r"$`\delta`$ are disjoint."
    )
    where = {
        "i": "number of a projector",
        "j": "number of another projector",
        "P": "projector of rank $`k`$, uniformly distributed",
        "P_0": "fixed projector of rank $`k`$",
        "P_i": "the projectors of the packing",
        "s": "distance in spectral norm",
        "k": "rank of the projectors",
        "q": "the smaller of $`k`$ and $`d-k`$",
        "N": "number of projectors of the packing",
    }
    verdict = Verdict.REPAIRED
    note = "packing_covariance.md#separated-projectors"
    digits = 25
    examples = 30

    def cases(self) -> Any:
        return st.tuples(st.sampled_from(SHAPES), _radii(), st.tuples(st.integers(2, 64), _radii()), seeds())

    def fast(self, shape: tuple[int, int], s: float, lines: tuple[int, float], seed: int) -> Parts:
        """State how many uniform subspaces lie in a ball, and the measure of a ball of lines of another dimension."""
        (k, d), (m, r) = shape, lines
        frames = haar(d, field="real", size=TRIALS, rng=np.random.default_rng(seed))[..., :k]
        inside = int(np.sum(fast.spectral_norm(frames[:, k:]) <= s))
        yield Frequency(inside, TRIALS, float(np.exp(log_ball(s, k, d))), part="measure of a ball")
        yield AtMost(betainc((m - 1) / 2, 0.5, r**2), np.exp(log_ball(r, 1, m)), part="measure of a ball of lines")

    def oracle(self, shape: tuple[int, int], s: Real, lines: tuple[int, float], _: int) -> Parts:
        (k, d), m, r = shape, lines[0], mp.mpf(lines[1])
        yield AtMost(top_eigenvalue.sine_cdf(s**2, min(k, d - k), d), _ball(s, k, d), scale=1, part="measure of a ball")
        yield AtMost(top_eigenvalue.sine_cdf(r**2, 1, m), _ball(r, 1, m), part="measure of a ball of lines")

    def tight(self) -> list[Any]:
        """Balls of radius 1, which contain everything, and small ones, in which the bound is nearly attained."""
        tiny = 2, 2.0**-10
        small = [(shape, 2.0**-10, tiny, 0) for shape in ((1, 2), (2, 5), (3, 6))]
        return [((1, 2), 1.0, tiny, 0), ((2, 4), 1.0, tiny, 0), *small]

    def beyond(self) -> dict[str, AtMost]:
        """Lines of the real plane in a ball of radius 1/2, against the power that complex lines have."""
        share = top_eigenvalue.sine_cdf(mp.mpf(1) / 4, 1, 2)
        return {"the exponent k (d - k) of real planes": AtMost(share, (mp.mpf(1) / 2) ** 2)}

    def as_printed(self, p: Any, q: Any, radius: float) -> AtMost:
        """Compare the radius with the distance of two lines to the line half-way, which is in both balls if larger."""
        p, q = (oracle.exact(x) / oracle.frobenius_norm(oracle.exact(x)) for x in (p, q))
        middle = (p + q) / oracle.frobenius_norm(p + q)
        far = max(oracle.spectral_norm(oracle.outer(x) - oracle.outer(middle)) for x in (p, q))
        return AtMost(mp.mpf(radius), far, part="printed form")

    def hypotheses(self, p: Any, q: Any, radius: float) -> dict[str, AtMost]:
        return {"0 < delta < 1": AtMost(abs(2 * mp.mpf(radius) - 1), 1)}

    def counterexample(self) -> Any:
        """Two lines at a right angle; for subspaces at smaller angles the one half-way is nearer."""
        return np.array([1.0, 0.0]), np.array([0.0, 1.0]), 0.75

    certificate = (
        "any two planes have a third at distance at most sin(pi/4) of both, so no two balls of radius 3/4 are disjoint",
        "3/4",
        ["sqrt", "1/2"],
    )
