"""``k`` adaptive ``(epsilon, delta)``-private outputs are ``(k epsilon, k delta)``-private, and better for large ``k``.

For every ``delta' > 0`` they are also private at ``sqrt(2 k log(1/delta')) epsilon + k epsilon (e^epsilon - 1)`` with
``k delta + delta'``. The losses of the outputs add; each is at most ``epsilon`` (outside an event of probability
``delta``) and has mean at most ``epsilon (e^epsilon - 1)``, so Azuma's inequality applies. Cited (Dwork, Rothblum and
Vadhan). The bounds are compared with the exact optimum over all adaptive mechanisms, which randomised response attains.
Mechanisms that choose ``epsilon`` and ``delta`` adaptively are not covered.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import composition as fast
from dpspectra.fast import divergence as fast_divergence
from dpspectra.ledger import AtMost, Parts, Real, Reals, Relation, Slack, Verdict, statement
from dpspectra.oracle import composition as oracle
from dpspectra.oracle import divergence as oracle_divergence
from dpspectra.strategies import deltas, distributions, epsilons, st

LARGEST_SHARE = 0.99
"""Share of the largest possible loss up to which logarithms of a profile are compared; it vanishes at that loss."""


def basic(k: int, epsilon: Any, delta: Any) -> tuple[Any, Any]:
    """Epsilon and delta of ``k`` outputs by basic composition."""
    return k * epsilon, k * delta


def advanced(k: int, epsilon: Any, delta: Any, slack: Any) -> tuple[Any, Any]:
    """Epsilon and delta of ``k`` outputs by advanced composition, which adds ``slack`` to ``delta``."""
    return np.sqrt(2 * k * np.log(1 / slack)) * epsilon + k * epsilon * np.expm1(epsilon), k * delta + slack


LAWS = st.lists(distributions(2) | distributions(2).map(lambda p: (p + 0.5) / 2), min_size=6, max_size=6).map(np.array)
"""Laws of a first output on both data sets, and of a second one on both, after each answer of the first."""


def adaptive(first: Any, second: Any, epsilon: float) -> float:
    """Profile at epsilon of a first output and of a second one whose laws depend on it."""
    p, q = ((first[side][:, None] * second[:, side]).ravel() for side in (0, 1))
    return float(fast_divergence.hockey_stick(p, q, epsilon))


def exactly_adaptive(first: Any, second: Any, epsilon: Any) -> Any:
    """`adaptive` in mpmath, outcome by outcome."""
    p, q = ([first[side][y] * mass for y, laws in enumerate(second) for mass in laws[side]] for side in (0, 1))
    return oracle_divergence.hockey_stick(p, q, epsilon)


def worst(pairs: Any, epsilon: float) -> float:
    """Largest profile at epsilon of some pairs of laws, in both orders."""
    orders = [order for p, q in pairs for order in ((p, q), (q, p))]
    return max(float(fast_divergence.hockey_stick(p, q, epsilon)) for p, q in orders)


def exactly_worst(pairs: Any, epsilon: Any) -> Any:
    """`worst` in mpmath."""
    return max(oracle_divergence.hockey_stick(*order, epsilon) for p, q in pairs for order in ((p, q), (q, p)))


@statement
class Composition:
    labels = ("HR-T2.4",)
    given = r"\varepsilon'=\sqrt{2k\log(1/\delta')}\,\varepsilon+k\varepsilon(e^\varepsilon-1)"
    claim = {
        "basic composition": r"\delta_k(k\varepsilon,\delta)\le k\delta",
        "advanced composition": r"\delta_k(\varepsilon',\delta)\le k\delta+\delta'",
        "advanced composition without failures": r"\delta_k(\varepsilon',0)\le\delta'",
        "two adaptive outputs": (
            r"H_\varepsilon(Y,Z)\le\delta_2\big(\varepsilon,\max\{H_\varepsilon(Y),\max_yH_\varepsilon(Z\mid y)\}\big)"
        ),
        "logarithm without failures": r"\varepsilon'<0.99\,k\varepsilon:\ \log\delta_k(\varepsilon',0)\le\log\delta'",
    }
    printed = (
        r"Not at hand; read as: the $`k`$-fold adaptive composition of $`(\varepsilon,\delta)`$-DP mechanisms "
        r"is $`(\varepsilon',k\delta+\delta')`$-DP for "
        r"$`\varepsilon'=\sqrt{2k\ln(1/\delta')}\,\varepsilon+k\varepsilon(e^\varepsilon-1)`$."
    )
    where = {
        "k": "number of outputs",
        r"\delta'": "probability that the second bound gives up, free",
        r"\delta_k, \delta_2": (
            "smallest delta, at the first argument, of so many outputs together of which each has the second one at "
            r"$`\varepsilon`$"
        ),
        r"\varepsilon'": "privacy parameter of all outputs together by advanced composition, in nats",
        "H_i": "smallest delta of an output at this privacy parameter, the larger one of both orders of the data sets",
        "Y": "first output",
        "Z": "second output, whose law depends on the first",
        "y": "value of the first output",
    }
    verdict = Verdict.CITED
    relation = (Relation.ROW,)
    uses = ("MWKTV-D1.1",)
    note = "privacy.md#composition"
    examples = 60
    slack = {
        "advanced composition without failures": Slack(
            0.108782, "Azuma's inequality bounds a normal tail, one half at 0, by exp(-t^2 / 2), and losses by epsilon"
        ),
        "logarithm without failures": Slack(0.551655, "Azuma's inequality has no factor before the exponential"),
    }

    def cases(self) -> Any:
        return st.tuples(
            st.sampled_from([1, 2, 3, 10, 64]) | st.integers(1, 32),
            epsilons(2.0**-10, 4.0),
            st.just(0.0) | deltas(1e-12, 0.25),
            deltas(1e-10, 0.5) | st.just(1 - 2.0**-10),
            LAWS,
        )

    def fast(self, k: int, epsilon: float, delta: float, slack: float, laws: Any) -> Parts:
        (total, failure), (less, more) = basic(k, epsilon, delta), advanced(k, epsilon, delta, slack)
        pure, rest = advanced(k, epsilon, 0.0, slack)
        without = fast.optimal_delta(pure, k, epsilon, 0.0)
        if pure < LARGEST_SHARE * total:
            yield AtMost(np.log(without), np.log(rest), scale=1, part="logarithm without failures")
        yield AtMost(fast.optimal_delta(total, k, epsilon, delta), failure, part="basic composition")
        yield AtMost(fast.optimal_delta(less, k, epsilon, delta), more, part="advanced composition")
        yield AtMost(without, rest, part="advanced composition without failures")
        first, second = laws[:2], laws[2:].reshape(2, 2, 2)  # on both data sets; the second depends on the first answer
        limit = fast.optimal_delta(epsilon, 2, epsilon, worst((first, *second), epsilon))
        yield AtMost(adaptive(first, second, epsilon), limit, scale=1, part="two adaptive outputs")

    def oracle(self, k: int, epsilon: Real, delta: Real, slack: Real, laws: list[Reals]) -> Parts:
        less = mp.sqrt(2 * k * mp.log(1 / slack)) * epsilon + k * epsilon * (mp.exp(epsilon) - 1)
        without = oracle.optimal_delta(less, k, epsilon, 0)
        if less < LARGEST_SHARE * k * epsilon:
            yield AtMost(mp.log(without), mp.log(slack), scale=1, part="logarithm without failures")
        yield AtMost(oracle.optimal_delta(k * epsilon, k, epsilon, delta), k * delta, part="basic composition")
        yield AtMost(oracle.optimal_delta(less, k, epsilon, delta), k * delta + slack, part="advanced composition")
        yield AtMost(without, slack, part="advanced composition without failures")
        first, *rest = laws[:2], laws[2:4], laws[4:]
        limit = oracle.optimal_delta(epsilon, 2, epsilon, exactly_worst((first, *rest), epsilon))
        yield AtMost(exactly_adaptive(first, rest, epsilon), limit, scale=1, part="two adaptive outputs")

    def tight(self) -> list[Any]:
        """Outputs that reveal the data with small probability; two rounds of randomised response with odds 3 to 1.

        64 rounds of randomised response at ``epsilon = 1/8`` come nearest to the second bound without failures, and at
        ``epsilon = 1/64`` its logarithm depends on the square root.
        """
        truth, lie = np.array([0.75, 0.25]), np.array([0.25, 0.75])
        laws = np.array([truth, lie] * 3)
        return [
            (4, float(np.log(3)), 2.0**-24, 0.5, laws),
            (1, 1.0, 0.25, 2.0**-40, laws),
            (64, 0.125, 0.0, 1 - 2.0**-10, laws),
            (64, 2.0**-6, 0.0, 2.0**-12, laws),
        ]

    def beyond(self) -> dict[str, AtMost]:
        """Five outputs that reveal the data with probability ``2^-10`` against the bound for four."""
        epsilon, delta = mp.mpf(1), mp.mpf(2) ** -10
        five = oracle.optimal_delta(4 * epsilon, 5, epsilon, delta)
        return {"k counts all outputs": AtMost(five, 4 * delta, part="basic composition")}
