"""Numbers of samples for the spiked model, for any distribution, and for a spectrum with power-law decay.

Each is the general number with a particular ``B``: that of the spiked model, or ``d / p``, which is enough for every
law whose lengths have exponential tails. For eigenvalues ``j^-c`` the gap after ``k`` is at least
``c (k + 1)^(-c - 1)``. Constants and logarithms are those of the general number, whose printed form is
``B^2 k sigma_k / (d epsilon^2 gap^3)`` at ``p = 2 k``. (In the paper the proof headed by the second corollary proves
the first.)
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from mpmath import mp

from dpspectra.ledger import OPEN, AtMost, Equal, Slack, Statement, Verdict
from dpspectra.ledger.outcomes import Outcome
from dpspectra.lemmas.streaming import spiked
from dpspectra.strategies import dyadics
from dpspectra.strategies.lazy import st


def _epsilons() -> st.SearchStrategy[Any]:
    return st.sampled_from([0.5, 0.25, 2.0**-7])


class PowerLaw(NamedTuple):
    """Dimension, rank, exponent and factor of the eigenvalues ``zeta j^-c``, and the accuracy."""

    d: int
    k: int
    c: float
    zeta: float
    epsilon: float


spikes = Statement(
    labels=("HP-C3.3",),
    claim=r"z\sim N\big(0,\tfrac1D(U\Lambda^2U^\top+\sigma^2I)\big):\quad1\le\frac{B^2\sigma_kk/(d\epsilon^2"
    r"\mathrm{gap}^3)}{(\lambda_1^2+\sigma^2)^2(\lambda_k^2+\sigma^2)dk/(\epsilon^2\lambda_k^6)}\cdot"
    r"\frac1{(1+\sqrt2)^4}\le(1+\sqrt2)^4",
    verdict=Verdict.VERIFIED,
    cases=lambda: st.tuples(
        st.integers(1, 8).flatmap(
            lambda d: st.tuples(st.just(d), st.lists(dyadics(0.25, 4, 2), min_size=1, max_size=d))
        ),
        dyadics(0, 4, 2),
        _epsilons(),
    ),
    uses=("HP-T3.2", "HP-L3.6"),
    note="streaming.md#samples-for-the-spiked-model",
    slack={"printed number from above": Slack(0.0294373, OPEN)},
)
any_law = Statement(
    labels=("HP-C3.4", "HP-C1.2"),
    claim=r"B=\tfrac dp,\ p=2k:\ \frac{B^2k\sigma_k}{d\epsilon^2\mathrm{gap}^3}=\frac{d\,\sigma_k}{4k\epsilon^2"
    r"\mathrm{gap}^3};\qquad\sigma_j=\zeta j^{-c}:\ \frac{d\,\sigma_k}{k\epsilon^2\mathrm{gap}^3}\le\frac{8^{c+1}}"
    r"{c^3\zeta^2}\cdot\frac{k^{2c+2}d}{\epsilon^2}",
    verdict=Verdict.VERIFIED,
    cases=lambda: st.builds(
        PowerLaw, st.integers(1, 200), st.integers(1, 20), dyadics(0.25, 4, 2), dyadics(0.125, 1, 3), _epsilons()
    ),
    uses=("HP-T3.2", "HP-D3.1"),
    note="streaming.md#samples-for-any-distribution",
)


def general(roundness: Any, last: Any, gap: Any, epsilon: Any, k: int, d: int) -> Any:
    """Number of samples up to constants and logarithms, for ``p = 2 k``; ``last`` is the ``k``-th eigenvalue."""
    return roundness**2 * last * k / (d * epsilon**2 * gap**3)


def spiked_samples(values: Any, noise: Any, epsilon: Any, d: int) -> Any:
    """The printed number for spikes ``values`` (descending) in noise of standard deviation ``noise``."""
    first, last = values[0] ** 2 + noise**2, values[-1] ** 2 + noise**2
    return first**2 * last * d * len(values) / (epsilon**2 * values[-1] ** 6)


@spikes.fast
def compared(model: Any, noise: float, epsilon: float) -> tuple[Outcome, ...]:
    (d, values), factor = model, spiked.FACTOR**2
    values = np.sort(np.array(values))[::-1]
    k, top = len(values), values[0] ** 2 + noise**2
    trace = np.sum(values**2) + d * noise**2
    scale = spiked.normaliser(trace, top)
    last, gap = (values[-1] ** 2 + noise**2) / scale, values[-1] ** 2 / scale
    ours = general(spiked.roundness(trace, top, d), last, gap, epsilon, k, d) / factor
    printed = spiked_samples(values, noise, epsilon, d)
    return (
        AtMost(printed, ours, part="printed number from above"),
        AtMost(ours, factor * printed, part="general number from above"),
    )


@spikes.oracle
def exactly_compared(model: Any, noise: float, epsilon: float) -> tuple[Outcome, ...]:
    """Eigenvalues of the covariance, one by one."""
    (d, values), noise, epsilon = model, mp.mpf(noise), mp.mpf(epsilon)
    values = sorted(map(mp.mpf, values), reverse=True)
    k, factor = len(values), (1 + mp.sqrt(2)) ** 4
    variances = [v**2 + noise**2 for v in values] + [noise**2] * (d - k)
    trace, top = mp.fsum(variances), max(variances)
    scale = (mp.sqrt(trace) + mp.sqrt(2 * top)) ** 2
    spectrum = [v / scale for v in variances] + [noise**2 / scale]
    roundness = (1 + mp.sqrt(2)) ** 2 * top / (trace / d)
    gap = spectrum[k - 1] - spectrum[k]
    ours = roundness**2 * spectrum[k - 1] * k / (d * epsilon**2 * gap**3) / factor
    printed = top**2 * variances[k - 1] * d * k / (epsilon**2 * values[-1] ** 6)
    return (
        AtMost(printed, ours, part="printed number from above"),
        AtMost(ours, factor * printed, part="general number from above"),
    )


@spikes.tight
def one_dimension() -> list[Any]:
    return [((1, [1.0]), 0.5, 0.25)]


@any_law.fast
def power_law(d: int, k: int, c: float, zeta: float, epsilon: float) -> tuple[Outcome, ...]:
    last = zeta * float(k) ** -c
    gap = -last * np.expm1(-c * np.log1p(1 / k))
    number = d * last / (k * epsilon**2 * gap**3)
    return (
        Equal(general(d / (2 * k), last, gap, epsilon, k, d), number / 4, part="samples for any distribution"),
        AtMost(
            number,
            8 ** (c + 1) / (c**3 * zeta**2) * k ** (2 * c + 2) * d / epsilon**2,
            part="samples for power-law decay",
        ),
    )


@any_law.oracle
def exact_power_law(d: int, k: int, c: float, zeta: float, epsilon: float) -> tuple[Outcome, ...]:
    c, zeta, epsilon = map(mp.mpf, (c, zeta, epsilon))
    last, following = (zeta * mp.mpf(j) ** -c for j in (k, k + 1))
    number = d * last / (k * epsilon**2 * (last - following) ** 3)
    width = 2 * k
    stated = (mp.mpf(d) / width) ** 2 * k * last / (d * epsilon**2 * (last - following) ** 3)
    limit = mp.mpf(8) ** (c + 1) / (c**3 * zeta**2) * mp.mpf(k) ** (2 * c + 2) * d / epsilon**2
    return (
        Equal(stated, number / 4, part="samples for any distribution"),
        AtMost(number, limit, part="samples for power-law decay"),
    )
