"""The printed error of the private range finder is correct, with constants far above the sharpened form.

``E |(I - P) A|_F <= (1 + k / (p - 1))^(1/2) (sum_(j > k) (s_j + s)^2)^(1/2)``. The sum must run over all ``j`` up to
``m``: the noise has a component in each of the ``m`` dimensions, also where ``A`` has fewer than ``m`` columns and
``s_j = 0`` (the paper assumes at least as many columns as rows). By Markov's inequality, with the printed noise and
``k' = 2 k + 1``, the order ``tau_k + sqrt(k m) log(k / delta) / epsilon`` follows at probability 99/100, with constants
14.2 and 131 for ``delta <= 1/2``; for ``delta`` near 1 and ``k = 1`` the logarithm is too small for any constant.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from mpmath import mp
from scipy.special import betainc

from dpspectra.fast import quadratic_ratios as fast
from dpspectra.ledger import AtMost, Statement, Verdict
from dpspectra.lemmas.range_finding import residual
from dpspectra.oracle import quadratic_ratios as exact
from dpspectra.strategies import deltas, dyadics, epsilons
from dpspectra.strategies.lazy import st

TAIL, NOISE = 14.2, 131.0
"""Constants of the order ``tau_k + sqrt(k m) log(k / delta) / epsilon`` at probability 99/100."""

mean = Statement(
    labels=("HR-T4.2",),
    claim=r"\mathbb E\|(I-P)A\|_F\le\Big(1+\frac k{p-1}\Big)^{1/2}\Big(\sum_{j=k+1}^m(s_j+s)^2\Big)^{1/2}"
    r"\qquad(s_j=0\text{ beyond the columns})",
    verdict=Verdict.VERIFIED,
    cases=lambda: residual.settings().filter(
        lambda case: len(case.values) > 3 or case.rank_one.width > 2
    ),  # else nothing is stated
    uses=("HR-T3.1", "HR-C4.3", "HR-C4.4"),
    note="range_finding.md#printed-error-of-the-private-range-finder",
    digits=25,  # integrals
    examples=30,
)
tail = Statement(
    labels=("HR-C4.5",),
    claim=r"k'=2k+1:\ \Pr\Big[\|(I-P)A\|_F>\sqrt{\tfrac{2\tau_k^2+(m+1)s^2}\beta}\Big]\le\beta;\qquad"
    r"\beta=\tfrac1{100}:\ \|(I-P)A\|_F\le14.2\,\tau_k+131\sqrt{km}\,\tfrac{\log(k/\delta)}\varepsilon"
    r"\quad(\delta\le\tfrac12)",
    verdict=Verdict.VERIFIED,
    cases=lambda: st.tuples(
        st.tuples(dyadics(0.0625, 32) | st.just(1024.0), st.integers(3, 400), st.sampled_from([1.0, 0.25, 8.0])),
        deltas(2.0**-20, 1.0),
        st.tuples(st.integers(1, 200), st.integers(3, 10**6), epsilons(high=8.0), deltas()),
    ),
    uses=("HR-T4.2R", "HR-L4.1"),
    note="range_finding.md#error-with-constant-probability",
)


def radius(tail_norm: Any, m: Any, noise: Any, beta: Any) -> Any:
    """Level that the residual ``|(I - P) A|_F`` of ``2 k + 1`` columns exceeds with probability at most ``beta``."""
    return np.sqrt(residual.mean_square(tail_norm, m, noise) / beta)


@mean.fast
def residuals(values: Any, noise: float, rank_one: residual.RankOne) -> tuple[AtMost, ...]:
    """Roots of exact mean squares, which are at least the means: all splits of ``m - 1`` columns, and rank 1."""
    m, left = len(values), np.sqrt(residual.mean_residual(values, noise))
    sums = [np.sum((values[j:] + noise) ** 2) for j in range(m)]
    value, many, width = rank_one
    large = value * np.sqrt(fast.mean_left_over(1 + (value / noise) ** 2, width, many))
    stated = [
        AtMost(left, np.sqrt((1 + j / (m - 2 - j)) * sums[j]), part="mean residual for a split")
        for j in range(1, m - 2)
    ]
    if width >= 3:
        stated.append(
            AtMost(large, np.sqrt((1 + 1 / (width - 2)) * (many - 1)) * noise, part="mean residual for rank one")
        )
    return tuple(stated)


@mean.oracle
def exact_residuals(values: Any, noise: float, rank_one: residual.RankOne) -> tuple[AtMost, ...]:
    values, noise, m = [mp.mpf(x) for x in values], mp.mpf(noise), len(values)
    left = mp.sqrt(residual.exact_mean_residual(values, noise))
    stated = []
    for k in range(1, m - 2):
        p = m - 1 - k
        stated.append(
            AtMost(
                left,
                mp.sqrt(1 + mp.mpf(k) / (p - 1)) * mp.norm([x + noise for x in values[k:]]),
                part="mean residual for a split",
            )
        )
    value, many, width = mp.mpf(rank_one.value), rank_one.rows, rank_one.width
    if width >= 3:
        large = value * mp.sqrt(exact.mean_left_over(1 + (value / noise) ** 2, width, many))
        stated.append(
            AtMost(
                large,
                mp.sqrt(1 + mp.mpf(1) / (width - 2)) * noise * mp.sqrt(many - 1),
                part="mean residual for rank one",
            )
        )
    return tuple(stated)


@tail.fast
def exceedances(one: tuple[float, int, float], beta: float, printed: tuple[int, int, float, float]) -> Any:
    """The exact probability for rank 1 and three columns; then the printed noise for any ``k``, ``m >= 2 k + 1``."""
    value, m, noise = one
    limit = radius(0.0, m, noise, beta)
    share, ratio = min(float(limit / value) ** 2, 1.0), 1 + (value / noise) ** 2
    beyond = betainc(1.5, (m - 3) / 2, (1 - share) / (1 - share + ratio * share)) if m > 3 else 0.0
    return (
        AtMost(beyond, beta, part="tail for rank one"),
        AtMost(limit, np.sqrt((m + 1) / beta) * noise, part="radius from the noise"),
        *_orders(*printed),
    )


def _orders(k: int, rows: int, epsilon: float, delta: float) -> tuple[AtMost]:
    width, m = 2 * k + 1, max(rows, 2 * k + 1)
    scale = np.sqrt(2 * width * np.log(4 * width / delta)) * np.sqrt(2 * np.log(2.5 / delta)) / epsilon
    order = np.sqrt(float(k * m)) * np.log(k / delta) / epsilon
    return (AtMost(radius(order, m, scale, 0.01), TAIL * order + NOISE * order, part="printed order"),)


@tail.oracle
def exact_exceedances(one: tuple[float, int, float], beta: float, printed: tuple[int, int, float, float]) -> Any:
    value, m, noise = one
    value, noise, beta = mp.mpf(value), mp.mpf(noise), mp.mpf(beta)
    limit = mp.sqrt((m + 1) * noise**2 / beta)
    share, ratio = min((limit / value) ** 2, mp.mpf(1)), 1 + (value / noise) ** 2
    end = (1 - share) / (1 - share + ratio * share)  # the leverage without the signal must stay below it
    beyond = mp.betainc(1.5, mp.mpf(m - 3) / 2, 0, end, regularized=True) if m > 3 else mp.mpf(0)
    k, rows, epsilon, delta = printed
    epsilon, delta = mp.mpf(epsilon), mp.mpf(delta)
    width, rows = 2 * k + 1, max(rows, 2 * k + 1)
    square = 4 * width * mp.log(4 * width / delta) * mp.log(mp.mpf(5) / 2 / delta) / epsilon**2
    order = mp.sqrt(k * rows) * mp.log(k / delta) / epsilon
    return (
        AtMost(beyond, beta, part="tail for rank one"),
        AtMost(limit, mp.sqrt(m + 1) * noise / mp.sqrt(beta), part="radius from the noise"),
        AtMost(10 * mp.sqrt(2 * order**2 + (rows + 1) * square), mp.mpf(TAIL + NOISE) * order, part="printed order"),
    )
