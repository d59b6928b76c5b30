"""A library shipped the one-sided Wishart mechanism with a standard deviation where its design has the variance.

It adds ``G G'``, ``G`` of shape ``(d, d + 1)`` with independent entries of standard deviation ``B / 2 epsilon``, to
``X'X`` for rows of norm at most ``B``, and claims pure ``epsilon``-privacy. That is Wishart noise of scale
``B^2 / 4 epsilon^2``. It is ``(e, delta)``-private if and only if ``delta >= 1 - exp(-2 epsilon^2)``, for every
``e >= 0``; the design, with scale ``B^2 / 2 epsilon``, would have ``1 - exp(-epsilon)``. Even on the common support the
log-ratio reaches ``2 epsilon^2``, which exceeds ``epsilon`` for ``epsilon > 1/2``.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.fast import wishart
from dpspectra.ledger import AtMost, Column, Frequency, Outcome, Parts, Real, Relation, Verdict, statement
from dpspectra.lemmas.wishart.distribution import TRIALS
from dpspectra.oracle import linalg as oracle
from dpspectra.oracle import wishart as exact
from dpspectra.strategies import ball_vectors, epsilons, rectangular, seeds, st


def standard_deviation(norm_bound: Any, epsilon: Any) -> Any:
    """Standard deviation of the Gaussian entries, as shipped."""
    return norm_bound / (2 * epsilon)


def bound(epsilon: Any) -> Any:
    """Smallest ``delta`` of the shipped mechanism at every level, for its parameter ``epsilon``."""
    return -np.expm1(-2 * epsilon**2)


@statement
class DeviationForVariance:
    labels = ("JXZ-LIB",)
    given = (
        r"G_{ij}\sim N\big(0,(\tfrac B{2\varepsilon})^2\big),\ X^\top X-X'^\top X'=vv^\top-ww^\top,\ "
        r"\|v\|,\|w\|\le B,\ e\ge0"
    )
    claim = {
        "delta of a pair": (
            r"\sup_S\big(\Pr[X^\top X+GG^\top\in S]-e^e\Pr[X'^\top X'+GG^\top\in S]\big)\le1-e^{-2\varepsilon^2}"
        ),
        "mass outside the support": r"1-\Pr[X^\top X+GG^\top\succeq X'^\top X']\le1-e^{-2\varepsilon^2}",
        "log-ratio on the common support": (
            r"\big|\log\tfrac{f_X(K)}{f_{X'}(K)}\big|\le2\varepsilon^2\quad(K\succ X^\top X,X'^\top X')"
        ),
    }
    where = {
        "G": r"noise matrix, $`d\times(d+1)`$",
        "G_i": "the entries of the noise matrix, independent",
        "N": "normal law with this mean and variance",
        "B": "bound on the norm of a row",
        "e": "as a base Euler's number; in the exponent the privacy parameter that is asked for, in nats",
        r"\varepsilon": "parameter of the library, from which it computes the noise",
        "X": "data matrix, whose rows have norm at most $`B`$",
        "f_X": "density of the released matrix",
        "f_{X'}": "density of the released matrix on a neighbouring data set",
    }
    verdict = Verdict.NEW
    relation = (Relation.REPLACE, Relation.ADD_REMOVE)
    uses = ("JXZ-D2", "JXZ-T4-X")
    note = "wishart.md#a-standard-deviation-for-a-variance"
    digits = 30
    examples = 20

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, Any, float, float, float, int]:
        """The row before and after, the norm bound, ``epsilon``, the level ``e`` of the profile, and a seed.

        The rows are in general position or up to the norm bound; the row after is often zero.
        """
        d = draw(st.integers(1, 4))
        v, w = draw(rectangular(2, d)) / 16
        if draw(st.booleans()):
            v, w = draw(ball_vectors(d)), draw(st.just(np.zeros(d)) | ball_vectors(d))
        most, level = draw(st.sampled_from([1.0, 0.5, 16.0])), draw(st.sampled_from([0.0, 1e6]) | epsilons(2**-6, 4.0))
        return most * v, most * w, most, draw(epsilons(2**-4, 4.0)), level, draw(seeds())

    def fast(self, v: Any, w: Any, most: float, epsilon: float, level: float, seed: int) -> Parts:
        d, s = len(v), standard_deviation(most, epsilon)
        g = s * np.random.default_rng(seed).standard_normal((TRIALS, d, d + 1))
        a, other = fast.outer(v), fast.outer(w)
        outside = int(np.sum(np.linalg.eigvalsh(g @ np.swapaxes(g, 1, 2) + a - other)[:, 0] < 0))
        output = a + other + s**2 * np.eye(d)
        here, there = (wishart.log_density(output - base, d + 1, s**2 * np.eye(d)) for base in (a, other))
        yield AtMost(wishart.pair_profile(v, w, s**2, level), bound(epsilon), scale=1.0, part="delta of a pair")
        yield Frequency(outside, TRIALS, float(bound(epsilon)), part="mass outside the support")
        size = np.trace(output) / s**2 + abs(here)
        yield AtMost(abs(here - there), 2 * epsilon**2, scale=size, part="log-ratio on the common support")

    def oracle(self, v: Column, w: Column, most: float, epsilon: Real, level: Real, _: int) -> Parts:
        d = len(v)
        design = 1 / (2 * epsilon)  # the variance for rows of norm up to 1, which was shipped as a standard deviation
        variance, largest = (most * design) ** 2, 1 - mp.exp(-2 * epsilon**2)
        a, other = oracle.outer(v), oracle.outer(w)
        output = a + other + variance * mp.eye(d)
        here, there = (exact.density(output - base, d + 1, variance * mp.eye(d)) for base in (a, other))
        yield AtMost(exact.pair_profile(v, w, variance, level), largest, scale=1, part="delta of a pair")
        yield AtMost(exact.pair_profile(v, w, variance, mp.inf), largest, scale=1, part="mass outside the support")
        yield AtMost(abs(mp.log(here / there)), 2 * epsilon**2, scale=1, part="log-ratio on the common support")

    def tight(self) -> list[Any]:
        """A unit row appears, at a large level and at 0, and a unit row becomes zero."""
        zero, first = np.zeros(3), np.array([1.0, 0.0, 0.0])
        return [
            (zero[:1], first[:1], 1.0, 1.0, 1e6, 0),
            (zero, first, 1.0, 0.5, 0.0, 0),
            (first, zero, 1.0, 1.0, 0.0, 0),
        ]

    def beyond(self) -> dict[str, Outcome]:
        """A row of twice the norm bound."""
        delta, *_ = self.oracle(np.zeros(1), np.array([2.0]), 1.0, 1.0, 0.0, 0)
        return {"rows up to the norm bound": delta}
