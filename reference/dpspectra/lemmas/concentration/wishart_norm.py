"""The norm of ``W_d(m, c I)`` exceeds ``c (sqrt m + sqrt d + sqrt(2 t))^2`` with probability at most ``exp(-t)``.

The largest singular value of a ``d`` by ``m`` Gaussian matrix is a 1-Lipschitz function of it with mean at most
``sqrt m + sqrt d`` (Davidson and Szarek, cited). So the noise of the Wishart mechanism is about ``4 c d``: the factor
``log d`` of the older bound is not needed. Variances must be equal in every direction; for a general ``C`` the bound on
the mean is ``sqrt m |C|^(1/2) + sqrt(tr C)``.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.fast import top_eigenvalue
from dpspectra.ledger import AtMost, Frequency, Parts, Real, Slack, Verdict, statement
from dpspectra.lemmas.concentration.draws import TRIALS
from dpspectra.oracle import top_eigenvalue as exact
from dpspectra.oracle.roots import bisect
from dpspectra.strategies import dyadics, seeds, st

LARGE = "at theta = 0 the probability tends to 0.17 in large dimensions (Tracy-Widom), and is smaller in small ones"
"""Reason why the bound is not attained."""


def radius(theta: Any, degrees: Any, d: Any) -> Any:
    """Norm of ``W_d(degrees, I)`` that is exceeded with probability at most ``exp(-theta)``."""
    return (np.sqrt(degrees) + np.sqrt(d) + np.sqrt(2 * theta)) ** 2


def quantile(eta: Any, d: Any) -> Any:
    """Norm that ``W_d(d + 1, I)`` exceeds with probability at most ``eta``."""
    return radius(np.log(1 / eta), d + 1, d)


def tail(norm: Any, degrees: Any, d: Any) -> Any:
    """Bound on the probability that ``W_d(degrees, I)`` exceeds ``norm``, elementwise."""
    excess = np.maximum(np.sqrt(norm) - np.sqrt(degrees) - np.sqrt(d), 0)
    return np.exp(-(excess**2) / 2)


@statement
class WishartNorm:
    labels = ("JXZ-L1-R",)
    given = r"W\sim W_d(m,cI),\ \theta\ge0"
    claim = {
        "frequency of large norms": r"\Pr\big[\|W\|_2>c(\sqrt m+\sqrt d+\sqrt\theta)^2\big]\le e^{-\theta/2}",
        "probability of large norms": r"\Pr\big[\|W\|_2>c(\sqrt m+\sqrt d+\sqrt{2\theta})^2\big]\le e^{-\theta}",
    }
    where = {
        "W_d": "Wishart law in $`d`$ dimensions, with these degrees of freedom and this scale matrix",
        "m": "degrees of freedom of the Wishart law",
        "c": "scale; the scale matrix is $`cI`$",
        r"\theta": r"free number; the exception has probability at most $`e^{-\theta}`$",
        "W": "Wishart matrix",
    }
    verdict = Verdict.CITED
    uses = ("JXZ-D2",)
    note = "concentration.md#norm-of-a-wishart-matrix"
    digits = 25
    examples = 15
    slack = {
        "frequency of large norms": Slack(0.0217156, LARGE),
        "probability of large norms": Slack(0.0119551, LARGE),
    }

    def cases(self) -> Any:
        return st.tuples(st.integers(1, 5), st.integers(1, 4), dyadics(0, 12), seeds())

    def fast(self, m: int, d: int, theta: float, seed: int) -> Parts:
        """How often norms exceed the one for ``theta / 2``; the probability of exceeding the one for ``theta``."""
        allowed, smaller = radius(theta, m, d), radius(theta / 2, m, d)
        noise = np.random.default_rng(seed).standard_normal((TRIALS, d, m))
        above = int(np.sum(fast.spectral_norm(noise) ** 2 > smaller))
        probability = 1 - top_eigenvalue.wishart_cdf(allowed, max(m, d), min(m, d))
        yield Frequency(above, TRIALS, float(tail(smaller, m, d)), part="frequency of large norms")
        yield AtMost(probability, np.exp(-theta), scale=1.0, part="probability of large norms")

    def oracle(self, m: int, d: int, theta: Real, _: int) -> Parts:
        """The bound on the probability of a norm is the one whose radius is that norm."""

        def allowed(level: Any) -> Any:
            return (mp.sqrt(m) + mp.sqrt(d) + mp.sqrt(2 * level)) ** 2

        def above(norm: Any) -> Any:
            return 1 - exact.wishart_cdf(norm, max(m, d), min(m, d))

        norm = allowed(theta / 2)
        level = bisect(lambda x: allowed(x) < norm, 0, theta)[1] if theta else theta
        yield AtMost(above(norm), mp.exp(-level), scale=1, part="frequency of large norms")
        yield AtMost(above(allowed(theta)), mp.exp(-theta), scale=1, part="probability of large norms")

    def tight(self) -> list[Any]:
        """The largest matrices of the cases, near the typical norm."""
        return [(5, 4, 0.25, 0)]

    def beyond(self) -> dict[str, AtMost]:
        """One row and one column of variance 4 where ``c = 1``; a hundred copies of one normal number."""
        norms = mp.mpf(6), 11 + mp.sqrt(6)
        return {
            "every variance is c": AtMost(mp.erfc(norms[0] / (2 * mp.sqrt(2))), mp.exp(-8)),
            "the entries are independent": AtMost(mp.erfc(norms[1] / (10 * mp.sqrt(2))), mp.exp(-3)),
        }
