"""Laws of noise that programs make of uniform numbers, and what a sum over paths loses at most.

A random sign times an exponential draw, the logarithm of a quotient and the inverse cumulative have the same law, that
of Laplace noise, as a change of variables shows; Box and Muller's number is normal, as both coordinates of a point are
whose direction is uniform and whose squared distance is twice an exponential draw. A sum of densities loses at most
what one of its terms does against its partner. Without fairness, independence or the whole range all of that fails.
"""

from typing import Any, NamedTuple

import numpy as np
from mpmath import mp

from dpspectra.ledger import AtMost, Equal, Parts, Verdict, statement
from dpspectra.oracle.roots import bisect
from dpspectra.strategies import dyadics, epsilons, st
from dpspectra.symbolic.laws import EXPONENTIAL, LAPLACE, NORMAL, RATIO

ANGLES = 4096
"""Angles of a quarter turn at which the fast face looks."""


class Draw(NamedTuple):
    """A place, a number from which on a tail begins, and terms of the density of an output on two data sets."""

    place: float
    start: float
    terms: tuple[tuple[float, float, float, float, float], ...]
    """Weight and location of each on the first and on the second data set, and the scale of both."""
    epsilon: float


def _draws() -> st.SearchStrategy[Draw]:
    weights, locations = dyadics(0.125, 1, 3), dyadics(-3, 3, 2)
    terms = st.tuples(weights, locations, weights, locations, st.sampled_from([1.0, 0.5, 2.0]))
    several = st.tuples(terms, terms) | st.tuples(terms, terms, terms)
    return st.builds(Draw, dyadics(-6, 6, 3), dyadics(0.125, 3, 3), several, epsilons(2.0**-6, 2.0) | st.just(0.0))


@statement
class NoiseOfUniformNumbers:
    labels = ("DPS-DRAWNLAWS",)
    given = (
        r"U,V\text{ uniform on }(0,1)\text{ and independent},\ X=-\log U,\ f(t)=\tfrac12e^{-|t|},\ "
        r"\Lambda(t)=\int_{-\infty}^tf,\ "
        r"p_i=\tfrac{w_i}{s_i}f(\tfrac{t-a_i}{s_i}),\ q_i=\tfrac{v_i}{s_i}f(\tfrac{t-b_i}{s_i})"
    )
    claim = {
        "random sign": r"\tfrac12\Pr[X\le t]+\tfrac12\Pr[-X\le t]=\Lambda(t)",
        "tail": r"\Pr[c<X\le c+|t|]=e^{-c}\Pr[X\le|t|]",
        "quotient": r"\Pr[\log(U/V)\le t]=\Lambda(t)",
        "inverse cumulative": r"\Pr[-\text{sign}(U-\tfrac12)\log(1-|2U-1|)\le t]=\Lambda(t)",
        "Box and Muller": r"\Pr[\sqrt{2X}\cos2\pi V\le t]=\Phi(t)",
        "loss of a sum": r"\sum_ip_i\le\max_i\tfrac{w_i}{v_i}e^{|a_i-b_i|/s_i}\,\sum_iq_i",
        "excess of a sum": r"(\sum_ip_i-e^\varepsilon\sum_iq_i)_+\le\sum_i(p_i-e^\varepsilon q_i)_+",
    }
    where = {
        "U": "uniform draw",
        "V": "uniform draw, independent of the first",
        "X": "exponential draw",
        "f": "Laplace density",
        r"\Lambda": "distribution function of Laplace noise",
        r"\Phi": "distribution function of normal noise",
        "t": "any place",
        "c": "start of a tail, positive",
        "p_i": "term of the density on the first data set",
        "q_i": "its partner on the second data set",
        "w_i": "probability of the paths of a term on the first data set",
        "v_i": "the same on the second data set",
        "a_i": "location of a term on the first data set",
        "b_i": "the same on the second data set",
        "s_i": "scale of a term, on both data sets",
    }
    verdict = Verdict.NEW
    note = "auditing.md#laws-of-noise-that-is-made-of-uniform-numbers"
    examples = 20
    digits = 30

    def cases(self) -> Any:
        return _draws()

    def fast(self, *case: Any) -> Parts:
        """The laws that the auditor uses, and a sum over angles."""
        place, start, terms, epsilon = Draw(*case)

        def below(law: Any, z: float) -> float:
            with np.errstate(all="ignore"):
                return float(np.exp(law.lower(z)))

        laplace = below(LAPLACE, place)
        sign = (below(EXPONENTIAL, place) + np.exp(float(EXPONENTIAL.upper(-place)))) / 2
        yield Equal(sign, laplace, scale=1, part="random sign")
        inside = below(EXPONENTIAL, start + abs(place)) - below(EXPONENTIAL, start)
        yield Equal(inside, np.exp(-start) * below(EXPONENTIAL, abs(place)), scale=1, part="tail")
        yield Equal(below(RATIO, float(np.exp(place))), laplace, scale=1, part="quotient")
        yield Equal((1 - np.sign(place) * np.expm1(-abs(place))) / 2, laplace, scale=1, part="inverse cumulative")
        cosines = np.cos(np.pi / 2 * (np.arange(ANGLES) + 0.5) / ANGLES)
        beyond = float(np.mean(np.exp(-((place / cosines) ** 2) / 2))) / 2
        yield Equal(beyond if place < 0 else 1 - beyond, below(NORMAL, place), scale=1, part="Box and Muller")
        w, a, v, b, s = np.array(terms).T
        p = w / s * np.exp(LAPLACE.log_density((place - a) / s))
        q = v / s * np.exp(LAPLACE.log_density((place - b) / s))
        yield AtMost(np.sum(p), np.max(w / v * np.exp(abs(a - b) / s)) * np.sum(q), part="loss of a sum")
        grow = float(np.exp(epsilon))
        whole, parts = max(np.sum(p) - grow * np.sum(q), 0.0), np.sum(np.maximum(p - grow * q, 0.0))
        yield AtMost(whole, parts, scale=1, part="excess of a sum")

    def oracle(self, *case: Any) -> Parts:
        """Measures of sets of uniform numbers, and integrals of densities."""
        place, start, terms, epsilon = Draw(*case)
        t, c, grow = mp.mpf(place), mp.mpf(start), mp.exp(mp.mpf(epsilon))

        def laplace(x: Any) -> Any:
            return mp.exp(-abs(x)) / 2

        def below(z: Any) -> Any:
            """Probability that an exponential draw is below a number."""
            return 1 - mp.exp(-max(z, mp.mpf(0)))

        whole = mp.quad(laplace, [-mp.inf, min(t, 0), max(t, 0)]) if t > 0 else mp.quad(laplace, [-mp.inf, t])
        yield Equal((below(t) + 1 - below(-t)) / 2, whole, scale=1, part="random sign")
        tail = mp.quad(lambda x: mp.exp(-x), [c, c + abs(t)]) if t else mp.mpf(0)
        yield Equal(tail, mp.exp(-c) * below(abs(t)), scale=1, part="tail")
        turn = min(mp.mpf(1), mp.exp(-t))
        above = mp.quad(lambda v: 1 - mp.exp(t) * v, [0, turn])
        yield Equal(1 - above, whole, scale=1, part="quotient")

        def small(u: Any) -> bool:
            half = u - mp.mpf(1) / 2
            return bool(-mp.sign(half) * mp.log(1 - abs(2 * half)) <= t)

        yield Equal(bisect(small, mp.eps, 1 - mp.eps)[0], whole, scale=1, part="inverse cumulative")
        beyond = mp.quad(lambda x: mp.exp(-((t / mp.cos(x)) ** 2) / 2), [0, mp.pi / 2]) / mp.pi if t else mp.mpf(1) / 2
        yield Equal(beyond if t < 0 else 1 - beyond, mp.ncdf(t), scale=1, part="Box and Muller")
        p, q, most = mp.mpf(0), mp.mpf(0), mp.mpf(0)
        alone = mp.mpf(0)
        for w, a, v, b, s in [map(mp.mpf, term) for term in terms]:
            one, other = w / s * laplace((t - a) / s), v / s * laplace((t - b) / s)
            p, q, alone = p + one, q + other, alone + max(one - grow * other, mp.mpf(0))
            most = max(most, w / v * mp.exp(abs(a - b) / s))
        yield AtMost(p, most * q, part="loss of a sum")
        yield AtMost(max(p - grow * q, mp.mpf(0)), alone, scale=1, part="excess of a sum")

    def tight(self) -> list[Draw]:
        """Places beyond all locations, where all terms lose alike; on both sides of 0, and a place far out."""
        alike = (0.5, 1.0, 0.25, 0.0, 1.0), (0.25, 2.0, 0.125, 1.0, 1.0)
        other = (1.0, 0.0, 1.0, 1.0, 2.0), (0.5, -1.0, 0.5, 0.0, 2.0), (0.25, 0.5, 0.25, 1.5, 2.0)
        return [
            Draw(3.0, 0.5, alike, 0.5),
            Draw(-3.0, 1.0, other, 0.25),
            Draw(-0.5, 0.125, ((1.0, 0.0, 0.5, 1.0, 0.5),), 1.0),
        ]

    def beyond(self) -> dict[str, AtMost]:
        """A biased sign, one number for two, a part of the range, half a turn, and two scales."""
        laplace = mp.exp(-1) / 2
        far = mp.mpf(10)
        return {
            "a fair sign": AtMost(mp.mpf(3) / 5 * mp.exp(-1), laplace),
            "independent numbers": AtMost(mp.mpf(1), 1 - laplace),
            "all of the range": AtMost(mp.mpf(4) / 3 * laplace, laplace),
            "a whole turn": AtMost(mp.mpf(1) / 2, mp.mpf(0)),
            "one scale of both": AtMost(mp.exp(-far / 2) / 4, mp.exp(-far) / 2),
        }
