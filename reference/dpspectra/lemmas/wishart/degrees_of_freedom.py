"""Wishart noise with enough degrees of freedom is ``(epsilon, delta)``-private; nothing but their number matters.

Scale ``B^2 / n`` for rows of norm at most ``B``, and ``nu = m - d + 1``. A row replaced by zero or back: ``epsilon <= 1``,
``delta <= 0.65`` and ``nu >= max(6, (1 + 2 epsilon)^2 log(1 / delta) / epsilon^2)`` is enough. A row replaced by any
other: ``epsilon <= 2`` and ``nu >= max(6, 4 (1 + epsilon)^2 log(2 / delta) / epsilon^2)``, for which even the loss
exceeds ``epsilon`` with probability below ``delta`` only. Both follow from the rank-one profile, by a chi-square tail
and, for a replacement, by passing through the data without either row. Sharper and without limits on ``epsilon``:
the profile itself, and for a replacement two of them in sequence. A bounded number of degrees is never enough for
``delta = 0``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from mpmath import mp

from dpspectra.fast import chi_square as fast
from dpspectra.fast import wishart
from dpspectra.fast.linalg import outer
from dpspectra.ledger import AtMost, Frequency, Statement, Verdict
from dpspectra.ledger.outcomes import Outcome
from dpspectra.oracle import chi_square as oracle
from dpspectra.strategies import ball_vectors, deltas, dyadics, epsilons, rectangular, seeds

TRIALS = 10_000
POINTS = 20
"""Points of the trapezoidal rule on each angle; only a frequency is compared with it."""


@st.composite
def _replacements(draw: DrawFn) -> tuple[Any, ...]:
    """The row before and after, ``nu``, ``epsilon``, the share of the first step, and a seed."""
    d = draw(st.integers(1, 3))
    v, w = draw(rectangular(2, d)) / 16
    if draw(st.booleans()):
        v, w = draw(ball_vectors(d)), draw(ball_vectors(d))
    nu, epsilon = draw(st.sampled_from([6, 7, 8, 12, 20])), draw(epsilons(2**-4, 2.0))
    return v, w, nu, epsilon, draw(dyadics(0, 1)), draw(seeds())


lemma = Statement(
    printed=("JXZ-T4-R2",),
    claim=r"\nu\ge\max\big(6,\tfrac{(1+2\varepsilon)^2}{\varepsilon^2}\log\tfrac1\delta\big)\ (\text{one row or zero}),\quad"
    r"\nu\ge\max\big(6,\tfrac{4(1+\varepsilon)^2}{\varepsilon^2}\log\tfrac2\delta\big)\ (\text{replace})"
    r"\ \Rightarrow\ (\varepsilon,\delta)\text{-DP}",
    verdict=Verdict.NEW,
    relation=("zero_out", "replace"),
    cases=st.tuples(epsilons(2**-5, 1.0), deltas(1e-12, 0.65), dyadics(0, 1), _replacements()),
    uses=("JXZ-T4-G",),
    note="wishart.md#enough-degrees-of-freedom",
    digits=30,
    examples=50,
)


def enough_for_one(epsilon: Any, delta: Any, log: Any = np.log) -> Any:
    """Degrees beyond ``d - 1`` that are enough when a row appears or vanishes; ``epsilon <= 1``, ``delta <= 0.65``."""
    return max(6, (1 + 2 * epsilon) ** 2 * log(1 / delta) / epsilon**2)


def enough_to_replace(epsilon: Any, delta: Any, log: Any = np.log) -> Any:
    """Degrees beyond ``d - 1`` that are enough when a row is replaced; ``epsilon <= 2``, ``delta < 1``."""
    return max(6, 4 * (1 + epsilon) ** 2 * log(2 / delta) / epsilon**2)


def _risk(nu: int, epsilon: float) -> float:
    """The ``delta`` for which ``nu >= 6`` is just enough to replace a row."""
    return float(2 * np.exp(-nu * epsilon**2 / (4 * (1 + epsilon) ** 2)))


@lemma.fast
def deltas_reached(epsilon: float, delta: float, shift: float, replaced: tuple[Any, ...]) -> tuple[Outcome, ...]:
    v, w, nu, level, share, seed = replaced
    rng, d = np.random.default_rng(seed), len(v)
    noise = wishart.draws(nu + d - 1, np.eye(d), TRIALS, rng)
    here, there = (wishart.log_density(noise + change, nu + d - 1, np.eye(d)) for change in (0, outer(v) - outer(w)))
    loss = here - there
    # a loss above level + X, X exponential with mean 1, has the hockey-stick divergence for its probability
    surpassed = [int(np.sum(loss > level)), int(np.sum(loss > level + rng.exponential(size=TRIALS)))]
    most = float(fast.exchange(level, nu, v @ v, w @ w, share))
    return (
        AtMost(fast.profile(epsilon, enough_for_one(epsilon, delta), shift), delta),
        Frequency(surpassed[0], TRIALS, _risk(nu, level)),
        Frequency(surpassed[1], TRIALS, min(1.0, most * (1 + 1e-9))),
    )
