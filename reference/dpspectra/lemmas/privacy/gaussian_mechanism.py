"""Gaussian noise of standard deviation ``sqrt(2 log(1.25/delta)) c / epsilon`` is private for small ``epsilon``.

It is private exactly up to the ``epsilon`` at which its profile is ``delta``: 15/4 is below that for every ``delta``.
One of the two papers says that ``epsilon`` is small, the other does not, and at ``epsilon = 16`` the true ``delta`` is
many times the claimed one. Another reading of the second, without the factor 2 under the square root, fails from
``epsilon = 1/2`` on if ``delta <= 2^-17``.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import gaussian_profile as fast
from dpspectra.ledger import AtMost, Parts, Real, Relation, Slack, Verdict, statement
from dpspectra.ledger.certificate import Tree
from dpspectra.oracle import gaussian_profile as oracle
from dpspectra.strategies import deltas, dyadics, epsilons, st


def standard_deviation(sensitivity: Any, epsilon: Any, delta: Any) -> Any:
    """Standard deviation that is enough for ``epsilon <= 15/4``.

    The smallest one is ``sensitivity`` over `dpspectra.fast.gaussian_profile.mu_for`.
    """
    return np.sqrt(2 * np.log(1.25 / delta)) * sensitivity / epsilon


def _printed_variance(epsilon: Any, delta: Any, sensitivity: Any) -> Any:
    return 2 * mp.log(mp.mpf("1.25") / delta) * (mp.mpf(sensitivity) / epsilon) ** 2


def gaussian_delta(epsilon: str, ratio: Tree) -> Tree:
    """Exact ``delta`` at ``epsilon`` of Gaussian noise of standard deviation ``ratio / epsilon``, for a certificate."""
    half = ["div", epsilon, ["mul", "2", ratio]]
    falsely = ["normal_cdf", ["neg", ["add", half, ratio]]]
    return ["sub", ["normal_cdf", ["sub", half, ratio]], ["mul", ["exp", epsilon], falsely]]


@statement
class GaussianMechanismSmall:
    labels = ("JXZ-T2",)
    given = (
        r"\sigma=\tfrac c\varepsilon\sqrt{2\log\tfrac{1.25}\delta},\ \|q-q'\|_2\le c,\ 0<\delta<1,\ "
        r"\delta_G\big(\varepsilon^*,\tfrac{\varepsilon^*}{\sqrt{2\log(1.25/\delta)}}\big)=\delta"
    )
    claim = {
        "enough noise": r"\varepsilon\le\varepsilon^*:\ \delta_G(\varepsilon,\|q-q'\|_2/\sigma)\le\delta",
        "every delta": r"\tfrac{15}4\le\varepsilon^*",
    }
    printed = (
        r"Not at hand; read as: for small $`\varepsilon`$, Gaussian noise of standard deviation "
        r"$`\sqrt{2\ln(1.25/\delta)}\,\frac{\Delta_2}\varepsilon`$ is $`(\varepsilon,\delta)`$-DP."
    )
    where = {
        "c": "sensitivity in l2: how far the true value moves, at most",
        "q": "true value on one data set",
        "q'": "true value on a neighbouring one",
        r"\varepsilon^*": (
            "largest privacy parameter for which the noise is enough; an instance with a larger one is taken there"
        ),
    }
    verdict = Verdict.CORNER
    relation = (Relation.REPLACE,)
    uses = ("HR-T2.6R",)
    note = "privacy.md#gaussian-mechanism"
    slack = {"every delta": Slack(0.990266, "the smallest of the largest epsilon is 3.78686; the proof stops at 15/4")}

    def cases(self) -> Any:
        return st.tuples(
            epsilons(2.0**-10, 16.0),
            deltas(1e-15, 1 - 2.0**-10) | st.just(2.0**-17),
            dyadics(2.0**-6, 8),
            st.just(1.0) | dyadics(0, 1),
        )

    def fast(self, epsilon: float, delta: float, sensitivity: float, fraction: float) -> Parts:
        limit = fast.largest_epsilon(delta, standard_deviation(1.0, 1.0, delta))
        capped = min(epsilon, limit)
        mu = sensitivity / standard_deviation(sensitivity, capped, delta)
        yield AtMost(fast.profile(capped, fraction * mu), delta, part="enough noise")
        yield AtMost(15 / 4, limit, part="every delta")

    def oracle(self, epsilon: Real, delta: Real, sensitivity: Real, fraction: float) -> Parts:
        limit = oracle.largest_epsilon(delta, mp.sqrt(_printed_variance(1, delta, 1)))
        capped = min(epsilon, limit)
        noise = mp.sqrt(_printed_variance(capped, delta, sensitivity))
        yield AtMost(oracle.profile(capped, sensitivity * fraction / noise), delta, part="enough noise")
        yield AtMost(mp.mpf(15) / 4, limit, part="every delta")

    def tight(self) -> list[Any]:
        """The ``delta`` at which the largest ``epsilon`` is smallest, and a small one, at the largest ``epsilon``."""
        return [(16.0, delta, 2.0, 1.0) for delta in (0.8962338209623507, 2.0**-17)]

    def beyond(self) -> dict[str, AtMost]:
        """``epsilon = 3.8`` where 3.787 is the largest, and 1 % more than the sensitivity there."""
        delta = mp.mpf("0.8962338209623507")
        ratio = mp.sqrt(_printed_variance(1, delta, 1))
        limit = oracle.largest_epsilon(delta, ratio)

        def outcome(epsilon: Any, length: Any) -> AtMost:
            return AtMost(oracle.profile(epsilon, length * epsilon / ratio), delta, part="enough noise")

        return {
            "epsilon is at most the largest one": outcome(mp.mpf("3.8"), 1),
            "the sensitivity bounds every change": outcome(limit, mp.mpf("1.01")),
        }

    def as_printed(self, epsilon: float, delta: float) -> AtMost:
        """Compare the true and the claimed ``delta`` at sensitivity 1."""
        mu = 1 / mp.sqrt(_printed_variance(epsilon, mp.mpf(delta), 1))
        return AtMost(oracle.profile(epsilon, mu), mp.mpf(delta), part="printed form")

    def hypotheses(self, epsilon: float, delta: float) -> dict[str, AtMost]:
        """No limit on ``epsilon`` is printed."""
        return {"epsilon is positive": AtMost(0, epsilon), "0 < delta < 1": AtMost(abs(2 * mp.mpf(delta) - 1), 1)}

    def counterexample(self) -> Any:
        return (16.0, 2.0**-17)

    certificate = (
        "the true delta is Phi(8/s - s) - e^16 Phi(-8/s - s), s^2 = 2 log(1.25/delta), at epsilon = 16, delta = 2^-17",
        gaussian_delta("16", ["sqrt", ["mul", "2", ["log", "163840"]]]),
        "1/131072",
    )


@statement
class GaussianMechanismGeneral:
    labels = ("HR-T2.6", "HR-TA.1")
    given = (
        r"\sigma=\tfrac c\varepsilon\sqrt{\log\tfrac{1.25}\delta},\ 0<\delta<1,\ "
        r"\delta_G\big(\varepsilon',\tfrac{\varepsilon'}{\sqrt{\log(1.25/\delta)}}\big)=\delta;\quad"
        r"\sqrt2\,\sigma:\ (\varepsilon,\delta)\text{-DP for }\varepsilon\le\tfrac{15}4\text{ (JXZ-T2)}"
    )
    claim = {
        "too little noise": r"\varepsilon\ge\varepsilon':\ \delta\le\delta_G(\varepsilon,c/\sigma)",
        "smaller noise from 1/2 on": r"\delta\le2^{-17}:\ \varepsilon'\le\tfrac12",
    }
    printed = {
        "HR-T2.6": (
            r"Not at hand; read as: for $`\lVert x-y\rVert_2\le c`$ and $`Y\sim N(0,\rho^2I_d)`$, "
            r"$`\rho=\frac c\varepsilon\sqrt{\log(1.25/\delta)}`$ (or with $`2\log`$), $`\Pr[x+Y\in S]\le "
            r"e^\varepsilon\Pr[y+Y\in S]+\delta`$ for all $`S`$, with no limit on $`\varepsilon`$."
        ),
        "HR-TA.1": "Not at hand; read as Theorem 2.6, whose proof it is.",
    }
    where = {
        "c": "sensitivity in l2: how far the true value moves, at most",
        r"\varepsilon'": (
            "largest privacy parameter for which the smaller noise is enough; an instance with a smaller one is "
            "taken there"
        ),
        r"\sigma": "standard deviation of the smaller noise",
    }
    verdict = Verdict.REPAIRED
    relation = (Relation.ROW,)
    uses = ("HR-T2.6R", "JXZ-T2")
    note = "privacy.md#gaussian-mechanism-for-every-epsilon"
    slack = {"smaller noise from 1/2 on": Slack(0.666998, "at 2^-17 the root is 0.3335; the proof rounds it up to 1/2")}

    def cases(self) -> Any:
        return st.tuples(epsilons(), deltas(2.0**-40, 1 - 2.0**-10), dyadics(2.0**-6, 8))

    def fast(self, epsilon: float, delta: float, sensitivity: float) -> Parts:
        limit = fast.largest_epsilon(delta, np.sqrt(np.log(1.25 / delta)))
        raised = max(epsilon, limit)
        mu = np.sqrt(2) * sensitivity / standard_deviation(sensitivity, raised, delta)
        yield AtMost(delta, fast.profile(raised, mu), part="too little noise")
        if delta <= 2.0**-17:
            yield AtMost(limit, 0.5, part="smaller noise from 1/2 on")

    def oracle(self, epsilon: Real, delta: Real, sensitivity: Real) -> Parts:
        limit = oracle.largest_epsilon(delta, mp.sqrt(_printed_variance(1, delta, 1) / 2))
        raised = max(epsilon, limit)
        noise = mp.sqrt(_printed_variance(raised, delta, sensitivity) / 2)
        yield AtMost(delta, oracle.profile(raised, sensitivity / noise), part="too little noise")
        if delta <= 2.0**-17:
            yield AtMost(limit, mp.mpf(1) / 2, part="smaller noise from 1/2 on")

    def tight(self) -> list[Any]:
        """The largest ``delta`` of the claim, at the ``epsilon`` from which the smaller noise fails."""
        return [(2.0**-7, 2.0**-17, 2.0)]

    def beyond(self) -> dict[str, AtMost]:
        """At ``delta = 2^-16`` and ``epsilon = 3/8`` the smaller noise is private still."""
        delta, epsilon = mp.mpf(2) ** -16, mp.mpf(3) / 8
        profile = oracle.profile(epsilon, epsilon / mp.sqrt(_printed_variance(1, delta, 1) / 2))
        return {"epsilon is beyond the largest one": AtMost(delta, profile, part="too little noise")}

    as_printed = GaussianMechanismSmall.as_printed
    hypotheses = GaussianMechanismSmall.hypotheses
    counterexample = GaussianMechanismSmall.counterexample
    certificate = GaussianMechanismSmall.certificate
