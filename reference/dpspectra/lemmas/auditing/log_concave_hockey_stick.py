"""What one noisy number exceeds ``e^epsilon`` times another by: what only the first can give, and one half-line.

If noise has a concave log-density then the log-ratio of its densities at two places is monotone, also after both are
cut off anywhere, as far as both are positive. So the set on which the first exceeds ``e^epsilon`` times the second is a
half-line of what both can give, together with what the first alone can give, and delta is a difference of tails. With a
density that is not log-concave, or with two scales, the set may be an interval, which no half-line replaces.
"""

from typing import Any, NamedTuple

import numpy as np
from mpmath import mp
from scipy.special import ndtr

from dpspectra.ledger import AtMost, Equal, Parts, Verdict, statement
from dpspectra.oracle.roots import bisect
from dpspectra.strategies import dyadics, epsilons, st
from dpspectra.symbolic.hockey_stick import of_numbers
from dpspectra.symbolic.laws import EXPONENTIAL, LAPLACE, NORMAL
from dpspectra.symbolic.single_numbers import Number

LAWS = {law.name: law for law in (LAPLACE, NORMAL, EXPONENTIAL)}
"""Laws with concave log-densities: with a kink, smooth, and on a half-line."""


FAR = 60
"""Scales beyond both locations; what lies farther is no mass to 30 digits."""


class Pair(NamedTuple):
    """A number on two data sets, cut off on each, and a place that divides the line."""

    law: str
    first: float
    """Location on the first data set."""
    second: float
    scale: float
    cut: tuple[float, float]
    """Ends of the noise on the first data set, in units of the scale."""
    other: tuple[float, float]
    weight: float
    """Factor on the density on the second data set."""
    epsilon: float
    place: float


def _cuts() -> st.SearchStrategy[tuple[float, float]]:
    some = st.tuples(dyadics(-3, 3, 3), dyadics(0.125, 4, 3)).map(lambda x: (x[0], x[0] + x[1]))
    half = dyadics(-3, 3, 3)
    return st.just((-np.inf, np.inf)) | some | half.map(lambda x: (x, np.inf))


def support(law: str, location: float, scale: float, cut: tuple[float, float]) -> tuple[float, float]:
    """Ends of what the number can be."""
    return location + scale * max(cut[0], LAWS[law].support[0]), location + scale * cut[1]


def crossing(law: str, a: Any, b: Any, scale: Any, level: Any) -> tuple[Any, Any]:
    """Half-line on which the log-ratio of the densities at ``a`` and ``b`` exceeds a level, if both are positive.

    The empty one, and the whole line, are those that end at infinity.
    """
    nothing, everything = (mp.inf, mp.inf), (-mp.inf, mp.inf)
    most = abs(a - b) / scale
    if law == "exponential" or a == b:
        return everything if (a - b) / scale > level else nothing
    if law == "laplace" and not -most <= level < most:
        return everything if level < 0 else nothing
    move = scale * level / 2 if law == "laplace" else scale**2 * level / abs(a - b)
    return ((a + b) / 2 + move, mp.inf) if a > b else (-mp.inf, (a + b) / 2 - move)


def _shared(one: tuple[Any, Any], other: tuple[Any, Any]) -> tuple[Any, Any]:
    low = max(one[0], other[0])
    return low, max(low, min(one[1], other[1]))


def below(law: str, z: Any) -> Any:
    """Distribution function of the noise in float64."""
    z = np.asarray(z, dtype=float)
    if law == "normal":
        return ndtr(z)
    if law == "exponential":
        return -np.expm1(-np.maximum(z, 0.0))
    return np.where(z < 0, np.exp(np.minimum(z, 0.0)) / 2, 1 - np.exp(-np.maximum(z, 0.0)) / 2)


@statement
class OneNumberWithNoise:
    labels = ("DPS-ONENUMBER",)
    given = (
        r"p_A=f_a1_{S_A},\ p_B=\omega f_b1_{S_B},\ \log f\text{ concave},\ \Delta(J)=P_A(S_A)-P_A(S_A\cap S_B)"
        r"+P_A(J\cap S_B)-e^\varepsilon P_B(J\cap S_A)"
    )
    claim = {
        "integral": r"\int(p_A-e^\varepsilon p_B)_+=\max_J\Delta(J)\text{ over half-lines, the line and nothing}",
        "half-lines": r"J=(t,\infty)\text{ or }(-\infty,t):\ \Delta(J)\le\int(p_A-e^\varepsilon p_B)_+",
    }
    where = {
        "f": "density of the noise, at location 0",
        "f_a": "density of the noise at location $`a`$, with its scale",
        "f_b": "density of the noise at location $`b`$, with the same scale",
        "p_A": "density of the number on the first data set",
        "p_B": "density of the number on the second data set",
        "P_A": "integral of the first density",
        "P_B": "integral of the second density",
        "S_A": "interval of what the number can be on the first data set",
        "S_B": "interval of what the number can be on the second data set",
        r"\omega": "probability of the path on the second data set, over that on the first",
        "J": "half-line, empty set or line",
        r"\Delta": "excess of the first on the set, with what it alone can give",
        "t": "any place",
    }
    verdict = Verdict.NEW
    note = "auditing.md#one-number-with-noise"
    examples = 60

    def cases(self) -> Any:
        return st.builds(
            Pair,
            st.sampled_from(sorted(LAWS)),
            dyadics(-4, 4, 3),
            dyadics(-4, 4, 3),
            dyadics(0.25, 2, 2),
            _cuts(),
            _cuts(),
            st.just(1.0) | dyadics(0.25, 1, 2),
            epsilons(2.0**-6, 4.0) | st.just(0.0),
            dyadics(-4, 4, 3),
        )

    def fast(self, *case: Any) -> Parts:
        """The program that the auditor runs, which halves an interval; tails in float64."""
        pair = Pair(*case)
        places = pair.first, pair.second
        both = [support(pair.law, m, pair.scale, c) for m, c in zip(places, (pair.cut, pair.other), strict=True)]
        first, second = (
            Number(LAWS[pair.law], m, pair.scale, *c, float(np.log(w)))
            for m, c, w in zip(places, (pair.cut, pair.other), (1.0, pair.weight), strict=True)
        )
        grow = float(np.exp(pair.epsilon)) * pair.weight

        def mass(place: float, ends: tuple[Any, Any]) -> float:
            low, high = (float(below(pair.law, (y - place) / pair.scale)) for y in ends)
            return high - low

        def excess(line: tuple[Any, Any]) -> float:
            inside = _shared(line, shared)
            return alone + mass(pair.first, inside) - grow * mass(pair.second, inside)

        shared = _shared(*both)
        alone = mass(pair.first, both[0]) - mass(pair.first, shared)
        found = of_numbers(first, second, pair.epsilon)
        level = pair.epsilon + np.log(pair.weight)
        yield Equal(found, excess(crossing(pair.law, *places, pair.scale, level)), scale=1, part="integral")
        for line in ((pair.place, np.inf), (-np.inf, pair.place)):
            yield AtMost(excess(line), found, scale=1, part="half-lines")

    def oracle(self, *case: Any) -> Parts:
        """The integral of the positive part, and the best of the lines that end where the ratio passes its level."""
        law, *places, cut, other, weight, epsilon, place = Pair(*case)
        a, b, scale, weight = map(mp.mpf, (*places, weight))
        least = mp.mpf(0) if law == "exponential" else -mp.inf
        mine, yours = (
            (m + scale * max(mp.mpf(low), least), m + scale * mp.mpf(high)) for m, (low, high) in ((a, cut), (b, other))
        )
        low, high = max(mine[0], yours[0]), min(mine[1], yours[1])
        grow = mp.exp(mp.mpf(epsilon)) * weight

        def log_density(y: Any, m: Any) -> Any:
            z = (y - m) / scale
            return -z * z / 2 - mp.log(2 * mp.pi) / 2 if law == "normal" else -abs(z) - log_mass

        def positive(y: Any) -> Any:
            first = mp.exp(log_density(y, a))
            second = mp.exp(log_density(y, b)) if yours[0] <= y <= yours[1] else 0
            return max(first - grow * second, mp.mpf(0)) / scale

        def below(y: Any, m: Any) -> Any:
            z = (y - m) / scale
            if law == "normal":
                return mp.ncdf(z)
            if law == "exponential":
                return -mp.expm1(-max(z, mp.mpf(0)))
            return mp.exp(z) / 2 if z < 0 else 1 - mp.exp(-z) / 2

        def excess(start: Any, stop: Any) -> Any:
            """Excess of the first on a line, with what it alone can give."""
            found = below(mine[1], a) - below(mine[0], a)
            if low < high:
                found -= below(high, a) - below(low, a)
                start, stop = (min(max(y, low), high) for y in (start, stop))
                found += below(stop, a) - below(start, a) - grow * (below(stop, b) - below(start, b))
            return found

        log_mass = mp.log(1 if law == "exponential" else 2)
        ends = max(low, min(a, b) - FAR * scale), min(high, max(a, b) + FAR * scale)
        turn = ends[0]
        if ends[0] < ends[1]:

            def before(step: Any) -> bool:
                """Whether the log-ratio, which rises if ``a > b``, has not passed the level a step from the start."""
                y = ends[0] + step - 1
                return bool((log_density(y, a) - log_density(y, b) <= mp.log(grow)) == (a > b))

            last = 1 + ends[1] - ends[0]
            if before(last):
                turn = ends[1]
            elif before(1):
                turn += bisect(before, 1, last)[0] - 1
        knots = sorted({y for y in (*mine, *yours, a, b, turn) if mine[0] <= y <= mine[1]})
        whole = mp.quad(positive, knots)
        lines = ((turn, mp.inf), (-mp.inf, turn), (-mp.inf, mp.inf), (turn, turn))
        yield Equal(whole, max(excess(*line) for line in lines), scale=1, part="integral")
        for half in ((mp.mpf(place), mp.inf), (-mp.inf, mp.mpf(place))):
            yield AtMost(excess(*half), whole, scale=1, part="half-lines")

    def tight(self) -> list[Pair]:
        """Half-lines that end where the ratio passes the level: in both orders, for each law, and for one cut off."""
        all_of_it = (-np.inf, np.inf)
        return [
            Pair("laplace", 1.0, -1.0, 1.0, all_of_it, all_of_it, 1.0, 0.5, 0.25),
            Pair("normal", -1.0, 1.0, 2.0, all_of_it, all_of_it, 1.0, 0.5, -1.0),
            Pair("normal", 1.0, 0.0, 1.0, (-3.0, 1.0), (-2.0, 4.0), 1.0, 1.0, 1.5),
            Pair("exponential", 1.0, 0.0, 0.5, all_of_it, all_of_it, 1.0, 1.5, 1.0),
        ]

    def beyond(self) -> dict[str, AtMost]:
        """A density without a concave logarithm, and two scales: the ratio exceeds its level on an interval."""

        def cauchy(y: Any) -> Any:
            return mp.atan(y) / mp.pi

        low, high = 3 - mp.sqrt(7), 3 + mp.sqrt(7)
        inside = cauchy(high - 1) - cauchy(low - 1) - 2 * (cauchy(high + 1) - cauchy(low + 1))
        beyond = mp.mpf(1) / 2 - cauchy(low - 1) - 2 * (mp.mpf(1) / 2 - cauchy(low + 1))
        end = mp.sqrt(8 * mp.log(2) / 3)
        middle = mp.ncdf(end) - mp.ncdf(-end) - (mp.ncdf(end / 2) - mp.ncdf(-end / 2))
        return {
            "a concave log-density": AtMost(inside, beyond),
            "one scale": AtMost(middle, middle / 2),
        }
