"""The private range finder ``Y = A Omega + s N``: its exact ``delta``; the printed noise is sufficient but too large.

A row that changes by ``e`` shifts ``Y`` by ``e' Omega``, whose length is ``|e|`` times a chi variable, and the law of
``Omega`` does not depend on the data. So the exact ``delta`` is the mean of Gaussian profiles over that chi variable,
the same for every ``A``. The printed noise is set for a length that is exceeded with probability at most ``delta/4``;
that is enough up to ``epsilon = 5/2``, and for large ``epsilon`` it is too little, whatever its constant.
"""

from typing import Any, NamedTuple

import numpy as np
from mpmath import mp
from scipy.special import chdtrc, ndtr

from dpspectra.fast import gaussian_profile, noisy_sketch_profile
from dpspectra.ledger import AtMost, Frequency, Matrix, Parts, Real, Relation, Slack, Verdict, statement
from dpspectra.ledger.certificate import Tree
from dpspectra.oracle import gaussian_profile as exact_gaussian
from dpspectra.oracle import noisy_sketch_profile as exact_sketch
from dpspectra.strategies import ball_vectors, deltas, epsilons, rectangular, seeds, st

DRAWS = 20000
"""Random draws of the sketch in a case."""
LARGEST_EPSILON = 2.5
"""Largest ``epsilon`` for which the tail argument of the printed noise is complete."""


PRINTED: Tree = ["mul", ["sqrt", ["mul", "2", ["log", "16"]]], ["sqrt", ["mul", "2", ["log", "10"]]]]
"""Printed noise of one column at ``delta = 1/4``, times ``epsilon``."""
ABOVE: Tree = ["sub", ["div", "50", PRINTED], PRINTED]
"""How far half of a shift by 1 is above the loss at which ``epsilon = 100`` is reached, in units of this noise."""
TAIL: Tree = [
    "div",
    ["exp", ["neg", ["div", ["mul", ABOVE, ABOVE], "2"]]],
    ["mul", ["add", ["div", "50", PRINTED], PRINTED], ["sqrt", ["mul", "2", ["pi"]]]],
]
"""Bound of Mills on what the second term of the profile takes away."""


class Sketch(NamedTuple):
    """A matrix, the row that changes and its change, the width and noise of the sketch, ``epsilon`` and a seed."""

    a: Any
    place: int
    change: Any
    width: int
    noise: float
    epsilon: float
    seed: int


def _printed(epsilon: Any, delta: Any, width: int) -> tuple[Any, Any]:
    """Return the length that is seldom exceeded, and the printed noise for it."""
    longest = mp.sqrt(2 * width * mp.log(4 * width / mp.mpf(delta)))
    return longest, longest * mp.sqrt(2 * mp.log(mp.mpf(5) / 2 / delta)) / epsilon


def noise_scale(width: int, epsilon: float, delta: float) -> float:
    """Smallest noise ``s`` for ``(epsilon, delta)``-privacy when a row changes by at most 1 (bisection)."""
    return noisy_sketch_profile.noise_for(epsilon, delta, width)


@statement
class PrintedNoise:
    labels = ("HR-L4.1",)
    given = (
        r"\varepsilon\le\tfrac52,\ \delta\le\tfrac12,\ R_0=\sqrt{2k'\log\tfrac{4k'}\delta},\ "
        r"s=\tfrac{R_0}\varepsilon\sqrt{2\log\tfrac5{2\delta}}"
    )
    claim = {
        "exact delta below the tail argument": (
            r"\delta_{RF}(\varepsilon;s,k')\le\Pr[R>R_0]+\delta_G(\varepsilon,R_0/s)"
        ),
        "tail argument below delta": r"\Pr[R>R_0]+\delta_G(\varepsilon,R_0/s)\le\delta",
        "smallest sufficient noise": r"\min\{t:\delta_{RF}(\varepsilon;t,k')\le\delta\}\le s",
    }
    printed = r"The range finder of Figure 2 is $`(\varepsilon,\delta)`$-DP."
    where = {
        "R_0": "length that $`R`$ seldom exceeds",
        "t": "standard deviation of the noise, any",
    }
    verdict = Verdict.REPAIRED
    relation = (Relation.ROW,)
    uses = ("HR-L4.1R", "HR-T2.6R")
    note = "range_finding.md#the-range-finder-with-the-printed-noise"
    digits = 20
    examples = 5
    slack = {
        "exact delta below the tail argument": Slack(0.080824, "the argument takes every length below R_0 to be R_0"),
        "tail argument below delta": Slack(
            0.20004, "the tail of R is below delta / 4, and the profile far below delta"
        ),
        "smallest sufficient noise": Slack(0.17076, "the printed noise is 2 sqrt(k') times as large in the limit"),
    }

    def cases(self) -> Any:
        return st.tuples(epsilons(high=LARGEST_EPSILON), deltas(2.0**-30), st.sampled_from([1, 2, 3, 5, 11, 21]))

    def fast(self, epsilon: float, delta: float, width: int) -> Parts:
        longest = np.sqrt(2 * width * np.log(4 * width / delta))
        noise = longest * np.sqrt(2 * np.log(2.5 / delta)) / epsilon
        argument = chdtrc(width, longest**2) + gaussian_profile.profile(epsilon, longest / noise)
        size = noisy_sketch_profile.exceedance(epsilon, noise, width)
        exact = noisy_sketch_profile.profile(epsilon, noise, width)
        yield AtMost(exact, argument, scale=size, part="exact delta below the tail argument")
        first = ndtr(longest / noise / 2 - epsilon * noise / longest)
        yield AtMost(argument, delta, scale=first, part="tail argument below delta")
        yield AtMost(noise_scale(width, epsilon, delta), noise, part="smallest sufficient noise")

    def oracle(self, epsilon: Real, delta: Real, width: int) -> Parts:
        longest, noise = _printed(epsilon, delta, width)
        beyond = mp.gammainc(mp.mpf(width) / 2, longest**2 / 2, mp.inf, regularized=True)
        argument = beyond + exact_gaussian.profile(epsilon, longest / noise)
        yield AtMost(exact_sketch.profile(epsilon, noise, width), argument, part="exact delta below the tail argument")
        yield AtMost(argument, delta, part="tail argument below delta")
        yield AtMost(exact_sketch.noise_for(epsilon, delta, width), noise, part="smallest sufficient noise")

    def tight(self) -> list[Any]:
        """The largest probability and loss that are allowed, with one column."""
        return [(LARGEST_EPSILON, 0.5, 1)]

    def beyond(self) -> dict[str, AtMost]:
        """Epsilon 20 with delta 1/2 and one column: the profile of the cut length alone."""
        mu = 20 / mp.sqrt(2 * mp.log(5))
        return {"epsilon at most 5/2": AtMost(exact_gaussian.profile(mp.mpf(20), mu), mp.mpf(1) / 2)}

    def as_printed(self, epsilon: float, delta: float) -> AtMost:
        """Compare what one column longer than 1 adds to the true ``delta`` at least with the claimed one."""
        noise = _printed(mp.mpf(epsilon), mp.mpf(delta), 1)[1]
        above, sum_of_both = 1 / (2 * noise) - epsilon * noise, 1 / (2 * noise) + epsilon * noise
        profile = mp.ncdf(above) - mp.exp(-(above**2) / 2) / (sum_of_both * mp.sqrt(2 * mp.pi))
        return AtMost(2 * mp.ncdf(-1) * profile, mp.mpf(delta), part="printed form")

    def hypotheses(self, epsilon: float, delta: float) -> dict[str, AtMost]:
        """No limit on ``epsilon`` is printed."""
        return {"epsilon is positive": AtMost(0, epsilon), "0 < delta < 1": AtMost(abs(2 * mp.mpf(delta) - 1), 1)}

    def counterexample(self) -> Any:
        return (100.0, 0.25)

    certificate = (
        "one column is longer than 1 with probability 2 Phi(-1); then the true delta is at least that of a shift by 1",
        ["mul", ["mul", "2", ["normal_cdf", "-1"]], ["sub", ["normal_cdf", ABOVE], TAIL]],
        "1/4",
    )


@statement
class ExactPrivacy:
    labels = ("HR-L4.1R",)
    given = (
        r"\|e\|\le1,\ R\sim\chi_{k'},\ \mu=R\|e\|/s,\ \mathcal L=\log\frac{p_{A'}(\Omega,Y)}{p_A(\Omega,Y)},\ "
        r"\delta_{RF}(\varepsilon;s,k')=\mathbb E\,\delta_G(\varepsilon,R/s)"
    )
    claim = {
        "large loss under the neighbour": (
            r"\Pr_{A'}[\mathcal L>\varepsilon]\le\mathbb E\,\Phi\big(\tfrac\mu2-\tfrac\varepsilon\mu\big)"
        ),
        "large loss under the data": (
            r"\Pr_A[\mathcal L>\varepsilon]\le\mathbb E\,\Phi\big(-\tfrac\mu2-\tfrac\varepsilon\mu\big)"
        ),
        "delta of a pair": r"\mathbb E\,\delta_G(\varepsilon,\mu)\le\delta_{RF}(\varepsilon;s,k')",
    }
    where = {
        r"\chi_{k'}": "chi law: the length of a standard normal vector of $`k'`$ numbers",
        r"\lVert e\rVert": "norm of the change of one row",
        r"\mu": r"shift of $`Y`$ given $`\Omega`$, in units of the noise",
        "A'": "matrix with one row changed",
        r"\mathcal L": "privacy loss",
        "p_i": r"density of $`(\Omega,Y)`$ for this matrix",
    }
    verdict = Verdict.NEW
    relation = (Relation.ROW,)
    uses = ("HR-T2.6R", "HR-F2.5", "HR-D2.1")
    note = "range_finding.md#exact-delta-of-the-range-finder"
    digits = 30
    examples = 7

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> Sketch:
        """Integer matrices; the change is a vector of the unit ball."""
        m, n = draw(st.integers(1, 3)), draw(st.integers(1, 3))
        place = draw(st.integers(0, m - 1))
        change = draw(ball_vectors(n).filter(lambda v: not 0 < np.max(np.abs(v)) < 2.0**-60))  # else shifts near 1e-160
        width, noise = draw(st.sampled_from([1, 2, 3, 5, 11])), draw(st.sampled_from([2.0, 0.25, 1.0, 8.0]))
        return Sketch(draw(rectangular(m, n)), place, change, width, noise, draw(epsilons(high=4.0)), draw(seeds()))

    def fast(self, a: Any, place: int, change: Any, width: int, noise: float, epsilon: float, seed: int) -> Parts:
        rng = np.random.default_rng(seed)
        other = a.copy()
        other[place] += change
        omega, n = rng.standard_normal((DRAWS, a.shape[1], width)), rng.standard_normal((DRAWS, len(a), width))

        def exceeds(origin: Any) -> int:
            """Number of draws where the log-ratio of the densities of ``Y`` given ``Omega`` exceeds ``epsilon``."""
            y = origin @ omega + noise * n
            before, after = (np.sum((y - side @ omega) ** 2, axis=(1, 2)) for side in (a, other))
            return int(np.sum(before - after > 2 * noise**2 * epsilon))

        length = float(np.linalg.norm(change))
        above = noisy_sketch_profile.exceedance(epsilon, noise / length, width) if length > 0 else 0.0
        delta = noisy_sketch_profile.profile(epsilon, noise / length, width) if length > 0 else 0.0
        yield Frequency(exceeds(other), DRAWS, above, part="large loss under the neighbour")
        yield Frequency(exceeds(a), DRAWS, float((above - delta) * np.exp(-epsilon)), part="large loss under the data")
        largest, size = (
            noisy_sketch_profile.profile(epsilon, noise, width),
            noisy_sketch_profile.exceedance(epsilon, noise, width),
        )
        yield AtMost(delta, largest, scale=size, part="delta of a pair")

    def oracle(self, a: Any, place: int, change: Matrix, width: int, noise: Real, epsilon: Real, seed: int) -> Parts:
        length = mp.norm(change)
        above = below = delta = mp.mpf(0)
        seen = [above, below]
        if length > 0:
            at = epsilon, noise / length, width
            above, below = (exact_sketch.exceedance(*at, after=side) for side in (True, False))
            seen = [exact_sketch.exceedance_by_parts(*at, after=side) for side in (True, False)]
            delta = exact_sketch.profile(*at)
        largest = exact_sketch.profile(epsilon, noise, width)
        yield AtMost(seen[0], above, scale=exact_sketch.TAIL, part="large loss under the neighbour")
        yield AtMost(seen[1], below, scale=exact_sketch.TAIL, part="large loss under the data")
        yield AtMost(delta, largest, scale=above, part="delta of a pair")

    def tight(self) -> list[Any]:
        """A change of norm 1."""
        return [Sketch(np.array([[3.0, 0.0], [1.0, 2.0]]), 0, np.array([0.0, 1.0]), 3, 2.0, 1.0, 0)]

    def beyond(self) -> dict[str, AtMost]:
        """A change of length 101/100."""
        epsilon, noise = mp.mpf(1), mp.mpf(2)
        changed = exact_sketch.profile(epsilon, noise * 100 / 101, 3)
        largest = exact_sketch.profile(epsilon, noise, 3)
        return {"a change of length 1": AtMost(changed, largest, part="delta of a pair")}
