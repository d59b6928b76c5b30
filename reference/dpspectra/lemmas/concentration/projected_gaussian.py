"""``L`` Gaussian matrices in ``k`` directions have norms up to ``sigma (sqrt k + sqrt p + sqrt(2 log(L / eta)))``.

If ``U`` has orthonormal columns that do not depend on ``G``, ``U' G`` is Gaussian, so each of the ``L`` norms is that
of a ``k`` by ``p`` matrix (JXZ-L1-R), for every ``d``. The published lemma (as we read it) has the order
``sigma sqrt(p + log L)`` with probability ``1 - 1/d``. No constant is large enough for ``p = L = 1``, where the law
does not depend on ``d``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.ledger import AtMost, Frequency, Statement, Verdict, inequality
from dpspectra.oracle import top_eigenvalue
from dpspectra.strategies import deltas, dyadics, epsilons, seeds, unitaries
from dpspectra.strategies.lazy import st

TRIALS = 2000
"""Number of draws of ``L`` matrices for a frequency."""


class Case(NamedTuple):
    """Orthonormal columns, width and number of the matrices, their standard deviation, ``eta``, and a seed."""

    u: Any
    p: int
    times: int
    sigma: float
    eta: float
    seed: int


@st.composite
def _cases(draw: st.DrawFn) -> Case:
    """Up to three directions of up to five dimensions."""
    d = draw(st.integers(1, 5))
    u = draw(unitaries(d))[:, : draw(st.integers(1, min(d, 3)))]
    eta = draw(dyadics(2.0**-6, 1 - 2.0**-6) | deltas())
    return Case(u, draw(st.integers(1, 4)), draw(st.integers(1, 3)), draw(epsilons()), eta, draw(seeds()))


lemma = Statement(
    labels=("HP-LA.2",),
    claim=r"U^\top U=I_k,\ G_1,\dots,G_L\sim N(0,\sigma^2)^{d\times p}:\quad\Pr\Big[\max_l\|U^\top G_l\|_2>\sigma\big("
    r"\sqrt k+\sqrt p+\sqrt{2\ln(L/\eta)}\big)\Big]\le\eta",
    verdict=Verdict.REPAIRED,
    cases=_cases,
    uses=("JXZ-L1-R",),
    note="concentration.md#projected-gaussian-noise",
    digits=25,  # integrals over pairs of singular values
    examples=40,
)


def radius(eta: Any, k: Any, p: Any, times: Any) -> Any:
    """Norm, in units of the standard deviation, that ``times`` matrices exceed with probability at most ``eta``."""
    return np.sqrt(k) + np.sqrt(p) + np.sqrt(2 * np.log(times / eta))


@lemma.fast
def exceedance(u: Any, p: int, times: int, sigma: float, eta: float, seed: int) -> Frequency:
    d, k = u.shape
    noise = sigma * np.random.default_rng(seed).standard_normal((TRIALS, times, d, p))
    largest = np.max(fast.spectral_norm(u.T @ noise), axis=1)
    above = int(np.sum(largest > sigma * radius(eta, k, p, times)))
    return Frequency(above, TRIALS, eta, part="tail of the norm")


@lemma.oracle
def exact_exceedance(u: Any, p: int, times: int, _sigma: float, eta: float, _seed: int) -> AtMost:
    k, eta = u.shape[1], mp.mpf(eta)
    allowed = mp.sqrt(k) + mp.sqrt(p) + mp.sqrt(2 * mp.log(times / eta))
    above = 1 - top_eigenvalue.wishart_cdf(allowed**2, max(k, p), min(k, p)) ** times
    return AtMost(above, eta, scale=1, part="tail of the norm")


@lemma.as_printed
def one_number(constant: float, d: int) -> AtMost:
    """Probability that one normal number, ``k = p = L = 1``, exceeds ``constant`` in modulus, against ``1/d``."""
    return AtMost(mp.erfc(mp.mpf(constant) / mp.sqrt(2)), mp.mpf(1) / d, part="printed form")


@lemma.counterexample
def two_standard_deviations() -> Any:
    return 2.0, 32


@lemma.certificate
def two_standard_deviations_certificate() -> dict[str, Any]:
    return inequality(
        "HP-LA.2",
        "with the constant 2: one of 22 normal numbers is beyond two standard deviations, more than one of d = 32; any"
        " other constant fails in higher dimension",
        ["mul", "2", ["sub", "1", ["normal_cdf", "2"]]],
        ["div", "1", "32"],
    )
