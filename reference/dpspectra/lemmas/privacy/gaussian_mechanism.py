"""Gaussian noise of standard deviation ``sqrt(2 log(1.25/delta)) c / epsilon`` is private if ``epsilon <= 1``.

The exact profile is ``delta e^(epsilon/2 - m^2/8) (M(s - m/2) - M(s + m/2)) / (1.25 sqrt(2 pi))`` with the Mills ratio
``M``, ``s^2 = 2 log(1.25/delta)`` and ``m = epsilon / s``; for ``epsilon <= 1`` and ``delta < 1`` that is below
``0.71 delta``. Printed without a limit on ``epsilon``: at ``epsilon = 16`` the true ``delta`` is many times the claimed
one. Another reading, without the factor 2 under the square root, fails wherever ``1/2 <= epsilon <= 1`` and
``delta <= 2^-17``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import gaussian as fast
from dpspectra.ledger import AtMost, Statement, Verdict, inequality
from dpspectra.oracle import gaussian as oracle
from dpspectra.relations import Relation
from dpspectra.strategies import deltas, dyadics, epsilons
from dpspectra.strategies.lazy import st

lemma = Statement(
    labels=("JXZ-T2", "HR-T2.6", "HR-TA.1"),
    claim=r"\sigma=\tfrac c\varepsilon\sqrt{2\log\tfrac{1.25}{\delta}},\ \|q-q'\|_2\le c\ \Rightarrow\ "
    r"(\varepsilon,\delta)\text{-DP for }\varepsilon\le1,\ \delta<1;\qquad"
    r"\text{with }\sigma/\sqrt2\text{ not for }\tfrac12\le\varepsilon\le1,\ \delta\le2^{-17}",
    verdict=Verdict.REPAIRED,
    relation=(Relation.REPLACE, Relation.ROW),
    cases=lambda: st.tuples(
        epsilons(2.0**-10, 1.0) | st.just(0.5),
        deltas(1e-15, 1 - 2.0**-10) | st.just(2.0**-17),
        dyadics(2.0**-6, 8),
        st.just(1.0) | dyadics(0, 1),
    ),
    uses=("HR-T2.6R",),
    note="privacy.md#gaussian-mechanism",
)


def standard_deviation(sensitivity: Any, epsilon: Any, delta: Any) -> Any:
    """Standard deviation that is enough for ``epsilon <= 1``.

    The smallest one is ``sensitivity`` over `dpspectra.fast.gaussian.mu_for`.
    """
    return np.sqrt(2 * np.log(1.25 / delta)) * sensitivity / epsilon


@lemma.fast
def true_delta(epsilon: float, delta: float, sensitivity: float, fraction: float) -> tuple[AtMost, ...]:
    m = sensitivity / standard_deviation(sensitivity, epsilon, delta)
    enough = AtMost(fast.profile(epsilon, fraction * m), delta, part="enough noise")
    if epsilon < 0.5 or delta > 2.0**-17:
        return (enough,)
    return enough, AtMost(delta, fast.profile(epsilon, np.sqrt(2) * m), part="too little noise")


@lemma.oracle
def exact_delta(epsilon: float, delta: float, sensitivity: float, fraction: float) -> tuple[AtMost, ...]:
    delta, variance = mp.mpf(delta), _printed_variance(epsilon, delta, sensitivity)
    enough = AtMost(oracle.profile(epsilon, sensitivity * fraction / mp.sqrt(variance)), delta, part="enough noise")
    if epsilon < 0.5 or delta > 2.0**-17:
        return (enough,)
    return enough, AtMost(delta, oracle.profile(epsilon, sensitivity / mp.sqrt(variance / 2)), part="too little noise")


def _printed_variance(epsilon: Any, delta: Any, sensitivity: Any) -> Any:
    return 2 * mp.log(mp.mpf("1.25") / delta) * (mp.mpf(sensitivity) / epsilon) ** 2


@lemma.as_printed
def printed_delta(epsilon: float, delta: float) -> AtMost:
    """Compare the true and the claimed ``delta`` at sensitivity 1."""
    return AtMost(
        oracle.profile(epsilon, 1 / mp.sqrt(_printed_variance(epsilon, mp.mpf(delta), 1))),
        mp.mpf(delta),
        part="printed form",
    )


@lemma.counterexample
def large_epsilon() -> Any:
    return 16.0, 2.0**-17


@lemma.certificate
def large_epsilon_certificate() -> dict[str, Any]:
    s = ["sqrt", ["mul", "2", ["log", "163840"]]]
    half = ["div", "8", s]
    true = ["sub", ["normal_cdf", ["sub", half, s]], ["mul", ["exp", "16"], ["normal_cdf", ["neg", ["add", half, s]]]]]
    return inequality(
        "JXZ-T2",
        "the true delta is Phi(8/s - s) - e^16 Phi(-8/s - s), s^2 = 2 log(1.25/delta), at epsilon = 16, delta = 2^-17",
        true,
        "1/131072",
    )
