"""The norm of ``W_d(m, c I)`` exceeds ``c (sqrt m + sqrt d + sqrt(2 t))^2`` with probability at most ``exp(-t)``.

The largest singular value of a ``d`` by ``m`` Gaussian matrix is a 1-Lipschitz function of it with mean at most
``sqrt m + sqrt d`` (Davidson and Szarek, cited). So the noise of the Wishart mechanism is about ``4 c d``: the factor
``log d`` of the older bound is not needed. Variances must be equal in every direction; for a general ``C`` the bound on
the mean is ``sqrt m |C|^(1/2) + sqrt(tr C)``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.fast import top_eigenvalue
from dpspectra.ledger import AtMost, Frequency, Statement, Verdict
from dpspectra.ledger.outcomes import Outcome
from dpspectra.oracle import top_eigenvalue as exact
from dpspectra.strategies import dyadics, seeds
from dpspectra.strategies.lazy import st

TRIALS = 4000
"""Number of Gaussian matrices drawn for a frequency."""

lemma = Statement(
    labels=("JXZ-L1-R",),
    claim=r"\Pr\big[\|W_d(m,cI)\|_2\ge c(\sqrt m+\sqrt d+\sqrt{2\theta})^2\big]\le e^{-\theta},\quad\theta\ge0",
    verdict=Verdict.CITED,
    cases=lambda: st.tuples(st.integers(1, 5), st.integers(1, 4), dyadics(0, 12), seeds()),
    uses=("JXZ-D2",),
    note="concentration.md#norm-of-a-wishart-matrix",
    digits=25,  # integrals over pairs of eigenvalues
    examples=30,
)


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


@lemma.fast
def exceedance(m: int, d: int, theta: float, seed: int) -> tuple[Outcome, ...]:
    allowed = radius(theta, m, d)
    noise = np.random.default_rng(seed).standard_normal((TRIALS, d, m))
    above = int(np.sum(fast.spectral_norm(noise) ** 2 > allowed))
    probability = 1 - top_eigenvalue.wishart_cdf(allowed, max(m, d), min(m, d))
    return (
        Frequency(above, TRIALS, float(tail(allowed, m, d)), part="frequency of large norms"),
        AtMost(probability, np.exp(-theta), scale=1.0, part="probability of large norms"),
    )


@lemma.oracle
def exact_exceedance(m: int, d: int, theta: float, _: int) -> tuple[Outcome, ...]:
    allowed = (mp.sqrt(m) + mp.sqrt(d) + mp.sqrt(2 * mp.mpf(theta))) ** 2
    above = 1 - exact.wishart_cdf(allowed, max(m, d), min(m, d))
    return (
        AtMost(above, mp.exp(-theta), scale=1, part="frequency of large norms"),
        AtMost(above, mp.exp(-theta), scale=1, part="probability of large norms"),
    )
