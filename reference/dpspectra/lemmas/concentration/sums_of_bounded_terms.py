"""A sum of independent centred terms of size at most 1 has exponential tails.

With variance ``v`` it exceeds ``t`` in modulus with probability at most ``2 exp(-t^2 / (2 v + 2 t / 3))`` (Bernstein);
for signs with weights ``a`` the bound is ``2 exp(-t^2 / 2 |a|^2)`` (Hoeffding). The terms must be independent and
bounded. The published theorem (as we read it) has ``exp(-t^2 / 4 v)`` without restriction on ``t``, a Gaussian tail at
any distance; a sum of rare events has Poisson tails, which are far heavier.
"""

import math
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
from mpmath import mp
from scipy.special import bdtr, bdtrc

from dpspectra.ledger import AtMost, Parts, Slack, Verdict, inequality, statement
from dpspectra.oracle.binomial import far_tail
from dpspectra.strategies import dyadics, st

UNDERFLOW = 1e-300
"""Size of numbers below which bounds underflow in float64."""


def bernstein(t: Any, variance: Any) -> Any:
    """Bound on the probability that a sum with this variance exceeds ``t > 0`` in modulus."""
    return 2 * np.exp(-(t**2) / (2 * variance + 2 * t / 3))


def hoeffding(t: Any, square: Any) -> Any:
    """Bound for signs whose weights have squares that sum to ``square``."""
    return 2 * np.exp(-(t**2) / (2 * square))


def _law(terms: list[dict[Fraction, Fraction]]) -> dict[Fraction, Fraction]:
    """Law of a sum of independent terms, each given by the probabilities of its values."""
    law = {Fraction(0): Fraction(1)}
    for term in terms:
        longer: dict[Fraction, Fraction] = {}
        for (value, p), (step, q) in product(law.items(), term.items()):
            longer[value + step] = longer.get(value + step, Fraction(0)) + p * q
        law = longer
    return law


def _beyond(law: dict[Fraction, Fraction], limit: Fraction) -> Any:
    """Probability that a variable of this law exceeds the limit in modulus."""
    return mp.mpmathify(sum((p for value, p in law.items() if abs(value) > limit), Fraction(0)))


@statement
class SumsOfBoundedTerms:
    labels = ("HP-TA.1",)
    given = (
        r"X=\sum_iX_i,\ |X_i-\mathbb EX_i|\le1,\ v=\operatorname{Var}X,\ \epsilon_i=\pm1,\quad Y\sim\mathrm{Bin}(n,p)"
    )
    claim = {
        "two-valued terms": r"X_i\text{ two-valued}:\ \Pr\big[|X-\mathbb EX|>t\big]\le2e^{-t^2/(2v+2t/3)}",
        "binomial sum": r"\Pr\big[|Y-np|>t\big]\le2e^{-t^2/(2np(1-p)+2t/3)}",
        "weighted signs": r"\Pr\Big[\Big|\sum_ia_i\epsilon_i\Big|>t\Big]\le2e^{-t^2/2\|a\|^2}",
        "exponent of rare events": r"\log\Pr[Y>np+t]\le-\frac{t^2}{2np(1-p)+2t/3}",
        "exponent of many signs": r"p=\tfrac12:\ \log\Pr[Y>\tfrac n2+t]\le-\frac{2t^2}n",
    }
    printed = (
        r"Not at hand; read as: for independent $`|X_i|\le1`$, $`X=\sum_iX_i`$ of variance $`\sigma^2`$ and "
        r"any $`t>0`$, $`\Pr[|X-\mathbb EX|>t]\le\exp\big(-\frac{t^2}{4\sigma^2}\big)`$."
    )
    where = {
        "X": "sum of the random variables",
        "X_i": "independent random variables, within 1 of their means",
        "v": "variance of the sum",
        r"\mathrm{Var}": "variance",
        "a_i": "real numbers",
        "a": "vector of these numbers",
        r"\epsilon_i": "independent signs, both equally likely",
        "Y": "number of successes of $`n`$ independent trials",
        "n": "number of trials",
        "p": "probability of a success",
        r"\mathrm{Bin}": "binomial law with these parameters",
    }
    verdict = Verdict.REPAIRED
    examples = 55
    note = "concentration.md#sums-of-bounded-terms"
    slack = {
        "two-valued terms": Slack(0.727496, "one sign just beyond its size is closest; the 2 counts two tails"),
        "binomial sum": Slack(0.67493, "one fair trial just beyond 1/2 is closest; the 2 counts two tails"),
        "weighted signs": Slack(0.824361, "one sign just beyond its size comes closest, and nothing exceeds 0.832"),
        "exponent of rare events": Slack(0.9798, "Bernstein's exponent is Poisson's to third order in t / v only"),
        "exponent of many signs": Slack(0.99, "Hoeffding's exponent is the Gaussian one without its factor"),
    }

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, Any, float, int, int, tuple[int, int, int, int]]:
        """Positive and negative values of two-valued terms, ``t``, trials and ``-log2`` of their rate; many trials.

        Up to seven two-valued terms, up to 64 trials, and up to 16384, up to 16 standard deviations away. The many
        trials are given by their number, ``-log2`` of their rate, and two distances from the mean: at this rate, and at
        rate 1/2.
        """
        size = draw(st.integers(1, 7))
        values = st.lists(dyadics(2.0**-6, 1), min_size=size, max_size=size).map(np.array)
        trials, halvings = draw(st.sampled_from([2**10, 2**12, 2**14])), draw(st.integers(1, 8))
        z = draw(dyadics(1, 16))
        rare, fair = (math.ceil(z * math.sqrt(trials * rate * (1 - rate))) for rate in (2.0**-halvings, 0.5))
        small = draw(dyadics(2.0**-6, 7)), draw(st.integers(1, 64)), draw(st.integers(1, 7))
        return draw(values), draw(values), *small, (trials, halvings, rare, fair)

    def fast(self, up: Any, down: Any, t: float, trials: int, halvings: int, many: tuple[int, int, int, int]) -> Parts:
        """Terms of mean 0 with values ``up`` and ``-down``; a binomial sum; weights ``up`` of signs; one tail of many.

        A sum of ``n`` signs is twice the distance of a fair binomial variable from ``n / 2``.
        """
        choices = np.array(list(product([False, True], repeat=len(up))))
        likely = np.prod(np.where(choices, down, up) / (up + down), axis=1)
        far = np.abs(np.sum(np.where(choices, up, -down), axis=1)) > t
        far_signs = np.abs(np.where(choices, 1, -1) @ up) > t
        rate = 2.0**-halvings
        mean, low = trials * rate, math.ceil(trials * rate - t) - 1
        binomial = bdtrc(math.floor(mean + t), trials, rate) if mean + t < trials else 0.0
        binomial += bdtr(low, trials, rate) if low >= 0 else 0.0
        yield AtMost(np.sum(likely * far), bernstein(t, np.sum(up * down)), scale=UNDERFLOW, part="two-valued terms")
        yield AtMost(binomial, bernstein(t, mean * (1 - rate)), scale=UNDERFLOW, part="binomial sum")
        yield AtMost(np.mean(far_signs), hoeffding(t, np.sum(up**2)), scale=UNDERFLOW, part="weighted signs")
        n, shift, rare, fair = many
        rate = 2.0**-shift
        above, most = bdtrc((n >> shift) + rare, n, rate), bernstein(rare, n * rate * (1 - rate)) / 2
        yield AtMost(math.log(above), math.log(most), part="exponent of rare events")
        above, most = bdtrc(n // 2 + fair, n, 0.5), hoeffding(2 * fair, n) / 2
        yield AtMost(math.log(above), math.log(most), part="exponent of many signs")

    def oracle(
        self, up: Any, down: Any, t: float, trials: int, halvings: int, many: tuple[int, int, int, int]
    ) -> Parts:
        """The law of a sum as a dictionary of rationals, by adding one term after the other; far tails term by term."""
        terms = [(Fraction(a), Fraction(b)) for a, b in zip(up, down, strict=True)]
        rate, limit, t = Fraction(1, 2**halvings), Fraction(t), mp.mpf(t)
        two_valued = _law([{a: b / (a + b), -b: a / (a + b)} for a, b in terms])
        binomial = _law([{1 - rate: rate, -rate: 1 - rate}] * trials)
        signs = _law([{a: Fraction(1, 2), -a: Fraction(1, 2)} for a, _ in terms])
        variances = [mp.fsum(a * b for a, b in terms), mp.mpmathify(trials * rate * (1 - rate))]
        bounds = [2 * mp.exp(-(t**2) / (2 * v + 2 * t / 3)) for v in variances]
        bounds.append(2 * mp.exp(-(t**2) / (2 * mp.fsum(mp.mpf(a) ** 2 for a in up))))
        parts = ("two-valued terms", "binomial sum", "weighted signs")
        for law, bound, part in zip((two_valued, binomial, signs), bounds, parts, strict=True):
            yield AtMost(_beyond(law, limit), bound, scale=UNDERFLOW, part=part)

        n, shift, rare, fair = many

        def exponent(distance: int, rate: Any) -> Any:
            """Logarithm of the probability that the many trials exceed their mean by more than this."""
            return mp.log(far_tail(int(n * rate) + distance + 1, n, rate))

        variance = mp.mpmathify(n * Fraction(2**shift - 1, 4**shift))
        stated = -(mp.mpf(rare) ** 2) / (2 * variance + rare / mp.mpf(3) * 2)
        yield AtMost(exponent(rare, mp.mpf(2) ** -shift), stated, part="exponent of rare events")
        yield AtMost(exponent(fair, mp.mpf(1) / 2), mp.mpf(-2 * fair**2) / n, part="exponent of many signs")

    def tight(self) -> list[Any]:
        """One sign just beyond its size, one fair trial just beyond 1/2; rare events half their mean above it."""
        sign, many = np.ones(1), (2**22, 10, 2000, 30000)
        return [(sign, sign, 1 - 2.0**-30, 1, 1, many), (sign, sign, 0.5 - 2.0**-30, 1, 1, many)]

    def beyond(self) -> dict[str, AtMost]:
        """One term of size 100 with probability ``10^-6`` and variance 1/100; one sign repeated a hundred times."""
        t = mp.mpf(99)
        rare, repeated = (2 * mp.exp(-(t**2) / (2 * v + 2 * t / 3)) for v in (mp.mpf(1) / 100, mp.mpf(100)))
        return {
            "terms of size at most 1": AtMost(mp.mpf(10) ** -6, rare, part="two-valued terms"),
            "the terms are independent": AtMost(mp.mpf(1), repeated, part="weighted signs"),
        }

    def as_printed(self, trials: int, rate: Fraction, t: int) -> AtMost:
        """The tail of a binomial sum against twice the printed bound, which a two-sided reading would allow."""
        law = _law([{1 - rate: rate, -rate: 1 - rate}] * trials)
        limit = 2 * mp.exp(-(t**2) / (4 * trials * rate * (1 - rate)))
        return AtMost(_beyond(law, Fraction(t)), limit, part="printed form")

    def hypotheses(self, trials: int, rate: Fraction, t: int) -> dict[str, AtMost]:
        return {
            "the terms are at most 1 in modulus": AtMost(float(max(rate, 1 - rate)), 1.0),
            "t is positive": AtMost(0, t),
        }

    def counterexample(self) -> Any:
        return (64, Fraction(1, 64), 10)

    def certificate(self) -> dict[str, Any]:
        ways = sum(math.comb(64, hits) * 63 ** (64 - hits) for hits in range(12, 65))
        return inequality(
            "HP-TA.1",
            "64 events of probability 1/64: 12 or more, that is more than 10 above the mean 1, against twice the "
            "printed bound at the variance 63/64",
            ["div", str(ways), str(64**64)],
            ["mul", "2", ["exp", "-1600/63"]],
        )
