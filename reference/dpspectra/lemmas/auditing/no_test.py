"""How many draws any test of a privacy claim needs, whatever it looks at and whatever the mechanism does.

If the claim allows the coins ``(1 - x, x)`` and ``(x, 1 - x)``, it allows to mix any two laws with these weights. The
mixtures give every set of outcomes of ``n`` draws on each side at least ``(1 - x)^(2 n)`` of its probability under the
two laws, so that a test of level ``risk`` refutes those with probability at most ``risk (1 - x)^(-2 n)``. Data that are
published as they are attain it: no pair of laws within the claim imitates two point masses better than these coins.
At ``(epsilon, delta)`` the smallest such ``x`` is ``(1 - delta) / (1 + e^epsilon)``. With one more draw, or a larger
level, the bound is exceeded.
"""

import itertools
from typing import Any, NamedTuple

import numpy as np
from mpmath import mp
from numpy.typing import NDArray
from scipy.special import gammaln, ndtr, xlogy

from dpspectra.fast import gaussian_profile
from dpspectra.fast import neyman_pearson as fast
from dpspectra.fast.divergence import hockey_stick
from dpspectra.ledger import AtMost, Equal, Parts, Real, Verdict, statement
from dpspectra.oracle import divergence as exact_divergence
from dpspectra.oracle import gaussian_profile as exact_gaussian
from dpspectra.oracle import neyman_pearson as oracle
from dpspectra.strategies import deltas, distributions, dyadics, epsilons, st


class Case(NamedTuple):
    """Laws that are tested, the claim, draws on each side, risk, wanted power, a coin, and a Gaussian claim."""

    laws: Any
    epsilon: float
    delta: float
    draws: int
    risk: float
    power: float
    q: float
    mu: float


def _samples(law: NDArray[Any], draws: int) -> NDArray[Any]:
    """Probabilities of the counts of the outcomes of independent draws."""
    counts = np.array([c for c in itertools.product(range(draws + 1), repeat=len(law)) if sum(c) == draws])
    return np.asarray(np.exp(gammaln(draws + 1) + np.sum(xlogy(counts, law) - gammaln(counts + 1), axis=1)))


@statement
class NoTest:
    labels = ("DPS-NOTEST",)
    given = r"x=\tfrac{1-\delta}{1+e^\varepsilon},\ P_x=(1-x)P^*+xQ^*,\ Q_x=(1-x)Q^*+xP^*"
    claim = {
        "mixtures within the claim": r"\max_E\big(P_x(E)-e^\varepsilon Q_x(E)\big)\le\delta",
        "power": (
            r"\Pr_{P_x,Q_x}[\text{refuted}]\le a\ \Rightarrow\ "
            r"\Pr_{P^*,Q^*}[\text{refuted in }n\text{ draws of each}]\le\min\big\{1,\tfrac a{(1-x)^{2n}}\big\}"
        ),
        "imitation of point masses": (
            r"p=\min\{e^\varepsilon q+\delta,\,1-e^{-\varepsilon}(1-q-\delta),\,1\}:\ p(1-q)\le(1-x)^2"
        ),
        "fewest draws": r"\Big\lceil\frac{\log(b/a)}{-2\log(1-x)}\Big\rceil=\min\{n:b\le\tfrac a{(1-x)^{2n}}\}",
        "Gaussian coins": r"1-\Phi(-\tfrac\mu2)-e^\varepsilon\Phi(-\tfrac\mu2)\le\delta_G(\varepsilon,\mu)",
    }
    where = {
        "P^*,Q^*": "any pair of laws",
        "P^*": "any law",
        "Q^*": "any other law",
        "P_x": "mixture of the two laws",
        "Q_x": "mixture of the two laws with the weights in the other order",
        "n": "number of draws of each law",
        "x": "smallest probability of heads of a coin that the claim allows beside its mirror",
        "p": "largest probability of heads that the claim allows beside the other coin",
        "q": "probability of heads of the other coin",
        "b": "power that is wanted",
        r"\mu": "parameter of Gaussian privacy",
    }
    verdict = Verdict.NEW
    uses = ("MWKTV-D1.1", "HR-T2.6R")
    exact = ("fewest draws",)
    note = "auditing.md#what-no-test-can-do"
    examples = 60

    def cases(self) -> Any:
        return st.builds(
            Case,
            st.tuples(distributions(3), distributions(3)),
            epsilons(2.0**-6, 4.0) | st.just(0.0),
            st.just(0.0) | deltas(2.0**-12, 0.5),
            st.integers(0, 2),
            st.integers(3, 12).map(lambda k: 3 * 2.0**-k),
            st.sampled_from([1.0, 0.5]),
            dyadics(0, 1),
            epsilons(2.0**-4, 4.0),
        )

    def fast(
        self, laws: Any, epsilon: float, delta: float, draws: int, risk: float, power: float, q: float, mu: float
    ) -> Parts:
        """Tests that see how often each pair of outcomes occurred."""
        x = float(fast.smallest_error(epsilon, delta))
        p_star, q_star = laws
        mixed = (1 - x) * p_star + x * q_star, (1 - x) * q_star + x * p_star
        null, alternative = (_samples(np.outer(*pair).ravel(), draws) for pair in (mixed, laws))
        p = min(np.exp(epsilon) * q + delta, 1 - np.exp(-epsilon) * (1 - q - delta), 1.0)
        numbers = np.arange(1000)
        enough = numbers[fast.largest_power(x, numbers, risk) >= min(1, power)]
        error = float(ndtr(-mu / 2))
        yield AtMost(float(hockey_stick(mixed[0], mixed[1], epsilon)), delta, scale=1, part="mixtures within the claim")
        yield AtMost(fast.power(null, alternative, risk), float(fast.largest_power(x, draws, risk)), part="power")
        yield AtMost(p * (1 - q), (1 - x) ** 2, part="imitation of point masses")
        yield Equal(fast.fewest_draws(x, risk, power), float(enough[0]), part="fewest draws")
        excess = 1 - error - np.exp(epsilon) * error
        yield AtMost(excess, float(gaussian_profile.profile(epsilon, mu)), scale=1, part="Gaussian coins")

    def oracle(
        self, laws: Any, epsilon: float, delta: Real, draws: int, risk: Real, power: float, q: Real, mu: Real
    ) -> Parts:
        """Tests that see the whole sequence of pairs."""
        t = mp.exp(epsilon)
        x = mp.findroot(lambda x: 1 - x - t * x - delta, mp.mpf(1) / 4)
        p_star, q_star = ([mp.mpf(mass) for mass in law] for law in laws)
        mixed = [
            [(1 - x) * u + x * v for u, v in zip(*pair, strict=True)] for pair in ((p_star, q_star), (q_star, p_star))
        ]
        null, alternative = ([u * v for u, v in itertools.product(*pair)] for pair in (mixed, (p_star, q_star)))
        p = min(t * q + delta, (t - 1 + q + delta) / t, mp.mpf(1))
        bound = min(mp.mpf(1), risk / mp.fprod([1 - x] * (2 * draws)))
        error, least = exact_gaussian.cdf(-mu / 2), mp.ceil(mp.log(power / risk) / mp.log((1 - x) ** -2))
        coins = [[1 - error, error], [error, 1 - error]]
        excess = exact_divergence.hockey_stick(mixed[0], mixed[1], epsilon)
        yield AtMost(excess, delta, scale=1, part="mixtures within the claim")
        yield AtMost(oracle.power(null, alternative, draws, risk), bound, part="power")
        yield AtMost(p * (1 - q), (1 - x) ** 2, part="imitation of point masses")
        yield Equal(least, mp.mpf(oracle.fewest_draws(x, risk, power)), part="fewest draws")
        yield AtMost(coins[0][0] - t * coins[1][0], exact_gaussian.profile(epsilon, mu), scale=1, part="Gaussian coins")

    def tight(self) -> list[Any]:
        """Two point masses, whose mixtures are as far apart as the claim allows; the coin at which errors are equal."""
        apart = np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])
        return [
            Case(apart, 0.5, 0.25, 2, 3 * 2.0**-8, 1.0, 0.5, 1.0),
            Case(apart, 0.0, 0.25, 2, 3 * 2.0**-8, 0.5, 0.375, 1.0),
        ]

    def beyond(self) -> dict[str, AtMost]:
        """Two point masses against ``epsilon = delta = 0``, where ``x = 1/2``; two draws, risk 1/64."""
        null, alternative, risk = [mp.mpf(1) / 4] * 4, [0, 1, 0, 0], mp.mpf(1) / 64
        bound = risk * 2**4
        return {
            "the number of draws": AtMost(oracle.power(null, alternative, 3, risk), bound),
            "the level": AtMost(oracle.power(null, alternative, 2, 2 * risk), bound),
        }
