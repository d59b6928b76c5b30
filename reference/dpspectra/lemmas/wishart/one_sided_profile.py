"""The one-sided Wishart mechanism is ``(e, delta)``-private if and only if ``delta >= 1 - exp(-epsilon / 3)``.

This holds for every ``e >= 0``, ``n`` and ``d``: a larger ``e`` does not lower ``delta``. On the common support the
log-ratio is the constant ``tr(A - A') / 2c``, so only the mass outside the other support matters. ``K = A + W`` lies
inside it whenever ``W`` exceeds ``w w' / n``, which has probability ``exp(-|w|^2 epsilon / 3)``; a zero row against a
unit row attains the bound. For rows outside the unit ball there is no bound below 1.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import wishart as fast
from dpspectra.fast.linalg import outer
from dpspectra.ledger import AtMost, Frequency, Matrix, Parts, Real, Relation, Verdict, all_parts, statement
from dpspectra.lemmas.wishart.distribution import TRIALS
from dpspectra.lemmas.wishart.one_sided import exact_scale, scale
from dpspectra.oracle import wishart as exact
from dpspectra.strategies import ball_vectors, epsilons, rectangular, seeds, st


def bound(epsilon: Any) -> Any:
    """Smallest ``delta`` at every level ``e``, for the scale printed for ``epsilon``."""
    return -np.expm1(-epsilon / 3)


def profile(v: Any, w: Any, epsilon: float, level: float) -> float:
    """Smallest ``delta`` at ``level`` for one pair of data sets: the row ``v``, and ``w`` in its place.

    The scale is the one printed for ``epsilon``; swapping ``v`` and ``w`` gives the other direction.
    """
    return fast.pair_profile(v, w, scale(1, epsilon), level)


@statement
class OneSidedProfile:
    labels = ("JXZ-T4-X",)
    given = r"W\sim W_d(d+1,cI),\ c=\tfrac3{2n\varepsilon},\ A-A'=\tfrac1n(vv^\top-ww^\top),\ \|v\|,\|w\|\le1,\ e\ge0"
    claim = {
        "delta of a pair": r"\sup_S\big(\Pr[A+W\in S]-e^{e}\Pr[A'+W\in S]\big)\le1-e^{-\varepsilon/3}",
        "mass outside the support": r"1-\Pr[A+W\succeq A']\le1-e^{-\varepsilon/3}",
    }
    where = {
        "e": "as a base Euler's number; in the exponent the privacy parameter that is asked for, in nats",
        r"\varepsilon": r"parameter of the noise, whose scale is $`\frac3{2n\varepsilon}`$",
    }
    verdict = Verdict.NEW
    relation = (Relation.REPLACE,)
    uses = ("JXZ-D2", "JXZ-A2")
    note = "wishart.md#exact-privacy-profile"
    digits = 30
    examples = 20

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, Any, int, float, float, int]:
        """The row before and after, the number of rows, ``epsilon``, the level ``e`` of the profile, and a seed.

        The rows are in general position, or in the unit ball and possibly equal, opposite or shortened.
        """
        d = draw(st.integers(1, 4))
        v, w = draw(rectangular(2, d)) / 16
        if draw(st.integers(0, 2)) == 0:
            v = draw(ball_vectors(d))
            w = draw(st.one_of(ball_vectors(d), st.just(v), st.just(-v), st.just(v / 2)))
        level = draw(st.one_of(st.sampled_from([0.0, 1e6]), epsilons(2**-6, 4.0)))
        return v, w, draw(st.sampled_from([1, 2, 7, 10**6])), draw(epsilons(2**-6, 32.0)), level, draw(seeds())

    def fast(self, v: Any, w: Any, n: int, epsilon: float, level: float, seed: int) -> Parts:
        d = len(v)
        noise = fast.draws(d + 1, scale(n, epsilon) * np.eye(d), TRIALS, np.random.default_rng(seed))
        seen = np.linalg.eigvalsh(noise + (outer(v) - outer(w)) / n)[:, 0] < 0
        yield AtMost(profile(v, w, epsilon, level), bound(epsilon), scale=1.0, part="delta of a pair")
        yield Frequency(int(np.sum(seen)), TRIALS, float(bound(epsilon)), part="mass outside the support")

    def oracle(self, v: Matrix, w: Matrix, n: int, epsilon: Real, level: Real, _: int) -> Parts:
        c, most = exact_scale(1, epsilon), 1 - mp.exp(-epsilon / 3)
        yield AtMost(exact.pair_profile(v, w, c, level), most, scale=1, part="delta of a pair")
        yield AtMost(exact.pair_profile(v, w, c, mp.inf), most, scale=1, part="mass outside the support")

    def tight(self) -> list[Any]:
        """A unit row appears, at a large level and at 0, and a unit row becomes zero."""
        zero, first = np.zeros(3), np.array([1.0, 0.0, 0.0])
        one = zero[:1], first[:1], 1, 1.0, 1e6, 0
        return [one, (zero, first, 7, 3.0, 0.0, 0), (first, zero, 2, 3.0, 0.0, 0)]

    def beyond(self) -> dict[str, AtMost]:
        """A row of norm 2 appears."""
        delta, _ = all_parts(self.oracle(np.zeros(1), np.array([2.0]), 1, 1.0, 0.0, 0))
        return {"rows of norm at most 1": delta}
