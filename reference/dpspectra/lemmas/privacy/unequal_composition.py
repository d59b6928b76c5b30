"""Outputs with an epsilon and a delta each are together as private as the randomised responses with these numbers.

Epsilons and deltas add up, even if each is chosen by earlier outputs, as long as the sums are not exceeded. For given
ones the optimum over all adaptive mechanisms is that of independent randomised responses that reveal the data with
probability ``delta_i`` (Kairouz, Oh and Viswanath); it grows with every epsilon. Squares of the ``mu_i`` of Gaussian
privacy add up, also of chosen ones.
"""

from typing import Any

import numpy as np
from flint import arb
from mpmath import mp
from scipy.special import ndtr

from dpspectra.fast import composition as fast
from dpspectra.fast import gaussian_profile as fast_gaussian
from dpspectra.fast.quadrature import gauss_legendre
from dpspectra.ledger import AtMost, Parts, Real, Reals, Relation, Verdict, statement
from dpspectra.lemmas.privacy.composition import LAWS, adaptive, exactly_adaptive, exactly_worst, worst
from dpspectra.oracle import composition as oracle
from dpspectra.oracle import gaussian_profile as oracle_gaussian
from dpspectra.oracle.quadrature import integral, working
from dpspectra.strategies import deltas, dyadics, epsilons, st

USED = st.sampled_from([0.0, 0.25, 0.5, 1.0])
"""Part of what is left that an output may use, chosen by the one before; none means to stop."""
FAR = 12.0
"""Standard deviations beyond which a normal number lies with probability below 1e-32."""
STEP = 2.0**-3
"""Multiples of this are what epsilons are moved up to."""
CHOSEN, NORMAL = "amounts chosen by an output", "squares chosen by a normal number"


def _response(epsilon: float, delta: float) -> Any:
    """Both laws of an answer that reveals the data with probability ``delta``, else has odds ``e^epsilon`` to 1."""
    true = (1 - delta) / (1 + np.exp(-epsilon))
    law = np.array([delta, true, 1 - delta - true, 0.0])
    return np.array([law, law[::-1]])


def _half(epsilon: float, mu: float, low: float, high: float, after: float) -> float:
    """What a number of mean ``mu`` or 0 between two ends, and one of mean ``after`` or 0 then, add to the profile."""
    if after == 0:
        low = min(max(low, epsilon / mu + mu / 2), high)
        return float(ndtr(high - mu) - ndtr(low - mu) - np.exp(epsilon) * (ndtr(high) - ndtr(low)))
    nodes, weights = gauss_legendre(40)
    ends = np.linspace(low, high, 25)
    z = (ends[:-1, None] + (ends[1:] - ends[:-1])[:, None] * (nodes + 1) / 2).ravel()
    left = (epsilon - mu * z + mu**2 / 2) / after
    first, other = np.exp(-((z - mu) ** 2) / 2), np.exp(epsilon - z**2 / 2)
    part = (first * ndtr(after / 2 - left) - other * ndtr(-after / 2 - left)) / np.sqrt(2 * np.pi)
    return float(np.tile(weights, 24) @ part * (high - low) / 48)


def _exact_response(epsilon: Any, delta: Any) -> list[list[Any]]:
    true = (1 - delta) * mp.exp(epsilon) / (1 + mp.exp(epsilon))
    law = [delta, true, 1 - delta - true, mp.mpf(0)]
    return [law, law[::-1]]


def _policy(epsilon: Any, mu: Any, cut: Any, after: list[Any]) -> Any:
    """Profile at epsilon of a normal number of mean ``mu`` or 0, and of one whose mean it chooses by a threshold."""
    return mp.fsum(_exact_half(epsilon, mu, *ends) for ends in ((-mp.inf, cut, after[0]), (cut, mp.inf, after[1])))


def _exact_half(epsilon: Any, mu: Any, low: Any, high: Any, after: Any) -> Any:
    """`_half` in mpmath."""
    cdf = oracle_gaussian.cdf
    if after == 0:
        low = min(max(low, epsilon / mu + mu / 2), high)
        return cdf(high - mu) - cdf(low - mu) - mp.exp(epsilon) * (cdf(high) - cdf(low))
    begin, end = max(low, -mp.mpf(FAR)), min(high, mu + FAR)
    with working():
        level, mean, later = arb(epsilon), arb(mu), arb(after)
        weight, root = level.exp(), arb(2).sqrt()

        def part(z: Any) -> Any:
            left = (level - mean * z + mean**2 / 2) / later
            away = z - mean
            first = (-away * away / 2).exp() * ((left - later / 2) / root).erfc()
            return first - weight * (-z * z / 2).exp() * ((left + later / 2) / root).erfc()

        return mp.mpf(integral(part, mp.linspace(begin, end, 7)) / (8 * arb.pi()).sqrt())


@statement
class UnequalComposition:
    labels = ("DPS-COMPOSE",)
    given = (
        r"1-\delta_*(\varepsilon;\varepsilon_i,\delta_i)"
        r"=\prod_i(1-\delta_i)\Big(1-\sum_{s\in\{1,-1\}^n}\prod_i\frac1{1+"
        r"e^{-s_i\varepsilon_i}}\big(1-e^{\varepsilon-\sum_is_i\varepsilon_i}\big)_+\Big)"
    )
    claim = {
        "sums": r"\delta_*(\sum_i\varepsilon_i;\varepsilon_i,\delta_i)\le\sum_i\delta_i",
        "two adaptive outputs": (
            r"h_1=H_{\varepsilon_1}(Y),\ h_2=\max_yH_{\varepsilon_2}(Z\mid y):\ "
            r"H_\varepsilon(Y,Z)\le\delta_*(\varepsilon;\varepsilon_i,h_i)"
        ),
        "larger epsilons": (
            r"\delta_*(\varepsilon;\varepsilon_i,\delta_i)"
            r"\le\delta_*(\varepsilon;\lceil8\varepsilon_i\rceil/8,\delta_i)"
        ),
        "thresholds of normal numbers": (
            r"\mu_1^2+\mu_2^2=\mu^2:\ H_\varepsilon(\mathbf 1_{N_1>c},\mathbf 1_{N_2>c'})\le\delta_G(\varepsilon,\mu)"
        ),
        "amounts chosen by an output": (
            r"\varepsilon_2(R_1)\le\varepsilon_2,\ \delta_2(R_1)\le\delta_2:\ "
            r"H_{\varepsilon_1+\varepsilon_2}(R_1,R_2)\le\delta_1+\delta_2"
        ),
        "squares chosen by a normal number": (
            r"\mu_1^2+\mu_2(N_1)^2\le\mu^2:\ H_\varepsilon(N_1,N_2)\le\delta_G(\varepsilon,\mu)"
        ),
    }
    where = {
        r"\varepsilon_i": "privacy parameters of the outputs, in nats",
        r"\delta_i": "deltas of the outputs",
        "s": "signs, one for each output",
        "s_i": "the sign for an output",
        "n": "number of outputs",
        r"\mu": "Gaussian privacy of all outputs together",
        r"\mu_i": "Gaussian privacy of the outputs",
        r"\delta_*": "smallest delta of all outputs together, of which each has these parameters",
        "H_i": "smallest delta of outputs at this privacy parameter, the larger one of both orders of the data sets",
        "h_i": "deltas of two outputs at their epsilons",
        "Y": "first output",
        "Z": "second output, whose law depends on the first",
        "y": "value of the first output",
        "N_i": r"first and second normal number of variance 1, with Gaussian privacy $`\mu_1`$ and $`\mu_2`$",
        "c": "threshold",
        "c'": "threshold that the first answer chooses",
        "R_i": "randomised responses, the second one with parameters that the first response chooses",
    }
    verdict = Verdict.NEW
    relation = (Relation.REPLACE, Relation.ADD_REMOVE, Relation.ROW)
    uses = ("MWKTV-D1.1", "HR-F2.3", "HR-T2.6R")
    note = "privacy.md#unequal-outputs"
    examples = 30

    def cases(self) -> Any:
        return st.tuples(
            dyadics(0, 4),
            st.lists(
                st.tuples(epsilons(2.0**-10, 4.0), st.just(0.0) | deltas(1e-12, 0.25)), min_size=2, max_size=5
            ).map(np.array),
            LAWS,
            st.tuples(epsilons(2.0**-4, 3.0), dyadics(0, 1)),
            st.tuples(*[dyadics(-3, 3)] * 3),
            st.tuples(epsilons(2.0**-4, 3.0), st.sampled_from([0.25, 0.5, 0.75]), *[USED] * 2, dyadics(-2, 3)),
        )

    def fast(self, epsilon: float, pairs: Any, laws: Any, noise: Any, thresholds: Any, policy: Any) -> Parts:
        each, failures = pairs.T
        yield AtMost(fast.unequal_delta(float(np.sum(each)), each, failures), np.sum(failures), scale=1, part="sums")
        first, second = laws[:2], laws[2:].reshape(2, 2, 2)  # on both data sets; the second depends on the first answer
        risks = [worst((first,), each[0]), worst(second, each[1])]
        outputs, limit = adaptive(first, second, epsilon), fast.unequal_delta(epsilon, each[:2], risks)
        yield AtMost(outputs, limit, scale=1, part="two adaptive outputs")
        optimum, upward = fast.unequal_delta(epsilon, each, failures), np.ceil(each / STEP) * STEP
        yield AtMost(optimum, fast.unequal_delta(epsilon, upward, failures), scale=1, part="larger epsilons")
        mu, share = noise
        spent, left = mu * np.sqrt(share), mu * np.sqrt(1 - share)
        above = [ndtr(np.array([shift, 0.0]) - c) for shift, c in zip((spent, left, left), thresholds, strict=True)]
        normal = np.array([[[p, 1 - p] for p in pair] for pair in above])
        events, limit = adaptive(normal[0], normal[1:], epsilon), fast_gaussian.profile(epsilon, mu)
        yield AtMost(events, limit, scale=1, part="thresholds of normal numbers")
        mu, share, low, high, cut = policy
        (one, risk), (two, rest) = pairs[:2]
        answers = [_response(two * high, rest * low), _response(two, rest), *[_response(two * low, rest * high)] * 2]
        first, second = _response(one, risk), np.array(answers)
        yield AtMost(adaptive(first, second, one + two), risk + rest, scale=1, part=CHOSEN)
        mu, after = mu * np.sqrt(share), [mu * np.sqrt((1 - share) * used) for used in (low, high)]
        seen = sum(_half(epsilon, mu, *ends) for ends in ((-FAR, cut, after[0]), (cut, mu + FAR, after[1])))
        yield AtMost(seen, fast_gaussian.profile(epsilon, policy[0]), scale=1, part=NORMAL)

    def oracle(
        self, epsilon: Real, pairs: list[Reals], laws: list[Reals], noise: Reals, thresholds: Reals, policy: Reals
    ) -> Parts:
        each, failures = map(list, zip(*pairs, strict=True))
        yield AtMost(oracle.unequal_delta(mp.fsum(each), each, failures), mp.fsum(failures), scale=1, part="sums")
        first, *rest = laws[:2], laws[2:4], laws[4:]
        risks = [exactly_worst((first,), each[0]), exactly_worst(rest, each[1])]
        outputs, limit = exactly_adaptive(first, rest, epsilon), oracle.unequal_delta(epsilon, each[:2], risks)
        yield AtMost(outputs, limit, scale=1, part="two adaptive outputs")
        optimum, upward = oracle.unequal_delta(epsilon, each, failures), [mp.ceil(x / STEP) * STEP for x in each]
        yield AtMost(optimum, oracle.unequal_delta(epsilon, upward, failures), scale=1, part="larger epsilons")
        mu, share = noise
        shifts = [mu * mp.sqrt(share), *[mu * mp.sqrt(1 - share)] * 2]
        above = [[oracle_gaussian.cdf(x - c) for x in (shift, 0)] for shift, c in zip(shifts, thresholds, strict=True)]
        normal = [[[p, 1 - p] for p in pair] for pair in above]
        events, limit = exactly_adaptive(normal[0], normal[1:], epsilon), oracle_gaussian.profile(epsilon, mu)
        yield AtMost(events, limit, scale=1, part="thresholds of normal numbers")
        mu, share, low, high, cut = policy
        (one, risk), (two, rest) = pairs[:2]
        answers = [_exact_response(two * high, rest * low), _exact_response(two, rest)]
        answers += [_exact_response(two * low, rest * high)] * 2
        chosen = exactly_adaptive(_exact_response(one, risk), answers, one + two)
        yield AtMost(chosen, risk + rest, scale=1, part=CHOSEN)
        seen = _policy(epsilon, mu * mp.sqrt(share), cut, [mu * mp.sqrt((1 - share) * used) for used in (low, high)])
        yield AtMost(seen, oracle_gaussian.profile(epsilon, mu), scale=1, part=NORMAL)

    def tight(self) -> list[Any]:
        """Randomised responses with odds 3 to 1 and 2 to 1, independent of one another; and one normal number.

        In the second instance the first output reveals the data with probability 1/4, and its epsilon is a multiple of
        the step; the threshold is that of the best event at ``epsilon = 1/2`` for ``mu = 1``.
        """
        three, two = np.array([0.75, 0.25]), np.array([2 / 3, 1 / 3])
        laws = np.array([three, three[::-1], two, two[::-1], two, two[::-1]])
        pairs = np.array([[np.log(3), 0.0], [np.log(2), 0.0]])
        return [
            (0.5, pairs, laws, (1.0, 1.0), (1.0, 0.0, 0.0), (1.0, 0.5, 1.0, 1.0, 0.5)),
            (0.5, np.array([[0.5, 0.25], [0.25, 0.0]]), laws, (1.0, 1.0), (1.0, 0.0, 0.0), (2.0, 0.25, 1.0, 1.0, 1.0)),
        ]

    def beyond(self) -> dict[str, AtMost]:
        """Three outputs that reveal the data with probability ``2^-10``, but the sums for two; a sum that was reached.

        Of two rounds with ``mu / sqrt 2`` each the second one follows only if the first number exceeds ``mu / sqrt 2 +
        2``. In 97.7 % of runs the squares that were used add up to ``mu^2 / 2``; the profile of what is seen is larger.
        """
        epsilon, delta = mp.mpf(1), mp.mpf(2) ** -10
        mu = oracle_gaussian.mu_for(epsilon, mp.mpf(10) ** -6)
        half = mu / mp.sqrt(2)
        seen = _policy(epsilon, half, half + 2, [mp.mpf(0), half])
        three, limit = (
            oracle.unequal_delta(2 * epsilon, [epsilon] * 3, [delta] * 3),
            oracle_gaussian.profile(epsilon, half),
        )
        return {
            "sums count all outputs": AtMost(three, 2 * delta, scale=1, part="sums"),
            "squares are limited beforehand, and not what was used": AtMost(seen, limit, part=NORMAL),
        }
